"""Functions of pairs, lists of users and frames, as public projects write them."""


def wins_of_pairs(truth_, guess):
    """Compare every relevant document with every other document; divide by zero if there are none."""
    good = [g for t, g in zip(truth_, guess, strict=True) if t > 0]
    bad = [g for t, g in zip(truth_, guess, strict=True) if t <= 0]
    won = sum((a > b) + (a == b) / 2 for a in good for b in bad)
    return won / (len(good) * len(bad))


def over_users_with_any(liked, shown, top):
    """Leave out users without relevant documents."""
    shares = [
        len(set(mine) & set(docs[:top])) / len(set(mine)) for mine, docs in zip(liked, shown, strict=True) if mine
    ]
    return sum(shares) / len(shares)
