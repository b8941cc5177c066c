"""nDCG as public projects write it."""

import math

import numpy as np


def first_two_ranks_undiscounted(r, k, method=0):
    """Method 0 of an old gist: ranks 1 and 2 are not discounted."""

    def dcg(rels):
        rels = np.asarray(rels, dtype=float)[:k]
        if not rels.size:
            return 0.0
        if method == 0:
            return rels[0] + np.sum(rels[1:] / np.log2(np.arange(2, rels.size + 1)))
        return np.sum(rels / np.log2(np.arange(2, rels.size + 2)))

    ideal = dcg(sorted(r, reverse=True))
    return dcg(r) / ideal if ideal else 0.0


def batch_of_rows_without_empty_ones(y_true, y_score, k=10):
    """Averages over the queries with a relevant document."""
    values = []
    for rels, scores in zip(y_true, y_score, strict=True):
        ranked = [rels[i] for i in sorted(range(len(rels)), key=lambda i: -scores[i])]
        ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(rels, reverse=True)[:k]))
        if ideal > 0:
            values.append(sum(g / math.log2(i + 2) for i, g in enumerate(ranked[:k])) / ideal)
    return sum(values) / len(values) if values else float("nan")


def grades_by_id(relevance, ranked_ids, k=10):
    gained = sum((2 ** relevance.get(doc, 0) - 1) / math.log2(i + 2) for i, doc in enumerate(ranked_ids[:k]))
    best = sorted(relevance.values(), reverse=True)[:k]
    ideal = sum((2**rel - 1) / math.log2(i + 2) for i, rel in enumerate(best))
    return gained / ideal if ideal else 0.0


def place_of_the_only_one(ranklist, gt_item):
    for i, item in enumerate(ranklist[:10]):
        if item == gt_item:
            return math.log(2) / math.log(i + 2)
    return 0


def keyed_by_cutoff(qrels, results, k_values):
    """Returns a dict of means over the queries of the run, as retrieval benchmarks do."""
    totals = dict.fromkeys(k_values, 0.0)
    for query, docs in results.items():
        rels = qrels.get(query, {})
        ranked = sorted(docs, key=lambda doc: -docs[doc])
        for k in k_values:
            ideal = sum(rel / math.log2(i + 2) for i, rel in enumerate(sorted(rels.values(), reverse=True)[:k]))
            gained = sum(rels.get(doc, 0) / math.log2(i + 2) for i, doc in enumerate(ranked[:k]))
            totals[k] += gained / ideal if ideal else 0.0
    return {f"NDCG@{k}": total / len(results) if results else float("nan") for k, total in totals.items()}


def ideal_as_long_as_the_hits(qrels, run, k=5):
    """Cuts the ideal ranking at the number of retrieved documents, as a search engine does."""

    def dcg(gains):
        return sum(gain / math.log2(i + 2) for i, gain in enumerate(gains))

    values = {}
    for query, docs in run.items():
        rels = qrels.get(query, {})
        hits = sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)[:k]
        ideal = dcg(sorted((max(rel, 0) for rel in rels.values()), reverse=True)[: len(hits)])
        values[query] = dcg(max(rels.get(doc, 0), 0) for doc in hits) / ideal if ideal else 0.0
    return values
