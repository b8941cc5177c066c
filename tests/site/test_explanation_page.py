"""The page of an explanation: it has all the text, and its charts are drawn to scale."""

import html

import pytest

from rankproof.explain.explanation import Explanation, explain
from rankproof.explain.run_data import RunData
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.report.explain import text_of
from rankproof.report.site.explanation_page import charts, page


def explained(
    hits: dict[str, str], run: dict[str, list[QueryRow]], *profiles: str, system: str = "mine", measure: str = "RR"
) -> Explanation:
    """Explain the values of a run in which each query has one relevant document or none, and b is judged."""
    qrels = {
        query: [Judgment(doc, int(doc == hit)) for doc in sorted({hit or "b", "b"})] for query, hit in hits.items()
    }
    return explain(system, RunData(qrels, run), parse_measure(measure), profiles, query=next(iter(hits)))


def tied(docs: str) -> list[QueryRow]:
    return [QueryRow(doc, 1.0) for doc in docs]


def test_page_has_the_whole_text_of_each_explanation_and_escapes_it() -> None:
    names = ("standard", "order=input", "norel=1 ties=best", "missing=dropped norel=dropped", "unjudged=removed")
    run = {"1": tied("abceh"), "2": tied("xab"), "<3>": tied("c"), "4": tied("ak")}
    hits = {"1": "a", "2": "a", "<3>": "c", "4": "", "5": "a"}
    results = [explained(hits, run, *names, system="<mine>", measure=measure) for measure in ("nDCG@2", "P@2")]
    assert len(results[0].sayings) > 3
    document = page(results)
    texts = [html.unescape(part.partition("</pre>")[0]) for part in document.split("<pre")[1:]]
    for result, text in zip(results, texts, strict=True):
        assert "".join(text_of(result, details=True).split()) in "".join(text.split())
    assert document.count("<section") == 2
    assert "<mine>" not in document


def test_chart_for_each_difference_with_most_queries_first_and_one_of_ties() -> None:
    """Four queries of tied documents differ by ids ascending, three in input order, two by removal, one by norel."""
    run = {str(i): tied("ba" if i == 4 else "ab") for i in (1, 2, 3, 4)}
    run |= {query: [QueryRow("z", 2.0), QueryRow("a", 1.0)] for query in ("5", "6")} | {"7": tied("a")}
    hits = {query: "a" * (query != "7") for query in "1234567"}
    result = explained(hits, run, "standard", "norel=1", "unjudged=removed", "order=input", "ties=docid-asc")
    assert [len(chart["bars"]) for chart in charts(result)] == [4, 3, 2, 1, 4]
    assert charts(explained({"1": "a"}, {"1": tied("a")}, "standard")) == [], "nothing differs"


def test_charts_are_drawn_to_scale() -> None:
    """RR by ids descending and ascending is 1/2 and 1 for query 1, 1 and 1/3 for 2, 1/2 and 1/3 for 3, and 1 for 4."""
    run = {"1": tied("ab"), "2": tied("abc"), "3": [QueryRow("z", 9.0), *tied("ab")], "4": tied("a")}
    result = explained({"1": "a", "2": "c", "3": "b", "4": "a"}, run, "standard", "ties=docid-asc")
    difference, ties = charts(result)
    # From -2/3 to 1/2, the scale is 7/6 wide, and 0 is at 4/7.
    zero, up, down = 400 / 7, 100.0, (2 / 3 - 1 / 6) / (7 / 6) * 100
    texts = "0.5000 → 1.0000", "0.5000 → 0.3333", "1.0000 → 0.3333"
    expected = zip("132", (zero, down, 0), (up, zero, zero), texts, strict=True)
    for bar, (query, start, end, text) in zip(difference["bars"], expected, strict=True):
        assert (bar[0], bar[3]) == (query, text)
        assert bar[1:3] == pytest.approx((start, end), abs=0.06)
    assert difference["title"] == "RR by ties=docid-asc, minus that by standard"
    assert difference["note"] == "3 of 4 queries differ"
    # The best order of each query, the worst, and the mean over all orders; for 2 it is (1 + 1/2 + 1/3)/3.
    assert [bar[0] for bar in ties["bars"]] == ["1", "2", "3"]
    assert [bar[1] for bar in ties["bars"]] == pytest.approx([50, 100 / 3, 100 / 3], abs=0.06)
    assert [bar[2] for bar in ties["bars"]] == pytest.approx([100, 100, 50], abs=0.06)
    assert ties["bars"][1][3] == "0.3333 to 1.0000, mean 0.6111"
