"""Two signatures compared: the axes in which they differ; and every printed signature can be parsed."""

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


def test_two_measures_differ_unless_they_are_one_in_two_notations() -> None:
    for other in ("P@10", "nDCG@5"):
        assert compare(parse("nDCG@10"), parse(other)).named == ("measure",)
    assert compare(parse("nDCG@10|gain:exp"), parse("P@5|ties:input")).named == ("measure", "gain", "ties")
    assert compare(parse("nDCG(dcg='exp-log2')@10"), parse("nDCG@10|gain:exp")).same


def test_the_program_and_its_version_are_not_conventions() -> None:
    compared = compare(parse("nDCG@10|by:a-1|rankproof:0.0.9"), parse("nDCG@10|by:b-2|rankproof:0.1.0"))
    assert (dict(compared.beside), compared.changes) == ({"by": ("a-1", "b-2")}, ())


def test_what_neither_was_asked_is_not_said_to_be_the_same() -> None:
    """pytrec_eval's SetR gives 1 where ir_measures' gives .5, of a judged query that the run does not have; neither was asked."""
    compared = compare(parse("SetR|missing:?|by:a-1"), parse("SetR|missing:?|by:b-2"))
    assert (compared.same, compared.changes, compared.open) == (False, (), {"missing": ("?", "?")})
    found = compare(parse("SetR|missing:?"), parse("SetR|missing:0"))
    assert (found.same, found.named, found.open) == (False, (), {"missing": ("?", "0")})
    assert not compare(parse("nDCG@10|missing:?"), parse("nDCG(dcg='exp-log2')@10|gain:exp|missing:?")).same


def test_what_is_open_is_told_of_whichever_leaves_it_so_and_differs_from_no_axis_that_cannot_matter() -> None:
    assert compare(parse("AP|missing:0"), parse("AP|missing:?")).open == {"missing": ("0", "?")}
    of_another = compare(parse("nDCG@10|gain:?exp/linear"), parse("P@5"))
    assert (of_another.named, of_another.open) == (("measure",), {"gain": ("?exp/linear", "-")})
    (one,) = (axis for axis in axes_in_words(parse("AP|missing:?dropped/nan|ties:input")) if axis.name == "missing")
    assert (one.meaning, one.standard, one.open, one.taken) == ("undetermined, dropped or nan", "0", True, "dropped")


def test_what_remains_and_what_is_said_may_still_exclude_each_other() -> None:
    found = compare(parse("AP|missing:?dropped/nan"), parse("AP|missing:0"))
    assert found.named == ("missing",)
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
def test_signatures_that_give_the_same_values_are_said_to(a: str, b: str) -> None:
    assert compare(parse(a), parse(b)).same


def test_an_axis_that_cannot_matter_to_the_other_measure_has_no_value_there() -> None:
    compared = compare(parse("nDCG@10|gain:exp"), parse("P@5|ties:input"))
    assert {change.name: (change.a, change.b) for change in compared.changes}["gain"] == ("exp", "-")


# -- those that are printed ---------------------------------------------------------------------------------------------

PUBLISHED = published_run.fingerprints()
WRITTEN = re.compile(r"[A-Za-z]+(?:\([^()|]*\))?(?:@[\d.]+)?(?:\|[a-z_]+:[^\s|`'\"<]+)*\|rankproof:[\w.]+")
"""A signature as it stands in a text."""


@pytest.mark.parametrize("library", sorted({one.library for one in PUBLISHED}))
def test_those_of_all_fingerprints_do(library: str) -> None:
    for one in (one for one in PUBLISHED if one.library == library):
        found = assert_computes(one.signature)
        assert found.by == one.subject.signed
        assert set(one.undecided) <= set(found.open)


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
def test_those_beside_numbers_do(verb: Any, options: str, files: list[str]) -> None:
    measures = ["nDCG@10", *["-m", "AP", "-m", "P@5"] * (verb is evaluate)]
    told = CliRunner().invoke(verb.command, [*files, "-m", *measures, *options.split()], standalone_mode=False)
    assert told.exception is None, told.exception
    found = list(dict.fromkeys(WRITTEN.findall(told.output.replace("\\", ""))))
    assert len(found) >= (3 if verb is evaluate else 0)
    assert told.output.count("|rankproof:") == 0 or found
    for text in found:
        assert_computes(text)


def test_those_of_reports_and_readme_do() -> None:
    paths = [*ROOT.glob("reports/*.md"), ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    texts = [re.sub(r"\|\n\s+", "|", path.read_text(encoding="utf-8").replace("\\", "")) for path in paths]
    written = {one for text in texts for one in WRITTEN.findall(text)}
    assert len(written) >= 3
    for text in written:
        assert_computes(text)
