"""Random qrels and runs with properties that conventions treat differently."""

import random

from rankproof.cases.inputs import Input

DOCS = [f"d{number:02d}" for number in range(14)]
ODDITIES = ("judged twice", "ranked twice", "own document", "negative", "large", "missing", "extra", "ties", "unsorted")


def drawn(dice: random.Random) -> Input:
    """Return three queries; each such property occurs in about one of five inputs."""
    odd = {oddity for oddity in ODDITIES if dice.random() < 0.2}
    grades = [0, 0, 1, 1, 2, 3, *([-1, -2] if "negative" in odd else []), *([5, 64, 100] if "large" in odd else [])]
    queries = dice.choice((("1", "2", "3"), ("q1", "q2", "q3")))
    qrels: list[tuple[str, str, int]] = []
    run: list[tuple[str, str, float, int]] = []
    for query in queries:
        own = [query] if "own document" in odd and dice.random() < 0.5 else []
        if "extra" not in odd or query != queries[2]:
            judged = dice.sample(DOCS, dice.randint(2, 7)) + own
            judged += dice.choices(judged, k="judged twice" in odd)
            qrels += [(query, doc, dice.choice(grades)) for doc in judged]
        if "missing" not in odd or query != queries[0]:
            docs = dice.sample(DOCS, dice.randint(1, 9)) + own
            docs += dice.choices(docs, k="ranked twice" in odd)
            dice.shuffle(docs)
            scores = [float(dice.randint(1, 4)) if "ties" in odd else round(dice.uniform(0.5, 20), 2) for _ in docs]
            scores = scores if "unsorted" in odd else sorted(scores, reverse=True)
            run += [(query, doc, score, i) for i, (doc, score) in enumerate(zip(docs, scores, strict=True), start=1)]
    return Input(tuple(qrels), tuple(run))
