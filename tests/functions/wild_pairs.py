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


def of_two_frames(true, pred, col_user="userID", col_item="itemID", col_prediction="prediction", k=10):
    """Takes every row of the first frame as relevant."""
    top = pred.sort_values([col_user, col_prediction], ascending=[True, False], kind="stable").groupby(col_user).head(k)
    top = top.assign(rank=top.groupby(col_user).cumcount() + 1)
    hits = top.merge(true[[col_user, col_item]], on=[col_user, col_item]).sort_values([col_user, "rank"])
    hits = hits.assign(precision=(hits.groupby(col_user).cumcount() + 1) / hits["rank"])
    per_user = hits.groupby(col_user)["precision"].sum()
    wanted = true.groupby(col_user)[col_item].nunique().clip(upper=k)
    return (per_user / wanted).fillna(0).mean()
