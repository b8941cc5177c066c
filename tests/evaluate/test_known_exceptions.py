"""Known exceptions of libraries: the data that meets them, in the cases that show them, and their warnings in `evaluate`."""

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from ir_measures import Qrel, ScoredDoc
from written_queries import dicts_of, rows_of

from rankproof import evaluate
from rankproof.cases import Case, load_all
from rankproof.cli.explain import command
from rankproof.evaluate.inputs.rows import Columns, rows_apart
from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import form_of
from rankproof.evaluate.result import Result
from rankproof.explain.run_data import RunData
from rankproof.inference.data_conditions import OF_MEASURE, OF_QUERY, ROWS_APART, WHOLE, queries_meeting
from rankproof.inference.reference_answers import collection
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.workers.known_libraries import libraries
from rankproof.workers.sheets import ADAPTERS

PINS = [(library.name, pin) for library in libraries() for pin in library.sheet.pins.values()]
CASES = {case.id: case for case in load_all()}


def queries_of(condition: str, data: RunData, measure: str = "AP") -> tuple[str, ...]:
    return queries_meeting([condition], data, parse(measure))[condition]


def data_of(qrels: str | dict[str, Any], run: str | dict[str, Any]) -> RunData:
    """Return judgments and rows from text, or from dicts if ids have blanks or there are many rows."""
    judged, ranked = (rows_of(side) if isinstance(side, str) else side for side in (qrels, run))
    return RunData(
        {query: [Judgment(*row) for row in rows] for query, rows in judged.items()},
        {query: [QueryRow(*row) for row in rows] for query, rows in ranked.items()},
    )


def data_of_case(case: Case) -> RunData:
    whole = collection(case.input)
    queries = [query for query, *_ in case.input.run or ()]
    return RunData(whole.qrels, whole.run, rows_apart(Columns("run", queries, queries, queries)))


# -- conditions --------------------------------------------------------------------------------------------------------


def test_every_case_of_an_exception_meets_its_condition() -> None:
    of_rankings = [(name, pin) for name, pin in PINS if not parse(pin.place.measure).of_labels]
    about = {(name, pin.known): pin.known.touches for name, pin in of_rankings}
    assert len(about) > 50
    assert [key for key, touches in about.items() if not touches] == [], "these exceptions have no condition"
    for name, pin in of_rankings:
        if pin.known.touches != "id-that-is-a-number":
            met = queries_of(pin.known.touches, data_of_case(CASES[pin.place.case]), pin.place.measure)
            assert met, f"the case of {pin.place} does not meet the condition {pin.known.touches} of {name}"


def test_a_sheet_can_name_every_condition_and_no_other() -> None:
    schema = json.loads((ADAPTERS / "schemas" / "sheet.schema.json").read_text(encoding="utf-8"))
    named = schema["properties"]["known"]["items"]["properties"]["touches"]["enum"]
    assert sorted(named) == sorted([*OF_QUERY, *WHOLE, *OF_MEASURE, ROWS_APART])


def test_ordinary_data_meets_no_condition() -> None:
    ordinary = data_of("1 a=1 b=0 c=2 / 2 a=1 d=0 / 3 b=1 c=0", "1 a=-1 b=-2 c=-3 / 2 d=-1 a=-2 / 3 c=-1 e=-2 b=-3")
    names = {name for name, _ in PINS} - {"sklearn", "trectools"}
    names |= {"ir_measures/cwl_eval", "sklearn/rows", "trectools/file", "trectools/frame"}
    for measure in ("nDCG@5", "AP", "RR", "P@2", "Bpref", "Rprec"):
        assert met_by(ordinary, parse(measure), sorted(names)) == (), measure
    assert queries_of("", ordinary) == ("1", "2", "3"), "every query meets an unknown condition"


def test_an_exception_seen_in_three_measures_applies_to_all_measures() -> None:
    large, deep = data_of("q a=1000000", "q a=1"), data_of("q d1=1", {"q": [(f"d{i}", -i) for i in range(1001)]})
    assert met_by(large, parse("RR"), ["pytrec_eval"]), "it was seen of AP, NumRet and nDCG"
    met = {measure: bool(met_by(deep, parse(measure), ["ir_measures/cwl_eval"])) for measure in ("AP", "RR", "P@5")}
    assert met == {"AP": True, "RR": True, "P@5": False}, "it was seen of two measures"


