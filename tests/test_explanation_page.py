"""The page of an explanation has all that is explained; its charts, and the figure for papers, are drawn to scale."""

import html
import math
import re
from dataclasses import replace

import pytest
from seen_pages import EVIL, without_spaces

from rankproof.explain.asked_data import AskedData
from rankproof.explain.explanation import Explanation, Wish, explain
from rankproof.inference.reference_answers import CannotTell, Obstacle
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.report.explain import in_words
from rankproof.site import difference_charts, explanation_page
from rankproof.site.difference_charts import BOTTOM, HEIGHT, TOP, drawings
from rankproof.text import short as in_short


def explanation(*names: str, system: str = "mine", evil: bool = False) -> Explanation:
    """Of two queries that differ by the order of tied docs, and one that does not."""
    ids = EVIL if evil else ["a", "b", "c"]
    queries = EVIL[:3] if evil else ["1", "2", "3"]
    qrels = {query: [Judgment(ids[0], 1), Judgment(ids[1], 0)] for query in queries}
    tied, clear = [1.0] * len(ids), [float(-i) for i in range(len(ids))]
    run = {
        query: [QueryRow(doc, score) for doc, score in zip(ids, scores, strict=True)]
        for query, scores in zip(queries, (tied, tied, clear), strict=True)
    }
    return explain(system, AskedData(qrels, run), parse_measure("RR"), Wish(names, of_most=True))


def test_the_charts_are_of_those_who_differ_in_most_queries() -> None:
    """By docids ascending four queries of tied docs differ, by the rows three of them, by removal two, by norel one, for two profiles."""
    tied = {str(i): [QueryRow(doc, 1.0) for doc in ("ba" if i == 4 else "ab")] for i in (1, 2, 3, 4)}
    unjudged = {query: [QueryRow("z", 2.0), QueryRow("a", 1.0)] for query in ("5", "6")}
    qrels = {query: [Judgment("a", int(query != "7")), Judgment("b", 0)] for query in "1234567"}
    names = ("standard", "norel=1", "norel=1 mean=geometric", "unjudged=removed", "order=input", "ties=docid-asc")
    run = {**tied, **unjudged, "7": [QueryRow("a", 1.0)]}
    told = explain("mine", AskedData(qrels, run), parse_measure("RR"), Wish(names, of_most=True))
    assert [len(one.table) for one in drawings(told) if "differ" in one.title or "less" in one.title][:3] == [4, 3, 2]


def test_a_page_says_what_turns_one_mean_into_another_where_no_query_differs() -> None:
    """Three queries worth 1, 1/2 and 1/4: their mean is .5833, and their geometric mean 1/2."""
    docs = {"1": "axyz", "2": "xayz", "4": "xyza"}
    run = {query: [QueryRow(doc, -float(at)) for at, doc in enumerate(own)] for query, own in docs.items()}
    data = AskedData({query: [Judgment("a", 1)] for query in run}, run)
    told = explain("mine", data, parse_measure("RR"), Wish(("standard", "mean=geometric", "ties=docid-asc")))
    page = explanation_page.page([told])
    shown = page[page.index("Why they differ") :].partition("<h2")[0].partition("</section>")[0]
    assert "mean=geometric" in shown
    assert "-0.0833" in shown.replace("\u2212", "-")
    assert "ties=docid-asc" not in shown, "whose values and mean are the same"


@pytest.mark.parametrize("measure", ["nDCG@2", "RR", "P@2"])
def test_a_page_has_the_parts_of_every_difference(measure: str) -> None:
    """Every change that a part names stands in the table of why they differ, with what it adds."""
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
    told = explain("<mine>", AskedData(qrels, run), parse_measure(measure), Wish(names, query="1"))
    page = explanation_page.page([told, told], ["a and b", "<c>"])
    shown = without_spaces(
        html.unescape(re.sub("<[^>]*>", "", page.partition("Why they differ")[2].partition("<figure")[0]))
    )
    parts = [part for saying in told.sayings[1:] for part in saying.attribution.parts if saying.attribution]  # type: ignore[union-attr]
    assert len(parts) > 3
    for part in parts:
        assert without_spaces(in_words(part.changes)) in shown
        assert part.adds is None or without_spaces(in_short(to_float(part.adds))) in shown
    assert page.count("<section") == 2
    assert "<mine>" not in page


def test_the_range_of_ties_is_drawn_to_scale_beside_the_tools() -> None:
    # RR of three queries: 1 in the third; in the two others the relevant doc is tied with two: 1/3, 11/18 over all orders, 1.
    found = explanation_page.tie_range(explanation("standard", "order=input", "ties=expectation"))
    assert found is not None
    low, mid, high = (1 / 3 * 2 + 1) / 3, (11 / 18 * 2 + 1) / 3, 1.0
    wide = explanation_page.WIDTH - 2 * explanation_page.MARGIN
    assert (found.low, found.high) == (explanation_page.MARGIN, explanation_page.MARGIN + wide)
    assert found.middle == pytest.approx(explanation_page.MARGIN + wide * (mid - low) / (high - low), abs=0.06)
    assert found.tools == (
        (found.low, "0.5556", "standard"),
        (found.middle, "0.7407", "ties=expectation"),
        (found.high, "1.0000", "order=input"),
    )
    assert explanation_page.tie_range(of_one_query(QueryRow("a", 1.0))) is None
    alike = of_one_query(QueryRow("a", 2.0), QueryRow("b", 1.0), QueryRow("c", 1.0))
    assert explanation_page.tie_range(alike) is None, "no order of these moves the mean"


def of_one_query(*rows: QueryRow) -> Explanation:
    """RR of a query to which doc a is relevant."""
    return explain("mine", AskedData({"1": [Judgment("a", 1)]}, {"1": rows}), parse_measure("RR"), Wish(("standard",)))


