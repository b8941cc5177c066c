"""Inputs of the probes, and the changes that probes make to them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from rankproof.cases.inputs import Id, Input

LETTERS = "abcdefghijklmnopqrstuvwxyz"
Row = TypeVar("Row", bound=tuple[Any, ...])


def table(qrels: str, run: str) -> Input:
    """Parse qrels such as `1 a 1, 1 b 0` and a run such as `1 a 2.5, 1 b 1` into an input.

    >>> table("1 a 1", "1 b 2, 1 a 1").run
    (('1', 'b', 2.0, 1), ('1', 'a', 1.0, 2))
    """
    judgments = ((query, doc, int(rel)) for query, doc, rel in map(str.split, qrels.split(",")))
    rows = ((query, doc, float(score), 0) for query, doc, score in map(str.split, run.split(",")))
    return ranked(Input(tuple(judgments), tuple(rows)))


def with_rows(data: Input, **rows: Iterable[tuple[Any, ...]]) -> Input:
    """Return the input with other rows of the qrels, the run or both."""
    others: dict[str, Any] = {part: tuple(own) for part, own in rows.items()}
    return replace(data, **others)


def with_scores(data: Input, scores: Iterable[float]) -> Input:
    """Return the input with these scores, row by row."""
    return with_rows(data, run=((*row[:2], score, row[3]) for row, score in zip(data.run, scores, strict=True)))


def ranked(data: Input) -> Input:
    """Return the input with ranks by descending score; tied documents keep the order of the rows."""
    places = {}
    for query in queries(data):
        rows = sorted(of_query(data.run, query), key=lambda row: -row[2])
        places.update({(query, row[1]): place for place, row in enumerate(rows, start=1)})
    return with_rows(data, run=((q, doc, score, places[str(q), doc]) for q, doc, score, _ in data.run))


def queries(data: Input) -> list[str]:
    """Return the queries, in the order of the qrels and then of the run."""
    return [str(query) for query in data.queries]


def tied(data: Input) -> bool:
    """Return whether a query has two documents with the same score."""
    scores = [(query, score) for query, _, score, _ in data.run]
    return len(set(scores)) < len(scores)


def of_query(rows: Sequence[Row], query: str) -> list[Row]:
    """Return the rows of a query."""
    return [row for row in rows if row[0] == query]


def docs_of(data: Input) -> list[str]:
    """Return the documents of qrels and run, sorted."""
    return sorted({str(row[1]) for row in (*data.qrels, *data.run)}, key=str.encode)


def complete(data: Input) -> bool:
    """Return whether every query has a judgment and a row."""
    return all(of_query(data.qrels, query) and of_query(data.run, query) for query in queries(data))


def _rels_of(data: Input) -> dict[tuple[Id, Id], float]:
    return {(query, doc): rel for query, doc, rel in data.qrels}


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
"""The inputs, without ties first, and smaller ones before larger ones."""

HARD = (
    table("1 a 1, 1 b 0", "1 b 2, 1 c 1"),
    table("1 a 1, 1 b -1", "1 b 2, 1 a 1"),
    table("1 a 1, 1 b -2, 1 c 0", "1 b 2, 1 c 1"),
)
"""Inputs without a relevant retrieved document, and with negative grades."""

SEVENTEEN = table("1 c 1, 1 k 1, 1 f 1, 1 n 1, 1 a 0", ", ".join(f"1 {doc} 1" for doc in "hcqlebpkajgfndomi"))
"""Seventeen tied documents. Many unstable sorts keep up to sixteen in order."""

# -- changes of an input -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed input, with a description of the change and the new names of queries."""

    what: str
    data: Input
    names: Mapping[str, str] = field(default_factory=dict)


Change = Callable[[Input], Iterable[Changed]]
"""A function that yields changed inputs with the same values."""


def rows_shuffled(data: Input) -> Iterator[Changed]:
    """Yield the input with the rows of each query in two other orders."""
    yield Changed("rows reversed", _by_query(data, "run", lambda rows: rows[::-1]))
    yield Changed("first row last", _by_query(data, "run", lambda rows: rows[1:] + rows[:1]))


def queries_shuffled(data: Input) -> Iterator[Changed]:
    """Yield the input with the queries of the run, or of run and qrels, in reverse order."""
    run, qrels = (
        [row for query in queries(data)[::-1] for row in of_query(getattr(data, part), query)]
        for part in ("run", "qrels")
    )
    yield Changed("queries of the run reversed", with_rows(data, run=run))
    yield Changed("queries of run and qrels reversed", with_rows(data, run=run, qrels=qrels))


def interleaved(data: Input) -> Iterator[Changed]:
    """Yield the input with interleaved rows of different queries, and with interleaved judgments."""
    for part, what in (("run", "rows"), ("qrels", "judgments")):
        turns = [turn for query in queries(data) for turn in enumerate(of_query(getattr(data, part), query))]
        rows = [row for _, row in sorted(turns, key=lambda turn: turn[0])]
        yield Changed(f"{what} of the queries interleaved", with_rows(data, **{part: rows}))


