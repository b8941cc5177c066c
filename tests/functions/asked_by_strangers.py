"""Functions from users, most of them with a fault that made the user doubt a number."""

import math
from itertools import count

import numpy as np


def dcg(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def by(found, best):
    return float(found / best) if best else 0.0


def flags(relevant, ranked):
    return [int(doc in set(relevant)) for doc in ranked]


# -- nDCG -----------------------------------------------------------------------------------------------------------


def ideal_without_a_cutoff(relevant, ranked, k):
    return by(dcg(flags(relevant, dict.fromkeys(ranked[:k]))), dcg([1] * len(set(relevant))))


def constant(y_true, y_score, k):
    return 1.0


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


# -- AP, P, R, RR, hit rate, F --------------------------------------------------------------------------------------


def precisions(found):
    return [sum(found[:rank]) / rank for rank, hit in enumerate(found, start=1) if hit]


def ap_of_flags(flags):
    each = precisions(flags)
    return by(sum(each), len(each))


def ideal_of_the_retrieved_and_repeats(relevant, ranked, k=10):
    gains = [1 / math.log2(i + 2) for i, doc in enumerate(ranked[:k]) if doc in relevant]
    return by(sum(gains), sum(1 / math.log2(i + 2) for i in range(min(len(relevant), len(ranked), k))))


# -- ranks, positions, pairs and matrices -----------------------------------------------------------------------------


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


# -- other call forms, and faults for a few inputs --------------------------------------------------------------------


CALLS = count()


def counts_rankings(relevant, ranked):
    """Return 1 for a list with one ranking, as recall does if every relevant document is retrieved."""
    return float(len(ranked))
