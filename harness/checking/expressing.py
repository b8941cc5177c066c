"""Expressing a case in a form: the part of it that a function of that form can be told, or None.

What is left is a case like any other.
"""

from collections.abc import Sequence
from dataclasses import replace

from rankproof.cases import Case


def as_rows(case: Case) -> Case | None:
    """The rows of the run, each with its rel: what was not retrieved is lost, an unjudged doc has rel 0."""
    pairs = [(str(query), str(doc)) for query, doc, _ in case.qrels]
    rows = [(str(query), str(doc), score) for query, doc, score, _ in case.run]
    if len(set(pairs)) < len(pairs) or len({row[:2] for row in rows}) < len(rows):
        return None  # rows have no ids, so no doc can be there twice
    rels = {pair: rel for pair, (_, _, rel) in zip(pairs, case.qrels, strict=True)}
    empty = tuple(str(query) for query in case.empty_in_run if str(query) not in {row[0] for row in rows})
    if not rows and not empty:
        return None
    return _narrowed(case, [(query, doc, rels.get((query, doc), 0), score) for query, doc, score in rows], empty)


def _narrowed(case: Case, rows: Sequence[tuple[str, str, float, float]], empty: tuple[str, ...]) -> Case:
    """A case of these rows (query, doc, rel, score), in which every doc is judged and retrieved."""
    rows = [row for query in dict.fromkeys(row[0] for row in rows) for row in rows if row[0] == query]
    places = [sum(other[0] == row[0] for other in rows[: i + 1]) for i, row in enumerate(rows)]
    return replace(
        case,
        qrels=tuple((query, doc, rel) for query, doc, rel, _ in rows),
        run=tuple((query, doc, score, place) for (query, doc, _, score), place in zip(rows, places, strict=True)),
        empty_in_qrels=empty,
        empty_in_run=empty,
    )


def as_ranked(case: Case) -> Case | None:
    """The rels in rank order: docs are numbered and their scores tell nothing but the rank."""
    given = as_rows(case)
    if given is None:
        return None
    rels = {(query, doc): rel for query, doc, rel in given.qrels}
    by_rank = sorted(given.run, key=lambda row: (row[2], _bytes(row[1])), reverse=True)
    places: dict[object, int] = {}
    rows = []
    for query, doc, _, _ in by_rank:
        places[query] = place = places.get(query, 0) + 1
        rows.append((str(query), f"d{place:03}", rels[query, doc], 1.0 / place))
    in_order = sorted(rows, key=lambda row: [str(query) for query in given.queries].index(row[0]))
    return _narrowed(case, in_order, tuple(str(query) for query in given.empty_in_run))


def as_batch(case: Case) -> Case | None:
    """The rows, without the queries that have none."""
    given = as_rows(case)
    return replace(given, empty_in_qrels=(), empty_in_run=()) if given is not None and given.run else None


def as_ids(case: Case) -> Case | None:
    """The docs in rank order and those that are relevant, of each query of the run: which rel a doc has is lost."""
    given = as_dicts(case)
    if given is None or not (given.run or given.empty_in_run):
        return None
    retrieved = dict.fromkeys([*(str(row[0]) for row in given.run), *map(str, given.empty_in_run)])
    relevant = tuple((query, doc, 1) for query, doc, rel in given.qrels if rel >= 1 and query in retrieved)
    by_rank = sorted(given.run, key=lambda row: (row[2], _bytes(row[1])), reverse=True)
    ranked = [(query, [doc for q, doc, _, _ in by_rank if q == query]) for query in retrieved]
    return replace(
        given,
        qrels=relevant,
        run=tuple((query, doc, 1.0 / place, place) for query, docs in ranked for place, doc in enumerate(docs, 1)),
        empty_in_qrels=tuple(query for query in retrieved if query not in {row[0] for row in relevant}),
        empty_in_run=tuple(query for query, docs in ranked if not docs),
    )


def _bytes(doc: object) -> bytes:
    return str(doc).encode("utf-8", "surrogatepass")


def as_dicts(case: Case) -> Case | None:
    """Qrels and run, if no doc stands there twice, with the rows of a query together.

    Ids are text, as read from a file: whether a number is one is the caller's choice.
    """
    case = replace(
        case,
        qrels=tuple((str(query), str(doc), rel) for query, doc, rel in case.qrels),
        run=tuple((str(query), str(doc), score, rank) for query, doc, score, rank in case.run),
        empty_in_qrels=tuple(map(str, case.empty_in_qrels)),
        empty_in_run=tuple(map(str, case.empty_in_run)),
    )
    if len({row[:2] for row in case.qrels}) < len(case.qrels) or len({row[:2] for row in case.run}) < len(case.run):
        return None
    order = list(dict.fromkeys([*(row[0] for row in case.run)]))
    rows = sorted(case.run, key=lambda row: order.index(row[0]))
    places = [sum(other[0] == row[0] for other in rows[: i + 1]) for i, row in enumerate(rows)]
    return replace(case, run=tuple((*row[:3], place) for row, place in zip(rows, places, strict=True)))


def as_tuples(case: Case) -> Case | None:
    """Qrels and run as they stand: tuples hold duplicates, but no query without a row."""
    return as_dicts(case) if case.empty_in_qrels or case.empty_in_run else case


def as_labels(case: Case) -> Case | None:
    """Two labelings, as they stand."""
    return case if case.of_labels else None
