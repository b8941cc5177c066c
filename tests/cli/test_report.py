"""`rankproof report`: public data, badges, pictures, citations, and the published report."""

import json
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import published_run
import pytest
from typed_commands import rankproof

from rankproof import cases as corpus
from rankproof.report.convention_words import COMMON_AXES
from rankproof.report.run import markdown
from rankproof.report.run_report import Report
from rankproof.version import VERSION
from rankproof.workers.known_libraries import libraries, usable


@pytest.fixture(scope="module")
def published() -> Report:
    return Report(published_run.results(), corpus.load_all(), usable(libraries()))


def test_published_page_is_written_from_the_results(published: Report) -> None:
    page = markdown(published.summary(), published=True)
    assert (published_run.REPORTS / "README.md").read_text(encoding="utf-8") == page
    assert published.results.footer["complaints"] == 0


def test_public_data_follows_its_schemas(tmp_path: Path) -> None:
    assert rankproof("report", "data", "-o", "data", cwd=tmp_path).code == 0
    documents = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "data").glob("*.json")}
    assert set(documents) == {"fingerprints", "cases", "history"}
    for name, document in documents.items():
        schema = json.loads((tmp_path / "data" / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(schema).validate(document)
    assert len(documents["fingerprints"]["fingerprints"]) == len(published_run.fingerprints())


PYTREC_EVAL = next(form for form in published_run.fingerprints() if (form.library, form.key) == ("pytrec_eval", "AP"))


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (["sklearn/rows"], "ties=expectation"),
        (["pytrec_eval", "-m", "AP"], f"{PYTREC_EVAL.explained} of {PYTREC_EVAL.total} values"),
        (["nDCG@10|gain:exp|ideal:given|by:mine-1.0"], "nDCG@10: gain=exp, ideal=given"),
        (["P@5|ties:?|by:<b>&-1"], "P@5: standard · 1 undetermined"),
    ],
)
def test_badge_is_svg_with_the_conventions(arguments: list[str], phrase: str, tmp_path: Path) -> None:
    done = rankproof("report", "badge", *arguments, "-o", "badge.svg", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "")
    svg = ET.fromstring((tmp_path / "badge.svg").read_text(encoding="utf-8"))
    assert phrase in svg.attrib["aria-label"]
    assert "".join(svg.itertext()).count("<b>") == 0


@pytest.mark.parametrize(("measure", "options"), [("nDCG@10", []), ("AP", ["--dark"])])
def test_picture_has_a_cell_for_each_library_and_axis(measure: str, options: list[str], tmp_path: Path) -> None:
    text = rankproof("report", "picture", "-m", measure, *options, cwd=tmp_path).out
    ET.fromstring(text)
    titles = [unescape(part.partition("</title>")[0]) for part in text.split("<title>")[1:]]
    key = measure.replace("@10", "@k")
    forms = [form for form in published_run.fingerprints() if form.key == key]
    differing = {finding.axis for form in forms for finding in form.differing}
    for form in forms:
        whose = f"{form.library} {form.subject.version}: "
        assert any(title.startswith(whose) and form.variant in title for title in titles), whose
        for axis in [axis for axis in COMMON_AXES if axis in differing][:9]:
            if axis in form.axes and form.axes[axis].value is not None:
                assert any(title.startswith(f"{axis}={form.axes[axis].value}: ") for title in titles)


def test_citation_is_bibtex_after_a_sentence_with_the_signature(tmp_path: Path) -> None:
    plain = rankproof("report", "cite", cwd=tmp_path).out
    assert plain.startswith("@software{rankproof,\n")
    assert f"version = {{{VERSION}}}" in " ".join(plain.split())
    sentence = rankproof("report", "cite", "P@10|score:f32|missing:?|by:ranx-0.3", cwd=tmp_path).out
    assert sentence.startswith("P@10 is computed by ranx-0.3, as observed by rankproof ")
    assert "missing undetermined" in sentence
    assert sentence.endswith(plain)
    latex = rankproof("report", "cite", "P@10|score:f32", "--latex", cwd=tmp_path).out.splitlines()[0]
    assert latex.endswith(r"\cite{rankproof}.")
    assert r"score:f32" in latex
