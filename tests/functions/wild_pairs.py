"""Functions as people write them: pairs and frames, discounts of another age, and what is asked of the wrong users."""

import numpy as np
from truths import truth


@truth("AUC", "rows", "allrel=rejected norel=rejected relevant=above-zero ties=expectation")
def wins_of_pairs(truth_, guess):
    """Every relevant doc against every other; it has no answer where one of the two is missing."""
    good = [g for t, g in zip(truth_, guess, strict=True) if t > 0]
    bad = [g for t, g in zip(truth_, guess, strict=True) if t <= 0]
    won = sum((a > b) + (a == b) / 2 for a in good for b in bad)
    return won / (len(good) * len(bad))


@truth("R@5", "ids", "norel=dropped")
def over_users_with_any(liked, shown, top):
    """Lists of users; who likes nothing is not counted."""
    shares = [
        len(set(mine) & set(docs[:top])) / len(set(mine)) for mine, docs in zip(liked, shown, strict=True) if mine
    ]
    return sum(shares) / len(shares)


@truth("nDCG@10", "rows", "gain=exp discount=jk-2 ties=unspecified norel=0 empty=rejected", odd="nobody")
def first_two_ranks_alike(y_true, y_score, k=10):
    """The discount of 2002: rank 1 and rank 2 weigh the same; the sort keeps no order."""
    taken = np.take(y_true, np.argsort(y_score)[::-1][:k])
    discounts = np.maximum(np.log2(np.arange(len(taken)) + 1), 1)
    best = np.sort(y_true)[::-1][:k]
    ideal = np.sum((2**best - 1) / discounts)
    discounts[0]  # an empty ranking is refused
    return np.sum((2**taken - 1) / discounts) / ideal if ideal else 0.0


@truth("AP@10", "relevant-frames", "ap_denominator=min-k-R ties=input", twice=True)
def of_two_frames(true, pred, col_user="userID", col_item="itemID", col_prediction="prediction", k=10):
    """Whoever stands in the first frame is relevant, whatever is said of it."""
    top = pred.sort_values([col_user, col_prediction], ascending=[True, False], kind="stable").groupby(col_user).head(k)
    top = top.assign(rank=top.groupby(col_user).cumcount() + 1)
    hits = top.merge(true[[col_user, col_item]], on=[col_user, col_item]).sort_values([col_user, "rank"])
    hits = hits.assign(precision=(hits.groupby(col_user).cumcount() + 1) / hits["rank"])
    per_user = hits.groupby(col_user)["precision"].sum()
    wanted = true.groupby(col_user)[col_item].nunique().clip(upper=k)
    return (per_user / wanted).fillna(0).mean()
