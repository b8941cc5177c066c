"""Functions that users bring, most of them with the fault that made the user doubt a number."""

import math
import random
from itertools import count

import numpy as np


def dcg(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def by(found, best):
    return float(found / best) if best else 0.0


def flags(relevant, ranked):
    return [int(doc in set(relevant)) for doc in ranked]


# -- nDCG -----------------------------------------------------------------------------------------------------------


def ideal_of_the_retrieved(relevant, ranked, k):
    gains = flags(relevant, ranked[:k])
    return by(dcg(gains), dcg(sorted(gains, reverse=True)))


def ideal_without_a_cutoff(relevant, ranked, k):
    return by(dcg(flags(relevant, dict.fromkeys(ranked[:k]))), dcg([1] * len(set(relevant))))


def constant(y_true, y_score, k):
    return 1.0


def credits_repeats(relevant, ranked, k):
    return by(dcg(flags(relevant, ranked[:k])), dcg([1] * min(k, len(set(relevant)))))


def of_a_set(relevant, ranked, k):
    return by(dcg(flags(relevant, list(set(ranked))[:k])), dcg([1] * min(k, len(set(relevant)))))


def sorts_its_argument(y_true, y_score, k):
    pairs = sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])
    y_true.sort(reverse=True)
    return by(dcg([rel for _, rel in pairs][:k]), dcg(y_true[:k]))


class Metric:
    def __init__(self, k=10):
        self.k = k
        self.values = []

    def update(self, preds, target):
        rels = np.asarray(target, dtype=float)[np.argsort(-np.asarray(preds, dtype=float), kind="stable")]
        self.values.append(by(dcg(rels[: self.k]), dcg(sorted(target, reverse=True)[: self.k])))

    def compute(self):
        return float(np.mean(self.values))

    def reset(self):
        self.values = []


class NeverReset(Metric):
    def reset(self):
        pass


NEVER_RESET = NeverReset()


def mean_of(metric, queries):
    metric.reset()
    for q in queries:
        metric.update(q.y_score, q.y_true)
    return metric.compute()


def of_a_flattened_batch(preds, target):
    scores, rels = np.asarray(preds, dtype=float).ravel(), np.asarray(target).ravel()
    return by(dcg(rels[np.argsort(-scores, kind="stable")][:10]), dcg(sorted(rels, reverse=True)[:10]))


# -- AP, P, R, RR, hit rate, F --------------------------------------------------------------------------------------


def precisions(found):
    return [sum(found[:rank]) / rank for rank, hit in enumerate(found, start=1) if hit]


def ap_of_flags(flags):
    each = precisions(flags)
    return by(sum(each), len(each))


def precision_of_what_was_retrieved(relevant, retrieved, k=10):
    return by(len(set(retrieved[:k]) & set(relevant)), len(retrieved[:k]))


def recall_exchanged(relevant, retrieved, k=10):
    top = set(retrieved[:k])
    return by(len(top & set(relevant)), len(top))


def rr_of_all_hits(relevant, ranked):
    ranks = [1 / rank for rank, hit in enumerate(flags(relevant, dict.fromkeys(ranked)), start=1) if hit]
    return by(sum(ranks), len(ranks))


def rr_of_summed_ranks(y_true, y_score):
    flags_in_order = np.take(y_true, np.argsort(-np.asarray(y_score), kind="stable"))
    return np.sum(flags_in_order / (np.arange(len(flags_in_order)) + 1)) / np.sum(flags_in_order)


def ideal_of_the_retrieved_and_repeats(relevant, ranked, k=10):
    gains = [1 / math.log2(i + 2) for i, doc in enumerate(ranked[:k]) if doc in relevant]
    return by(sum(gains), sum(1 / math.log2(i + 2) for i in range(min(len(relevant), len(ranked), k))))


def auc(rows):
    good, bad = [s for s, rel in rows if rel > 0], [s for s, rel in rows if rel <= 0]
    return by(sum((a > b) + (a == b) / 2 for a in good for b in bad), len(good) * len(bad)), bool(good and bad)


def auc_of_all(qrels, run):
    return auc([(s, qrels.get(query, {}).get(doc, 0)) for query, scores in run.items() for doc, s in scores.items()])[0]


def auc_of_grouped_rows(y_true, y_score, group):
    """Ignores `group`, so that the rows of all queries are compared."""
    return auc(list(zip(y_score, y_true, strict=True)))[0]


# -- ranks, positions, pairs and matrices -----------------------------------------------------------------------------


def rr_of_a_rank_too_low(rank):
    return 0.0 if rank is None else 1.0 / (rank + 1)


def rr_of_a_position(index):
    return 0.0 if index is None else 1.0 / (index + 1)


def rr_of_a_position_from_one(position):
    return 0.0 if position is None else 1.0 / position


def ap_of_turned_pairs(examples):
    found = []
    for relevant, ranked in examples:
        hits = [rank for rank, doc in enumerate(ranked, start=1) if doc in relevant and doc not in ranked[: rank - 1]]
        found.append(by(sum(n / rank for n, rank in enumerate(hits, start=1)), len(relevant)))
    return by(sum(found), len(found))


