"""The rule of the verdict, for twenty functions: standard is the measure, known conventions make a variant, and the rest differs."""

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


def dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def by(value: float, best: float) -> float:
    return value / best if best else 0.0


def flags(q: Any) -> list[int]:
    return [int(doc in set(q.relevant)) for doc in dict.fromkeys(q.ranked)]


def ap(q: Any, divisor: float) -> float:
    hits = [rank for rank, flag in enumerate(flags(q), 1) if flag]
    return by(sum(nth / rank for nth, rank in enumerate(hits, 1)), divisor)


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def rr(q: Any) -> float:
    return 1 / q.hit_ranks[0] if q.hit_ranks else 0.0


Function = Callable[[Any], Any]
TABLE: list[tuple[str, Function, str, str, Verdict, str]] = [
    # (1) standard, as far as the call shows it
    (
        "nDCG of the grades that the call passes",
        lambda q: by(dcg(q.rels[: q.k]), dcg(sorted(q.rels)[::-1][: q.k])),
        "nDCG@10",
        "query",
        AGREES,
        "",
    ),
    (
        "nDCG with the ideal of all judgments",
        lambda q: by(dcg(q.rels[: q.k]), dcg(q.ideal[: q.k])),
        "nDCG@10",
        "query",
        AGREES,
        "",
    ),
    ("P over k", lambda q: sum(flags(q)[: q.k]) / q.k, "P@10", "query", AGREES, ""),
    ("R over R", lambda q: by(sum(flags(q)[: q.k]), len(set(q.relevant))), "R@10", "query", AGREES, ""),
    ("AP over R", lambda q: ap(q, len(set(q.relevant))), "AP", "query", AGREES, ""),
    ("RR of the first hit", rr, "RR", "query", AGREES, ""),
    # (2) conventions that are known, and the maximum only for rankings that cannot be better
    (
        "exponential gain",
        lambda q: by(dcg([2**g - 1 for g in q.rels[: q.k]]), dcg([2**g - 1 for g in q.ideal[: q.k]])),
        "nDCG@10",
        "query",
        VARIANT,
        "gain",
    ),
    (
        "1 without relevant documents",
        lambda q: by(dcg(q.rels[: q.k]), dcg(q.ideal[: q.k])) if q.n_relevant else 1.0,
        "nDCG@10",
        "query",
        VARIANT,
        "norel",
    ),
    (
        "P over min(k, R)",
        lambda q: by(sum(flags(q)[: q.k]), min(q.k, len(set(q.relevant)))),
        "P@10",
        "query",
        VARIANT,
        "p_denominator",
    ),
    (
        "P over min(k, n) of the grades alone",
        lambda q: by(sum(g > 0 for g in q.rels[: q.k]), len(q.rels[: q.k])),
        "P@10",
        "query",
        VARIANT,
        "p_denominator",
    ),
    (
        "division by zero without relevant documents",
        lambda q: dcg(q.rels[: q.k]) / dcg(q.ideal[: q.k]),
        "nDCG@10",
        "query",
        VARIANT,
        "norel",
    ),
    (
        "queries without relevant documents left out",
        lambda qs: mean([rr(q) for q in qs if q.n_relevant]),
        "RR",
        "queries",
        VARIANT,
        "norel",
    ),
    # (3) everything else
    (
        "the ideal of the retrieved documents",
        lambda q: by(dcg(flags(q)[: q.k]), dcg(sorted(flags(q))[::-1][: q.k])),
        "nDCG@10",
        "query",
        DIFFERS,
        "cheap",
    ),
    (
        "P over min(k, n) that sees all relevant documents",
        lambda q: by(sum(flags(q)[: q.k]), len(flags(q)[: q.k])),
        "P@10",
        "query",
        DIFFERS,
        "cheap",
    ),
    (
        "AP over the hits that sees all relevant documents",
        lambda q: ap(q, sum(flags(q))),
        "AP",
        "query",
        DIFFERS,
        "cheap",
    ),
    (
        "queries without a hit left out",
        lambda qs: mean([rr(q) for q in qs if q.hit_ranks and q.n_relevant]),
        "RR",
        "queries",
        DIFFERS,
        "cheap",
    ),
    (
        "a document credited for each occurrence",
        lambda q: by(sum(doc in q.relevant for doc in q.ranked[: q.k]), len(set(q.relevant))),
        "R@10",
        "query",
        DIFFERS,
        "repeats",
    ),
    ("the cutoff ignored", lambda q: rr(q) + 0 * q.k, "RR@2", "query", DIFFERS, "ignores"),
    ("a constant", lambda q: 0.5 + 0 * len(q.rels), "nDCG", "query", DIFFERS, "ignores"),
    (
        "an exception for every miss",
        lambda q: 1 / q.hit_ranks[0] if q.n_relevant else 0.0,
        "RR",
        "query",
        DIFFERS,
        "raises",
    ),
    (
        "cubed grades",
        lambda q: by(dcg([g**3 for g in q.rels]), dcg([g**3 for g in q.ideal])),
        "nDCG",
        "query",
        DIFFERS,
        "unexplained",
    ),
]


