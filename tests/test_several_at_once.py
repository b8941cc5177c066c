"""What a function gives for several queries at once, that was asked with one row of a table: their mean, or something else."""

from collections.abc import Callable

import numpy as np
import pytest

from rankproof import cases as corpus
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.mixing import FIRST, LAST, OTHER, SUM
from rankproof.isolating.limits import Limits
from rankproof.telling.check_answer import answer_of

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


def sum_of_precisions(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    return float(precisions(y_true, y_score, k).sum())


def median_of_precisions(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    return float(np.median(precisions(y_true, y_score, k)))


def precision_of_the_first(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    return float(precisions(y_true, y_score, k)[0])


def precision_of_the_last(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    return float(precisions(y_true, y_score, k)[-1])


def pooled_recall(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    return float(hits(y_true, y_score, k).sum() / max((y_true >= 1).sum(), 1))


def mean_class_accuracy(scores: np.ndarray, labels: np.ndarray, k: int) -> float:
    """The mean over the classes, each of which is the mean over its rows."""
    found = (np.argsort(-scores, axis=1, kind="stable")[:, :k] == labels.reshape(-1, 1)).any(axis=1)
    return float(np.mean([found[labels == label].mean() for label in np.unique(labels)]))


@pytest.mark.parametrize(
    ("function", "measure", "what", "got", "mean", "mend"),
    [
        # Within k they have 2, 5, 1 and 3 relevant docs, of 3, 6, 1 and 4.
        (sum_of_gains, "nDCG@10", SUM, None, None, "divide the sum by the number of queries"),
        (sum_of_recalls, "R@10", SUM, 2 / 3 + 5 / 6 + 1 + 3 / 4, 3.25 / 4, "divide the sum by the number of queries"),
        (sum_of_precisions, "P@5", SUM, 2.2, 0.55, "divide the sum by the number of queries"),
        (median_of_precisions, "P@5", OTHER, 0.5, 0.55, "give the mean of what each is worth"),
        (precision_of_the_first, "P@5", FIRST, 0.4, 0.55, "give the mean of what each is worth"),
        (precision_of_the_last, "P@5", LAST, 0.6, 0.55, "give the mean of what each is worth"),
        (pooled_recall, "R@5", "mean=pooled", 11 / 14, 3.25 / 4, "give the mean of what each is worth"),
        # Of class 0 two of three are found, and the only one of class 1.
        (mean_class_accuracy, "Success@5", OTHER, (2 / 3 + 1) / 2, 3 / 4, "give the mean of what each is worth"),
    ],
)
def test_who_gives_no_mean_of_several_queries_is_told_so(
    function: Callable[..., float], measure: str, what: str, got: float | None, mean: float | None, mend: str
) -> None:
    checked = examined(function, measure)
    assert checked.mixed is not None
    assert not checked.holds
    assert (checked.mixed.queries, checked.mixed.what) == (4, what)
    assert checked.mixed.got == pytest.approx(4 * checked.mixed.mean if got is None else got)
    assert mean is None or checked.mixed.mean == pytest.approx(mean)
    told = answer_of(checked)
    assert "one query at a time; given 4 queries at once, it gives " in told.sentence
    assert told.mend == mend


# -- a mean, or what cannot be told ---------------------------------------------------------------------------------------


def mean_of_precisions(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    return float(precisions(y_true, y_score, k).mean())


def mean_of_any_shape(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    """The same of one query, too; at 1, two queries that find nothing are worth what they are as one."""
    return mean_of_precisions(np.atleast_2d(y_true), np.atleast_2d(y_score), k)


def mean_of_what_is_found(y_true: np.ndarray, y_score: np.ndarray, k: int) -> float:
    """A query without hits is left out, or worth 0 where it is alone; which of both is not asked."""
    values = precisions(y_true, y_score, k)
    return float(values[values > 0].mean()) if (values > 0).any() else 0.0


@pytest.mark.parametrize(
    ("function", "measure", "profile"),
    [
        (mean_of_precisions, "P@10", None), (mean_of_any_shape, "P@10", None), (mean_of_any_shape, "P@1", None),
        (precisions, "P@5", None), (mean_of_what_is_found, "P@1", None),
        (pooled_recall, "R@5", "known=retrieved ties=input mean=pooled"),
    ],
)  # fmt: skip
def test_who_gives_their_mean_or_what_it_claims_is_accused_of_nothing(
    function: Callable[..., float], measure: str, profile: str | None
) -> None:
    checked = examined(function, measure, profile)
    assert checked.mixed is None
    assert checked.holds
