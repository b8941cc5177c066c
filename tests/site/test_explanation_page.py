"""The page of an explanation has all that is explained, and its charts are drawn to scale."""

import html

import pytest

from rankproof.explain.explanation import explain
from rankproof.explain.run_data import RunData
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.report.explain import in_words
from rankproof.report.site import explanation_page
from rankproof.report.site.explanation_page import charts
from rankproof.text import short as in_short


def without_spaces(text: str) -> str:
    return "".join(text.split())


def test_a_page_says_what_turns_one_mean_into_another_where_no_query_differs() -> None:
    """Three queries worth 1, 1/2 and 1/4: their mean is .5833, and their geometric mean 1/2."""
    docs = {"1": "axyz", "2": "xayz", "4": "xyza"}
    run = {query: [QueryRow(doc, -float(at)) for at, doc in enumerate(own)] for query, own in docs.items()}
    data = RunData({query: [Judgment("a", 1)] for query in run}, run)
    told = explain("mine", data, parse_measure("RR"), ("standard", "mean=geometric", "ties=docid-asc"))
    page = explanation_page.page([told])
    shown = page.partition("<pre")[2].partition("</pre>")[0]
    assert "-0.0833" in shown
    assert "geometric mean" in shown


@pytest.mark.parametrize("measure", ["nDCG@2", "RR", "P@2"])
def test_a_page_has_the_parts_of_every_difference(measure: str) -> None:
    """Every change that a part names stands in the text, with what it adds."""
    names = (
        "standard",
        "order=input",
        "norel=1 gain=exp ties=best",
        "missing=dropped norel=dropped",
        "unjudged=removed",
    )
    rels = {"1": {"a": 1, "b": 0, "g": 2}, "2": {"a": 2, "b": 0}, "<3>": {"c": 1}, "4": {"a": 0}, "5": {"a": 1}}
    docs = {"1": "abceh", "2": "xab", "<3>": "c", "4": "ak"}
    qrels = {query: [Judgment(doc, rel) for doc, rel in own.items()] for query, own in rels.items()}
    run = {query: [QueryRow(doc, 1.0) for doc in own] for query, own in docs.items()}
    told = explain("<mine>", RunData(qrels, run), parse_measure(measure), names, query="1")
    page = explanation_page.page([told, told])
    shown = without_spaces(html.unescape(page.partition("<pre")[2].partition("</pre>")[0]))
    parts = [part for saying in told.sayings[1:] for part in saying.attribution.parts if saying.attribution]  # type: ignore[union-attr]
    assert len(parts) > 3
    for part in parts:
        assert without_spaces(in_words(part.changes)) in shown
        assert part.adds is None or without_spaces(in_short(to_float(part.adds))) in shown
    assert page.count("<section") == 2
    assert "<mine>" not in page


def test_a_chart_for_each_difference_that_of_most_queries_first_and_one_of_ties() -> None:
    """By ids ascending four queries of tied documents differ, in input order three of them, by removal two, by norel one."""
    tied = {str(i): [QueryRow(doc, 1.0) for doc in ("ba" if i == 4 else "ab")] for i in (1, 2, 3, 4)}
    unjudged = {query: [QueryRow("z", 2.0), QueryRow("a", 1.0)] for query in ("5", "6")}
    qrels = {query: [Judgment("a", int(query != "7")), Judgment("b", 0)] for query in "1234567"}
    names = ("standard", "norel=1", "unjudged=removed", "order=input", "ties=docid-asc")
    run = {**tied, **unjudged, "7": [QueryRow("a", 1.0)]}
    told = explain("mine", RunData(qrels, run), parse_measure("RR"), names)
    assert [len(chart["bars"]) for chart in charts(told)] == [4, 3, 2, 1, 4]


def test_charts_are_drawn_to_scale() -> None:
    """RR of 1 by ids descending and ascending is 1/2 and 1, of 2 it is 1 and 1/3, of 3 it is 1/2 and 1/3, of 4 always 1."""
    above = [QueryRow("z", 9.0)]
    run = {"1": "ab", "2": "abc", "3": "ab", "4": "a"}
    rows = {query: above * (query == "3") + [QueryRow(doc, 1.0) for doc in docs] for query, docs in run.items()}
    hits = {"1": "a", "2": "c", "3": "b", "4": "a"}
    data = RunData({query: [Judgment(doc, 1)] for query, doc in hits.items()}, rows)
    difference, ties = charts(explain("mine", data, parse_measure("RR"), ("standard", "ties=docid-asc")))
    # From -2/3 to 1/2 the scale is 7/6 wide, and 0 is at 4/7 of it.
    zero, up, down = 400 / 7, 100.0, (2 / 3 - 1 / 6) / (7 / 6) * 100
    expected = [
        ("1", zero, up, "0.5000 → 1.0000"),
        ("3", down, zero, "0.5000 → 0.3333"),
        ("2", 0, zero, "1.0000 → 0.3333"),
    ]
    for bar, (query, start, end, text) in zip(difference["bars"], expected, strict=True):
        assert (bar[0], bar[3]) == (query, text)
        assert bar[1:3] == pytest.approx((start, end), abs=0.06)
    assert difference["title"] == "RR by ties=docid-asc, minus that by standard"
    assert difference["note"] == "3 of 4 queries differ"
    # The best order of each, its worst, and the mean over all: of 2 it is (1 + 1/2 + 1/3)/3.
    assert [bar[0] for bar in ties["bars"]] == ["1", "2", "3"]
    assert [bar[1] for bar in ties["bars"]] == pytest.approx([50, 100 / 3, 100 / 3], abs=0.06)
    assert [bar[2] for bar in ties["bars"]] == pytest.approx([100, 100, 50], abs=0.06)
    assert ties["bars"][1][3] == "0.3333 to 1.0000, mean 0.6111"


def test_no_chart_if_nothing_differs() -> None:
    data = RunData({"1": [Judgment("a", 1)]}, {"1": [QueryRow("a", 1.0)]})
    assert charts(explain("mine", data, parse_measure("RR"), ("standard",))) == []
