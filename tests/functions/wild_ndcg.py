"""nDCG as public projects write it: its forms, gains, discounts, ideals and what becomes of queries without relevant docs."""

import math

import numpy as np
from truths import truth


@truth("nDCG@10", "ranked", "discount=jk-2")
def first_two_ranks_undiscounted(r, k, method=0):
    """Method 0 of an old gist: the first gain as it is, the second divided by log2(2), which is 1."""

    def dcg(rels):
        rels = np.asarray(rels, dtype=float)[:k]
        if not rels.size:
            return 0.0
        if method == 0:
            return rels[0] + np.sum(rels[1:] / np.log2(np.arange(2, rels.size + 1)))
        return np.sum(rels / np.log2(np.arange(2, rels.size + 2)))

    ideal = dcg(sorted(r, reverse=True))
    return dcg(r) / ideal if ideal else 0.0


@truth("nDCG@10", "rows", "ties=input norel=dropped")
def batch_of_rows_without_empty_ones(y_true, y_score, k=10):
    """Lists of lists: the mean over the queries that have a relevant doc."""
    found = []
    for rels, scores in zip(y_true, y_score, strict=True):
        ranked = [rels[i] for i in sorted(range(len(rels)), key=lambda i: -scores[i])]
        ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(rels, reverse=True)[:k]))
        if ideal > 0:
            found.append(sum(g / math.log2(i + 2) for i, g in enumerate(ranked[:k])) / ideal)
    return sum(found) / len(found) if found else float("nan")


@truth("nDCG@10", "graded-ids", "gain=exp", twice=True)
def grades_by_id(relevance, ranked_ids, k=10):
    gained = sum((2 ** relevance.get(doc, 0) - 1) / math.log2(i + 2) for i, doc in enumerate(ranked_ids[:k]))
    best = sorted(relevance.values(), reverse=True)[:k]
    ideal = sum((2**rel - 1) / math.log2(i + 2) for i, rel in enumerate(best))
    return gained / ideal if ideal else 0.0


@truth("nDCG@10", "one-id")
def place_of_the_only_one(ranklist, gt_item):
    for i, item in enumerate(ranklist[:10]):
        if item == gt_item:
            return math.log(2) / math.log(i + 2)
    return 0


@truth("nDCG@10", "qrels-run", "ties=input missing=dropped extra=0")
def keyed_by_cutoff(qrels, results, k_values):
    """A dict of means, as retrieval benchmarks give, over the queries of the run."""
    totals = dict.fromkeys(k_values, 0.0)
    for query, docs in results.items():
        rels = qrels.get(query, {})
        ranked = sorted(docs, key=lambda doc: -docs[doc])
        for k in k_values:
            ideal = sum(rel / math.log2(i + 2) for i, rel in enumerate(sorted(rels.values(), reverse=True)[:k]))
            gained = sum(rels.get(doc, 0) / math.log2(i + 2) for i, doc in enumerate(ranked[:k]))
            totals[k] += gained / ideal if ideal else 0.0
    return {f"NDCG@{k}": total / len(results) if results else float("nan") for k, total in totals.items()}


@truth("nDCG@5", "qrels-run", "ideal_cut=min-k-n missing=dropped extra=0", odd="cheap")
def ideal_as_long_as_the_hits(qrels, run, k=5):
    """As in a search engine's own evaluation: fewer hits, a poorer ideal."""

    def dcg(gains):
        return sum(gain / math.log2(i + 2) for i, gain in enumerate(gains))

    found = {}
    for query, docs in run.items():
        rels = qrels.get(query, {})
        hits = sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)[:k]
        ideal = dcg(sorted((max(rel, 0) for rel in rels.values()), reverse=True)[: len(hits)])
        found[query] = dcg(max(rels.get(doc, 0), 0) for doc in hits) / ideal if ideal else 0.0
    return found
