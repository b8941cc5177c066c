"""Functions that are given one relevant doc of each query, and all rankings, in arrays or lists; and such as only look so."""

import re
import sys
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from rankproof import cases as corpus
from rankproof.calling.call_candidates import Source, load
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.looking import Blindness
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import answer_of

CASES = corpus.load_all()[::8]
"""A part of the cases, which is enough to tell these functions from wrong ones."""


@cache
def examined(function: Callable[..., object], measure: str) -> Checked:
    return examine(function, measure, cases=CASES, limits=Limits(isolated=False))


# -- arrays: a matrix of ids beside a column of them --------------------------------------------------------------------


def batch_mrr(preds: np.ndarray, targets: np.ndarray) -> float:
    hits = preds == targets[:, None]
    return float(np.where(hits.any(axis=1), 1 / (hits.argmax(axis=1) + 1), 0).mean())


def hit_of_each(topk_items, labels, k=10):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - as people write it
    return (topk_items[:, :k] == labels.reshape(-1, 1)).any(axis=1).astype(float)


def gain_by_rank(pred_items: np.ndarray, target_items: np.ndarray, k: int) -> np.float64:
    hits = pred_items[:, :k] == target_items[:, np.newaxis]
    first = hits & (hits.cumsum(axis=1) == 1)
    return (first / np.log2(np.arange(2, hits.shape[1] + 2))).sum(axis=1).mean()


# -- lists --------------------------------------------------------------------------------------------------------------


def mrr_of_lists(golds: list[str], rankings: list[list[str]]) -> float:
    pairs = zip(golds, rankings, strict=True)
    return sum(1 / (ranking.index(gold) + 1) if gold in ranking else 0 for gold, ranking in pairs) / len(golds)


def hits_of_lists(y_true, y_pred, k):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - as people write it
    return sum(gold in ranking[:k] for gold, ranking in zip(y_true, y_pred, strict=False)) / len(y_true)


def sum_of_hits(answers: list[str], results: list[list[str]], k: int) -> float:
    return float(sum(gold in ranking[:k] for gold, ranking in zip(answers, results, strict=True)))


def from_two(preds: np.ndarray, targets: np.ndarray) -> float:
    """Of a query, its arrays broadcast to a mean over R that is wrong, too."""
    hits = preds == targets[:, None]
    return float(np.where(hits.any(axis=1), 1 / (hits.argmax(axis=1) + 2), 0).mean())


def from_two_in_lists(relevant: list[str], ranked: list[list[str]]) -> float:
    """Its annotations say that the names are of several queries, of one relevant doc each."""
    pairs = zip(relevant, ranked, strict=True)
    return sum(1 / (docs.index(doc) + 2) for doc, docs in pairs if doc in docs) / len(relevant)


def sum_of_each(topk: np.ndarray, truth: np.ndarray) -> float:
    hits = topk == truth[:, None]
    return float(np.where(hits.any(axis=1), 1 / (hits.argmax(axis=1) + 1), 0).sum())


@pytest.mark.parametrize(
    ("function", "measure", "says"),
    [
        (from_two, "RR", "no: ranks are counted from 2"),
        (from_two_in_lists, "RR", "no: ranks are counted from 2"),
        (
            sum_of_each,
            "RR",
            "no: sum_of_each is RR, one query at a time; given 2 queries at once, it gives their sum, 1.125",
        ),
        (sum_of_hits, "Success@5", "no"),
    ],
)
def test_who_is_wrong_of_such_is_told_only_that(function: Callable[..., object], measure: str, says: str) -> None:
    said = answer_of(examined(function, measure)).sentence
    assert said.startswith(says)
    assert "over R" not in said


# -- the relevant doc of a query is its first one -----------------------------------------------------------------------