def test_an_exception_of_query_values_alone_does_not_apply_to_the_mean() -> None:
    """The table of trectools by query has no row for a query without relevant documents.

    Its mean follows the profile.
    """
    data = data_of("1 a=1 b=0 / 2 a=0 b=0 / 3 b=1", " / ".join(f"{query} a=2 b=1" for query in "123"))
    assert queries_of("query-without-relevant-docs", data, "nDCG@1") == ("2",)
    assert met_by(data, parse("nDCG@1"), ("trectools/file", "trectools/frame")) == ()


@pytest.mark.parametrize(
    ("groups", "is_met"),
    [
        ([(9, 9)], False),
        ([(9, 10)], True),
        ([(8, 12)], True),
        ([(1, 2_000)], False),
        ([(5, 300)], True),
        ([(4, 4)] * 2, False),
        ([(4, 4)] * 3, True),
    ],
)
def test_orders_of_tied_documents_are_counted_by_grade_and_multiply_over_groups(
    groups: list[tuple[int, int]], *, is_met: bool
) -> None:
    """9 relevant and 9 other tied documents have 48,620 orders, 9 and 10 have 92,378, and 4 and 4 have 70."""
    sizes = [(kind, group, n) for group, pair in enumerate(groups) for kind, n in zip("rn", pair, strict=True)]
    docs = [(f"{kind}{group}_{i}", -group) for kind, group, n in sizes for i in range(n)]
    data = data_of({"q": [(doc, int(doc[0] == "r")) for doc, _ in docs]}, {"q": docs})
    assert bool(queries_of("more-orders-of-ties-than-are-tried", data)) == is_met


@pytest.mark.parametrize(
    ("condition", "qrels", "run", "met"),
    [
        ("dash-in-a-query-id", "a-b / a_b", "- a=1 / c -=1", ["a-b", "-"]),
        ("doc-judged-twice", "q a=1 a=1 / r a=1 b=1", "r a=1 a=1", ["q"]),
        ("doc-retrieved-twice", "q a=1 a=1", "q a=1 / r a=2 b=1 a=1", ["r"]),
        ("more-than-1000-retrieved", "", {str(n): [("a", 1)] * n for n in (999, 1000, 1001)}, ["1001"]),
        ("negative-rel", "q a=0 / r a=1 b=-1", "q b=-1", ["r"]),
        ("negative-rel-retrieved", "q a=0 b=-1 / r a=1 b=-1 / s b=-1", "q a=1 / r c=2 b=1 / s", ["r"]),
        ("nothing-judged-retrieved", "q a=1 / r a=1", "q b=1 / r b=2 a=1", ["q"]),
        ("nul-in-an-id", "q a\0=1 / r a=1", "r\0 a=1", ["q", "r\0"]),
        ("query-of-negative-rels", "q a=-1 b=-2 / r a=-1 b=0 / s", "s a=-1", ["q"]),
        ("query-without-relevant-docs", "q a=0.5 / r a=0 b=1 / s", "t a=1", ["q"]),
        ("rel-above-1", "q a=1 / r a=0 b=1.5", "", ["r"]),
        ("rel-of-64-or-more", "q a=63 / r a=0 b=64 / s a=65", "", ["r", "s"]),
        ("rel-of-a-million-or-more", "q a=999999 / r a=0 b=1000000", "", ["r"]),
        ("rel-with-a-fraction", "q a=2 / r a=1 b=-0.5", "", ["r"]),
        ("row-out-of-order", "", "q a=3 b=2 c=1 / r a=3 b=1 c=1 / s a=3 b=1 c=2", ["r", "s"]),
        ("score-beyond-1e300", "", "q a=1e300 / r a=1 b=-2e300 / s a=2e300", ["r", "s"]),
        ("score-of-0-or-less", "", "q a=0.1 / r a=1 b=0 / s a=-1", ["r", "s"]),
        ("score-of-minus-infinity", "", "q a=-1e308 / r a=1 b=-inf / s a=inf", ["r"]),
        ("score-that-is-0-as-float32", "", f"q a=0 / r a=1 b={2**-150} / s a={2**-149}", ["r"]),
        (
            "space-in-an-id",
            {"q": [(" ", 1)], "r r": []},
            {"s": [("a", 1)], "t": [("b\t", 1), ("a b", 2)]},
            ["q", "r r", "t"],
        ),
        ("empty-id", {"q": [("", 1)], "": []}, {"s": [("a", 1)], "t": [("a", 2), ("", 1)]}, ["q", "", "t"]),
        (
            "two-rels-other-than-0-and-1",
            "flags a=0 b=1 / 3 a=0 b=1 c=2 / 2 a=0 c=2 / top a=0 b=1 c=2",
            "flags a=2 b=1 / 3 a=3 b=2 c=1 / 2 a=1 / top a=2 c=1 / one z=1",
            ["2", "top"],
        ),
        ("unranked-query-without-relevant-docs", "q a=0 / r a=1 / s / t a=0", "t a=1 / u b=1", ["q", "s"]),
        ("query-named-without-judgments", "q / r / s a=1", "r a=1 / s a=1 / t", ["r"]),
    ],
)
def test_a_query_meets_a_condition_and_similar_queries_do_not(
    condition: str, qrels: Any, run: Any, met: list[str]
) -> None:
    assert queries_of(condition, data_of(qrels, run)) == tuple(met)


