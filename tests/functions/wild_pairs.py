"""Functions of pairs, lists of users and frames, as public projects write them."""

import numpy as np


def wins_of_pairs(truth_, guess):
    """Compares every relevant document with every other, and divides by zero if there are none."""
    good = [g for t, g in zip(truth_, guess, strict=True) if t > 0]
    bad = [g for t, g in zip(truth_, guess, strict=True) if t <= 0]
    won = sum((a > b) + (a == b) / 2 for a in good for b in bad)
    return won / (len(good) * len(bad))


def over_users_with_any(liked, shown, top):
    """Leaves out users without relevant documents."""
    shares = [
        len(set(mine) & set(docs[:top])) / len(set(mine)) for mine, docs in zip(liked, shown, strict=True) if mine
    ]
    return sum(shares) / len(shares)


def first_two_ranks_alike(y_true, y_score, k=10):
    """Does not discount ranks 1 and 2; the order of tied documents depends on the sort."""
    taken = np.take(y_true, np.argsort(y_score)[::-1][:k])
    discounts = np.maximum(np.log2(np.arange(len(taken)) + 1), 1)
    best = np.sort(y_true)[::-1][:k]
    ideal = np.sum((2**best - 1) / discounts)
    discounts[0]  # raises for an empty ranking
    return np.sum((2**taken - 1) / discounts) / ideal if ideal else 0.0
