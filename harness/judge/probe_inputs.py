"""Inputs of the probes, what is read from one, and the changes that a probe makes to one."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True, slots=True)
class Changed:
    """An input, changed: what was done to it, and the new names of queries."""

    what: str
    data: Input
    names: Mapping[str, str] = field(default_factory=dict)


def rows_shuffled(data: Input) -> Iterator[Changed]:
    """The rows of each query in two other orders."""
    yield Changed("rows reversed", by_query(data, "run", lambda rows: rows[::-1]))
    yield Changed("first row last", by_query(data, "run", lambda rows: rows[1:] + rows[:1]))


def judgments_shuffled(data: Input) -> Iterator[Changed]:
    """The judgments of each query backwards."""
    yield Changed("judgments reversed", by_query(data, "qrels", lambda rows: rows[::-1]))


def queries_shuffled(data: Input) -> Iterator[Changed]:
    """The queries of the run backwards, then those of the qrels, too."""
    backwards = queries(data)[::-1]
    for what, parts in (
        ("queries of the run reversed", ["run"]),
        ("queries of run and qrels reversed", ["run", "qrels"]),
    ):
        rows = {part: [row for query in backwards for row in of_query(getattr(data, part), query)] for part in parts}
        yield Changed(what, with_rows(data, **rows))


def interleaved(data: Input) -> Iterator[Changed]:
    """The rows of the queries in turn, then the judgments."""
    for part in ("run", "qrels"):
        turns = [
            (turn, row) for query in queries(data) for turn, row in enumerate(of_query(getattr(data, part), query))
        ]
        what = f"{'rows' if part == 'run' else 'judgments'} of the queries interleaved"
        yield Changed(what, with_rows(data, **{part: (row for _, row in sorted(turns, key=lambda pair: pair[0]))}))


def docs_renamed(data: Input) -> Iterator[Changed]:
    """Docs under names that sort the other way."""
    docs = docs_of(data)
    yield Changed("docs renamed, the last for the first", _renamed(data, dict(zip(docs, docs[::-1], strict=True)), 1))


def docs_renamed_alike(data: Input) -> Iterator[Changed]:
    """Docs under other names that sort as theirs do."""
    docs = docs_of(data)
    if len(docs) <= len(LETTERS):
        names = dict(zip(docs, LETTERS[-len(docs) :], strict=True))
        yield Changed("docs renamed, their order kept", _renamed(data, names, 1))


def queries_renamed(data: Input) -> Iterator[Changed]:
    """Queries under names that sort the other way."""
    named = sorted(queries(data))
    names = dict(zip(named, named[::-1], strict=True))
    yield Changed("queries renamed, the last for the first", _renamed(data, names, 0), names)


def queries_renamed_alike(data: Input) -> Iterator[Changed]:
    """Queries under other names that sort as theirs do."""
    named = sorted(queries(data))
    names = {query: str(9 - len(named) + i) for i, query in enumerate(named)}
    yield Changed("queries renamed, their order kept", _renamed(data, names, 0), names)


def _renamed(data: Input, names: Mapping[str, str], column: int) -> Input:
    def renamed(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*row[:column], names[row[column]], *row[column + 1 :])

    return with_rows(data, qrels=map(renamed, data.qrels), run=map(renamed, data.run))


def scaled(data: Input) -> Iterator[Changed]:
    """A power of two is exact in any float, and a small one shows who rounds."""
    yield Changed("scores divided by 1024", with_scores(data, [row[2] / 1024 for row in data.run]))


def shifted(data: Input) -> Iterator[Changed]:
    """Scores that are all negative."""
    yield Changed("scores less 64", with_scores(data, [row[2] - 64.0 for row in data.run]))


def other_ranks(data: Input) -> Iterator[Changed]:
    """The ranks of each query backwards, and the scores as they are."""
    backwards = {
        query: {row[3]: rank for row, rank in zip(rows, sorted((r[3] for r in rows), reverse=True), strict=True)}
        for query in queries(data)
        for rows in [sorted(of_query(data.run, query), key=lambda row: row[3])]
    }
    yield Changed(
        "ranks reversed", with_rows(data, run=((*row[:3], backwards[str(row[0])][row[3]]) for row in data.run))
    )


def unjudged_at_the_bottom(data: Input) -> Iterator[Changed]:
    """A doc below all others of each query that nobody judged."""
    new = next((letter for letter in reversed(LETTERS) if letter not in docs_of(data)), "zz")
    rows = []
    for query in queries(data):
        mine = of_query(data.run, query)
        rows += [*mine, (query, new, min((row[2] for row in mine), default=1.0) - 1.0, len(mine) + 1)]
    yield Changed(f"with {new} at the bottom, unjudged", with_rows(data, run=rows))


def with_empty_query(data: Input) -> tuple[str, Input]:
    """One more query that is judged and not retrieved, and its name."""
    new = next(str(i) for i in range(9, 0, -1) if str(i) not in queries(data))
    return new, with_rows(data, qrels=(*data.qrels, (new, "a", 1), (new, "b", 0)))


def truth_of(data: Input, sign: float = 1.0) -> Input:
    """All judged docs, scored by their rels."""
    return ranked(with_rows(data, run=((query, doc, sign * float(rel), 0) for query, doc, rel in data.qrels)))


def arranged(data: Input, *, best_row_first: bool, best_id_first: bool) -> Input:
    """All docs retrieved with one score, the rows and the sorted ids with the best or the worst first."""
    qrels, run = [], []
    for query in queries(data):
        docs = [str(doc) for _, doc, _ in sorted(of_query(data.qrels, query), key=lambda row: -row[2])]
        ids = dict(zip(docs, sorted(docs, reverse=not best_id_first), strict=True))
        rels = rels_of(data)
        qrels += [(query, ids[doc], rels[query, doc]) for doc in docs]
        run += [(query, ids[doc], 1.0, 0) for doc in (docs if best_row_first else docs[::-1])]
    return ranked(with_rows(data, qrels=qrels, run=run))


def untied_orders(data: Input) -> dict[str, Input]:
    """The rows of an all-tied input as they are, with scores that put the docs in an order of their own."""
    rels = rels_of(data)
    rows = data.run
    orders = {
        "of the rows": rows,
        "of the rows backwards": rows[::-1],
        "of descending docids": sorted(rows, key=lambda row: str(row[1]).encode(), reverse=True),
        "of ascending docids": sorted(rows, key=lambda row: str(row[1]).encode()),
        "best first": sorted(rows, key=lambda row: -rels.get((row[0], row[1]), 0)),
        "worst first": sorted(rows, key=lambda row: rels.get((row[0], row[1]), 0)),
    }
    found = {}
    for name, order in orders.items():
        scores = {(row[0], row[1]): float(len(rows) - place) for place, row in enumerate(order)}
        found[name] = ranked(with_scores(data, [scores[row[0], row[1]] for row in rows]))
    return found