@pytest.mark.parametrize(
    ("condition", "qrels", "run", "measure", "is_met"),
    [
        ("equal-scores-in-the-run", "", "q a=2 / r b=1", "AP", False),
        ("equal-scores-in-the-run", "", "q a=2 / r b=2", "AP", True),
        ("ids-alike-as-numbers", "q 1=1", "q 01=1", "AP", True),
        ("ids-alike-as-numbers", "1 a=1", "1 1.0=1", "AP", True),
        ("ids-alike-as-numbers", "1 a=1", "1 01x=1", "AP", False),
        ("ids-alike-as-numbers", "q Null=1", "", "AP", True),
        ("more-than-two-rels-in-all", "1 a=1 b=0 / 2 b=1 c=0 / 3 c=1 a=0", "", "CoverageError", False),
        ("more-than-two-rels-in-all", "1 a=1 b=0 / 2 b=2 c=0 / 3 c=2 a=0", "", "CoverageError", True),
        ("no-common-query", "q a=1", "q / r a=1", "AP", True),
        ("no-common-query", "q a=1 / r", "r a=1", "AP", False),
        ("no-hit-at-all", "q a=1", "q b=2 a=1", "P@2", False),
        ("no-hit-at-all", "q a=1 / r a=1", "q b=2 a=1 / r b=1", "P@1", True),
        ("no-hit-at-all", "q a=1", "q a=1 b=2", "P@1", True),
        ("no-hit-at-all", "q a=1", "q b=1 a=2", "P@1", True),
        ("no-hit-at-all", "q a=1", "q a=1 b=1", "P@1", True),
        ("more-than-32-retrieved-and-no-cutoff", "", {"q": [("a", 1)] * 32}, "AP", False),
        ("more-than-32-retrieved-and-no-cutoff", "", {"q": [("a", 1)], "r": [("a", 1)] * 33}, "AP", True),
        ("more-than-32-retrieved-and-no-cutoff", "", {"q": [("a", 1)] * 33}, "AP@40", False),
        ("ranking-shorter-than-the-cutoff", "", "q a=1 b=1 / r a=1 b=1 c=1", "P@2", False),
        ("ranking-shorter-than-the-cutoff", "", "q a=1 b=1 / r a=1 b=1 c=1", "P@3", True),
        ("ranking-shorter-than-the-cutoff", "", "q a=1", "AP", False),
        ("nothing-at-all", "q a=1", "q", "AP", True),
        ("nothing-at-all", "q a=1", "r a=1", "AP", False),
        ("nothing-relevant", "q a=0.5", "", "AP", True),
        ("nothing-relevant", "q a=0 / r a=1", "", "AP", False),
        ("one-query-without-relevant-docs", "q a=1", "r a=1", "AP", True),
        ("one-query-without-relevant-docs", "q a=1 / r a=0 b=2", "", "AP", False),
        ("queries-in-another-order", "q / r / s", "x / q / s", "AP", False),
        ("queries-in-another-order", "q / r / s", "q / s / r", "AP", True),
        ("scores-nearly-equal", "", "q a=1 b=1 c=2", "AP", False),
        ("scores-nearly-equal", "", "q a=-1 / r b=-1.0000000000001", "AP", True),
        ("persistence-of-1-asked", "q", "", "RBP(p=0.5)", False),
        ("persistence-of-1-asked", "q", "", "RBP(p=1)", True),
        ("relative-asked", "q", "", "AP(rel=2)", False),
        ("threshold-asked", "q", "", "AP(rel=2)", True),
    ],
)
def test_an_input_meets_a_condition_and_similar_inputs_do_not(
    condition: str, qrels: Any, run: Any, measure: str, *, is_met: bool
) -> None:
    data = data_of(qrels, run)
    assert queries_of(condition, data, measure) == (tuple(data.queries) if is_met else ())


