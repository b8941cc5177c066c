"""What a function gives for several queries at once, that was asked with one row of a table: their mean, or something else."""

import re
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pytest

from rankproof import cases as corpus
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.mixing import FIRST, LAST, OTHER, SUM
from rankproof.checking.trials import equally_many
from rankproof.isolating.limits import Limits
from rankproof.matching.recalled import recalled
from rankproof.matching.reference_answers import Values
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_words import summary

HERE = Limits(isolated=False)
CASES = corpus.load_all()[::8]
"""A part of the cases, which is enough to tell these functions from wrong ones."""


def examined(function: Callable[..., object], measure: str, profile: str | None = None) -> Checked:
    return examine(function, measure, profile, cases=CASES, limits=HERE)


def hits(y_true: np.ndarray, y_score: np.ndarray, k: int) -> np.ndarray:
    order = np.argsort(-y_score, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(y_true, order, axis=1) >= 1


def precisions(y_true: np.ndarray, y_score: np.ndarray, k: int) -> np.ndarray:
    return hits(y_true, y_score, k).sum(axis=1) / k


# -- no mean ------------------------------------------------------------------------------------------------------------


def sum_of_gains(test_data: list[list[str]], r: np.ndarray, k: int) -> float:
    """The sum of nDCG, to be divided by who calls it."""
    discounts = 1 / np.log2(np.arange(2, k + 2))
    best = np.array([discounts[: min(k, len(relevant))].sum() or 1.0 for relevant in test_data])
    return float(np.sum((r[:, :k] * discounts).sum(axis=1) / best))


def sum_of_recalls(hit_matrix: np.ndarray, n_relevant: np.ndarray, k: int) -> float:
    n = np.maximum(np.asarray(n_relevant), 1)
    return float((hit_matrix[:, :k].sum(axis=1) / n).sum())


def mixing(name: str, mix: Callable[[np.ndarray], float]) -> Callable[..., float]:
    """A function of this name that gives, of the precisions of its rows, what this makes of them."""

    def mixed(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
        return float(mix(precisions(y_true, y_score, k)))

    mixed.__name__ = mixed.__qualname__ = name
    return mixed


sum_of_precisions = mixing("sum_of_precisions", np.sum)
median_of_precisions = mixing("median_of_precisions", np.median)
precision_of_the_first = mixing("precision_of_the_first", lambda values: values[0])
precision_of_the_last = mixing("precision_of_the_last", lambda values: values[-1])


def pooled_recall(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    return float(hits(y_true, y_score, k).sum() / max((y_true >= 1).sum(), 1))


def mean_class_accuracy(scores: np.ndarray, labels: np.ndarray, k: int) -> float:
    """The mean over the classes, each of which is the mean over its rows."""
    found = (np.argsort(-scores, axis=1, kind="stable")[:, :k] == labels.reshape(-1, 1)).any(axis=1)
    return float(np.mean([found[labels == label].mean() for label in np.unique(labels)]))


def of_some_cutoffs(function: Callable[..., float], allowed: Collection[int]) -> Callable[..., float]:
    def limited(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
        if k not in allowed:
            raise ValueError(f"no k={k}")
        return function(y_true, y_score, k)

    return limited


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "allowed", "k_below", "what"),
    [
        (sum_of_precisions, range(100), 0, SUM),
        (sum_of_precisions, range(13), 15, SUM),
        (sum_of_precisions, {1, 5, 10}, 0, SUM),
        (precision_of_the_first, {5}, 0, FIRST),
        (precision_of_the_last, range(13), 15, LAST),
    ],
)
def test_so_is_who_takes_some_cutoffs_alone(
    function: Callable[..., float], allowed: Collection[int], k_below: int, what: str
) -> None:
    cases = [*CASES, *corpus.load_matching(["denominators/spark-*"])]
    checked = examine(of_some_cutoffs(function, allowed), "P@5", cases=cases, limits=HERE)
    assert (bool(checked.target.k_alone), checked.target.k_below) == (7 not in allowed, k_below)
    assert checked.mixed is not None
    assert (checked.mixed.queries, checked.mixed.what, checked.holds) == (5, what, False)


def test_where_the_sum_of_two_queries_is_what_they_are_worth_as_one_neither_is_told() -> None:
    def rows(y_true: list[float], y_score: list[float], k: int) -> float:
        return sum_of_precisions(np.atleast_2d(y_true), np.atleast_2d(y_score), k)

    checked = examined(rows, "P@5")
    assert checked.mixed is not None
    assert (checked.mixed.got, checked.mixed.mean, checked.mixed.what) == (0.4, 0.2, OTHER)


DIVIDE, TAKE_THE_MEAN = "divide the sum by the number of queries", "give the mean of what each is worth"


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "measure", "what", "queries", "got", "mean", "mend"),
    [
        # Within k they have 0, 5, 1, 2 and 3 relevant docs, of 1, 6, 1, 3 and 4.
        (sum_of_gains, "nDCG@10", SUM, 5, None, None, DIVIDE),
        (sum_of_recalls, "R@10", SUM, 5, 5 / 6 + 1 + 2 / 3 + 3 / 4, 3.25 / 5, DIVIDE),
        (sum_of_precisions, "P@5", SUM, 5, 2.2, 0.44, DIVIDE),
        (median_of_precisions, "P@5", OTHER, 5, 0.4, 0.44, TAKE_THE_MEAN),
        (precision_of_the_first, "P@5", FIRST, 5, 0.0, 0.44, TAKE_THE_MEAN),
        (precision_of_the_last, "P@5", LAST, 5, 0.6, 0.44, TAKE_THE_MEAN),
        (pooled_recall, "R@5", "mean=pooled", 5, 11 / 15, 3.25 / 5, TAKE_THE_MEAN),
        # At 1 the first and the fourth have no hit, so that the first tells as little as the least.
        (precision_of_the_first, "P@1", FIRST, 5, 0.0, 0.6, TAKE_THE_MEAN),
        # Of class 0 two of three are found, and the only one of class 1.
        (mean_class_accuracy, "Success@5", OTHER, 4, (2 / 3 + 1) / 2, 3 / 4, TAKE_THE_MEAN),
    ],
)
def test_who_gives_no_mean_of_several_queries_is_told_so(
    function: Callable[..., float], measure: str, what: str, queries: int, got: Any, mean: Any, mend: str
) -> None:
    checked = examined(function, measure)
    assert checked.mixed is not None
    assert not checked.holds
    assert (checked.mixed.queries, checked.mixed.what) == (queries, what)
    assert checked.mixed.got == pytest.approx(queries * checked.mixed.mean if got is None else got)
    assert mean is None or checked.mixed.mean == pytest.approx(mean)
    told = answer_of(checked)
    assert f"one query at a time; given {queries} queries at once, it gives " in told.sentence
    assert told.mend == mend
    of_one = re.findall(r"which is what the (\w+) alone is worth", told.sentence)
    assert of_one == {FIRST: ["first"], LAST: ["last"]}.get(what, [])


