"""Expressing an input in a form: the part of it that a function of that form can be told, or None.

What is left is an input like any other.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from rankproof.cases.inputs import Input

LARGEST = 40
"""Rows of a matrix of scores: more would take long, and what they ask a smaller one asks, too."""
STEP, PRIME = 29, 41
"""Multiples of the one, modulo the other, are as many different numbers as the largest matrix has columns."""


def as_rows(data: Input) -> Input | None:
    """The rows of the run, each with its rel: what was not retrieved is lost, an unjudged doc has rel 0."""
    pairs = [(str(query), str(doc)) for query, doc, _ in data.qrels]
    rows = [(str(query), str(doc), score) for query, doc, score, _ in data.run]
    if len(set(pairs)) < len(pairs) or len({row[:2] for row in rows}) < len(rows):
        return None  # rows have no ids, so no doc can be there twice
    rels = {pair: rel for pair, (_, _, rel) in zip(pairs, data.qrels, strict=True)}
    empty = tuple(str(query) for query in data.empty_in_run if str(query) not in {row[0] for row in rows})
    if not rows and not empty:
        return None
    return _narrowed([(query, doc, rels.get((query, doc), 0), score) for query, doc, score in rows], empty)


def _narrowed(rows: Sequence[tuple[str, str, float, float]], empty: tuple[str, ...]) -> Input:
    """An input of these rows (query, doc, rel, score), in which every doc is judged and retrieved."""
    by_query: dict[str, list[tuple[str, str, float, float]]] = {}
    for row in rows:
        by_query.setdefault(row[0], []).append(row)
    return Input(
        qrels=tuple((query, doc, rel) for of_query in by_query.values() for query, doc, rel, _ in of_query),
        run=tuple(
            (query, doc, score, place)
            for of_query in by_query.values()
            for place, (query, doc, _, score) in enumerate(of_query, start=1)
        ),
        empty_in_qrels=empty,
        empty_in_run=empty,
    )


def as_one_place(data: Input) -> Input | None:
    """The rows of each query of which one is relevant: the place of that one is all that is told of rels."""
    given = as_rows(data)
    if given is None:
        return None
    relevant = [query for query, _, rel in given.qrels if rel >= 1]
    ones = {query for query in relevant if relevant.count(query) == 1}
    if not ones:
        return None
    return Input(
        qrels=tuple((query, doc, int(rel >= 1)) for query, doc, rel in given.qrels if query in ones),
        run=tuple(row for row in given.run if row[0] in ones),
    )


def as_places(data: Input) -> Input | None:
    """The rows of each query, of which it is told which are relevant: a rel above 1 is a 1."""
    given = as_rows(data)
    if given is None:
        return None
    return replace(given, qrels=tuple((query, doc, int(rel >= 1)) for query, doc, rel in given.qrels))


def as_ranks(data: Input) -> Input | None:
    """The same with a rank for each row in place of a score, in no order: the rows of a query begin with its last rank."""
    given = as_ranked_rows(data)
    if given is None:
        return None
    return replace(given, qrels=tuple((query, doc, int(rel >= 1)) for query, doc, rel in given.qrels))


def as_ranked_rows(data: Input) -> Input | None:
    """The rows with a rank for each in place of a score, in no order: the rows of a query begin with its last rank."""
    given = as_ranked(data)
    if given is None:
        return None
    rels = {(query, doc): rel for query, doc, rel in given.qrels}
    rows = [(str(row[0]), str(row[1]), rels[row[:2]], row[2]) for row in given.run]
    turned = [row for query in given.queries for row in _turned([row for row in rows if row[0] == str(query)])]
    return _narrowed(turned, tuple(map(str, given.empty_in_run)))


def _turned(rows: Sequence[tuple[str, str, float, float]]) -> list[tuple[str, str, float, float]]:
    return [*rows[-1:], *rows[:-1]]


def as_ranked(data: Input) -> Input | None:
    """The rels in rank order: docs are numbered and their scores tell nothing but the rank."""
    given = as_rows(data)
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
    return _narrowed(in_order, tuple(str(query) for query in given.empty_in_run))


def as_batch(data: Input) -> Input | None:
    """The rows, without the queries that have none."""
    given = as_rows(data)
    return replace(given, empty_in_qrels=(), empty_in_run=()) if given is not None and given.run else None


def as_totals(data: Input) -> Input | None:
    """The flags of relevance in rank order, and how many docs are relevant in all: those not retrieved have no place."""
    return _with_unretrieved(data, lambda rel: int(rel >= 1), is_told=bool)


def as_all_rels(data: Input) -> Input | None:
    """The rels in rank order, and those of all judged docs."""
    return _with_unretrieved(data, lambda rel: rel, is_told=lambda _rel: True)


def _with_unretrieved(data: Input, told: Callable[[float], float], *, is_told: Callable[[float], bool]) -> Input | None:
    """The rels in rank order, and after them those of the judged docs that were not retrieved, as far as they are told."""
    ranked = as_ranked(data)
    if ranked is None:
        return None
    queries = {str(query) for query in ranked.queries}
    retrieved = {(str(query), str(doc)) for query, doc, _, _ in data.run}
    left: dict[str, int] = {}
    rows = []
    for query, doc, rel in data.qrels:
        if str(query) in queries and (str(query), str(doc)) not in retrieved and is_told(told(rel)):
            left[str(query)] = place = left.get(str(query), 0) + 1
            rows.append((str(query), f"u{place:03}", told(rel)))
    own = [(query, doc, told(rel)) for query, doc, rel in ranked.qrels]
    in_order = sorted([*own, *rows], key=lambda row: [str(query) for query in ranked.queries].index(str(row[0])))
    empty = tuple(query for query in ranked.empty_in_qrels if query not in left)
    return replace(ranked, qrels=tuple(in_order), empty_in_qrels=empty)


def as_ids(data: Input) -> Input | None:
    """The docs in rank order and those that are relevant, of each query of the run: which rel a doc has is lost."""
    return _binary(as_graded_ids(data))


def as_graded_ids(data: Input) -> Input | None:
    """The docs in rank order, one perhaps twice, and the rel of each judged doc, of each query of the run."""
    given = as_ids_by_query(data)
    if given is None or not (given.run or given.empty_in_run):
        return None
    retrieved = list(dict.fromkeys([*(row[0] for row in given.run), *given.empty_in_run]))
    qrels = tuple(row for row in given.qrels if row[0] in retrieved)
    empty = tuple(query for query in retrieved if query not in {row[0] for row in qrels})
    return replace(given, qrels=qrels, empty_in_qrels=empty)


def as_relevant_by_query(data: Input) -> Input | None:
    """The docs in rank order of each query of the run, and the relevant docs of each query of the qrels."""
    return _binary(as_ids_by_query(data))


def as_ids_by_query(data: Input) -> Input | None:
    """The docs in rank order of each query of the run, and the rels of each query of the qrels."""
    given = _as_text(data)
    if len({row[:2] for row in given.qrels}) < len(given.qrels):
        return None
    by_rank = sorted(given.run, key=lambda row: (row[2], _bytes(row[1])), reverse=True)
    order = list(dict.fromkeys(row[0] for row in given.run))
    ranked = [(query, [doc for q, doc, _, _ in by_rank if q == query]) for query in order]
    run = tuple((query, doc, 1.0 / place, place) for query, docs in ranked for place, doc in enumerate(docs, 1))
    return replace(given, run=run, empty_in_run=tuple(query for query in given.empty_in_run if query not in order))


def as_one_id(data: Input) -> Input | None:
    """The docs in rank order of each query that has one relevant doc, and that doc."""
    given = as_ids(data)
    if given is None:
        return None
    relevant = [row[0] for row in given.qrels]
    ones = {query for query in relevant if relevant.count(query) == 1}
    if not ones:
        return None
    return Input(
        qrels=tuple(row for row in given.qrels if row[0] in ones),
        run=tuple(row for row in given.run if row[0] in ones),
        empty_in_run=tuple(query for query in given.empty_in_run if query in ones),
    )


def as_rank(data: Input) -> Input | None:
    """The rank of the only relevant doc, of each query that has one and retrieves it."""
    given = as_one_id(data)
    if given is None:
        return None
    found = {row[0] for row in given.run if any(row[:2] == one[:2] for one in given.qrels)}
    run = tuple(row for row in given.run if row[0] in found)
    once = len({row[:2] for row in run}) == len(run)
    return Input(qrels=tuple(row for row in given.qrels if row[0] in found), run=run) if run and once else None


def as_rank_or_none(data: Input) -> Input | None:
    """The rank of the only relevant doc, of each query that has one, whether or not it is retrieved."""
    given = as_one_id(data)
    return None if given is None or len({row[:2] for row in given.run}) < len(given.run) else given


def as_similarities(data: Input) -> Input | None:
    """A square matrix of scores, in which the doc that is relevant to a query stands at its own place, and which has no other judgments.

    Only queries that retrieve one relevant doc have a row, and only those that retrieve as many docs as the first one. They take turns
    until each doc has been relevant once, or the first makes all rows, where that does not come out even: of a query of four docs
    there are four rows, in which its scores are turned round.
    """
    given = as_rows(data)
    if given is None:
        return None
    flags: dict[str, list[int]] = {}
    scores: dict[str, list[float]] = {}
    for (query, _, rel), (_, _, score, _) in zip(given.qrels, given.run, strict=True):
        flags.setdefault(str(query), []).append(int(rel >= 1))
        scores.setdefault(str(query), []).append(score)
    ones = [query for query, each in flags.items() if sum(each) == 1]
    turns = [query for query in ones if len(scores[query]) == len(scores[ones[0]])]
    size = len(scores[turns[0]]) if turns else 0
    if not 0 < size <= LARGEST:
        return None
    turns = turns if size % len(turns) == 0 else turns[:1]
    rows = [
        scores[query][(start := flags[query].index(1) - at % size) :] + scores[query][:start]
        for at, query in enumerate(turns * (size // len(turns)))
    ]
    # In no order of their own, so that the order of the docs' ids is not that of their places.
    docs = [f"d{at * STEP % PRIME:02}" for at in range(size)]
    return Input(
        qrels=tuple((f"q{at:02}", doc, int(doc == docs[at])) for at in range(size) for doc in docs),
        run=tuple(
            (f"q{at:02}", docs[col], score, col + 1) for at, row in enumerate(rows) for col, score in enumerate(row)
        ),
    )


def as_relevant_and_scored(data: Input) -> Input | None:
    """The relevant docs and the scores of the retrieved ones, of each query of the run: which rel a doc has is lost."""
    return _binary(as_scored_ids(data))


def as_relevant_and_scored_by_query(data: Input) -> Input | None:
    """The scores of the retrieved docs of each query of the run, and the relevant docs of each query of the qrels."""
    return _binary(as_dicts(data))


def as_scored_ids(data: Input) -> Input | None:
    """The rel of each judged doc and the score of each retrieved one, of each query of the run."""
    given = as_dicts(data)
    if given is None or not (given.run or given.empty_in_run):
        return None
    retrieved = list(dict.fromkeys([*(row[0] for row in given.run), *given.empty_in_run]))
    qrels = tuple(row for row in given.qrels if row[0] in retrieved)
    return replace(given, qrels=qrels, empty_in_qrels=tuple(q for q in retrieved if q not in {row[0] for row in qrels}))


def _binary(given: Input | None) -> Input | None:
    """The relevant docs alone; a query that has none is one without judgments."""
    if given is None:
        return None
    judged = list(dict.fromkeys([*(str(row[0]) for row in given.qrels), *map(str, given.empty_in_qrels)]))
    relevant = tuple((query, doc, 1) for query, doc, rel in given.qrels if rel >= 1)
    empty = tuple(query for query in judged if query not in {row[0] for row in relevant})
    return replace(given, qrels=relevant, empty_in_qrels=empty)


def _bytes(doc: object) -> bytes:
    return str(doc).encode("utf-8", "surrogatepass")


def _as_text(data: Input) -> Input:
    """Ids are text, as read from a file: whether a number is one is the caller's choice."""
    return replace(
        data,
        qrels=tuple((str(query), str(doc), rel) for query, doc, rel in data.qrels),
        run=tuple((str(query), str(doc), score, rank) for query, doc, score, rank in data.run),
        empty_in_qrels=tuple(map(str, data.empty_in_qrels)),
        empty_in_run=tuple(map(str, data.empty_in_run)),
    )


