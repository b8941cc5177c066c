"""Inputs: what the probes ask of, small and with names that sort, and what is read from one."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rankproof.cases.inputs import Id, Input

LETTERS = "abcdefghijklmnopqrstuvwxyz"
Row = TypeVar("Row", bound=tuple[Any, ...])


def table(qrels: str, run: str) -> Input:
    """An input from `1 a 1, 1 b 0` and `1 a 2.5, 1 b 1`.

    >>> table("1 a 1", "1 b 2, 1 a 1").run
    (('1', 'b', 2.0, 1), ('1', 'a', 1.0, 2))
    """
    judgments = [row.split() for row in qrels.split(",")]
    rows = [row.split() for row in run.split(",")]
    given = Input(
        tuple((query, doc, int(rel)) for query, doc, rel in judgments),
        tuple((query, doc, float(score), 0) for query, doc, score in rows),
    )
    return ranked(given)


def with_rows(data: Input, **rows: Iterable[tuple[Any, ...]]) -> Input:
    """The input with other rows of the qrels, the run or both."""
    others: dict[str, Any] = {part: tuple(own) for part, own in rows.items()}
    return replace(data, **others)


def ranked(data: Input) -> Input:
    """The ranks as the scores have them, tied docs in the order of the rows."""
    places = {}
    for query in queries(data):
        rows = sorted(of_query(data.run, query), key=lambda row: -row[2])
        places.update({(query, row[1]): place for place, row in enumerate(rows, start=1)})
    return with_rows(data, run=((q, doc, score, places[str(q), doc]) for q, doc, score, _ in data.run))


def queries(data: Input) -> list[str]:
    """The queries, in the order of the qrels and then of the run."""
    return [str(query) for query in data.queries]


def tied(data: Input) -> bool:
    """Whether a query has two docs of one score."""
    scores = [(query, score) for query, _, score, _ in data.run]
    return len(set(scores)) < len(scores)


def of_query(rows: Sequence[Row], query: str) -> list[Row]:
    """The rows of a query."""
    return [row for row in rows if row[0] == query]


def docs_of(data: Input) -> list[str]:
    """The docs of qrels and run, sorted."""
    return sorted({str(row[1]) for row in (*data.qrels, *data.run)}, key=str.encode)


def rels_of(data: Input) -> dict[tuple[Id, Id], float]:
    """The rel of each doc of each query."""
    return {(query, doc): rel for query, doc, rel in data.qrels}


def complete(data: Input) -> bool:
    """Whether every query has a judgment and a row."""
    return all(of_query(data.qrels, query) and of_query(data.run, query) for query in queries(data))


def by_query(data: Input, part: str, order: Callable[[list[Any]], list[Any]]) -> Input:
    """The rows of each query in another order, query after query."""
    rows = getattr(data, part)
    return with_rows(data, **{part: (row for query in queries(data) for row in order(of_query(rows, query)))})


def with_scores(data: Input, scores: Iterable[float]) -> Input:
    """The run with these scores, row by row."""
    return with_rows(data, run=((*row[:2], score, row[3]) for row, score in zip(data.run, scores, strict=True)))


def random_inputs(seed: int, count: int) -> list[Input]:
    """Two queries of up to six docs each, some tied, some unjudged, some not retrieved; every second one with rels of 0 and 1 only."""
    dice = random.Random(seed)  # noqa: S311 - chance that can be repeated is what is wanted
    return [_random_input(dice, highest=1 if i % 2 else 3, scores=12 if i % 4 < 2 else 3) for i in range(count)]  # noqa: PLR2004


def _random_input(dice: random.Random, highest: int, scores: int) -> Input:
    qrels: list[tuple[str, str, int]] = []
    run: list[tuple[str, str, float, int]] = []
    for query in ("1", "2"):
        docs = dice.sample(LETTERS[:9], 8)
        rels = dict.fromkeys(docs[:2], highest) | {doc: dice.randint(0, highest) for doc in docs[2:6]}
        qrels += [(query, doc, rel) for doc, rel in rels.items()]
        values = [dice.randint(1, scores) for _ in range(6)] if scores < 6 else dice.sample(range(1, scores), 6)  # noqa: PLR2004
        run += [(query, doc, float(value), 0) for doc, value in zip(dice.sample(docs, 6), values, strict=True)]
    return ranked(Input(tuple(qrels), tuple(run)))


INPUTS = (
    table("1 a 0, 1 b 1", "1 a 2, 1 b 1"),
    table("1 a 0, 1 b 1, 2 a 1, 2 b 0", "1 a 2, 1 b 1, 2 a 4, 2 b 3"),
    table(
        "1 b 2, 1 c 1, 1 d 0, 1 h 3, 2 a 1, 2 d 2, 2 c 0",
        "1 c 1, 1 a 9, 1 b 3, 1 g 5, 1 d 7, 1 f 6, 1 e 8, 2 b 2, 2 d 1, 2 a 3",
    ),
    table("1 b 1, 1 c 1, 1 a 0, 1 d 0, 1 e 0", "1 c 1, 1 a 9, 1 b 3, 1 g 5, 1 d 7, 1 f 6, 1 e 8"),
    table("1 a 0, 1 b 1", "1 a 1, 1 b 1"),
    table("1 b 1, 1 a 0, 2 b 0, 2 a 1", "1 a 1, 1 b 1, 2 a 1, 2 b 1"),
    table(
        "1 b 2, 1 f 1, 1 d 0, 1 h 3, 2 a 1, 2 d 2, 2 c 0",
        "1 c 1, 1 a 1, 1 b 1, 1 g 1, 1 d 1, 1 e 1, 1 f 1, 2 b 2, 2 d 1, 2 a 1",
    ),
    table("1 f 1, 1 e 1, 1 a 0, 1 b 0", "1 e 1, 1 a 1, 1 b 1, 1 g 1, 1 d 1, 1 c 1, 1 f 1"),
)
"""The smallest first, and those without ties before those with them."""


HARD = (
    table("1 a 1, 1 b 0", "1 b 2, 1 c 1"),
    table("1 a 1, 1 b -1", "1 b 2, 1 a 1"),
    table("1 a 1, 1 b -2, 1 c 0", "1 b 2, 1 c 1"),
)
"""Nothing relevant retrieved; negative judgments."""


SEVENTEEN = table("1 c 1, 1 k 1, 1 f 1, 1 n 1, 1 a 0", ", ".join(f"1 {doc} 1" for doc in "hcqlebpkajgfndomi"))
