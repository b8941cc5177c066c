"""Functions as users write them: correct functions for each kind of call, and functions with one fault each."""

import math
import random

import numpy as np


def dcg(rels, k=None, gain=float):
    return sum(gain(rel) / math.log2(i + 1) for i, rel in enumerate(rels[:k], start=1))


def by_score(y_true, y_score):
    return [rel for _, rel in sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])]


def non_negative(rels):
    return [max(rel, 0) for rel in rels]


def quotient(a, b):
    return a / b if b else 0.0


def ndcg(y_true, y_score, k=None):
    """Keep tied documents in input order, because the call has no document ids."""
    y_true = non_negative(y_true)
    return quotient(dcg(by_score(y_true, y_score), k), dcg(sorted(y_true, reverse=True), k))


def ndcg_of_arrays(y_true, y_score, k=10):
    """Compute nDCG of numpy arrays; lists fail."""
    if not len(y_true):
        return 0.0
    order = np.argsort(-y_score, kind="stable")
    gains = np.maximum(y_true, 0).astype(float)
    discounts = 1 / np.log2(np.arange(2, len(gains) + 2))
    ideal = np.sort(gains)[::-1]
    return np.float64(quotient((gains[order] * discounts)[:k].sum(), (ideal * discounts)[:k].sum()))


def ndcg_ranked(ranked_rels, k):
    rels = non_negative(ranked_rels)
    return quotient(dcg(rels, k), dcg(sorted(rels, reverse=True), k))


def rank_docs(docs):
    return sorted(docs, key=lambda doc: (docs[doc], str(doc).encode("utf-8", "surrogatepass")), reverse=True)


def ndcg_of_query(rels, docs, k):
    rels = {doc: max(rel, 0) for doc, rel in rels.items()}
    ideal = dcg(sorted(rels.values(), reverse=True), k)
    return quotient(dcg([rels.get(doc, 0) for doc in rank_docs(docs)], k), ideal)


def as_text(nested):
    return {str(query): {str(doc): value for doc, value in docs.items()} for query, docs in nested.items()}


def ndcg_by_query(qrels, run, k=10):
    """Compute nDCG by query with the conventions of `standard`."""
    qrels, run = as_text(qrels), as_text(run)
    return {query: ndcg_of_query(rels, run.get(query, {}), k) for query, rels in qrels.items()}


class MeanNDCG:
    """A class like the metrics of torchmetrics."""

    def __init__(self, top_k=None):
        self.top_k = top_k
        self.reset()

    def reset(self):
        self.rows = []

    def update(self, preds, target, indexes):
        self.rows += zip(indexes, target, preds, strict=True)

    def compute(self):
        queries = list(dict.fromkeys(index for index, _, _ in self.rows))
        values = [
            ndcg([t for i, t, _ in self.rows if i == query], [p for i, _, p in self.rows if i == query], self.top_k)
            for query in queries
        ]
        return sum(values) / len(values)


def mean_ndcg(queries, k):
    metric = MeanNDCG(k)
    for q in queries:
        metric.update(q.y_score, q.y_true, [q.query] * len(q.y_true))
    return metric.compute()


def pytrec_ndcg(qrels, run):
    import pytrec_eval

    return pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)


# -- faults, conventions and refusals ---------------------------------------------------------------------------------


def exponential(y_true, y_score, k=10):
    gains = [2.0**rel - 1 for rel in non_negative(y_true)]
    return quotient(dcg(by_score(gains, y_score), k), dcg(sorted(gains, reverse=True), k))


def ideal_of_retrieved(y_true, y_score, k=10):
    ranked = by_score(non_negative(y_true), y_score)[:k]
    return quotient(dcg(ranked), dcg(sorted(ranked, reverse=True)))


def one_without_relevant(y_true, y_score, k=10):
    return ndcg(y_true, y_score, k) if any(rel > 0 for rel in y_true) else 1.0


def random_on_ties(y_true, y_score, k=10):
    rows = list(zip(y_true, y_score, strict=True))
    random.shuffle(rows)
    return ndcg([rel for rel, _ in rows], [score for _, score in rows], k)


def gives_text(y_true, y_score, k=10):
    return "0.5"


def precision(ranked, size):
    return sum(rel >= 1 for rel in ranked[:size]) / size


def average_precision(qrels, run):
    values = {}
    for query, rels in qrels.items():
        hits, total = 0, 0.0
        for i, doc in enumerate(rank_docs(run.get(query, {})), start=1):
            if rels.get(doc, 0) >= 1:
                hits += 1
                total += hits / i
        values[query] = quotient(total, sum(rel >= 1 for rel in rels.values()))
    return values


# -- other forms ------------------------------------------------------------------------------------------------------


def apk(actual, predicted, k=10):
    """Compute AP from the ids of relevant documents and the ids in rank order."""
    hits, total = 0, 0.0
    for i, doc in enumerate(predicted[:k], start=1):
        if doc in actual:
            hits += 1
            total += hits / i
    return quotient(total, min(len(actual), k))


def divides_by_zero(ranked_rels, k):
    """Divide by log2(1), which is 0."""
    return sum(rel / math.log2(i) for i, rel in enumerate(ranked_rels[:k], start=1))


def several_measures(qrels, run):
    return {query: {"recall": 1.0, "precision": 0.5} for query in qrels}


def needs_more(y_true, y_score, k, tokenizer):
    return 0.5


async def asynchronous(y_true, y_score, k=10):
    return ndcg(y_true, y_score, k)


class Scorer:
    """A callable object."""

    def __init__(self, k=3):
        self.k = k

    def __call__(self, y_true, y_score):
        return ndcg(y_true, y_score, self.k)