def hits_of_scores(preds: np.ndarray, k: int = 10) -> np.float64:
    """Beside others that were drawn, as sequential recommenders are often measured."""
    return ((-preds).argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")[:, 0] < k).mean()


def ndcg_of_scores(predictions: np.ndarray, k: int) -> float:
    rank = int((predictions[1:] >= predictions[0]).sum())
    return 1 / float(np.log2(rank + 2)) if rank < k else 0.0


def hits_beyond(preds: np.ndarray, k: int = 10) -> np.float64:
    return ((-preds).argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")[:, 0] <= k).mean()


def of_lists_twice_too_large(ground_truth: list[list[str]], retrieved: list[list[str]]) -> float:
    """It is wrong, and its annotations say that there are lists of relevant docs."""
    pairs = zip(ground_truth, retrieved, strict=True)
    found = [2 * sum(doc in wanted for doc in got[:5]) / max(len(wanted), 1) for wanted, got in pairs]
    return sum(found) / max(len(found), 1)


def one_of_arrays(preds: np.ndarray, targets: np.ndarray) -> float:
    """Arrays of one query or of several, it gives one number."""
    return float(preds.size + targets.size > 0)


def graded(golds: list[str], rankings: list[list[str]], gain: float, k: int) -> float:
    """What a relevant doc is worth is given."""
    found = [gold in ranking[:k] for gold, ranking in zip(golds, rankings, strict=True)]
    return gain * sum(found) / len(found)


def margin(scores: list[float]) -> float:
    """It never looks which doc is relevant."""
    first, second = sorted([*scores, 0.0, 0.0], reverse=True)[:2]
    return first - second


def test_what_looks_at_nothing_is_told_by_the_ranks_of_the_relevant_docs() -> None:
    checked = examined(margin, "RR")
    told = r"whether the one at rank (\d+) is relevant or the one at rank (\d+) is$"
    found = re.search(told, answer_of(checked).sentence)
    assert found is not None
    assert isinstance(checked.fault, Blindness)
    assert (1 / int(found[1]), 1 / int(found[2])) == checked.fault.right
    assert len({*checked.fault.right}) > 1


# -- arrays of one query's ids ------------------------------------------------------------------------------------------


def mean_over_relevant(relevant: np.ndarray, ranked: np.ndarray) -> float:
    """Of one relevant doc it is the reciprocal rank, however many rows there are."""
    hits = np.isin(ranked, relevant)
    return float((hits / np.arange(1, ranked.shape[-1] + 1)).sum() / len(relevant))


def recall(targets: np.ndarray, preds: np.ndarray, k: int) -> float:
    return float(np.isin(targets, preds.ravel()[:k]).sum() / len(targets))


@pytest.mark.parametrize(
    ("function", "measure", "form", "says", "how"),
    [
        (batch_mrr, "RR", "one-id-each", "yes", {"container": "array"}),
        (hit_of_each, "Success@10", "one-id-each", "yes", {"container": "array"}),
        (gain_by_rank, "nDCG@5", "one-id-each", "yes", {"container": "array"}),
        (mrr_of_lists, "RR", "one-id-each", "yes", {"container": "list"}),
        (hits_of_lists, "Success@5", "one-id-each", "yes", {"container": "list"}),
        (graded, "Success@5", "one-id-each", "", {"given": ("gain=1",)}),
        (hits_of_scores, "Success@10", "positive-first", "yes", {}),
        (ndcg_of_scores, "nDCG@5", "positive-first", "yes", {}),
        (hits_beyond, "Success@5", "positive-first", "no", {}),
        (of_lists_twice_too_large, "R@5", "ids", "", {}),
        (one_of_arrays, "R@5", "rows", "", {}),
        (mean_over_relevant, "RR", "ids", "no: ", {}),
        (recall, "R@5", "ids", "yes", {}),
    ],
)
def test_each_is_called_as_it_is_meant_and_right_or_wrong(
    function: Callable[..., object], measure: str, form: str, says: str, how: dict[str, object]
) -> None:
    checked = examined(function, measure)
    assert checked.target.form.name == form
    assert {name: getattr(checked.target, name) for name in how} == how
    assert answer_of(checked).sentence.startswith(says)


@pytest.mark.parametrize(
    ("function", "measure", "ties"), [(hits_of_scores, "Success@10", "input"), (ndcg_of_scores, "nDCG@5", "worst")]
)
def test_where_the_first_score_is_that_of_the_relevant_doc_ties_have_their_order(
    function: Callable[..., object], measure: str, ties: str
) -> None:
    checked = examined(function, measure)
    assert checked.follows.ties == ties or ties in checked.undecided["ties"]


def test_ids_in_tensors_are_numbers_as_no_tensor_holds_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    targets = load(Source("", parse("RR"), function=batch_mrr)).candidates.targets
    numbered = {target.container: target.numbered for target in targets if target.form.name == "one-id-each"}
    assert numbered == {"list": False, "array": False, "tensor": True, "float-tensor": True}
