"""What becomes of the answers of a case on its page: who tells no mean, and what is so of several measures.

Three libraries are asked, one of them in two variants.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from written_pages import words

from rankproof import cases as corpus
from rankproof.asking.subjects import Subject, installation
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.reference_answers import Oracle
from rankproof.site import building
from rankproof.site.axis_knowledge import Findings
from rankproof.site.lines import without_a_mean
from rankproof.site.page_sources import Told
from rankproof.site.pages import case_pages
from rankproof.telling.run_report import Report

CASE = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
WHO = {("west", "v"): "west", ("north", "w"): "north/w", ("east", "v"): "east", ("north", "v"): "north/v"}
"""Who is asked, and what each is called."""
ASKED = [
    installation(name, {"version": "1", "variants": dict.fromkeys(variants, "")}).as_json()
    for name, variants in (("west", "v"), ("north", "vw"), ("east", "v"))
]
HEADER = {"asked": ASKED, "rankproof": "0", "python": "3", "platform": "x", "cases": 1}


def _told(rows: Iterable[Row], case: Case) -> Told:
    """What is told of rows; nobody is there to be asked again."""
    return Told(Report(RunResults(HEADER, tuple(rows), {}), [case], [], []), Findings((), proved=False))


def _shown(row: Row) -> str:
    return "error" if row.value is None else f"{row.value:g}".removeprefix("0") or "0"


def _said(rows: Iterable[Row]) -> set[tuple[str, str]]:
    """Who says what of one question: a library stands once where all of its ways that say something say the same."""
    by: dict[str, dict[str, str]] = {}
    for row in rows:
        by.setdefault(row.library, {})[WHO[row.library, row.variant]] = _shown(row)
    return {
        (shown, library if len({*ways.values()}) == 1 else way)
        for library, ways in by.items()
        for way, shown in ways.items()
    }


# -- queries -----------------------------------------------------------------------------------------------------------

THREE = replace(
    CASE,
    input=Input((("q1", "a", 1), ("q2", "b", 1), ("q3", "c", 1)), (("q1", "a", 1.0, 1), ("q2", "x", 1.0, 1), ("q3", "c", 0.5, 1))),
    also_ask=("RR",), expect=None,
)  # fmt: skip
"""Of the mean and of each of three queries what each says; None where it does not say anything."""


def _asked(values: Mapping[tuple[str, str], tuple[float | None, ...]], queries: tuple[str | None, ...]) -> list[Row]:
    return [
        Row(THREE.id, Subject(*who, "1", alone=who[0] != "north"), "RR", query, Verdict.UNEXPLAINED, value, None, 0.0, (), "")
        for who, said in values.items()
        for query, value in zip(queries, said, strict=True)
        if value is not None
    ]  # fmt: skip


ONE = replace(THREE, input=Input((("q1", "a", 1),), (("q1", "b", 1.0, 1),)))
ALONE = {
    ("west", "v"): (0.5, None),
    ("north", "v"): (None, 0.75),
    ("north", "w"): (0.125, 0.25),
    ("east", "v"): (None, 0.5),
}


@pytest.mark.parametrize(
    ("case", "measure", "expected"),
    [
        (ONE, "RR", {"north/v", "east"}),
        # The mean over queries of which one is 0 is 0; the geometric is 1e-05, which is no query's.
        (replace(ONE, also_ask=(), expect={"AP": {"standard": {}, "mean=geometric": {}}}), "AP", set()),
        # That of nothing is not a number, and the query is absent.
        (replace(ONE, expect={"RR": {"standard": {}, "zero=dropped": {}}}), "RR", {"north/v", "east"}),
        (replace(ONE, input=replace(ONE.input, qrels=(("q1", "a", 0),)), expect={"RR": {"norel=dropped": {}}}), "RR", set()),
        (THREE, "RR", set()),
    ],
)  # fmt: skip
def test_who_tells_no_mean_stands_in_its_line_where_it_is_the_querys_value(
    case: Case, measure: str, expected: set[str]
) -> None:
    rows = [replace(row, measure=measure) for row in _asked(ALONE, (None, "q1"))]
    oracle = Oracle(case.input)
    found = without_a_mean(case, oracle, measure, rows)
    assert {WHO[subject.library, subject.variant] for subject in found} == expected
    told = _told(rows, case)
    page = case_pages.page(told, case)
    (view,) = page["views"]
    in_line = {name for line in view["line"].lines for voice in line.voices for *_, name in voice.who}
    by_query = {
        name for _, one in view["queries"] for line in one.lines for voice in line.voices for *_, name in voice.who
    }
    told_here = [row for row in rows if row.query is None or WHO[row.library, row.variant] in expected]
    assert in_line == {name for _, name in _said(told_here)}
    assert {name.partition("/")[0] for name in in_line | by_query} == {"west", "north", "east"}, "nobody is lost"


# -- measures of which all is the same ---------------------------------------------------------------------------------


def test_measures_share_a_row_where_their_sums_are_the_same_too() -> None:
    sums = {"P@1": "1/1", "R@1": "2/2", "Success@1": "1/1", "AP@1": "2/2", "RR@1": "1"}
    hit = Input((("q1", "a", 1),), (("q1", "a", 1.0, 1),))
    case = replace(
        ONE, input=hit, also_ask=(), expect={measure: {"standard": {"q1": text}} for measure, text in sums.items()}
    )
    rows = [
        Row(case.id, Subject(*who, "1", alone=who[0] != "north"), measure, "q1", Verdict.AGREES, 1.0, None, 1.0, (), "")
        for measure in sums
        for who in WHO
    ]
    shown = case_pages.page(_told(rows, case), case)["agreed"]
    assert [(measures, view["arithmetic"][0][1][0][1]) for measures, view in shown] == [
        (["P@1", "Success@1"], "1/1"), (["R@1", "AP@1"], "2/2"), (["RR@1"], "1"),
    ]  # fmt: skip


# -- errors ------------------------------------------------------------------------------------------------------------

REFUSALS = {
    "RR": {("west", "v"): "ids=text", ("north", "v"): "ids=text", ("east", "v"): "ids=whole"},
    "P@1": {("west", "v"): "ids=text", ("north", "v"): "ids=text"},
    "P@2": {("west", "v"): "ids=text", ("east", "v"): "ids=text"},
    "P@3": {("east", "v"): "ids=whole"},
    "P@4": {("north", "v"): "ids=text", ("west", "v"): "ids=text"},
    "P@5": {("west", "v"): "ids=text", ("north", "v"): "ids=whole"},
    "P@6": {("west", "v"): "ids=text", ("east", "v"): "ids=text"},
    "P@7": {("east", "v"): "ids=whole"},
    "P@8": {("north", "v"): "ids=text", ("north", "w"): "ids=text"},
}
"""Of each measure who refuses by which convention; RR has the most, and is drawn."""
ELSE = {"P@4": 0.25, "P@6": 0.125}
"""What the others say, where it is not 0.5."""


def test_what_is_so_of_two_measures_is_told_once(tmp_path: Path) -> None:
    case = replace(CASE, expect=None, also_ask=tuple(REFUSALS))
    rows = []
    for number, (measure, who) in enumerate(REFUSALS.items()):
        for subject in WHO:
            by, value = who.get(subject), ELSE.get(measure, 0.5)
            asked = Subject(*subject, "1", alone=subject[0] != "north")
            verdict, answer = (
                (Verdict.CONVENTION, (None, f"E{number} of {subject}")) if by else (Verdict.AGREES, (value, None))
            )
            rows.append(Row(case.id, asked, measure, None, verdict, *answer, value, (by,) if by else (), ""))
    building.write(_told(rows, case).report, tmp_path / "site", tmp_path)
    page = (tmp_path / "site" / "cases" / f"{case.id}.html").read_text(encoding="utf-8")
    said = {
        words(names): words(re.split("<details|<tr", cell)[0])
        for names, cell in re.findall(r"<tr><th scope=row>(.*?)<td>\d of 4<td>(.*?)(?=<tr|</tbody)", page, re.DOTALL)
    }
    assert said == {
        "P@1": ".5 north (w), east error west, north (v) by ids=text",
        "P@2": ".5 north error west, east by ids=text",
        "P@3 , P@7": ".5 west, north error east by ids=whole",
        "P@4": ".25 north (w), east error those of P@1",
        "P@5": ".5 north (w), east error west by ids=text ; north (v) by ids=whole",
        "P@6": ".125 north error those of P@2",
        "P@8": ".5 west, east error north (w, v) by ids=text",
    }