def test_explain_does_not_attribute_values_to_a_library_whose_exception_the_data_meets(tmp_path: Path) -> None:
    """The profile of cwl_eval gives RR 1/2, 1 and 1; cwl_eval itself reads only the first row of q1."""
    interleaved = ["q1 Q0 b 1 2 t", "q2 Q0 a 1 2 t", "q1 Q0 a 2 1 t", "q2 Q0 b 2 1 t", "q3 Q0 a 1 9 t"]
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\nq3 0 a 1\nq1 0 b 0\nq2 0 b 0\n")

    def explained(lines: list[str], *options: str) -> str:
        (tmp_path / "run").write_text("\n".join(lines) + "\n")
        arguments = [str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "RR", *options]
        return CliRunner().invoke(command, arguments, catch_exceptions=False).stdout

    differs = "ir_measures/cwl_eval may differ in 2 of 3 queries: The rows of a query are read only up to the first row of another"
    assert differs in " ".join(explained(interleaved).split())
    assert "may differ" not in explained(sorted(interleaved))
    for lines, is_met in ((interleaved, True), (sorted(interleaved), False)):
        explanation = json.loads(explained(lines, "--json", "--value", ".8333"))["explanations"][0]
        names = {name for match in explanation["values"][0]["found"] for name in match["base"]["names"]}
        assert {"standard", "trec_eval"} <= names
        assert ("ir_measures/cwl_eval" in names) is not is_met
        assert [met["name"] for met in explanation["exceptions"]] == ["ir_measures/cwl_eval"] * is_met


# -- warnings of `evaluate` -------------------------------------------------------------------------------------------

TEN = {"0": {str(doc): 1 for doc in range(10)}}, {"0": {str(doc): 10.0 - doc for doc in range(10)}}
"""BEIR's issue 187: a perfect run of ten relevant documents, one of them with the id of the query."""
PLAIN = dicts_of("q a=2 b=0 c=1"), dicts_of("q b=3 a=2 d=1")


def kinds(result: Result) -> dict[str, str]:
    return {w.kind: w.text for w in result.warnings if w.kind in {"known-exception", "unexplained"}}


def test_beir_removes_a_document_with_the_id_of_its_query() -> None:
    result = evaluate(["P@10", "R@10", "nDCG@10"], *TEN, profile="beir")
    ideal = sum(1 / log2(rank + 1) for rank in range(1, 11))
    assert result.mean == pytest.approx({"P@10": 0.9, "R@10": 0.9, "nDCG@10": 1 - 1 / log2(11) / ideal})
    assert "own_doc:removed" in result.signature["P@10"]
    assert kinds(result) == {}
    again = evaluate([], *TEN, signature=result.signature["P@10"])
    assert again.mean == {"P@10": 0.9}
    untested = evaluate("AP@10", *TEN, profile="beir")
    (warning,) = (warning.text for warning in untested.warnings if "own_doc is undetermined" in warning.text)
    assert "own_doc=removed" in warning
    assert not any("own_doc" in warning.text for warning in evaluate("AP@10", *PLAIN, profile="beir").warnings)
    assert evaluate("RR@10", *TEN, profile="beir").mean == {"RR@10": 1.0}, "its own mean reciprocal rank keeps it"


