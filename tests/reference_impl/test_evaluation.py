"""Aggregation over queries: which queries are measured, how special queries score, and which mean is computed."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from strategies import HALF, Query, answer, judged_as, queries, run_of

from rankproof.inference.reference_answers import outcome_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.definition import Ratio, ratio
from rankproof.reference_impl.evaluation import Answer, Collection, NotPooled
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import conventions_of, profile
from rankproof.reference_impl.ranking import Judged, Judgment, QueryRow, Rejected, Rel, judge

Qrels = Mapping[str, Sequence[Judgment]]
Run = Mapping[str, Sequence[QueryRow]]

ONE_AND_MISSING: Qrels = {"q1": judged_as(a=1, b=0), "q2": judged_as(a=1, b=1)}
ONLY_Q1: Run = {"q1": run_of("a", "b")}


def measured(measure: str, qrels: Qrels, run: Run, spec: str = "") -> Answer:
    return Collection(qrels, run).answer(parse(measure), profile(spec))


def test_conventions_decide_which_queries_are_measured_regardless_of_earlier_measures() -> None:
    qrels: Qrels = {"q1": judged_as(a=1, b=0), "q2": (), "q3": judged_as(c=1)}
    run: Run = {"q1": run_of("b", "a"), "q4": ()}
    together, measure = Collection(qrels, run), parse("RR")
    named = {
        "": ["q1", "q2", "q3", "q4"],
        "no_judgments=extra": ["q1", "q3", "q4"],
        "empty=missing": ["q1", "q2", "q3"],
        "no_judgments=extra empty=missing": ["q1", "q3"],
    }
    for spec in (*named, *reversed(named)):
        conventions = profile(spec)
        assert together.queries(conventions) == named[spec]
        assert together.answer(measure, conventions) == Collection(qrels, run).answer(measure, conventions)
        worth = Collection(qrels, run).worth("q1", measure, conventions)
        assert (worth, worth.reported) == (together.worths(measure, conventions)["q1"], HALF)


def test_an_id_is_refused_regardless_of_earlier_measures() -> None:
    qrels, run, measure = {"1": judged_as(a=1)}, {"1": run_of("a")}, parse("RR")
    together = Collection(qrels, run, number_ids=True)
    for _ in range(2):
        for ids in ("any", "digit-queries"):
            assert together.answer(measure, STANDARD.replace(ids=ids)).mean == 1
        with pytest.raises(Rejected, match=r"an id is a number, not text \(ids=text\)"):
            together.answer(measure, STANDARD.replace(ids="text"))


NO_REL: Qrels = {"q1": judged_as(a=1), "q2": judged_as(a=0)}
BOTH: Run = {"q1": run_of("a"), "q2": run_of("a")}


def test_queries_are_in_the_order_of_the_qrels_then_of_the_run() -> None:
    qrels, run = {"b": judged_as(x=1), "a": judged_as(x=1)}, {"d": run_of("x"), "a": run_of("x"), "c": run_of("x")}
    assert [*measured("P@1", qrels, run, "extra=0").per_query] == ["b", "a", "d", "c"]


def test_mean_over_no_queries_is_undefined() -> None:
    assert measured("P@1", {}, {}) == Answer({}, None)
    assert measured("P@1", {}, ONLY_Q1) == Answer({}, None)
    assert measured("P@1", ONE_AND_MISSING, {}, "missing=dropped mean=geometric").mean is None
    assert measured("P@1", ONE_AND_MISSING, {}, "missing=dropped mean=pooled").mean is None


@pytest.mark.parametrize("measure", ["AP", "nDCG", "RR", "Bpref", "infAP", "ERR", "SetAP"])
def test_measures_that_are_not_ratios_of_counts_are_not_pooled(measure: str) -> None:
    with pytest.raises(NotPooled, match=f"{measure} is not a ratio of counts, so it has no pooled mean"):
        measured(measure, NO_REL, BOTH, "mean=pooled")


def test_a_value_without_counts_is_not_pooled() -> None:
    with pytest.raises(NotPooled, match="P is not a ratio of counts for every query, so it has no pooled mean"):
        measured("P@1", NO_REL, BOTH, "mean=pooled norel=1")


def test_a_ratio_of_zero_counts_is_0() -> None:
    assert ratio(0, 0).value == 0
    assert Ratio(Fraction(1), Fraction(2)).value == HALF


# -- laws -------------------------------------------------------------------------------------------------------


@given(st.lists(queries(), min_size=1, max_size=4))
def test_a_query_has_the_same_value_alone_and_among_others(several: list[Query]) -> None:
    qrels = {f"q{i}": query.judgments for i, query in enumerate(several)}
    run = {f"q{i}": query.rows for i, query in enumerate(several)}
    for name in ("nDCG", "AP", "P@2", "AUC", "NumRel"):
        together = measured(name, qrels, run, "allrel=0")
        alone = [answer(name, query, "allrel=0").per_query["q"] for query in several]
        assert [*together.per_query.values()] == alone
        if MEASURES[parse(name).name].total == "mean":
            assert together.mean == sum(value or 0 for value in alone) / len(alone)


def test_queries_with_the_same_value_keep_their_ids() -> None:
    collection = Collection({"without judgments": []}, {"without rows": []})
    of_the_run = {"no_judgments": "extra", "empty": "0", "extra": "0"}
    for changes, query in (({"empty": "missing"}, "without judgments"), (of_the_run, "without rows")) * 2:
        assert collection.answer(parse("P@1"), STANDARD.replace(**changes)).per_query == {query: 0}


def test_a_collection_may_have_its_own_function_that_judges() -> None:
    calls = []

    def judge_query(query: str, conventions: Conventions, threshold: Rel) -> Judged:
        calls.append((query, conventions, threshold))
        return judge([QueryRow("a", 1.0)], [Judgment("a", 1)], conventions, threshold)

    collection = Collection({"q": range(1)}, {"q": range(3)}, judge_query=judge_query)  # type: ignore[arg-type]
    assert collection.answer(parse("P(rel=1)"), STANDARD).per_query == {"q": 1}
    assert calls == [("q", STANDARD, 1)]


EACH_ALONE = [
    "standard",
    *(f"{name}={value}" for name, axis in AXES.items() for value in [*axis.values, *axis.also_tried]),
    "trec_eval-9",
    "gain=exp ties=expectation",
    "ties=best norel=1",
    "ties=worst norel=1 ideal=retrieved",
    "ties=best ideal=retrieved nohit=nan",
]


@given(queries(scores=3), queries(scores=3))
@settings(max_examples=min(5, settings.default.max_examples), phases=[Phase.generate])  # shrinking takes minutes
def test_cached_results_equal_those_of_each_convention_alone(first: Query, second: Query) -> None:
    qrels, run = {"q": first.judgments, "r": second.judgments}, {"q": first.rows, "r": second.rows}
    shared = Collection(qrels, run)
    for measure in map(
        parse, ["nDCG@2", "AP", "P(rel=2)@2", "P@2", "IPrec(judged_only=True)@0", "Bpref", "ERR@3", "SetF"]
    ):
        for spec in EACH_ALONE:
            conventions = conventions_of(spec, measure)
            alone = outcome_of(partial(Collection(qrels, run).answer, measure, conventions))
            assert outcome_of(partial(shared.answer, measure, conventions)) == alone, (str(measure), spec)