def checked(function: Function, measure: str, over: str = "query", profile: str | None = None) -> CheckResult:
    return check_function(prepare(Source(function=function, over=over), "", measure, profile))


@pytest.mark.parametrize(
    ("_name", "function", "measure", "over", "verdict", "because"), TABLE, ids=[row[0] for row in TABLE]
)
def test_the_verdict_follows_one_rule(
    _name: str, function: Function, measure: str, over: str, verdict: Verdict, because: str
) -> None:
    result = checked(function, measure, over)
    assert result.verdict is verdict
    if verdict is VARIANT:
        assert because in {difference.axis for difference in result.differences}
        assert all(difference.is_known for difference in result.differences)
    if verdict is DIFFERS:
        assert FaultKind(because) in {fault.kind for fault in result.faults}
    assert result.holds() is (verdict is not DIFFERS)
    assert result.holds(strict=True) is (verdict is AGREES)


def test_a_claimed_profile_holds_as_a_whole_or_not_at_all() -> None:
    def exponential(q: Any) -> float:
        return by(dcg([2**g - 1 for g in q.rels[: q.k]]), dcg([2**g - 1 for g in q.ideal[: q.k]]))

    assert checked(exponential, "nDCG@10", profile="standard gain=exp").verdict is AGREES
    other = checked(exponential, "nDCG@10", profile="standard norel=1")
    assert (other.verdict, other.faults[0].kind) == (DIFFERS, FaultKind.CLAIM)


def test_unknown_profiles_and_impossible_means_are_refused() -> None:
    with pytest.raises(UnknownProfile):
        checked(rr, "RR", profile="nowhere")
    with pytest.raises(NotPooled):
        checked(rr, "RR", profile="standard mean=pooled")


def test_a_value_above_the_maximum_is_never_the_measure() -> None:
    result = checked(lambda q: by(dcg(q.rels), dcg(q.y_true)), "nDCG")
    assert result.verdict is DIFFERS
    assert FaultKind.ABOVE_MAXIMUM in {fault.kind for fault in result.faults}


def test_relevant_ids_that_are_named_twice_change_no_verdict_and_are_reported() -> None:
    result = checked(lambda q: by(len(set(q.ranked[: q.k]) & set(q.relevant)), len(q.relevant)), "R@10")
    assert result.verdict is AGREES
    assert result.relevant_twice == pytest.approx((2 / 3, 1.0))


def test_what_no_value_decides_is_undetermined_and_marked_in_the_signature() -> None:
    result = checked(lambda q: sum(g > 0 for g in q.rels[: q.k]) / q.k, "P@10")
    assert {"score", "missing", "run_duplicates"} <= result.undetermined.keys() | result.decided_by_caller.keys()
    assert "p_denominator" not in result.undetermined
    assert "score:?" in result.signature
    assert result.not_tested == ("unretrieved relevant documents", "tied documents")


def test_queries_without_exactly_one_relevant_document_are_counted_as_skipped() -> None:
    result = checked(lambda q: 1 / (q.ranked.index(q.only_relevant) + 1) if q.only_relevant in q.ranked else 0.0, "RR")
    assert result.verdict is AGREES
    assert result.skipped > 10


def test_swapped_arguments_are_suggested_and_decide_nothing() -> None:
    def recall(ranked: list[str], relevant: list[str]) -> float:
        return by(len(set(ranked) & set(relevant)), len(set(relevant)))

    result = checked(lambda q: recall(q.relevant, q.ranked), "SetR")
    assert result.verdict is DIFFERS
