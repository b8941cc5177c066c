"""Aggregate: which queries are measured, what the odd ones are worth, and which mean is taken."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial

import mpmath
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from strategies import HALF, Query, answer, judged_as, queries, run_of

from rankproof.matching.reference_answers import said
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


def asked(measure: str, qrels: Qrels, run: Run, spec: str = "") -> Answer:
    return Collection(qrels, run).answer(parse(measure), profile(spec))


def refused(measure: str, qrels: Qrels, run: Run, spec: str) -> str:
    with pytest.raises(Rejected) as caught:
        asked(measure, qrels, run, spec)
    return f"{caught.value.axis}: {caught.value}"


# -- odd queries ------------------------------------------------------------------------------------------------


def test_a_judged_query_that_the_run_does_not_have() -> None:
    assert asked("RR", ONE_AND_MISSING, ONLY_Q1) == Answer({"q1": 1, "q2": 0}, HALF)
    assert asked("RR", ONE_AND_MISSING, ONLY_Q1, "missing=dropped") == Answer({"q1": 1}, 1)
    assert refused("RR", ONE_AND_MISSING, ONLY_Q1, "missing=rejected") == (
        "missing: query 'q2' is refused by missing=rejected: missing query"
    )


def test_which_queries_there_are_hangs_on_the_conventions_that_are_asked_and_on_none_before() -> None:
    qrels: Qrels = {"q1": judged_as(a=1, b=0), "q2": (), "q3": judged_as(c=1)}
    run: Run = {"q1": run_of("b", "a"), "q4": ()}
    together, measure = Collection(qrels, run), parse("RR")
    named = {
        "": ["q1", "q2", "q3", "q4"], "no_judgments=extra": ["q1", "q3", "q4"], "empty=missing": ["q1", "q2", "q3"],
        "no_judgments=extra empty=missing": ["q1", "q3"],
    }  # fmt: skip
    for spec in (*named, *reversed(named)):
        conventions = profile(spec)
        assert together.queries(conventions) == named[spec]
        assert together.answer(measure, conventions) == Collection(qrels, run).answer(measure, conventions)
        worth = Collection(qrels, run).worth("q1", measure, conventions)
        assert (worth, worth.told) == (together.worths(measure, conventions)["q1"], HALF)


def test_an_id_is_refused_whatever_was_asked_before() -> None:
    qrels, run, measure = {"1": judged_as(a=1)}, {"1": run_of("a")}, parse("RR")
    together = Collection(qrels, run, number_ids=True)
    for _ in range(2):
        for ids in ("any", "digit-queries"):
            assert together.answer(measure, STANDARD.replace(ids=ids)).mean == 1
        with pytest.raises(Rejected, match="an id is a number, and ids=text takes text only"):
            together.answer(measure, STANDARD.replace(ids="text"))


def test_a_query_of_the_run_without_judgments() -> None:
    qrels, run = {"q1": judged_as(a=1)}, {"q0": run_of("a"), "q1": run_of("a")}
    assert asked("P@1", qrels, run) == Answer({"q1": 1}, 1)
    assert asked("P@1", qrels, run, "extra=0") == Answer({"q1": 1, "q0": 0}, HALF)
    assert asked("P@1", qrels, run, "extra=measured norel=nan") == Answer({"q1": 1, "q0": None}, None)
    assert asked("Judged", qrels, run, "extra=measured").per_query["q0"] == 0
    assert refused("P@1", qrels, run, "extra=rejected").startswith("extra: query 'q0' is refused by extra=rejected")


NO_REL: Qrels = {"q1": judged_as(a=1), "q2": judged_as(a=0)}
BOTH: Run = {"q1": run_of("a"), "q2": run_of("a")}


@pytest.mark.parametrize("measure", ["P@1", "AP", "nDCG", "Bpref", "infAP", "AUC", "LRAP", "CoverageError", "ERR"])
def test_a_query_without_relevant_docs(measure: str) -> None:
    for word, worth in {"0": Fraction(0), "1": Fraction(1), "nan": None}.items():
        found = asked(measure, NO_REL, BOTH, f"norel={word} allrel=1")
        assert found.per_query["q2"] == worth
        assert (found.mean is None) == (worth is None)
    assert [*asked(measure, NO_REL, BOTH, "norel=dropped").per_query] == ["q1"]
    assert refused(measure, NO_REL, BOTH, "norel=rejected allrel=1").startswith("norel: query 'q2' is refused")


def test_a_query_whose_only_judgments_do_not_count_has_no_relevant_docs() -> None:
    assert asked("P@1", {"q1": judged_as(a=-1)}, BOTH, "norel=nan").per_query == {"q1": None}
    assert asked("P(rel=2)@1", {"q1": judged_as(a=1)}, BOTH, "norel=1").per_query == {"q1": 1}


EMPTY: Run = {"q1": run_of("a"), "q2": []}
NONE_FOR_Q2: Qrels = {"q1": judged_as(a=1, b=0), "q2": judged_as(a=1, b=0)}


@pytest.mark.parametrize("measure", ["P@1", "P", "AP", "nDCG", "Judged", "DCG", "AUC", "LRAP", "Bpref", "F@1"])
def test_an_empty_ranking_is_worth_what_its_convention_says(measure: str) -> None:
    base = "norel=1 allrel=1 bpref_no_nonrel=nan ideal=given"
    for word, worth in {"0": Fraction(0), "nan": None}.items():
        assert asked(measure, NONE_FOR_Q2, EMPTY, f"{base} empty={word}").per_query["q2"] == worth
    assert [*asked(measure, NONE_FOR_Q2, EMPTY, f"{base} empty=dropped").per_query] == ["q1"]
    assert refused(measure, NONE_FOR_Q2, EMPTY, f"{base} empty=rejected").startswith("empty: query 'q2' is refused")


def test_a_ranking_may_be_empty_because_all_docs_were_taken_out() -> None:
    assert asked("P@1", {"q1": judged_as(a=1)}, {"q1": run_of("x")}, "unjudged=removed empty=nan").mean is None


@pytest.mark.parametrize("measure", ["P@1", "nDCG", "AUC", "ERR"])
def test_without_relevant_docs_and_without_ranking_an_empty_ranking_that_is_not_0_decides(measure: str) -> None:
    assert asked(measure, {"q": judged_as(a=0)}, {"q": []}, "norel=1").mean == 1
    assert asked(measure, {"q": judged_as(a=0)}, {"q": []}, "norel=1 empty=nan").mean is None


def test_a_missing_query_is_not_an_empty_one() -> None:
    assert asked("P@1", ONE_AND_MISSING, ONLY_Q1, "empty=rejected").per_query["q2"] == 0


def test_a_query_with_an_empty_list_of_judgments_is_judged() -> None:
    assert asked("P@1", {"q1": [], "q2": judged_as(a=1)}, BOTH) == Answer({"q1": 0, "q2": 1}, HALF)


def test_a_query_whose_docs_are_all_relevant_has_no_pairs() -> None:
    for word, worth in {"0": Fraction(0), "1": Fraction(1), "nan": None}.items():
        assert asked("AUC", {"q1": judged_as(a=1)}, BOTH, f"allrel={word}").per_query == {"q1": worth}


def test_queries_come_in_the_order_of_the_qrels_then_of_the_run() -> None:
    qrels, run = {"b": judged_as(x=1), "a": judged_as(x=1)}, {"d": run_of("x"), "a": run_of("x"), "c": run_of("x")}
    assert [*asked("P@1", qrels, run, "extra=0").per_query] == ["b", "a", "d", "c"]


AS_0 = {
    "missing": (ONE_AND_MISSING, ONLY_Q1),
    "extra": ({"q1": judged_as(a=1)}, {"q1": run_of("a"), "q2": run_of("a")}),
    "norel": (NO_REL, BOTH),
    "nohit": (NONE_FOR_Q2, {"q1": run_of("a"), "q2": run_of("b")}),
}


@pytest.mark.parametrize("axis", AS_0)
def test_a_query_may_enter_the_mean_as_0_that_is_undefined_or_not_told_of(axis: str) -> None:
    qrels, run = AS_0[axis]
    assert asked("P@1", qrels, run, f"{axis}=absent-as-0") == Answer({"q1": 1}, HALF)
    assert asked("P@1", qrels, run, f"{axis}=nan-as-0") == Answer({"q1": 1, "q2": None}, HALF)


# -- means ------------------------------------------------------------------------------------------------------

HALF_AND_QUARTER: Qrels = {"q1": judged_as(a=1), "q2": judged_as(a=1)}
SECOND_AND_FOURTH: Run = {"q1": run_of("x", "a"), "q2": run_of("x", "y", "z", "a")}


def test_no_query_has_no_mean() -> None:
    assert asked("P@1", {}, {}) == Answer({}, None)
    assert asked("P@1", {}, ONLY_Q1) == Answer({}, None)
    assert asked("P@1", ONE_AND_MISSING, {}, "missing=dropped mean=geometric").mean is None
    assert asked("P@1", ONE_AND_MISSING, {}, "missing=dropped mean=pooled").mean is None


@pytest.mark.parametrize("mean", ["arithmetic", "geometric", "pooled"])
def test_an_undefined_value_makes_the_mean_undefined(mean: str) -> None:
    found = asked("P@1", NO_REL, BOTH, f"norel=nan mean={mean}")
    assert found == Answer({"q1": 1, "q2": None}, None)


def test_the_arithmetic_mean() -> None:
    assert asked("RR", HALF_AND_QUARTER, SECOND_AND_FOURTH).mean == Fraction(3, 8)


def test_the_geometric_mean_is_of_values_no_less_than_a_hundred_thousandth() -> None:
    found = asked("RR", HALF_AND_QUARTER, SECOND_AND_FOURTH, "mean=geometric").mean
    with_zero = asked("RR", HALF_AND_QUARTER, {"q1": run_of("a")}, "mean=geometric").mean
    with mpmath.workdps(60):
        for ours, squared in ((found, 8), (with_zero, 100_000)):
            theirs = 1 / mpmath.sqrt(squared)
            assert ours is not None
            assert abs(mpmath.mpf(ours.numerator) / ours.denominator - theirs) < 1e-50


def test_the_pooled_mean_is_the_sum_of_numerators_over_the_sum_of_denominators() -> None:
    qrels, run = {"q1": judged_as(a=1, b=1, c=1), "q2": judged_as(a=1)}, {"q1": run_of("a"), "q2": run_of("a")}
    assert asked("R", qrels, run).mean == Fraction(2, 3)
    assert asked("R", qrels, run, "mean=pooled") == Answer({"q1": Fraction(1, 3), "q2": 1}, HALF)
    # A missing query still has relevant docs.
    assert asked("R", qrels, {"q2": run_of("a")}, "mean=pooled").mean == Fraction(1, 4)
    assert asked("R", qrels, {"q2": run_of("a")}, "mean=pooled missing=dropped").mean == 1


def test_a_query_without_relevant_docs_is_pooled_or_follows_its_convention() -> None:
    assert asked("P@2", NO_REL, BOTH, "mean=pooled").mean == Fraction(1, 4)
    assert asked("R", NO_REL, BOTH, "mean=pooled") == Answer({"q1": 1, "q2": 0}, 1)
    assert asked("P@2", NO_REL, BOTH, "mean=pooled norel=dropped").mean == HALF


@pytest.mark.parametrize("measure", ["AP", "nDCG", "RR", "Bpref", "infAP", "ERR", "SetAP"])
def test_what_is_no_ratio_of_counts_is_not_pooled(measure: str) -> None:
    with pytest.raises(NotPooled, match=f"{measure} is no ratio of counts, so it has no pooled mean"):
        asked(measure, NO_REL, BOTH, "mean=pooled")


def test_a_worth_without_counts_is_not_pooled() -> None:
    with pytest.raises(NotPooled, match="P is no ratio of counts for every query, so it has no pooled mean"):
        asked("P@1", NO_REL, BOTH, "mean=pooled norel=1")


def test_a_ratio_of_nothing_is_0() -> None:
    assert ratio(0, 0).value == 0
    assert Ratio(Fraction(1), Fraction(2)).value == HALF


# -- sums -------------------------------------------------------------------------------------------------------


def sums(spec: str, qrels: Qrels = ONE_AND_MISSING, run: Run = ONLY_Q1) -> dict[str, object]:
    return {name: asked(name, qrels, run, spec).mean for name in ("NumQ", "NumRet", "NumRet(rel=1)", "NumRel")}


def test_counts_are_summed() -> None:
    assert sums("") == {"NumQ": 2, "NumRet": 2, "NumRet(rel=1)": 1, "NumRel": 3}
    assert sums("missing=dropped") == {"NumQ": 1, "NumRet": 2, "NumRet(rel=1)": 1, "NumRel": 1}
    assert sums("mean=geometric ties=expectation norel=nan empty=nan") == sums("")
    assert sums("mean=pooled") == sums("")
    assert sums("", {}, {}) == {"NumQ": 0, "NumRet": 0, "NumRet(rel=1)": 0, "NumRel": 0}


def test_the_numbers_of_the_docstring() -> None:
    three: Qrels = {query: judged_as(a=1, b=1, c=1) for query in ("q1", "q2")}
    assert [sums("", three)[name] for name in ("NumQ", "NumRel")] == [2, 6]
    assert [sums("missing=dropped", three)[name] for name in ("NumQ", "NumRel")] == [1, 3]


def test_unjudged_queries_are_counted_where_they_are_measured() -> None:
    run = {"q1": run_of("a"), "q9": run_of("a", "b")}
    assert asked("NumRet", ONE_AND_MISSING, run).mean == 1
    assert asked("NumRet", ONE_AND_MISSING, run, "extra=measured").mean == 3
    assert asked("NumQ", ONE_AND_MISSING, run, "extra=0").mean == 2


# -- laws -------------------------------------------------------------------------------------------------------


@given(st.lists(queries(), min_size=1, max_size=4))
def test_a_query_is_worth_the_same_alone_and_among_others(several: list[Query]) -> None:
    qrels = {f"q{i}": query.judgments for i, query in enumerate(several)}
    run = {f"q{i}": query.rows for i, query in enumerate(several)}
    for name in ("nDCG", "AP", "P@2", "AUC", "NumRel"):
        together = asked(name, qrels, run, "allrel=0")
        alone = [answer(name, query, "allrel=0").per_query["q"] for query in several]
        assert [*together.per_query.values()] == alone
        if MEASURES[parse(name).name].total == "mean":
            assert together.mean == sum(value or 0 for value in alone) / len(alone)


def test_one_collection_answers_many_questions() -> None:
    collection = Collection({"q": judged_as(a=2, b=1, x=0)}, {"q": run_of("x=b", "a")})
    for _ in range(2):
        assert collection.answer(parse("P@1"), profile("")).mean == 0
        assert collection.answer(parse("P@1"), profile("ties=docid-asc")).mean == 1
        assert collection.answer(parse("P(rel=2)@1"), profile("ties=docid-asc")).mean == 0
        assert collection.answer(parse("nDCG(dcg='exp-log2',gains={2:1})@1"), profile("ties=docid-asc")).mean == 1


def test_queries_may_be_judged_elsewhere() -> None:
    asked = []

    def judge_query(query: str, conventions: Conventions, threshold: Rel) -> Judged:
        asked.append((query, conventions, threshold))
        return judge([QueryRow("a", 1.0)], [Judgment("a", 1)], conventions, threshold)

    collection = Collection({"q": range(1)}, {"q": range(3)}, judge_query=judge_query)  # type: ignore[arg-type]
    assert collection.answer(parse("P(rel=1)"), STANDARD).per_query == {"q": 1}
    assert asked == [("q", STANDARD, 1)]


EACH_ALONE = [
    "standard", *(f"{name}={value}" for name, axis in AXES.items() for value in [*axis.values, *axis.also_tried]), "trec_eval-9",
    "gain=exp ties=expectation", "ties=best norel=1", "ties=worst norel=1 ideal=retrieved", "ties=best ideal=retrieved nohit=nan",
]  # fmt: skip


@given(queries(scores=3), queries(scores=3))
@settings(max_examples=min(5, settings.default.max_examples), phases=[Phase.generate])  # to shrink one takes minutes
def test_what_is_worked_out_once_for_many_conventions_is_what_each_alone_gives(one: Query, other: Query) -> None:
    qrels, run = {"q": one.judgments, "r": other.judgments}, {"q": one.rows, "r": other.rows}
    shared = Collection(qrels, run)
    for measure in map(
        parse, ("nDCG@2", "AP", "P(rel=2)@2", "P@2", "IPrec(judged_only=True)@0", "Bpref", "ERR@3", "SetF")
    ):
        for spec in EACH_ALONE:
            conventions = conventions_of(spec, measure)
            alone = said(partial(Collection(qrels, run).answer, measure, conventions))
            assert said(partial(shared.answer, measure, conventions)) == alone, (str(measure), spec)
