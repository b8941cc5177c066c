"""Two signatures compared: the axes in which they differ, and a case that shows it; and every printed signature can be parsed."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import published_run
import pytest
from click.testing import CliRunner
from reference_answers import PlainReference
from signed import QRELS, RUN, assert_computes

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cli import evaluate, explain
from rankproof.explain.signature_comparison import DifferingCase, compare, explained
from rankproof.inference.input_traits import is_ordinary
from rankproof.inference.reference_answers import reading_of
from rankproof.inference.signatures import parse
from rankproof.reference_impl.notation import parse as parse_measure


def shown_by(a: str, b: str) -> DifferingCase:
    found = compare(parse(a), parse(b)).shown
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("AP", "AP|ap_denominator:hits"),
        ("nDCG@10", "nDCG(dcg='exp-log2')@10"),
        ("FMI", "FMI|degenerate:0"),
        ("nDCG@10|gain:exp", "P@5|ties:input"),
        ("R@5", "R@5|qrels_duplicates:last"),
    ],
)
def test_the_case_shows_it(a: str, b: str) -> None:
    shown = shown_by(a, b)
    asked = [(parse_measure(measure), parse(s).conventions) for measure, s in zip(shown.measures, (a, b), strict=True)]
    assert [reading_of(PlainReference(shown.case.input).answers(*one), shown.query) for one in asked] == [
        shown.a,
        shown.b,
    ]
    assert shown.a != shown.b


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("nDCG@10", "nDCG@10|ideal:retrieved@k"),
        ("nDCG@10", "nDCG@10|gain:exp"),
        ("nDCG@10", "nDCG@10|discount:rank"),
        ("P@5", "P@5|extra:rejected"),
        ("RR", "RR|ties:docid-asc"),
    ],
)
def test_what_is_shown_is_ordinary_and_small_and_the_numbers_are_far_apart(a: str, b: str) -> None:
    """Looked for here by trying every ordinary case."""
    shown = shown_by(a, b)
    assert is_ordinary(shown.case.input)
    ordinary = [case for case in corpus.load_all() if not case.undefined and is_ordinary(case.input)]
    found = [one for case in ordinary for one in apart(case, a, b)]
    most = max(numbers for numbers, _, _ in found)
    fewest = min(docs for numbers, docs, _ in found if numbers == most)
    widest = max(by for numbers, docs, by in found if (numbers, docs) == (most, fewest))
    numbers = [value for value in (shown.a, shown.b) if isinstance(value, float)]
    assert (len(numbers), docs_of(shown.case)) == (most, fewest)
    assert max(numbers) - min(numbers) == pytest.approx(widest, abs=1e-9)


def apart(case: Case, a: str, b: str) -> Iterator[tuple[int, int, float]]:
    """Of each value of a case that is not the same by both: how many of the two are numbers, how many docs there are, how far apart."""
    if case.of_labels:
        return
    oracle = PlainReference(case.input)
    said = [oracle.answers(one.measure, one.conventions) for one in map(parse, (a, b))]
    for query in (None, *map(str, case.queries)):
        both = [reading_of(one, query) for one in said]
        numbers = [value for value in both if isinstance(value, float) and math.isfinite(value)]
        if both[0] != both[1] and not all(value != value for value in both):  # noqa: PLR0124 - two that are undefined
            yield len(numbers), docs_of(case), (max(numbers) - min(numbers) if len(numbers) > 1 else 0.0)


def docs_of(case: Case) -> int:
    return len({row[:2] for row in (*case.input.qrels, *case.input.run)})


def test_what_only_extreme_input_tells_apart_is_shown_on_it() -> None:
    assert not is_ordinary(shown_by("nDCG@10", "nDCG@10|negative:as-is").case.input)


def test_two_measures_differ_unless_they_are_one_in_two_notations() -> None:
    for other in ("P@10", "nDCG@5"):
        assert compare(parse("nDCG@10"), parse(other)).named == ("measure",)
    assert compare(parse("nDCG@10|gain:exp"), parse("P@5|ties:input")).named == ("measure", "gain", "ties")
    assert not compare(parse("nDCG(dcg='exp-log2')@10"), parse("nDCG@10|gain:exp")).of_two_measures


def test_a_cutoff_beyond_all_cases_is_lowered() -> None:
    shown = shown_by("nDCG@1000", "nDCG@1000|ideal:judged@never")
    assert set(shown.measures) <= {"nDCG@1", "nDCG@2", "nDCG@3", "nDCG@5"}


def test_what_cannot_be_compared_has_no_case() -> None:
    assert compare(parse("nDCG@10"), parse("ARI")).shown is None


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
    assert len(shown_by("AP|mean:?|ties:input", "AP|mean:?").case.queries) == 1, "of one query every mean is its value"
    assert shown_by("AP|mean:geometric", "AP").query is None
    (one,) = (axis for axis in explained(parse("AP|missing:?dropped/nan|ties:input")) if axis.name == "missing")
    assert (one.meaning, one.standard, one.open, one.taken) == ("undetermined, dropped or nan", "0", True, "dropped")


def test_what_remains_and_what_is_said_may_still_exclude_each_other() -> None:
    found = compare(parse("AP|missing:?dropped/nan"), parse("AP|missing:0"))
    assert found.named == ("missing",)
    assert found.shown is None  # nobody knows the number of A
    assert not compare(parse("AP|missing:?dropped/0"), parse("AP|missing:0")).named
    assert compare(parse("AP|missing:?dropped/nan"), parse("AP|missing:?0/rejected")).named == ("missing",)


def test_no_case_is_shown_that_rests_on_an_open_axis() -> None:
    given = shown_by("AP|missing:?|ties:input", "AP|missing:?").case.input
    assert {query for query, _, _ in given.qrels} <= {query for query, *_ in given.run}
    assert compare(parse("nDCG@10|gain:exp|discount:?"), parse("nDCG@10|discount:?")).shown is None


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
def test_what_cannot_show_is_told_so(a: str, b: str) -> None:
    compared = compare(parse(a), parse(b))
    assert (compared.same, compared.shown) == (True, None)


def test_measures_of_two_kinds_have_no_input_in_common() -> None:
    assert not compare(parse("ARI"), parse("nDCG@10")).comparable


def test_an_axis_that_cannot_matter_to_the_other_measure_has_no_value_there() -> None:
    compared = compare(parse("nDCG@10|gain:exp"), parse("P@5|ties:input"))
    assert {change.name: (change.a, change.b) for change in compared.changes}["gain"] == ("exp", "-")
    assert compared.shown is not None
    assert [measure.partition("@")[0] for measure in compared.shown.measures] == ["nDCG", "P"]


# -- those that are printed ---------------------------------------------------------------------------------------------

PUBLISHED = published_run.fingerprints()
ROOT = Path(__file__).resolve().parent.parent
WRITTEN = re.compile(r"[A-Za-z]+(?:\([^()|]*\))?(?:@[\d.]+)?(?:\|[a-z_]+:[^\s|`'\"<]+)*\|rankproof:[\w.]+")
"""A signature as it stands in a text."""


@pytest.mark.in_parts(4)
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
