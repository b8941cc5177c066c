"""Small random collections with everything that conventions treat differently, such as ties, missing queries and repeated documents."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankproof.reference_impl.ranking import Judgment, QueryRow

Chance = random.Random
DOCS = ("d9", "d10", "B", "a", "é", "[b]x[/b]", "=1+1", "d|2", "7", "07", "\U0001f600", "_x_")
QUERIES = ("q10", "q9", "Q9", "[3]", "=q", "ü|", "7", "a\u202eb")
"""Ids whose order differs by bytes, number and letter case, or that a terminal, a table or a spreadsheet would interpret."""
SIDES = ("both", "both", "both", "both", "both", "qrels", "run", "run has no row", "no judgment")


@dataclass(frozen=True)
class Little:
    """The judgments and rows of each query; `has_twice`: whether a query may repeat a document."""

    qrels: Mapping[str, Sequence[Judgment]]
    run: Mapping[str, Sequence[QueryRow]]
    has_twice: bool

    @property
    def queries(self) -> list[str]:
        """Return all queries, those of the qrels first."""
        return list(dict.fromkeys([*self.qrels, *self.run]))


def chance(seed: object) -> Chance:
    """Return the random generator of a seed."""
    return random.Random(str(seed))


def drawn(seed: object, *, odd: bool = True, docs: int = 7) -> Little:
    """Draw a collection; `odd`: whether queries may be missing, extra or empty, with grades and scores of any kind."""
    c, again = chance(seed), chance(("again", seed))
    qrels: dict[str, list[Judgment]] = {}
    run: dict[str, list[QueryRow]] = {}
    rels = c.choice([(0, 1), (0, 0, 1, 2, 3), (0, 1, 2, -1), (0, 0.5, 1, 1.5)] if odd else [(0, 1), (0, 0, 1, 2, 3)])
    has_twice = odd and c.random() < 0.2
    for query in c.sample(QUERIES, c.randint(4, 7)):
        side = c.choice(SIDES) if odd and qrels else "both"
        names = c.sample(DOCS, docs)
        if side != "run":
            count = 0 if side == "no judgment" else c.randint(1, docs - 2)
            judged = [Judgment(doc, c.choice(rels)) for doc in names[:count]]
            twice = c.sample(judged, int(has_twice and len(judged) > 1))
            qrels[query] = [*judged, *(row._replace(rel=again.choice(rels)) for row in twice)]
        if side != "qrels":
            run[query] = [] if side == "run has no row" else _rows(c, names, odd=odd)
            rows = run[query][: int(has_twice and c.random() < 0.5)]
            run[query] += [row._replace(score=row.score + again.choice([0, 1, -1])) for row in rows]
    order = c.sample(list(run), len(run))
    return Little(qrels, {query: run[query] for query in order}, has_twice)


def _rows(c: Chance, names: Sequence[str], *, odd: bool) -> list[QueryRow]:
    """Draw rows, most of them tied, some only in float32, with ranks in another order than the scores."""
    docs = c.sample(names, c.randint(2, len(names)))
    near = c.choice([0.0, 0.0, 1e-9]) if odd else 0.0
    least = c.choice([-1, 1, 1]) if odd else 1
    ranks = c.sample(range(1, len(docs) + 1), len(docs))
    places = zip(docs, ranks, strict=True)
    scored = [QueryRow(doc, c.randint(least, 4) + near * c.randint(0, 1), rank) for doc, rank in places]
    return sorted(scored, key=lambda row: -row.score) if c.random() < 0.4 else scored
