"""More forms of metric functions of the registry: wide frames of ids, dicts by name, numbers in a text."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rankproof import cases as corpus
from rankproof.calling.annotations import rules_out
from rankproof.calling.arguments import contained, written
from rankproof.calling.call_candidates import Source
from rankproof.calling.call_forms import FORMS, is_asked
from rankproof.calling.given_values import NoNumber, number, picked, read
from rankproof.calling.parameters import texts_in
from rankproof.calling.targets import BadFunction, Target
from rankproof.cases.inputs import Input
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.recognising import recognised
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.judging.verdicts import Verdict
from rankproof.meaning.measure_names import Several, measure_of_function
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_words import script_of

HERE = Limits(isolated=False)
CASES = corpus.load_all()[::8]
"""A part of the cases, which is enough to tell these functions from wrong ones."""


def examined(function: Any, measure: str) -> Checked:
    return examine(function, measure, cases=CASES, limits=HERE)


def target_of(function: Any, measure: str) -> Target:
    return recognised(Session(Source("mine:f", parse(measure), None, function), HERE))


# -- flags in a table, of who raises for fewer docs than the cutoff -----------------------------------------------------


def first_columns(scores: np.ndarray, k: int) -> np.ndarray:
    if scores.shape[1] < k:
        raise IndexError("selected index k out of range")
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def recall_of_pairs(scores: np.ndarray, positive_pairs: np.ndarray, k: int) -> np.ndarray:
    found = np.take_along_axis(positive_pairs, first_columns(scores, k), axis=1).sum(axis=1)
    return found / np.maximum(positive_pairs.sum(axis=1), 1)


def precision_of_mask(scores: np.ndarray, relevance_mask: np.ndarray, k: int) -> np.ndarray:
    return np.take_along_axis(relevance_mask, first_columns(scores, k), axis=1).sum(axis=1) / k


def recall_of_label_matrix(score_matrix: np.ndarray, label_matrix: np.ndarray, top_k: int) -> float:
    found = np.take_along_axis(label_matrix, first_columns(score_matrix, top_k), axis=1).sum(axis=1)
    return float((found / np.maximum(label_matrix.sum(axis=1), 1)).mean())


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure"), [(recall_of_pairs, "R@5"), (precision_of_mask, "P@5"), (recall_of_label_matrix, "R@5")]
)
def test_who_sums_flags_and_raises_for_short_lists_is_asked_enough_flags(function: Any, measure: str) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.batch, found.from_k) == ("rows", "table", True)
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}
    assert not checked.ordinary.misses


# -- rows of ids in a frame, a query each -------------------------------------------------------------------------------


def hits_in_frames(predictions: pd.DataFrame, truth: pd.DataFrame, k: int) -> np.ndarray:
    shown, wanted = predictions.to_numpy()[:, None, :k], truth.to_numpy()[:, :, None]
    return (shown == wanted) & ~pd.isna(shown)


def first_in_frames(y_pred: pd.DataFrame, y_test: pd.DataFrame, k: int) -> float:
    found = hits_in_frames(y_pred, y_test, k).any(axis=1)
    at = np.where(found.any(axis=1), found.argmax(axis=1) + 1, np.inf)
    return float((1 / at).mean())


def hit_rate_in_frames(recommendations: pd.DataFrame, ground_truth: pd.DataFrame, top_k: int) -> float:
    return float(hits_in_frames(recommendations, ground_truth, top_k).any(axis=(1, 2)).mean())


def precision_in_frames(actual: pd.DataFrame, predicted: pd.DataFrame, k: int = 10) -> float:
    return float((hits_in_frames(predicted, actual, k).any(axis=1).sum(axis=1) / k).mean())


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure"),
    [(first_in_frames, "RR@10"), (hit_rate_in_frames, "Success@10"), (precision_in_frames, "P@10")],
)
def test_a_frame_may_have_a_row_of_ids_for_each_query(function: Callable[..., float], measure: str) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.container, found.batch) == ("ids", "wide-frames", "all")
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}


def test_a_row_without_ids_is_one_of_missing_values() -> None:
    target = Target("m:f", FORMS["ids"], ("ranked", "relevant"), container="wide-frames", batch="all")
    frame = contained(target, "ranked", [["a", "b"], [], ["c"]])
    assert frame.shape == (3, 2)
    assert frame.isna().sum(axis=1).tolist() == [0, 2, 1]
    assert contained(target, "relevant", [[]]).shape == (1, 1)
    assert written(target, "relevant", [[], ["c"]]) == "pandas.DataFrame([[None], ['c']])"
    assert not rules_out("pd.DataFrame", "ranked")
    assert rules_out("pd.DataFrame", "ranked_rels")


# -- a number in a text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "value"), [("MRR@5: 0.25", 0.25), ("ndcg = .5", 0.5), ("Hit rate (k=3): 1e-3", 1e-3)])
def test_a_text_that_names_its_number_is_that_number(text: str, value: float) -> None:
    if "(k=" in text:
        with pytest.raises(NoNumber):
            number(text)
        return
    assert number(text) == value
    assert number([text]) == value


@pytest.mark.parametrize("text", ["0.25", "MRR: high", "a: 1: 2", ": 0.5", "MRR@5: 0.25 0.5", ""])
def test_any_other_text_is_none(text: str) -> None:
    with pytest.raises(NoNumber):
        number(text)


def test_values_at_several_cutoffs_may_be_all_that_a_dict_holds() -> None:
    texts = {"MRR": ["MRR@7: 0.1", "MRR@3: 0.2", "MRR@5: 0.3"]}
    assert number(picked(texts, "asked", 5)) == 0.3
    with pytest.raises(NoNumber, match="no value for each of 3 cutoffs"):
        picked(texts | {"P": [1, 2, 3]}, "asked", 5)


def in_texts(value_of: Callable[[Any, Sequence[Any], int], float], name: str) -> Callable[..., Mapping[str, list[str]]]:
    """A function of relevant docs and rankings by query that gives a text for each cutoff, as training scripts print them."""

    def measured(
        y_true: Mapping[str, Any], y_pred: Mapping[str, Sequence[Any]], topKs: Sequence[int]
    ) -> dict[str, list[str]]:
        values = [sum(value_of(y_true[user], y_pred[user], k) for user in y_true) / len(y_true) for k in topKs]
        return {name: [f"{name}@{k}: {round(value, 4)}" for k, value in zip(topKs, values, strict=True)]}

    return measured


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("value_of", "measure"),
    [
        (lambda gold, docs, k: sum(doc in gold for doc in docs[:k]) / k, "P@5"),
        (lambda gold, docs, k: float(any(doc in gold for doc in docs[:k])), "Success@5"),
        (lambda gold, docs, k: next((1 / i for i, doc in enumerate(docs[:k], 1) if doc in gold), 0.0), "RR@5"),
    ],
)
def test_who_gives_texts_by_cutoff_is_read(value_of: Any, measure: str) -> None:
    checked = examined(in_texts(value_of, "Value"), measure)
    assert checked.target.form.name == "queries-ids"
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}


# -- whose row it is ----------------------------------------------------------------------------------------------------


def means_of_groups(y_true: Any, y_prob: Any, of: Any, value_of: Callable[[list[float]], float]) -> float:
    ranked: dict[Any, list[float]] = {}
    for at in sorted(range(len(of)), key=lambda at: -y_prob[at]):
        ranked.setdefault(of[at], []).append(y_true[at])
    return math.fsum(map(value_of, ranked.values())) / len(ranked)


def first_rank(ranked: list[float]) -> float:
    return next((1 / rank for rank, rel in enumerate(ranked, start=1) if rel >= 1), 0.0)


def by_user(y_true: Any, y_prob: Any, user_indices: Any) -> float:
    return means_of_groups(y_true, y_prob, user_indices, first_rank)


def by_session(labels: Any, session_ids: Any, scores: Any) -> float:
    return means_of_groups(labels, scores, session_ids, lambda ranked: float(ranked[0] >= 1))


def by_query(query_idx: Any, y_score: Any, y_true: Any) -> float:
    return means_of_groups(y_true, y_score, query_idx, first_rank)


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(("function", "measure"), [(by_user, "RR"), (by_session, "P@1"), (by_query, "RR")])
def test_rows_may_be_told_whose_they_are_by_other_names(function: Any, measure: str) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.is_named) == ("grouped", True)
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}


def area(ranked: Sequence[tuple[float, float]]) -> float:
    """Of scores and labels; of one class, nan. Of two unlike labels the higher one is the positive class, as to scikit-learn."""
    top = max((label for _, label in ranked), default=0)
    ups = [score for score, label in ranked if label == top and top > min(one for _, one in ranked)]
    downs = [score for score, label in ranked if label < top]
    if not ups or not downs:
        return math.nan
    return sum((up > down) + (up == down) / 2 for up in ups for down in downs) / (len(ups) * len(downs))


def weighted_areas(labels: Any, scores: Any, of: Any) -> list[tuple[float, int]]:
    rows = {one: [(scores[at], labels[at]) for at in range(len(of)) if of[at] == one] for one in of}
    return [(area(each), len(each)) for each in rows.values()]


def gauc_of_all(y_true: Any, y_pred: Any, user_indices: Any) -> float:
    """A user of one class makes it nan."""
    return sum(value * n for value, n in weighted_areas(y_true, y_pred, user_indices)) / len(user_indices)


def gauc_of_two_classes(labels: Any, preds: Any, user_ids: Any) -> float:
    """A user of one class is left out."""
    told = [
        (value, n) for value, n in weighted_areas([min(x, 1) for x in labels], preds, user_ids) if not math.isnan(value)
    ]
    whole = sum(n for _, n in told)
    return sum(value * n for value, n in told) / whole if whole else 0.0


def gauc_of_flags(y_true: Any, y_score: Any, group_ids: Any) -> float:
    """The first, of rels that are flags."""
    return gauc_of_all([int(rel >= 1) for rel in y_true], y_score, group_ids)


@pytest.mark.in_parts(4)
@pytest.mark.parametrize("function", [gauc_of_all, gauc_of_two_classes, gauc_of_flags])
def test_gauc_is_named_whatever_becomes_of_users_of_one_class(function: Any) -> None:
    checked = examine(function, "AUC", limits=HERE)
    assert checked.defect is not None
    assert checked.defect.names == ("gauc",)
    assert "it is GAUC (Zhou et al. 2018)" in answer_of(checked).sentence


def added_up(relevance_total: list[list[bool]]) -> float:
    """The reciprocal rank of every hit, and no end at the first."""
    return sum(1 / rank for line in relevance_total for rank, hit in enumerate(line, 1) if hit) / len(relevance_total)


def test_a_list_of_flags_by_query_is_recognised_though_its_sum_is_wrong() -> None:
    checked = examined(added_up, "RR")
    assert checked.lead is Verdict.DEFECT
    assert checked.fault is not None or checked.defect is not None


# -- dicts by name ------------------------------------------------------------------------------------------------------


def first_of_records(results: list[dict[str, Any]]) -> float:
    found = [
        next((1 / rank for rank, doc in enumerate(row["retrieved_ids"], 1) if doc in row["relevant_ids"]), 0.0)
        for row in results
    ]
    return math.fsum(found) / len(found)


def gold_of(record: Mapping[str, Any]) -> set[str]:
    return set(record["golden_chunk_ids"])


def recall_of_records(data: Sequence[Mapping[str, Any]], k: int = 5) -> dict[str, float]:
    """By question, with the keys in a function beside it."""
    found = {}
    for record in data:
        gold, got = gold_of(record), set(record.get("retrieved_chunk_ids", [])[:k])
        found[record["question"]] = len(gold & got) / len(gold) if gold else 0.0
    return found


def hit_of_record(sample: dict[str, Any], top_k: int) -> float:
    """The first key that may be of relevant docs is of a text."""
    assert isinstance(sample.get("reference", ""), str)
    return float(any(doc in sample["ground_truth"] for doc in sample["contexts"][:top_k]))


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure", "form", "keys"),
    [
        (first_of_records, "RR", "records", ("relevant_ids", "retrieved_ids")),
        (recall_of_records, "R@5", "records", ("golden_chunk_ids", "retrieved_chunk_ids", "question")),
        (hit_of_record, "Success@5", "record", ("ground_truth", "contexts")),
    ],
)
def test_dicts_have_the_keys_that_the_code_reads(function: Any, measure: str, form: str, keys: tuple[str, ...]) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.columns, found.is_named) == (form, keys, True)
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}
    assert f"'{keys[1]}': [" in script_of(checked)


def second_of_records(results: list[dict[str, Any]]) -> float:
    """The rank is one too high."""
    found = [
        next((1 / rank for rank, doc in enumerate(row["retrieved_ids"], 2) if doc in row["relevant_ids"]), 0.0)
        for row in results
    ]
    return math.fsum(found) / len(found)


def test_what_is_wrong_of_dicts_is_not_called_right() -> None:
    assert not examined(second_of_records, "RR").holds


def test_who_names_no_key_that_is_known_is_given_no_dicts() -> None:
    def of_others(results: list[dict[str, Any]]) -> float:
        return math.fsum(row["left"] / row["right"] for row in results)

    with pytest.raises(BadFunction):
        target_of(of_others, "RR")


def test_texts_are_those_of_the_code_of_what_is_within_it_and_of_what_it_names() -> None:
    assert {"golden_chunk_ids", "retrieved_chunk_ids", "question"} <= set(texts_in(recall_of_records))
    assert "ranked" not in texts_in(len)
    assert "Of a query." not in texts_in(first_of_records)


# -- sparse matrices, and rows that are objects ----------------------------------------------------------------------------


def top_of(y_pred: sparse.csr_matrix, at: int, k: int) -> list[int]:
    row = y_pred.getrow(at)
    return row.indices[np.argsort(-row.data, kind="stable")[:k]].tolist()


def recall_of_sparse(y_true: sparse.csr_matrix, y_pred: sparse.csr_matrix, k: int = 10) -> float:
    found = [y_true[at, top_of(y_pred, at, k)].sum() / max(y_true[at].sum(), 1) for at in range(y_pred.shape[0])]
    return float(np.mean(found))


def hits_of_sparse(X_true: sparse.csr_matrix, X_pred: sparse.csr_matrix, K: int) -> list[float]:
    return [float(y_of.sum() > 0) for y_of in (X_true[at, top_of(X_pred, at, K)] for at in range(X_pred.shape[0]))]


def first_of_sparse(scores: Any, labels: Any) -> float:
    labels = labels.tocsr()
    ranked = ([labels[at, doc] for doc in top_of(scores, at, scores.shape[1])] for at in range(scores.shape[0]))
    return float(np.mean([next((1 / rank for rank, rel in enumerate(row, 1) if rel >= 1), 0.0) for row in ranked]))


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure"), [(recall_of_sparse, "R@10"), (hits_of_sparse, "Success@10"), (first_of_sparse, "RR")]
)
def test_sparse_matrices_are_given_where_the_module_has_them(function: Any, measure: str) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.container, found.batch) == ("rows", "sparse", "table")
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}
    assert "import scipy.sparse" in script_of(checked)


def hits_of_rows(rels: Any, rows: Any, preds: np.ndarray, k: int) -> list[list[bool]]:
    """Of each row of scores the flags in rank order."""
    tops = [np.argsort(-preds[at], kind="stable")[:k] for at in range(len(rows))]
    return [[doc in {*rels[row].indices} for doc in top] for row, top in zip(rows, tops, strict=True)]


def ap_of_rows(targets: sparse.csr_matrix, user_ids: np.ndarray, preds: np.ndarray, k: int = 10) -> float:
    """As collie 1.4.0 takes them."""
    each = zip(user_ids, hits_of_rows(targets, user_ids, preds, k), strict=True)
    of = {
        u: (sum(sum(flags[:i]) / i for i in range(1, len(flags) + 1) if flags[i - 1]), targets[u].nnz)
        for u, flags in each
    }
    return float(np.mean([total / relevant if relevant else 0.0 for total, relevant in of.values()]))


def precision_beside_train(train: sparse.csr_matrix, test: sparse.csr_matrix, scores: np.ndarray, k: int = 5) -> float:
    """Over the docs that were retrieved, if these are fewer; what was seen in training is not recommended."""
    left = np.where(train.toarray() > 0, -np.inf, scores)
    return float(np.mean([np.mean(flags) for flags in hits_of_rows(test, range(test.shape[0]), left, k)]))


def rr_of_scores(scores: np.ndarray, labels: Any) -> float:
    """The first doc is never a hit: a defect."""
    ranks = [[rank for rank, hit in enumerate(row) if rank and hit] for row in hits_of_rows(labels, scores, scores, 99)]
    return float(np.mean([1 / row[0] if row else 0.0 for row in ranks]))


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure", "form", "begins"),
    [
        (
            precision_beside_train,
            "P@5",
            "rows-unseen",
            "no: precision_beside_train would be P@5 but for this: over min(k, n)",
        ),
        (rr_of_scores, "RR", "rows", "no: "),
        (ap_of_rows, "AP@10", "rows-numbered", "yes, where all relevant docs are retrieved: ap_of_rows is AP@10"),
    ],
)
def test_the_rels_alone_may_be_sparse(function: Any, measure: str, form: str, begins: str) -> None:
    checked = examined(function, measure)
    assert (checked.target.form.name, checked.target.container) == (form, "sparse-rels")
    assert answer_of(checked).sentence.startswith(begins)
    assert ("called with no rels of training" in " ".join(checked.target.notes)) == (form == "rows-unseen")
    script = script_of(checked)
    assert "y_true = scipy.sparse.csr_matrix([[" in script
    assert "y_score = numpy.array([[" in script


@pytest.mark.parametrize(("scores", "is_it"), [((0.5, 0.25), True), ((0.5, 0.0), False), ((0.5, -1.0), False)])
def test_a_score_that_reads_as_none_is_not_asked_of_them(scores: tuple[float, float], is_it: bool) -> None:  # noqa: FBT001
    data = Input((("q", "a", 1), ("q", "b", 0)), tuple(("q", doc, s, 1) for doc, s in zip("ab", scores, strict=True)))
    assert is_asked(Target("m:f", FORMS["rows"], container="sparse", batch="table"), data, None) is is_it


def ranked_rows(run: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in sorted(run, key=lambda row: -row.score):
        found.setdefault(row.query_id, []).append(row.doc_id)
    return found


def first_of_rows(qrels: Sequence[ir_measures.Qrel], run: Sequence[ir_measures.ScoredDoc]) -> dict[str, float]:
    gold = {(row.query_id, row.doc_id) for row in qrels if row.relevance >= 1}
    return {
        query: next((1 / rank for rank, doc in enumerate(docs, 1) if (query, doc) in gold), 0.0)
        for query, docs in ranked_rows(run).items()
    }


def precision_of_rows(run: Any, qrels: Any, k: int) -> dict[str, float]:
    gold = {(row.query_id, row.doc_id) for row in qrels if row.relevance >= 1}
    return {query: sum((query, doc) in gold for doc in docs[:k]) / k for query, docs in ranked_rows(run).items()}


def hit_rate_of_rows(judgments: Any, results: Any, top_k: int = 10) -> float:
    gold = {(row.query_id, row.doc_id) for row in judgments if row.relevance >= 1}
    found = [any((query, doc) in gold for doc in docs[:top_k]) for query, docs in ranked_rows(results).items()]
    return sum(found) / len(found)


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure"), [(first_of_rows, "RR"), (precision_of_rows, "P@10"), (hit_rate_of_rows, "Success@10")]
)
def test_rows_may_be_those_of_ir_measures(function: Any, measure: str) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.container) == ("tuples", "ir_measures")
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}
    script = script_of(checked)
    assert "import ir_measures" in script
    assert "[ir_measures.Qrel('" in script
    assert "[ir_measures.ScoredDoc('" in script


# -- a rank for each doc, beside its rel ----------------------------------------------------------------------------------


def first_by_ranks(ranks: Sequence[int], targets: Sequence[float]) -> float:
    return max((1 / rank for rank, rel in zip(ranks, targets, strict=True) if rel >= 1), default=0.0)


def precision_by_places(item_ranks: np.ndarray, labels: np.ndarray, top_k: int) -> np.ndarray:
    return ((labels >= 1) & (item_ranks < top_k)).sum(axis=1) / top_k


def gains_by_ranks(relevance: Sequence[float], doc_ranks: Sequence[int], k: int = 10) -> float:
    found = sum(rel / math.log2(rank + 1) for rel, rank in zip(relevance, doc_ranks, strict=True) if rank <= k)
    best = dcg(sorted(relevance, reverse=True)[:k])
    return found / best if best else 0.0


def dcg(rels: Sequence[float]) -> float:
    return sum(rel / math.log2(rank + 1) for rank, rel in enumerate(rels, start=1))


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure", "form"),
    [
        (first_by_ranks, "RR", "rows-ranked"), (precision_by_places, "P@10", "rows-placed"),
        (gains_by_ranks, "nDCG@10", "rows-ranked"),
    ],
)  # fmt: skip
def test_rels_may_stand_beside_ranks(function: Any, measure: str, form: str) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.is_named) == (form, True)
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}


def test_what_counts_ranks_from_neither_0_nor_1_is_not_called_right() -> None:
    def two_too_high(ranks: Sequence[int], targets: Sequence[float]) -> float:
        return first_by_ranks([rank + 2 for rank in ranks], targets)

    assert not examined(two_too_high, "RR").holds


# -- retrieved docs as dicts --------------------------------------------------------------------------------------------


def recall_of_docs(retrieved_docs: list[dict[str, Any]], relevant_ids: set[str], k: int) -> float:
    found = {doc["id"] for doc in retrieved_docs[:k]}
    return len(found & relevant_ids) / len(relevant_ids) if relevant_ids else 0.0


def first_of_docs(gold: Sequence[str], results: Sequence[Mapping[str, Any]]) -> float:
    return next((1 / rank for rank, doc in enumerate(results, 1) if doc.get("docId") in gold), 0.0)


def id_of(chunk: Mapping[str, str]) -> str:
    return chunk["chunk_id"]


def precision_of_docs(retrieved: Sequence[Mapping[str, str]], expected: Sequence[str], top_k: int = 10) -> float:
    """By a key that a function beside it reads."""
    return sum(id_of(chunk) in expected for chunk in retrieved[:top_k]) / top_k


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure", "key", "container"),
    [
        (recall_of_docs, "R@10", "id", "doc-dicts-set"),
        (first_of_docs, "RR", "docId", "doc-dicts"),
        (precision_of_docs, "P@10", "chunk_id", "doc-dicts"),
    ],
)
def test_a_retrieved_doc_may_be_a_dict_by_whose_key_its_id_goes(
    function: Any, measure: str, key: str, container: str
) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.container, found.columns) == ("ids", container, (key,))
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}
    assert f"[{{'{key}': '" in script_of(checked)


# -- a list of queries, and dicts by query ------------------------------------------------------------------------------


def precision_of_listed(
    queries: Sequence[str], relevant: Mapping[str, Any], retrieved: Mapping[str, Any], k: int
) -> Any:
    return math.fsum(len(set(retrieved[q][:k]) & set(relevant[q])) / k for q in queries) / len(queries)


def hits_of_users(ground_truth: Mapping[str, Any], recs: Mapping[str, Any], users: Sequence[str], k: int = 10) -> Any:
    return np.mean([bool(set(recs[user][:k]) & set(ground_truth[user])) for user in users])


def firsts_of(predictions: Mapping[str, Any], test_users: Sequence[str], actual: Mapping[str, Any]) -> dict[str, float]:
    return {
        user: next((1 / rank for rank, doc in enumerate(predictions[user], 1) if doc in actual[user]), 0.0)
        for user in test_users
    }


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure"), [(precision_of_listed, "P@10"), (hits_of_users, "Success@10"), (firsts_of, "RR")]
)
def test_the_queries_of_two_dicts_may_be_listed(function: Any, measure: str) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.is_named) == ("listed-dicts", True)
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}


# -- one frame of rows --------------------------------------------------------------------------------------------------


def first_of_group(df: pd.DataFrame) -> float:
    def value(group: pd.DataFrame) -> float:
        hits = np.flatnonzero(group.sort_values("prediction", ascending=False, kind="stable").label.to_numpy() >= 1)
        return 1 / (hits[0] + 1) if len(hits) else 0.0

    return float(np.mean([value(group) for _, group in df.groupby("user_id")]))


def precision_of_group(results: Any, k: int) -> Any:
    """By query, as a series."""
    ranked = results.sort_values("score", ascending=False, kind="stable")
    return ranked.groupby("qid").head(k).assign(hit=ranked["relevance"] >= 1).groupby("qid")["hit"].sum() / k


def ndcg_of_group(data: pd.DataFrame, k: int = 10) -> float:
    found = []
    for _, group in data.groupby("query_id"):
        ranked = group.sort_values(["y_score"], ascending=False, kind="stable")["y_true"].tolist()
        best = dcg(sorted(ranked, reverse=True)[:k])
        found.append(dcg(ranked[:k]) / best if best else 0.0)
    return math.fsum(found) / len(found)


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure", "columns"),
    [
        (first_of_group, "RR", ("user_id", "doc_id", "label", "prediction")),
        (precision_of_group, "P@10", ("qid", "doc_id", "relevance", "score")),
        (ndcg_of_group, "nDCG@10", ("query_id", "doc_id", "y_true", "y_score")),
    ],
)
def test_a_frame_has_the_columns_that_the_code_names(function: Any, measure: str, columns: tuple[str, ...]) -> None:
    found = target_of(function, measure)
    assert (found.form.name, found.columns) == ("frame-of-rows", columns)
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}
    assert f"columns=[{', '.join(map(repr, columns))}]" in script_of(checked)


def test_a_frame_without_a_column_of_scores_is_not_made_up() -> None:
    def of_ranks(df: pd.DataFrame) -> float:
        return float((1 / df[df.label >= 1].groupby("user_id")["rank_of_row"].min()).mean())

    with pytest.raises(BadFunction):
        target_of(of_ranks, "RR")


# -- a dict by cutoff, where a query is called as a cutoff is -------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "reads", "mean", "by_query"),
    [
        ({1: 0.25, 10: 0.5}, "cutoff", 0.5, None),
        ({"1": 0.25, "2": 0.5}, "cutoff", None, {"1": 0.25, "2": 0.5}),
        ({"1": {"mrr": 0.25}, "2": {"mrr": 0.5}}, "name:mrr", None, {"1": 0.25, "2": 0.5}),
    ],
)
def test_a_dict_by_cutoff_is_told_from_one_by_query(given: Any, reads: str, mean: Any, by_query: Any) -> None:
    if by_query is not None and reads == "cutoff":
        given = {query: {10: value, 5: 0.0} for query, value in given.items()}
    found = read(given, ["1", "2"], reads, 10)
    assert (found.mean, found.per_query) == (mean, by_query)


def hits_by_cutoff(ranks: Sequence[int]) -> dict[int, float]:
    return {k: sum(rank <= k for rank in ranks) / len(ranks) for k in (1, 10)}


def test_hits_by_cutoff_are_read_whatever_queries_are_called() -> None:
    checked = examine(hits_by_cutoff, "Success@10", limits=HERE)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}
    assert not checked.ordinary.misses


# -- a name that stands for two measures --------------------------------------------------------------------------------


def any_hit(ranks: Sequence[int], n: int) -> float:
    return sum(rank <= n for rank in ranks) / len(ranks)


def any_of(relevant: Sequence[str], ranked: Sequence[str], k: int) -> int:
    return int(bool(set(relevant) & set(ranked[:k])))


def counted(relevant: Sequence[str], ranked: Sequence[str], k: int) -> int:
    return len(set(relevant) & set(ranked[:k]))


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(("function", "kind"), [(any_hit, "is"), (any_of, "is"), (counted, "defect")])
def test_hits_of_a_function_are_whether_there_is_one_and_that_is_said(function: Any, kind: str) -> None:
    checked = examined(function, "Hits@10")
    assert str(checked.measure) == "Success@10"
    assert (checked.holds, answer_of(checked).kind) == (kind == "is", kind)
    assert any(note.startswith("Hits@10 is asked as Success@10: ranx counts the hits") for note in checked.target.notes)


def test_other_names_of_a_function_are_read_as_everywhere() -> None:
    assert measure_of_function("MRR@10") == (parse("RR@10"), "")
    assert measure_of_function(parse("P@5")) == (parse("P@5"), "")
    with pytest.raises(Several):
        measure_of_function("P.5,10")
    with pytest.raises(UnknownMeasure, match="that of ragas is an average precision, AP@k"):
        measure_of_function("context_precision@5")