@pytest.mark.parametrize(
    ("library", "measure", "grades", "scores", "reason"),
    [
        ("recommenders", "nDCG@3", "q a=1 a=1 b=0", "q a=2", "merged"),
        ("torchmetrics", "nDCG@3", "q a=-1 b=1", "q b=2 a=1", "sum to 0"),
        ("trectools/frame", "Bpref", "q a=-1 b=1", "q b=2 a=1", "negative"),
    ],
)
def test_evaluate_warns_if_the_data_meets_a_condition_of_the_library(
    library: str, measure: str, grades: str, scores: str, reason: str
) -> None:
    qrels = [Qrel("q", *row) for row in rows_of(grades)["q"]]
    run = [ScoredDoc("q", *row) for row in rows_of(scores)["q"]]
    warning = kinds(evaluate(measure, qrels, run, profile=library))["known-exception"]
    assert f"can give another value for {measure} on this data, in 1 of 1 query ('q')" in warning
    assert reason in warning
    assert "known-exception" not in kinds(evaluate(measure, *PLAIN, profile=library))
    assert kinds(evaluate(measure, qrels, run, profile="run_duplicates=both qrels_duplicates=both")) == {}
    form = form_of(library, parse(measure))
    assert form is not None
    by_signature = evaluate([], qrels, run, signature=form.signature.replace("nDCG@10", measure))
    assert "known-exception" in kinds(by_signature)


def test_evaluate_warns_about_observed_values_that_the_profile_does_not_explain() -> None:
    form = form_of("ir_measures/ranx", parse("SetP(relative=True)"))
    assert form is not None
    result = evaluate("SetP(relative=True)", *PLAIN, profile="ir_measures/ranx")
    count = f"{len(form.missed)} of {form.subject.signed} SetP(relative=True)"
    assert count in kinds(result)["unexplained"]
    assert f"|unexplained:{len(form.missed)}|by:reference|" in result.signature["SetP(relative=True)"]
    assert kinds(evaluate("P@2", *PLAIN, profile="ir_measures/ranx")) == {}


@pytest.mark.parametrize("profile", ["beir", "ir_measures/cwl_eval", "trectools/file"])
def test_columns_and_rows_meet_the_same_conditions(profile: str) -> None:
    """Among 20,000 rows, some queries have interleaved rows, and some documents have the ids of their queries."""
    qrels = [Qrel(f"q{n}", f"d{i}", i % 2) for n in range(20) for i in range(10)]
    qrels += [Qrel("q3", "q3", -1)]
    run = [ScoredDoc(f"q{n}", f"d{i}", 3000.0 - i) for n in range(20) for i in range(1000)]
    run += [ScoredDoc("q3", "q3", 4000.0), ScoredDoc("q4", "z", 0.5)]
    columns, rows = (evaluate("P@5", qrels, run, profile=profile, exact=exact) for exact in (False, True))
    assert columns.checked is not None
    assert rows.checked is None
    assert columns.mean == pytest.approx(rows.mean, abs=1e-12)
    assert kinds(columns) == kinds(rows)


@pytest.mark.parametrize("profile", ["trec_eval-9", "trec_eval", "pytrec_eval", "trec_eval-9 score=f32"])
def test_query_whose_grades_are_all_negative_is_an_exception_of_trec_eval(profile: str) -> None:
    """trec_eval 9.0.4 ends with "Can't calculate measure", and pytrec_eval reads unallocated memory."""
    qrels = {"q1": {"d1": 1, "d2": -2}, "q2": {"d1": -2}, "q3": {"d1": 0}}
    run = {query: {"d1": 2.0, "d2": 1.0} for query in qrels}
    for measure in ("nDCG@5", "R@5", "infAP"):
        warnings = evaluate([measure], qrels, run, profile=profile).warnings
        (warning,) = [warning.text for warning in warnings if warning.kind == "known-exception"]
        assert f"can give another value for {measure} on this data, in 1 of 3 queries ('q2')" in warning
    del qrels["q2"], run["q2"]
    kinds = [warning.kind for warning in evaluate(["AP"], qrels, run, profile=profile).warnings]
    assert "known-exception" not in kinds
