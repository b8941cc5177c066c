"""Comparison of two signatures: the axes that differ. Also, every printed signature can be parsed."""

import re
from pathlib import Path
from typing import Any

import published_run
import pytest
from click.testing import CliRunner
from places import ROOT
from signature_checks import QRELS, RUN, assert_computes

from rankproof.cli import evaluate, explain
from rankproof.explain.signature_comparison import axes_in_words, compare
from rankproof.inference.signatures import parse


def test_measures_differ_unless_they_are_two_notations_of_one() -> None:
    for other in ("P@10", "nDCG@5"):
        assert compare(parse("nDCG@10"), parse(other)).named == ("measure",)
    assert compare(parse("nDCG@10|gain:exp"), parse("P@5|ties:input")).named == ("measure", "gain", "ties")
    assert compare(parse("nDCG(dcg='exp-log2')@10"), parse("nDCG@10|gain:exp")).same


def test_program_and_version_are_not_conventions() -> None:
    compared = compare(parse("nDCG@10|by:a-1|rankproof:0.0.9"), parse("nDCG@10|by:b-2|rankproof:0.1.0"))
    assert (dict(compared.beside), compared.changes) == ({"by": ("a-1", "b-2")}, ())


def test_conventions_undetermined_in_both_are_not_the_same() -> None:
    """For a judged query that is missing from the run, SetR of pytrec_eval is 1, and SetR of ir_measures is 0.5."""
    compared = compare(parse("SetR|missing:?|by:a-1"), parse("SetR|missing:?|by:b-2"))
    assert (compared.same, compared.changes, compared.open) == (False, (), {"missing": ("?", "?")})
    compared = compare(parse("SetR|missing:?"), parse("SetR|missing:0"))
    assert (compared.same, compared.named, compared.open) == (False, (), {"missing": ("?", "0")})
    assert not compare(parse("nDCG@10|missing:?"), parse("nDCG(dcg='exp-log2')@10|gain:exp|missing:?")).same


def test_undetermined_axes_of_either_signature_are_listed() -> None:
    assert compare(parse("AP|missing:0"), parse("AP|missing:?")).open == {"missing": ("0", "?")}
    of_another = compare(parse("nDCG@10|gain:?exp/linear"), parse("P@5"))
    assert (of_another.named, of_another.open) == (("measure",), {"gain": ("?exp/linear", "-")})
    of_exp = compare(parse("nDCG@10|gain:exp"), parse("P@5|ties:input"))
    assert {change.name: (change.a, change.b) for change in of_exp.changes}["gain"] == ("exp", "-")
    (missing,) = (axis for axis in axes_in_words(parse("AP|missing:?dropped/nan|ties:input")) if axis.name == "missing")
    assert (missing.meaning, missing.standard, missing.open, missing.taken) == (
        "undetermined, dropped or nan",
        "0",
        True,
        "dropped",
    )


def test_undetermined_values_without_a_common_value_differ() -> None:
    assert compare(parse("AP|missing:?dropped/nan"), parse("AP|missing:0")).named == ("missing",)
    assert not compare(parse("AP|missing:?dropped/0"), parse("AP|missing:0")).named
    assert compare(parse("AP|missing:?dropped/nan"), parse("AP|missing:?0/rejected")).named == ("missing",)


BINARY = "P(rel=2)@5|grades:binary"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("nDCG@10", "nDCG@10|discount:ln"),
        ("nDCG", "nDCG|ideal:judged@never"),
        ("nDCG(dcg='exp-log2')@10", "nDCG@10|gain:exp"),
        (f"{BINARY}|negative:rejected", f"{BINARY}|negative:as-is"),
    ],
)
def test_signatures_that_give_the_same_values_are_the_same(a: str, b: str) -> None:
    assert compare(parse(a), parse(b)).same


# -- printed signatures ------------------------------------------------------------------------------------------------

PUBLISHED = published_run.fingerprints()
WRITTEN = re.compile(r"[A-Za-z]+(?:\([^()|]*\))?(?:@[\d.]+)?(?:\|[a-z_]+:[^\s|`'\"<]+)*\|rankproof:[\w.]+")
"""A signature in a text."""


@pytest.mark.parametrize("library", sorted({form.library for form in PUBLISHED}))
def test_signatures_of_fingerprints_can_be_parsed_and_computed(library: str) -> None:
    for form in (form for form in PUBLISHED if form.library == library):
        signature = assert_computes(form.signature)
        assert signature.by == form.subject.signed
        assert set(form.undecided) <= set(signature.open)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {r}\n" for q, docs in QRELS.items() for d, r in docs.items()))
    rows = [(q, d, 20 - s, s) for q, docs in RUN.items() for d, s in docs.items()]
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} {rank:g} {s} t\n" for q, d, rank, s in rows))
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (evaluate, "--show-signature"),
        (evaluate, "--json"),
        (evaluate, "--show-signature --profile catboost"),
        (evaluate, "--show-signature --profile trectools/frame --format csv"),
        (evaluate, "--show-signature --profile evaluate --format markdown"),
        (explain, "--json"),
    ],
)
def test_signatures_next_to_numbers_can_be_parsed_and_computed(verb: Any, options: str, files: list[str]) -> None:
    measures = ["nDCG@10", *["-m", "AP", "-m", "P@5"] * (verb is evaluate)]
    done = CliRunner().invoke(verb.command, [*files, "-m", *measures, *options.split()], standalone_mode=False)
    assert done.exception is None, done.exception
    signatures = list(dict.fromkeys(WRITTEN.findall(done.output.replace("\\", ""))))
    assert len(signatures) >= (3 if verb is evaluate else 0)
    assert done.output.count("|rankproof:") == 0 or signatures
    for text in signatures:
        assert_computes(text)


def test_signatures_in_reports_and_docs_can_be_parsed_and_computed() -> None:
    paths = [*ROOT.glob("reports/*.md"), ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    texts = [re.sub(r"\|\n\s+", "|", path.read_text(encoding="utf-8").replace("\\", "")) for path in paths]
    written = {signature for text in texts for signature in WRITTEN.findall(text)}
    assert len(written) >= 3
    for text in written:
        assert_computes(text)