def test_what_a_tool_gives_beyond_all_orders_of_ties_is_drawn_to_scale_too() -> None:
    # DCG@2 of rels 3 and 1, tied: between 1 + 3 / log2(3) and 3 + 1 / log2(3); by exponential gain above that, as flags below.
    rows = [QueryRow("a", 1.0), QueryRow("b", 1.0)]
    data = AskedData({"1": [Judgment("a", 3), Judgment("b", 1)]}, {"1": rows})
    names = ("standard", "ties=best", "gain=exp", "gain=binary")
    found = explanation_page.tie_range(explain("mine", data, parse_measure("DCG@2"), Wish(names)))
    assert found is not None
    part, margin = 1 / math.log2(3), explanation_page.MARGIN
    values = {"gain=binary": 1 + part, "standard": 1 + 3 * part, "ties=best": 3 + part, "gain=exp": 1 + 7 * part}
    scale = (explanation_page.WIDTH - 2 * margin) / (values["gain=exp"] - values["gain=binary"])
    at = {name: margin + scale * (value - values["gain=binary"]) for name, value in values.items()}
    assert [names for *_, names in found.tools] == list(values)
    assert [x for x, *_ in found.tools] == pytest.approx(list(at.values()), abs=0.06)
    assert (found.low, found.high) == pytest.approx((at["standard"], at["ties=best"]), abs=0.06)


def test_the_bars_of_few_queries_have_their_names() -> None:
    differences, envelope = drawings(explanation("standard", "order=input"))
    assert [name for _, name in differences.names] == [name for _, name in envelope.names] == ["1", "2"]
    assert [x for x, _ in differences.names] == [float(part.split()[0]) for part in differences.bars.split("M")[1:]]
    few, many = (difference_charts._named([float(i) for i in range(n)], [str(i) for i in range(n)]) for n in (16, 17))
    assert (len(few), many) == (16, ())
    assert [difference_charts._places(count)[1] for count in (2, 100)] == [14, round(576 / 100 * 0.72, 2)]
    assert [name for _, name in difference_charts._named([1.0, 2.0], ["a" * 100, "b"])] == ["a" * 37 + "…", "b"]


def test_charts_are_drawn_to_scale() -> None:
    # RR of the relevant doc "a", tied with two others: docid-desc puts it last, 1/3; as it comes it is first, 1.
    differences, envelope = drawings(explanation("standard", "order=input"))
    assert [text for _, text in differences.up] == ["0", "0.2", "0.4", "0.6", "0.8"], "the greatest difference is 2/3"
    bottom, top = HEIGHT - BOTTOM, TOP
    tip = bottom - (bottom - top) * (2 / 3) / 0.8
    ends = [part.split("V")[1] for part in differences.bars.split("M")[1:]]
    assert ends == [f"{tip:.1f}"] * 2
    assert differences.columns == ("query", "standard", "order=input", "difference")
    assert differences.table == (("1", "0.3333", "1.0000", "0.6667"), ("2", "0.3333", "1.0000", "0.6667"))
    # In the worst order 1/3, over all orders (1 + 1/2 + 1/3)/3 = 11/18, in the best 1.
    assert envelope.table == (("1", "0.3333", "0.6111", "1.0000"), ("2", "0.3333", "0.6111", "1.0000"))
    assert [text for _, text in envelope.up][-1] == "1"
    spans = [part.split()[1].split("V") for part in envelope.bars.split("M")[1:]]
    assert spans == [[f"{bottom - (bottom - top) / 3:.1f}", f"{top:.1f}"]] * 2


def test_a_chart_has_the_greatest_gain_first_and_of_orders_of_ties_the_best_and_least_open() -> None:
    """RR, by docid descending and ascending: of 1 it is 1/2 and 1, of 2 it is 1 and 1/3, of 3 it is 1/2 and 1/3, of 4 always 1."""
    above = [QueryRow("z", 9.0)]
    run = {"1": "ab", "2": "abc", "3": "ab", "4": "a"}
    rows = {query: above * (query == "3") + [QueryRow(doc, 1.0) for doc in docs] for query, docs in run.items()}
    hits = {"1": "a", "2": "c", "3": "b", "4": "a"}
    data = AskedData({query: [Judgment(doc, 1)] for query, doc in reversed(hits.items())}, rows)
    told = explain("mine", data, parse_measure("RR"), Wish(("standard", "ties=docid-asc")))
    first, other = told.sayings
    told = replace(told, sayings=(first, replace(other, names=("x", "y", "z"))))
    differences, envelope = drawings(told)
    assert differences.title == "RR by x, y and z, less that by standard"
    assert differences.columns == ("query", "standard", "x", "difference")
    assert differences.table == (
        ("1", "0.5000", "1.0000", "0.5000"),
        ("3", "0.5000", "0.3333", "-0.1667"),
        ("2", "1.0000", "0.3333", "-0.6667"),
    )
    assert envelope.table == (
        ("1", "0.5000", "0.7500", "1.0000"),
        ("2", "0.3333", "0.6111", "1.0000"),
        ("3", "0.3333", "0.4167", "0.5000"),
    )
    assert envelope.below == "the queries that the order moves (3 of 4); the line across: the mean over all orders"
    ends = {**told.envelope.ends, "expectation": CannotTell(Obstacle.TOO_MANY_ORDERS, "too many")}
    (_, untold) = drawings(replace(told, envelope=replace(told.envelope, ends=ends)))
    assert [row[2] for row in untold.table] == ["cannot be told"] * 3
    assert (untold.dots, untold.below) == ("", "the queries that the order moves (3 of 4)")