BY_INPUT = "known=retrieved ties=input"
DECLARE = "follow known=retrieved, or declare ties=input"


@pytest.mark.parametrize(
    ("function", "profile", "said", "mend"),
    [
        (sum_of_precisions, BY_INPUT, f"is P@5 by {BY_INPUT}, one query at a time", DIVIDE),
        (median_of_precisions, BY_INPUT, f"is P@5 by {BY_INPUT}, one query at a time", TAKE_THE_MEAN),
        (
            sum_of_precisions,
            "known=retrieved",
            "is not P@5 by known=retrieved: it follows ties=input/unspecified",
            f"{DECLARE}; {DIVIDE}",
        ),
    ],
)
def test_who_keeps_what_is_claimed_of_one_query_alone_is_told_that_of_several_it_does_not(
    function: Callable[..., float], profile: str, said: str, mend: str
) -> None:
    checked = examined(function, "P@5", profile)
    given = "their sum, 2.2" if function is sum_of_precisions else ".4"
    of_several, answer = f"given 5 queries at once, it gives {given}; their mean is .44", answer_of(checked)
    assert not checked.holds
    assert answer.sentence == f"no: {function.__name__} {said}; {of_several}"
    assert answer.mend == mend
    assert summary(checked) == f"{function.__name__} follows no conventions for several queries at once: {of_several}."


@pytest.mark.parametrize("name", ["P", "R", "F", "Success", "RR", "AP", "nDCG"])
def test_no_two_of_what_is_told_are_one_number_in_the_queries_that_are_asked(name: str) -> None:
    """But for what is their mean, or that of those that are not 0: of that nothing is told."""
    for k in range(1, 25):
        asked, measure = recalled(equally_many(k)), parse(f"{name}@{k}")
        kinds = ("arithmetic", "geometric", *(["pooled"] if name in {"P", "R", "F"} else []))
        means = [STANDARD.replace(mean=mean) for mean in kinds]
        plain, *others = [answers for one in means if isinstance(answers := asked.answers(measure, one), Values)]
        values = [float(value) for value in plain.per_query.values() if value is not None]
        some = [value for value in values if value]
        told = [values[0], values[-1], sum(values), *(to_float(one.mean) for one in others)]
        is_mean = (sum(values) / len(values), sum(some) / len(some))
        left = [round(value, 9) for value in told if not any(value == pytest.approx(mean) for mean in is_mean)]
        assert len(left) == len({*left}), (name, k, left)
        assert left.count(0.0) == 1, "the first has no hit within k, and the geometric mean is no 0"


# -- a mean, or what cannot be told ---------------------------------------------------------------------------------------


mean_of_precisions = mixing("mean_of_precisions", np.mean)


def mean_of_any_shape(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    """The same of one query, too; at 1, two queries that find nothing are worth what they are as one."""
    return mean_of_precisions(np.atleast_2d(y_true), np.atleast_2d(y_score), k)


def mean_of_what_is_found(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    """A query without hits is left out, or worth 0 where it is alone; which of both is not asked."""
    values = precisions(y_true, y_score, k)
    return float(values[values > 0].mean()) if (values > 0).any() else 0.0


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "measure", "profile"),
    [
        (mean_of_precisions, "P@10", None),
        (mean_of_any_shape, "P@10", None),
        (mean_of_any_shape, "P@1", None),
        (precisions, "P@5", None),
        (mean_of_what_is_found, "P@1", None),
        (pooled_recall, "R@5", f"{BY_INPUT} mean=pooled"),
    ],
)
def test_who_gives_their_mean_or_what_it_claims_is_accused_of_nothing(
    function: Callable[..., float], measure: str, profile: str | None
) -> None:
    checked = examined(function, measure, profile)
    assert checked.mixed is None
    assert checked.holds
