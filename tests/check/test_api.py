"""`rankproof.check` in Python: lambdas over query objects, which run in separate processes."""

import os
from importlib import import_module
from typing import Any

import pytest

import rankproof
from rankproof.check.call import BadCall
from rankproof.check.result import Verdict
from rankproof.reference_impl.notation import UnknownMeasure


def rr(q: Any) -> float:
    return 1 / q.hit_ranks[0] if q.hit_ranks else 0.0


def test_lambda_is_checked_by_the_attributes_that_it_reads() -> None:
    result = rankproof.check(lambda q: sum(grade > 0 for grade in q.rels[: q.k]) / q.k, "P@10")
    assert result.verdict is Verdict.AGREES
    assert result.reads == {"rels", "k"}


def test_closure_over_all_queries_may_return_a_dict() -> None:
    weight = 1.0

    def of_all(queries: list[Any]) -> dict[str, float]:
        return {q.query: weight * rr(q) for q in queries}

    assert rankproof.check(of_all, "RR", over="queries").verdict is Verdict.AGREES


def test_other_measure_raises_what_the_command_prints() -> None:
    with pytest.raises(AssertionError, match=r"is not RR@2: it ignores the cutoff"):
        rankproof.check(lambda q: rr(q) + 0 * q.k, "RR@2")


def test_claimed_profile_and_strictness_are_held() -> None:
    def one_without_relevant(q: Any) -> float:
        return rr(q) if q.n_relevant else 1.0

    assert rankproof.check(one_without_relevant, "RR").verdict is Verdict.VARIANT
    assert rankproof.check(one_without_relevant, "RR", "standard norel=1").verdict is Verdict.AGREES
    with pytest.raises(AssertionError):
        rankproof.check(one_without_relevant, "RR", strict=True)
    with pytest.raises(AssertionError):
        rankproof.check(one_without_relevant, "RR", "standard")


def test_function_changes_only_its_own_process() -> None:
    here, touched = os.getpid(), []

    def function(q: Any) -> float:
        touched.append(q.query)
        assert os.getpid() != here
        print("noise")
        return rr(q)

    rankproof.check(function, "RR")
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
def test_bad_arguments_are_refused(
    function: Any, measure: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        rankproof.check(function, measure, **options)


def test_functions_of_the_package_survive_the_import_of_packages_of_the_same_name() -> None:
    import_module("rankproof.check.checking")
    import_module("rankproof.evaluate.api")
    assert rankproof.check(rr, "RR").verdict is Verdict.AGREES
    assert rankproof.evaluate(["RR"], {"q": {"a": 1}}, {"q": {"a": 1.0}}).mean["RR"] == 1.0
