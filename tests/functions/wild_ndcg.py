"""nDCG as public projects write it."""

import math


def batch_of_rows_without_empty_ones(y_true, y_score, k=10):
    """Average over the queries with a relevant document."""
    values = []
    for rels, scores in zip(y_true, y_score, strict=True):
        ranked = [rels[i] for i in sorted(range(len(rels)), key=lambda i: -scores[i])]
        ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(rels, reverse=True)[:k]))
        if ideal > 0:
            values.append(sum(g / math.log2(i + 2) for i, g in enumerate(ranked[:k])) / ideal)
    return sum(values) / len(values) if values else float("nan")


def place_of_the_only_one(ranklist, gt_item):
    for i, item in enumerate(ranklist[:10]):
        if item == gt_item:
            return math.log(2) / math.log(i + 2)
    return 0


def keyed_by_cutoff(qrels, results, k_values):
    """Return a dict of means over the queries of the run, as retrieval benchmarks do."""
    totals = dict.fromkeys(k_values, 0.0)
    for query, docs in results.items():
        rels = qrels.get(query, {})
        ranked = sorted(docs, key=lambda doc: -docs[doc])
        for k in k_values:
            ideal = sum(rel / math.log2(i + 2) for i, rel in enumerate(sorted(rels.values(), reverse=True)[:k]))
            gained = sum(rels.get(doc, 0) / math.log2(i + 2) for i, doc in enumerate(ranked[:k]))
            totals[k] += gained / ideal if ideal else 0.0
    return {f"NDCG@{k}": total / len(results) if results else float("nan") for k, total in totals.items()}
