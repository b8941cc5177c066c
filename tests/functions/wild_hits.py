"""Precision, recall, hit rate, AP and RR as public projects write them."""

import numpy as np


def threshold_of_its_own(y_true, y_score, k=5, threshold=3):
    """Counts grades from 3 as relevant by default."""
    order = sorted(range(len(y_score)), key=lambda i: y_score[i], reverse=True)[:k]
    return sum(y_true[i] >= threshold for i in order) / k


def cutoff_in_the_middle(r, k, all_pos_num):
    r = np.asarray(r, dtype=float)[:k]
    return np.sum(r) / all_pos_num if all_pos_num else 0.0


def compares_all_pairs(a, b):
    """Takes the ranking first."""
    top = a[:5]
    return sum(any(x == y for x in top) for y in b) / len(b) if len(b) else 0.0


def hit_or_not(gt_item, pred_items):
    return 1 if gt_item in pred_items[:5] else 0


def capped_by_the_cutoff(actual, predicted, k=10):
    """Counts each document once, and divides by k if more documents are relevant."""
    predicted = predicted[:k]
    score, hits = 0.0, 0.0
    for i, doc in enumerate(predicted):
        if doc in actual and doc not in predicted[:i]:
            hits += 1.0
            score += hits / (i + 1.0)
    return score / min(len(actual), k) if actual else 0.0


def mean_of_lists(actual, predicted, k=10):
    """Takes lists of lists."""
    return np.mean([capped_by_the_cutoff(a, p, k) for a, p in zip(actual, predicted, strict=True)])


def mean_of_first_flags(rs):
    """Takes a list of rankings, and always cuts at 10."""
    firsts = [next((1.0 / i for i, rel in enumerate(r[:10], 1) if rel), 0.0) for r in rs]
    return float(np.mean(firsts)) if firsts else float("nan")


def rows_of_text(qrels, run):
    """Takes rows of files, and keeps tied documents in input order."""
    relevant = {(query, doc) for query, doc, rel in qrels if rel >= 1}
    values = {}
    for query in {query: None for query, _, _ in qrels}:
        rows = sorted((row for row in run if row[0] == query), key=lambda row: -row[2])[:10]
        values[query] = next((1 / i for i, row in enumerate(rows, 1) if (query, row[1]) in relevant), 0.0)
    return values


def each_relevant_doc_has_its_share(relevant, ranked):
    total = 0.0
    for i, doc in enumerate(ranked):
        if doc in relevant:
            total += 1 / (i + 1)
    return total / len(relevant) if relevant else 0.0


def first_place_that_is_not_zero(ranked_rels):
    places = np.asarray(ranked_rels).nonzero()[0]
    return 1.0 / (places[0] + 1) if places.size else 0.0
