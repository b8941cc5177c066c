"""Precision, recall, hit rate, AP and RR as public projects write them."""

import numpy as np


def capped_by_the_cutoff(actual, predicted, k=10):
    """Count each document once, and divide by k if more documents are relevant."""
    predicted = predicted[:k]
    score, hits = 0.0, 0.0
    for i, doc in enumerate(predicted):
        if doc in actual and doc not in predicted[:i]:
            hits += 1.0
            score += hits / (i + 1.0)
    return score / min(len(actual), k) if actual else 0.0


def rows_of_text(qrels, run):
    """Read rows of files, and keep tied documents in input order."""
    relevant = {(query, doc) for query, doc, rel in qrels if rel >= 1}
    values = {}
    for query in {query: None for query, _, _ in qrels}:
        rows = sorted((row for row in run if row[0] == query), key=lambda row: -row[2])[:10]
        values[query] = next((1 / i for i, row in enumerate(rows, 1) if (query, row[1]) in relevant), 0.0)
    return values


def first_place_that_is_not_zero(ranked_rels):
    places = np.asarray(ranked_rels).nonzero()[0]
    return 1.0 / (places[0] + 1) if places.size else 0.0
