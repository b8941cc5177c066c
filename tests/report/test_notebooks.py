"""Results in Python: one line for `repr`, the text of the command line for `print`, HTML for notebooks, and data frames."""

from html import unescape
from math import log2
from xml.etree import ElementTree as ET

import pytest

import rankproof
from rankproof.evaluate.inputs import BadInput

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}, "q3": {"c": 1}}
RUN = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 2.0, "b": 1.0}, "q3": {"c": 1.0, "d": 1.0}}
"""AP is 1/2 and 1; in q3 it is 1/2 as the tied d has the greater id, and 1 in input order. nDCG@2 of q1 is 1/log2(3)."""
BAD = "<script>alert(1)</script>"


def test_result_is_a_line_a_table_and_a_frame() -> None:
    result = rankproof.evaluate(["AP", "P@1"], QRELS, RUN)
    assert repr(result) == "<Result: AP=0.6667 P@1=0.3333, 3 queries, 2 warnings>"
    assert [line.split() for line in str(result).splitlines()] == [
        ["measure", "mean"],
        ["AP", "0.6667"],
        ["P@1", "0.3333"],
    ]
    table = ET.fromstring(f"<div>{result._repr_html_()}</div>")
    assert [cell.text for cell in table.iter("td")] == ["0.6667", "0.3333"]
    assert "tied documents" in "".join(item.text or "" for item in table.iter("li"))
    assert result.to_frame().loc["q1"].to_dict() == {"AP": 0.5, "P@1": 0.0}


def test_results_of_several_runs_are_a_table() -> None:
    results = rankproof.evaluate("AP", QRELS, {"ours": RUN, BAD: {query: {"a": 1.0} for query in QRELS}})
    assert repr(results) == f"<Results: AP of 2 runs: ours, {BAD}>"
    assert str(results).splitlines()[1].split() == ["AP", "0.6667", "0.5000"]
    assert BAD not in results._repr_html_()
    assert [cell.text for cell in ET.fromstring(results._repr_html_()).iter("th")][2:] == ["ours", BAD]


def test_explanation_is_a_line_a_text_a_page_and_a_frame() -> None:
    explanation = rankproof.explain(QRELS, RUN, "AP", tools=["standard", "ties=input", "ties=best"])
    assert repr(explanation) == "<Explanation: AP is 0.6667 in standard and 0.8333 in ties=input and ties=best.>"
    assert str(explanation).startswith("AP is 0.6667 in standard")
    frame = explanation.to_frame()
    assert list(frame.columns) == ["tool", "AP", "difference", "conventions"]
    by_tool = frame.set_index("tool")
    assert by_tool["difference"].round(9).to_dict() == {
        "standard": 0,
        "ties=input": 0.166666667,
        "ties=best": 0.166666667,
    }
    frames = ET.fromstring(explanation._repr_html_())
    assert frames.tag == "iframe"
    assert "Why the values differ" in unescape(frames.attrib["srcdoc"])


@pytest.mark.parametrize(
    ("name", "line", "column", "value"),
    [
        ("ties", "<ShownAxis: ties: ", "value", "docid-desc"),
        ("nDCG", "<ShownMeasure: nDCG[@k]: ", "axis", "gain"),
        ("trec_eval-9", "<ShownProfile: trec_eval-9", "profile", "trec_eval-9"),
        ("pytrec_eval", "<ShownProfile: pytrec_eval", "profile", "pytrec_eval"),
        ("sklearn", "<ShownLibrary: sklearn ", "profile", "sklearn/appended"),
        ("ties/renamed-doc", "<ShownCase: ties/renamed-doc: ", "query", "q1"),
        ("nDCG@10|gain:exp", "<ShownSignature: nDCG@10, ", "value", "exp"),
        ("", "<ShownList: ", "kind", "measures"),
    ],
)
def test_entry_of_show_is_a_line_a_text_and_a_frame(name: str, line: str, column: str, value: str) -> None:
    entry = rankproof.show(name)
    assert repr(entry).startswith(line)
    assert len(repr(entry)) < 200
    assert entry._repr_html_().startswith("<pre>")
    assert entry.to_frame()[column][0] == value


def test_two_signatures_are_compared() -> None:
    compared = rankproof.compare_signatures("nDCG@10|gain:exp", "nDCG@10|ties:input")
    assert repr(compared) == "<Compared: The signatures differ in gain, ties.>"
    rows = compared.to_frame().set_index("axis")[["first", "second"]].to_dict("index")
    assert rows == {
        "gain": {"first": "exp", "second": "linear"},
        "ties": {"first": "docid-desc", "second": "input"},
    }


def test_check_is_a_line_and_a_frame_of_conventions() -> None:
    checked = rankproof.check(lambda q: sum(r >= 1 for r in q.rels[: q.k]) / len(q.rels[: q.k] or [0]), "P@5")
    assert repr(checked).startswith("<CheckResult: ")
    frame = checked.to_frame().set_index("axis")
    assert frame.loc["p_denominator"].to_dict() == {"value": "min-k-n", "status": "differs from standard"}
    assert frame.loc["ties", "status"] == "undetermined"
    assert "as standard" in set(frame["status"])


def test_json_has_the_fields_of_results_and_not_their_text() -> None:
    from rankproof.codec import facts

    assert facts(rankproof.compare_signatures("AP|ties:input", "AP"))["changes"][0]["a"] == "input"


@pytest.mark.parametrize(
    "first", [QRELS, [("q1", "a", 1)], [{"query_id": "q1", "doc_id": "a", "relevance": 1}], [1, 0, 1]]
)
def test_measures_in_another_place_are_refused_with_the_order_of_the_arguments(first: object) -> None:
    with pytest.raises(BadInput, match=r"is not a measure\. The order is evaluate\(measures, qrels, run\)\.$"):
        rankproof.evaluate(first, RUN, ["AP"])


def test_values_are_those_of_the_definition() -> None:
    assert rankproof.evaluate("nDCG@2", QRELS, RUN).per_query["nDCG@2"]["q1"] == pytest.approx(1 / log2(3))