def as_dicts(data: Input) -> Input | None:
    """Qrels and run, if no doc stands there twice, with the rows of a query together."""
    data = _as_text(data)
    if len({row[:2] for row in data.qrels}) < len(data.qrels) or len({row[:2] for row in data.run}) < len(data.run):
        return None
    order = list(dict.fromkeys([*(row[0] for row in data.run)]))
    rows = sorted(data.run, key=lambda row: order.index(row[0]))
    places = [sum(other[0] == row[0] for other in rows[: i + 1]) for i, row in enumerate(rows)]
    return replace(data, run=tuple((*row[:3], place) for row, place in zip(rows, places, strict=True)))


def as_frames(data: Input) -> Input | None:
    """Qrels and run as they stand: rows hold duplicates, but no query without a row."""
    whole = data.qrels and data.run and not (data.empty_in_qrels or data.empty_in_run)
    return data if whole else None


def as_relevant_frames(data: Input) -> Input | None:
    """The rows of the run as they stand, and of the qrels those of relevant docs."""
    whole = as_frames(data)
    told = None if whole is None else _binary(_as_text(whole))
    return None if told is None or not told.qrels else replace(told, empty_in_qrels=(), empty_in_run=())


def as_tuples(data: Input) -> Input | None:
    """Qrels and run as they stand: tuples hold duplicates, but no query without a row."""
    return as_dicts(data) if data.empty_in_qrels or data.empty_in_run else data


def as_labels(data: Input) -> Input | None:
    """Two labelings, as they stand."""
    return data if data.of_labels else None