def ndcg_of_no_more_than_k(rels, k):
    if len(rels) > k:
        raise ValueError("more docs than k")
    return by(dcg(rels), dcg(sorted(rels, reverse=True)))


def recall_of_similarities(sims, k=5):
    found = [sum(score > row[i] for score in row) < k for i, row in enumerate(sims)]
    return by(sum(found), len(found))


def mrr_of_similarities(similarity_matrix):
    ranks = [sum(score >= row[i] for score in row) for i, row in enumerate(similarity_matrix)]
    return by(sum(1 / rank for rank in ranks), len(ranks))


def mrr_of_similarities_from_zero(similarities):
    ranks = [sum(score > row[i] for score in row) for i, row in enumerate(similarities)]
    return by(sum(1 / rank for rank in ranks if rank), len(ranks))


# -- other forms, and faults of a few inputs --------------------------------------------------------------------------


def ndcg_of_counted_rows(scores, relevance, n, k):
    """Takes rows that may be padded, and the number of documents among them."""
    best = sorted(range(n), key=lambda i: -scores[i])[:k]
    ideal = sorted(relevance[:n], reverse=True)[:k]
    return by(dcg([2 ** relevance[i] - 1 for i in best]), dcg([2**rel - 1 for rel in ideal]))


def hit_rate_of_targets(input, target, k):  # noqa: A002 - as torch calls it
    """Takes a row of scores for each query and the position of its relevant document."""
    return np.array([sum(score > row[at] for score in row) < k for row, at in zip(input, target, strict=True)])


def ndcg_of_cubes(y_true, y_score, k):
    """Uses the cube of the grade as gain, which is the grade if grades are 0 and 1."""
    best = sorted(range(len(y_true)), key=lambda i: -y_score[i])[:k]
    return by(dcg([y_true[i] ** 3 for i in best]), dcg(sorted((rel**3 for rel in y_true), reverse=True)[:k]))


def rr_with_ties_at_random(y_true, y_score, k):
    best = sorted(range(len(y_true)), key=lambda i: (-y_score[i], random.random()))[:k]
    return next((1 / rank for rank, i in enumerate(best, start=1) if y_true[i] > 0), 0.0)


CALLS = count()


def precision_of_single_ties_by_turns(y_true, y_score, k):
    """Compares scores as float32, and reverses the order of tied documents in every second call."""
    scores, way = np.asarray(y_score, dtype=np.float32), (-1) ** next(CALLS)
    best = sorted(range(len(y_true)), key=lambda i: (-scores[i], way * i))[:k]
    return sum(y_true[i] >= 1 for i in best) / k


def recall_by_cutoff(rels, n_gts, ks):
    """Returns a list for each cutoff, with a value for each query."""
    return [[by(sum(row[:k]), total) for row, total in zip(rels, n_gts, strict=True)] for k in ks]


def recall_by_query(rels, n_gts, ks):
    return [[by(sum(row[:k]), total) for k in ks] for row, total in zip(rels, n_gts, strict=True)]


def ap_at_places(y_true, y_reco, k):
    """Takes a list that is already cut at k."""
    flags_at = np.zeros(k)
    flags_at[[place for place, doc in enumerate(y_reco) if doc in y_true]] = 1
    found = [flags_at[: i + 1].mean() for i in range(k) if flags_at[i]]
    return float(np.mean(found)) if found else 0.0


def hits_of_judged(qrels, ranked, k):
    return sum(qrels[doc] >= 1 for doc in ranked[:k]) / k


def counts_rankings(relevant, ranked):
    """Returns 1 for a list with one ranking, as recall does if every relevant document is retrieved."""
    return float(len(ranked))


def recall_of_the_retrieved(rels):
    """Returns 1, or raises if no document is relevant."""
    return sum(rel >= 1 for rel in rels) / sum(rel >= 1 for rel in rels)


def lengths_of_hits(relevant: list[str], ranked: list[list[str]]) -> float:
    return sum(len(docs) * (doc in docs) for doc, docs in zip(relevant, ranked, strict=True)) / 7


def hits_of_one_more(relevant, retrieved, k):
    return len({doc for doc in retrieved[: k + 1] if doc in relevant}) / k


def rr_or_an_error(actual, predicted, k):
    return 1 / ([doc in actual for doc in predicted[:k]].index(True) + 1)


def recall_of_predicted_flags(pred, target, k):
    """Takes two matrices: for each query the flags in rank order, and all its grades."""
    shares = np.asarray(pred, dtype=float)[:, :k].sum(axis=1) / (np.asarray(target) > 0).sum(axis=1)
    return shares.mean()


def mrr_of_places(rank, k):
    """Takes positions from 0, which are called ranks."""
    return sum(1 / (place + 1) for place in rank if place < k) / len(rank)


def share_of_low_labels(labels, scores, k):
    """Computes a number that is not a measure."""
    return sum(1 / (label + 3) for label in labels if label < k) / len(labels)


def finds_nothing(true, pred, k):
    """Counts objects with an attribute that numbers and ids do not have."""
    return sum(hasattr(item, "is_gold") for item in pred[:k]) / k


def recall_of_distinct_items(ground_truth, prediction):
    """Counts a document that is retrieved twice once."""
    return len(set(ground_truth) & set(prediction)) / len(set(ground_truth))
