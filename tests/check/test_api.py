"""`rankproof.check` in Python: lambdas over query objects, in processes of their own."""

import math
import os
from importlib import import_module
from typing import Any

import pytest

import rankproof
from rankproof.check.call import BadCall
from rankproof.check.result import Verdict
from rankproof.reference_impl.notation import UnknownMeasure


def ndcg(rels: list[float], k: int) -> float:
    def dcg(values: list[float]) -> float:
        return sum(value / math.log2(rank + 1) for rank, value in enumerate(values[:k], 1))

    best = dcg(sorted(rels, reverse=True))
    return dcg(rels) / best if best else 0.0


def test_a_lambda_is_checked_by_the_attributes_that_it_reads() -> None:
    result = rankproof.check(lambda q: ndcg(q.rels, q.k), "nDCG@10")
    assert result.verdict is Verdict.AGREES
    assert result.reads == {"rels", "k"}


def test_a_closure_over_all_queries_may_return_a_mean_or_a_dict() -> None:
    weight = 1.0

    def of_all(queries: list[Any]) -> dict[str, float]:
        return {q.query: weight / q.hit_ranks[0] if q.hit_ranks else 0.0 for q in queries}

    assert rankproof.check(of_all, "RR", over="queries").verdict is Verdict.AGREES


def test_what_does_not_hold_raises_what_the_command_prints() -> None:
    with pytest.raises(AssertionError, match=r"is not nDCG@10: it ignores the cutoff"):
        rankproof.check(lambda q: ndcg(q.rels, 10**6 * q.k), "nDCG@10")


def test_a_claim_and_strictness_are_held() -> None:
    exponential = lambda q: ndcg([2**g - 1 for g in q.rels], q.k)  # noqa: E731 - as users write it
    assert rankproof.check(exponential, "nDCG@10").verdict is Verdict.VARIANT
    assert rankproof.check(exponential, "nDCG@10", "standard gain=exp").verdict is Verdict.AGREES
    with pytest.raises(AssertionError):
        rankproof.check(exponential, "nDCG@10", strict=True)
    with pytest.raises(AssertionError):
        rankproof.check(exponential, "nDCG@10", "standard")


def test_what_a_function_does_to_its_process_stays_there() -> None:
    here, touched = os.getpid(), []

    def function(q: Any) -> float:
        touched.append(q.query)
        assert os.getpid() != here
        print("noise")
        return ndcg(q.rels, q.k)

    rankproof.check(function, "nDCG@10")
    assert touched == []


@pytest.mark.parametrize(
    ("function", "measure", "options", "error", "words"),
    [
        (lambda _: "0.5", "RR", {}, BadCall, "not a number"),
        (lambda q: q.relz, "RR", {}, BadCall, "'relz' is not an ingredient here"),
        (lambda _: 1.0, "nDCGG@10", {}, UnknownMeasure, "nDCGG"),
        (lambda _: 1.0, "RR", {"over": "docs"}, BadCall, "neither 'query' nor 'queries'"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    function: Any, measure: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        rankproof.check(function, measure, **options)


def test_functions_stay_although_packages_within_have_their_names() -> None:
    import_module("rankproof.check.checking")
    import_module("rankproof.evaluate.api")
    assert rankproof.check(lambda q: q.hit_ranks[0] ** -1 if q.hit_ranks else 0.0, "RR").verdict is Verdict.AGREES
    assert rankproof.evaluate(["RR"], {"q": {"a": 1}}, {"q": {"a": 1.0}}).mean["RR"] == 1.0