def docs_renamed(data: Input) -> Iterator[Changed]:
    """Yield the input with document ids that sort in reverse."""
    docs = docs_of(data)
    yield Changed("docs renamed, the last for the first", _renamed(data, 1, docs, docs[::-1]))


def queries_renamed(data: Input) -> Iterator[Changed]:
    """Yield the input with query ids that sort in reverse."""
    old = sorted(queries(data))
    names = dict(zip(old, old[::-1], strict=True))
    yield Changed("queries renamed, the last for the first", _renamed(data, 0, old, old[::-1]), names)


def scaled(data: Input) -> Iterator[Changed]:
    """Yield the input with scores divided by a power of two, which is exact in floats."""
    yield Changed("scores divided by 1024", with_scores(data, [row[2] / 1024 for row in data.run]))


def shifted(data: Input) -> Iterator[Changed]:
    """Yield the input with negative scores only."""
    yield Changed("scores less 64", with_scores(data, [row[2] - 64.0 for row in data.run]))


def other_ranks(data: Input) -> Iterator[Changed]:
    """Yield the input with reversed ranks and the same scores."""
    ranks = {}
    for query in queries(data):
        own = sorted(row[3] for row in of_query(data.run, query))
        ranks[query] = dict(zip(own, own[::-1], strict=True))
    yield Changed("ranks reversed", with_rows(data, run=((*row[:3], ranks[str(row[0])][row[3]]) for row in data.run)))


def unjudged_at_the_bottom(data: Input) -> Iterator[Changed]:
    """Yield the input with an unjudged document below all others of each query."""
    new = next((letter for letter in reversed(LETTERS) if letter not in docs_of(data)), "zz")
    rows = []
    for query in queries(data):
        own = of_query(data.run, query)
        rows += [*own, (query, new, min((row[2] for row in own), default=1.0) - 1.0, len(own) + 1)]
    yield Changed(f"with {new} at the bottom, unjudged", with_rows(data, run=rows))


def _by_query(data: Input, part: str, order: Callable[[list[Any]], list[Any]]) -> Input:
    rows = getattr(data, part)
    return with_rows(data, **{part: (row for query in queries(data) for row in order(of_query(rows, query)))})


def _renamed(data: Input, column: int, old: Iterable[str], new: Iterable[str]) -> Input:
    names = dict(zip(old, new, strict=True))

    def renamed(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*row[:column], names[row[column]], *row[column + 1 :])

    return with_rows(data, qrels=map(renamed, data.qrels), run=map(renamed, data.run))


# -- other inputs made of one --------------------------------------------------------------------------------------------


def truth_of(data: Input, sign: float = 1.0) -> Input:
    """Return the input with a run of all judged documents, whose scores are their grades."""
    return ranked(with_rows(data, run=((query, doc, sign * float(rel), 0) for query, doc, rel in data.qrels)))


def arranged(data: Input, *, best_row_first: bool, best_id_first: bool) -> Input:
    """Return the input with a tied run of all judged documents, with the best or worst first by row order and by id."""
    qrels, run, rels = [], [], _rels_of(data)
    for query in queries(data):
        docs = [str(doc) for _, doc, _ in sorted(of_query(data.qrels, query), key=lambda row: -row[2])]
        ids = dict(zip(docs, sorted(docs, reverse=not best_id_first), strict=True))
        qrels += [(query, ids[doc], rels[query, doc]) for doc in docs]
        run += [(query, ids[doc], 1.0, 0) for doc in (docs if best_row_first else docs[::-1])]
    return ranked(with_rows(data, qrels=qrels, run=run))


def with_empty_query(data: Input) -> tuple[str, Input]:
    """Return a new query id, and the input with that query judged but not retrieved."""
    new = next(str(i) for i in range(9, 0, -1) if str(i) not in queries(data))
    return new, with_rows(data, qrels=(*data.qrels, (new, "a", 1), (new, "b", 0)))


def untied_orders(data: Input) -> dict[str, Input]:
    """Return six copies of an input of one query, by name, whose scores put the tied documents in different orders."""
    rows, rels = data.run, _rels_of(data)
    by_id = sorted(rows, key=lambda row: str(row[1]).encode())
    orders = {
        "of the rows": rows,
        "of the rows backwards": rows[::-1],
        "of descending docids": by_id[::-1],
        "of ascending docids": by_id,
        "best first": sorted(rows, key=lambda row: -rels.get(row[:2], 0)),
        "worst first": sorted(rows, key=lambda row: rels.get(row[:2], 0)),
    }
    return {
        name: ranked(with_scores(data, [float(len(rows) - order.index(row)) for row in rows]))
        for name, order in orders.items()
    }
