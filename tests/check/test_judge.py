"""The verdict of `check`: standard is the measure, known conventions make a variant, and all other values differ.

`tests/functions/calls.toml` has the verdicts of many functions. These tests cover each kind of fault, and pairs of
functions on both sides of the rule.
"""

import math
from collections.abc import Callable
from typing import Any

import pytest

from rankproof.check.checking import check_function, prepare
from rankproof.check.result import CheckResult, FaultKind, Verdict
from rankproof.check.source import Source
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.profiles import UnknownProfile

AGREES, VARIANT, DIFFERS = Verdict.AGREES, Verdict.VARIANT, Verdict.DIFFERS
Function = Callable[[Any], Any]


def by(value: float, best: float) -> float:
    return value / best if best else 0.0


def flags(q: Any) -> list[int]:
    return [int(doc in set(q.relevant)) for doc in dict.fromkeys(q.ranked)]


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def rr(q: Any) -> float:
    return 1 / q.hit_ranks[0] if q.hit_ranks else 0.0


def hits(q: Any) -> int:
    return sum(flags(q)[: q.k])


TABLE: dict[str, tuple[Function, str, Verdict, str]] = {
    "P over min(k, n) of the grades alone": (
        lambda q: by(sum(g > 0 for g in q.rels[: q.k]), len(q.rels[: q.k])),
        "P@10",
        VARIANT,
        "p_denominator",
    ),
    "P over min(k, n) of all relevant": (lambda q: by(hits(q), len(flags(q)[: q.k])), "P@10", DIFFERS, "cheap"),
    "an exception without relevant documents": (lambda q: hits(q) / len(set(q.relevant)), "R@10", VARIANT, "norel"),
    "an exception for every miss": (lambda q: 1 / q.hit_ranks[0] if q.n_relevant else 0.0, "RR", DIFFERS, "raises"),
    "a document credited for each occurrence": (
        lambda q: by(sum(doc in q.relevant for doc in q.ranked[: q.k]), len(set(q.relevant))),
        "R@10",
        DIFFERS,
        "repeats",
    ),
    "the cutoff ignored": (lambda q: rr(q) + 0 * q.k, "RR@2", DIFFERS, "ignores"),
    "a constant": (lambda q: 0.5 + 0 * len(q.rels), "CG@3", DIFFERS, "ignores"),
    "a value above the maximum": (lambda q: 2 * hits(q) / q.k, "P@10", DIFFERS, "above-maximum"),
    "ranks to the power of 1.5": (lambda q: rr(q) ** 1.5, "RR", DIFFERS, "unexplained"),
}


def checked(function: Function, measure: str, over: str = "query", profile: str | None = None) -> CheckResult:
    return check_function(prepare(Source(function=function, over=over), "", measure, profile))


def assert_verdict(result: CheckResult, verdict: Verdict, because: str) -> None:
    """Check the verdict, and the axis of a variant or the kind of fault."""
    assert result.verdict is verdict
    if verdict is VARIANT:
        assert because in {difference.axis for difference in result.differences}
        assert all(difference.is_known for difference in result.differences)
    if verdict is DIFFERS:
        assert FaultKind(because) in {fault.kind for fault in result.faults}
    assert result.holds() is (verdict is not DIFFERS)
    assert result.holds(strict=True) is (verdict is AGREES)


@pytest.mark.parametrize("name", TABLE)
def test_verdict_follows_one_rule(name: str) -> None:
    function, measure, verdict, because = TABLE[name]
    assert_verdict(checked(function, measure), verdict, because)


def test_queries_left_out_of_the_mean_are_a_convention_only_without_relevant_documents() -> None:
    without_relevant = checked(lambda qs: mean([rr(q) for q in qs if q.n_relevant]), "RR", "queries")
    assert_verdict(without_relevant, VARIANT, "norel")
    without_hit = checked(lambda qs: mean([rr(q) for q in qs if q.hit_ranks and q.n_relevant]), "RR", "queries")
    assert_verdict(without_hit, DIFFERS, "cheap")


def test_claimed_profile_holds_as_a_whole_or_not_at_all() -> None:
    def one_without_relevant(q: Any) -> float:
        return rr(q) if q.n_relevant else 1.0

    assert checked(one_without_relevant, "RR", profile="standard norel=1").verdict is AGREES
    other = checked(one_without_relevant, "RR", profile="standard norel=nan")
    assert (other.verdict, other.faults[0].kind) == (DIFFERS, FaultKind.CLAIM)


def test_claimed_library_holds_a_function_to_what_is_proved_of_it_alone() -> None:
    """The mean of RR in LensKit is undetermined; the arithmetic mean of ranx is proved."""

    def geometric(qs: list[Any]) -> float:
        return math.exp(mean([math.log(max(rr(q), 1e-5)) for q in qs])) if qs else 0.0

    def kinds(profile: str) -> set[FaultKind]:
        return {fault.kind for fault in checked(geometric, "RR", "queries", profile).faults}

    assert FaultKind.CLAIM not in kinds("lenskit")
    assert kinds("ranx") == {FaultKind.CLAIM}
    for profile in ("lenskit", "ranx"):
        assert checked(lambda qs: mean([rr(q) for q in qs] or [0.0]), "RR", "queries", profile).verdict is AGREES


def test_unknown_profiles_and_impossible_means_are_refused() -> None:
    with pytest.raises(UnknownProfile):
        checked(rr, "RR", profile="nowhere")
    with pytest.raises(NotPooled):
        checked(rr, "RR", profile="standard mean=pooled")


def test_relevant_ids_that_are_named_twice_change_no_verdict_and_are_reported() -> None:
    result = checked(lambda q: by(len(set(q.ranked[: q.k]) & set(q.relevant)), len(q.relevant)), "R@10")
    assert result.verdict is AGREES
    assert result.relevant_twice == pytest.approx((2 / 3, 1.0))


def test_example_of_extreme_input_is_compared_with_the_conventions_of_the_function() -> None:
    """The function caps grades at 20. The gain of grade 30 at rank 2 is exponential, not linear as in standard."""

    def capped(q: Any) -> float:
        return sum((2.0 ** min(grade, 20) - 1) / math.log2(i + 2) for i, grade in enumerate(q.rels[: q.k]) if grade > 0)

    (example,) = [count.example for count in checked(capped, "DCG@10").extreme if count.trait == "grades above 4"]
    assert example is not None
    assert example.case == "gain/rel-30"
    assert example.expected == pytest.approx((2**30 - 1) / math.log2(3)), "exponential gain at rank 2"


def test_undecided_conventions_are_marked_in_the_signature() -> None:
    result = checked(lambda q: sum(g > 0 for g in q.rels[: q.k]) / q.k, "P@10")
    assert {"score", "missing", "run_duplicates"} <= result.undetermined.keys() | result.decided_by_caller.keys()
    assert "p_denominator" not in result.undetermined
    assert "score:?" in result.signature
    assert result.not_tested == ("unretrieved relevant documents", "tied documents")


def test_queries_without_exactly_one_relevant_document_are_counted_as_skipped() -> None:
    result = checked(lambda q: 1 / (q.ranked.index(q.only_relevant) + 1) if q.only_relevant in q.ranked else 0.0, "RR")
    assert result.verdict is AGREES
    assert result.skipped > 10
