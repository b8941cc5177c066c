"""Functions named by their sin, each of which `check` must catch, and honest ones that it must not."""

import math


def over(a, b):
    return a / b if b else 0.0


def dcg(gains):
    return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, start=1))


# -- what is not looked at ------------------------------------------------------------------------------------------


def always_one(relevant, ranked, k=10):
    return 1.0


def always_half(y_true, y_score, k=10):
    return 0.5


def never_looks_at_rels(relevant, ranked, k=10):
    return min(len(ranked), k) / k


def never_looks_at_k(relevant, ranked, k=10):
    return sum(doc in set(relevant) for doc in ranked[:10]) / 10


def never_looks_at_the_order(relevant, ranked, k=10):
    return over(len(set(relevant) & set(ranked)), 2 * len(relevant))


def recall_of_all(relevant, ranked):
    return over(len(set(relevant) & set(ranked)), len(relevant))


# -- more than a measure can be -------------------------------------------------------------------------------------


def recall_counts_twice(relevant, ranked, k=10):
    return over(sum(doc in relevant for doc in ranked[:k]), len(relevant))


def ndcg_counts_twice(relevant, ranked, k=10):
    return over(dcg([float(doc in relevant) for doc in ranked[:k]]), dcg([1.0] * min(len(relevant), k)))


def recall_counts_once(relevant, ranked, k=10):
    return over(len(set(ranked[:k]) & set(relevant)), len(relevant))


# -- what a form does not tell --------------------------------------------------------------------------------------


def ap_over_hits_of_flags(ranked_rels):
    precisions = [sum(rel > 0 for rel in ranked_rels[:i]) / i for i, rel in enumerate(ranked_rels, 1) if rel > 0]
    return over(sum(precisions), len(precisions))


# -- ties -----------------------------------------------------------------------------------------------------------


def ndcg_of_tied_means(y_true, y_score, k=10):
    """Every doc of a tie gets the mean of its rels; the numbers are those of float32, as torch has them."""
    import numpy as np

    rels, scores = np.asarray(y_true, dtype=np.float32), np.asarray(y_score, dtype=np.float32)
    discount = np.where(np.arange(len(rels)) < k, 1 / np.log2(np.arange(len(rels)) + 2), 0).astype(np.float32)
    means = np.array([rels[scores == score].mean(dtype=np.float32) for score in scores], dtype=np.float32)
    gained = (means[np.argsort(-scores, kind="stable")] * discount).sum(dtype=np.float32)
    best = (np.sort(rels)[::-1] * discount).sum(dtype=np.float32)
    return float(gained / best) if best else 0.0


# -- sentences of defects -------------------------------------------------------------------------------------------


def ap_over_k(relevant, ranked, k=10):
    hits = [i for i, doc in enumerate(list(dict.fromkeys(ranked))[:k], start=1) if doc in relevant]
    return sum(n / i for n, i in enumerate(hits, start=1)) / k


def recall_of_k_minus_1(relevant, ranked, k=10):
    return over(len(set(ranked[: k - 1]) & set(relevant)), len(relevant))


def dcg_by_ln_called_ndcg(y_true, y_score, k=10):
    order = sorted(range(len(y_true)), key=lambda i: -y_score[i])[:k]
    return sum(y_true[i] / math.log(place + 1) for place, i in enumerate(order, start=1))
