"""What the pages tell from: rankings as they are drawn, scales, what is known of each axis, counts; each as a whole, worked out by hand."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Subject
from rankproof.cases.inputs import Input
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.reference_answers import Oracle
from rankproof.site.axis_knowledge import Findings, find
from rankproof.site.lines import NumberLine, number_line
from rankproof.site.rankings import Drawn, crossed, drawn
from rankproof.telling.run_report import Report

CASE = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
OTHER = corpus.load(corpus.HERE / "gain" / "linear-exp-binary.toml")


# -- rankings ----------------------------------------------------------------------------------------------------------


def of(*qrels: tuple[str, str, float], run: tuple[tuple[str, str, float], ...], **more: tuple[str, ...]) -> list[Drawn]:
    """Rankings of which the measures asked are cut at 2."""
    return drawn(replace(CASE, input=Input(qrels, tuple((*one, 1) for one in run), **more)))


@pytest.mark.parametrize(
    ("qrels", "run", "more", "remark", "docs"),
    [
        ([("q1", "a", 1)], (), {"empty_in_run": ("q1",)}, "The ranking is empty.", ["a"]),
        ([], (), {"empty_in_qrels": ("q1",)}, "The run does not have this query. The qrels judge no doc of it.", []),
        ([("q1", "a", 1)], (("q1", "a", 1.0), ("q1", "b", math.nan), ("q1", "c", 3.0)), {},
         "A score is not a number, so no order is right; the rows are drawn as given.", ["a", "b", "c"]),
    ],
)  # fmt: skip
def test_what_is_odd_about_a_query_is_said(
    qrels: list[tuple[str, str, float]],
    run: tuple[tuple[str, str, float], ...],
    more: dict[str, tuple[str, ...]],
    remark: str,
    docs: list[str],
) -> None:
    (found,) = of(*qrels, run=run, **more)
    assert (found.remark, [place.doc for place in found.places], found.ties) == (remark, docs, False)
    assert {place.rel for place in found.places if place.doc == "a"} <= {"1", ""}, "of two judgments the first"


@pytest.mark.parametrize(("unjudged", "counts"), [(3, [1, 1, 1, 1]), (4, [1, 4])])
def test_four_docs_without_a_judgment_are_one_row_and_three_are_three(unjudged: int, counts: list[int]) -> None:
    rows = [("q1", "a", 99.0), *(("q1", f"d{i}", 9.0 - i) for i in range(unjudged))]
    (found,) = drawn(
        replace(CASE, input=Input((("q1", "a", 1),), tuple((*one, 1) for one in rows)), expect=None, also_ask=("P@1",))
    )
    assert [row.count for row in found.shown] == counts


def test_two_labelings_are_counted_pair_by_pair() -> None:
    labels = replace(CASE, input=Input(true=("a", "a", "b", 1), predicted=("x", "y", "y", "y")))
    assert crossed(labels) == {"true": ("a", "b", "1"), "predicted": ("x", "y"), "counts": [[1, 1], [0, 1], [0, 1]]}
    assert crossed(CASE) == {"true": (), "predicted": (), "counts": []}


# -- number lines ------------------------------------------------------------------------------------------------------

SUBJECTS = {name: Subject("lib", name, "1", alone=False) for name in "vw"} | {"o": Subject("other", "v", "2")}


def said(
    who: str, value: float | str | None, verdict: Verdict = Verdict.UNEXPLAINED, *conventions: str, **more: str
) -> Row:
    return Row(CASE.id, SUBJECTS[who], "P@2", None, verdict, value, None, 0.0, conventions, **more)  # type: ignore[arg-type]


def report_of(*rows: Row, cases: tuple[corpus.Case, ...] = (CASE,), libraries: tuple[Library, ...] = ()) -> Report:
    asked = [
        {"library": "lib", "version": "1", "variants": {"v": "", "w": ""}},
        {"library": "other", "version": "2", "variants": {"v": ""}},
        {"library": "unasked", "not_installed": "no module"},
    ]
    return Report(RunResults({"asked": asked}, rows, {}), cases, libraries)


def line_of(*rows: Row, case: corpus.Case = CASE, query: str | None = None) -> NumberLine:
    return number_line(report_of(*rows), case, Oracle(case.input), "P@2", rows, query)


@pytest.mark.parametrize(
    ("value", "places", "ticks"),
    [
        # Where all are from 0 to 1, so is the scale; else it ends at multiples of 1, 1/2 or 1/4 of the power of ten below the width,
        # the finest of which at most eight make up the width.
        (1.0, [100, 50, 25, 0], ["0", ".25", ".5", ".75", "1"]),
        (3.0, [100, 16.7, 8.3, 0], ["0", ".75", "1.5", "2.25", "3"]),
        (1.75, [100, 28.6, 14.3, 0], ["0", ".4375", ".875", "1.3125", "1.75"]),
        (250.0, [100, 0.2, 0.1, 0], ["0", "62.5", "125", "187.5", "250"]),
        (-7.0, [93.8, 90.6, 87.5, 0], ["-7", "-5", "-3", "-1", "1"]),
        (-0.6, [100, 80, 60, 12], ["-.75", "-.4375", "-.125", ".1875", ".5"]),  # from -3/4 to 1/2
        (math.inf, [None, 50, 25, 0], ["0", ".25", ".5", ".75", "1"]),
        (math.nan, [50, 25, 0, None], ["0", ".25", ".5", ".75", "1"]),
        ("absent", [50, 25, 0, None], ["0", ".25", ".5", ".75", "1"]),
    ],
)
def test_answers_stand_on_a_scale_of_round_numbers_the_greatest_first(
    value: float | str, places: list[float | None], ticks: list[str]
) -> None:
    # The case itself gives 0, 1/4 and 1/2.
    found = line_of(said("v", value))
    assert [line.at for line in found.lines] == places
    assert found.ticks == tuple(zip((0.0, 25.0, 50.0, 75.0, 100.0), ticks, strict=True))
    assert found.unit is (ticks[-1] == "1" and ticks[0] == "0")
    assert found.standard == {-7: 87.5, -0.6: 60}.get(value, 0.0)  # type: ignore[call-overload]


# -- what is known of each axis ----------------------------------------------------------------------------------------


def library(folder: Path, claims: str) -> Library:
    path = folder / "lib.toml"
    path.write_text(FAKE.replace('"fake"', '"lib"') + claims, encoding="utf-8")
    return Library("lib", folder / "lib_adapter.py", load(path))


def claimed(tmp_path: Path, *rows: Row) -> Findings:
    own = library(tmp_path, "[profiles.v]\n'*' = 'ties=docid-asc'\n[profiles.w]\n'*' = ''\n")
    return find(report_of(*rows, cases=(CASE, OTHER), libraries=(own,)), tmp_path)


def test_without_a_file_of_fingerprints_the_sheets_say_what_is_claimed(tmp_path: Path) -> None:
    found = claimed(
        tmp_path, said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc"), said("w", 0.0, Verdict.AGREES), said("o", 0.0, Verdict.AGREES),
        replace(said("v", 0.1), measure="AP"), replace(said("w", 0.1, Verdict.AGREES), measure="no measure"),
    )  # fmt: skip
    assert not found.proved
    v, w = found.fingerprints
    assert [(one.subject, one.key, one.profile.ties) for one in (v, w)] == [
        (SUBJECTS["v"], "P@k", "docid-asc"), (SUBJECTS["w"], "P@k", "docid-desc"),
    ]  # fmt: skip
    assert v.axes["ties"] == AxisFinding("ties", "docid-asc", CASE.id, "P@2", {})
    assert w.axes["ties"] == AxisFinding("ties", "docid-desc", CASE.id, "P@2", {}), (
        "the case expects other values of other ties"
    )
    assert w.axes["missing"] == AxisFinding("missing", w.profile.missing, "", "", {}), "no case shows it"
    assert "gain" not in v.axes, "P looks at no gain"
    assert (v.explained, v.asked, v.missed) == (0, 0, ())
    parts = v.signature.split("|")
    assert (parts[0], parts[-2]) == ("P@k", "by:lib/v-1")
    assert {part for part in parts[1:-2] if not part.endswith(":?")} == {"ties:docid-asc"}, "what no case shows is open"
    assert list(found.by_variant) == [("lib", "v"), ("lib", "w")]
    assert found.by_variant["lib", "w"] == [w]
    assert found.by_axis["ties"] == {("lib", "v"): [("P@k", v.axes["ties"])], ("lib", "w"): [("P@k", w.axes["ties"])]}
    assert found.by_axis["gain"] == {}


def test_a_claim_is_shown_by_the_simplest_case(tmp_path: Path) -> None:
    at = replace(CASE, id="ties/larger", input=replace(CASE.input, run=(*CASE.input.run, ("q1", "z", 0.1, 4))))
    two, large, small = (
        said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc", "missing=0"),
        replace(said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc"), case=at.id),
        replace(said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc"), case=CASE.id),
    )
    own = library(tmp_path, "[profiles.v]\n'*' = 'ties=docid-asc'\n")
    for rows, witness in (((two, large), at.id), ((large, small), CASE.id), ((small, large), CASE.id)):
        (one,) = find(report_of(*rows, cases=(CASE, at), libraries=(own,)), tmp_path).fingerprints
        assert one.axes["ties"].witness == witness


def test_a_default_is_shown_only_by_a_case_that_tells_it_from_another_value(tmp_path: Path) -> None:
    own = library(tmp_path, "[profiles.w]\n'*' = ''\n")
    zero, half = {"q1": "0", "mean": "0"}, {"q1": "1/2", "mean": "1/2"}
    for by_spec, witness in (
        ({"standard": zero, "taste=odd": half, "ties=input": half}, CASE.id), ({"standard": zero, "ties=input": zero}, ""),
        ({"standard": zero, "ties=input missing=dropped": half}, ""), ({"standard": zero, "missing=dropped": half}, ""),
    ):  # fmt: skip
        case = replace(CASE, expect={"P@2": by_spec})
        (one,) = find(report_of(said("w", 0.0, Verdict.AGREES), cases=(case,), libraries=(own,)), tmp_path).fingerprints
        assert one.axes["ties"].witness == witness
    (unknown,) = find(report_of(said("w", 0.0, Verdict.AGREES), cases=(), libraries=(own,)), tmp_path).fingerprints
    assert unknown.axes["ties"].witness == "", "the case is not there any more"


# -- what several pages need -------------------------------------------------------------------------------------------
