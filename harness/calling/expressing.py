"""Expressing an input in a form: the part of it that a function of that form can be told, or None.

What is left is an input like any other. Most forms are told what another one is, and less: they are made of steps.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.meaning.input_traits import binarised, has_a_doc_twice

LARGEST = 40
"""Rows of a matrix of scores: more would take long, and what they ask a smaller one asks, too."""
STEP, PRIME = 29, 41
"""Multiples of the one, modulo the other, are as many different numbers as the largest matrix has columns."""
Express = Callable[[Input], Input | None]
_Row = tuple[str, float, float]
"""A doc, its rel and its score."""


def _in_steps(*steps: Express) -> Express:
    """What is left of an input after one step after the other; None where one leaves nothing."""

    def express(data: Input) -> Input | None:
        left: Input | None = data
        for step in steps:
            left = None if left is None else step(left)
        return left

    return express


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
    if has_a_doc_twice(data.qrels) or has_a_doc_twice(data.run):
        return None
    places = ((query, place, row) for query, rows in data.scored.items() for place, row in enumerate(rows, start=1))
    return replace(data, run=tuple((query, doc, score, place) for query, place, (doc, score, _) in places))


def as_tuples(data: Input) -> Input | None:
    """Qrels and run as they stand: tuples hold duplicates, but no query without a row."""
    return as_dicts(data) if data.empty_in_qrels or data.empty_in_run else data


def as_frames(data: Input) -> Input | None:
    """Qrels and run as they stand: rows hold duplicates, but no query without a row."""
    whole = data.qrels and data.run and not (data.empty_in_qrels or data.empty_in_run)
    return data if whole else None


def as_labels(data: Input) -> Input | None:
    """Two labelings, as they stand."""
    return data if data.of_labels else None


def _rows_of(data: Input) -> dict[str, list[_Row]]:
    """The rows of the run by query, each with its rel: an unjudged doc has rel 0."""
    rels = {(str(query), str(doc)): rel for query, doc, rel in data.qrels}
    return {
        query: [(str(doc), rels.get((query, str(doc)), 0), score) for doc, score, _ in rows]
        for query, rows in data.scored.items()
    }


def _of_rows(by_query: Mapping[str, Sequence[_Row]]) -> Input:
    """An input of these rows, in which every doc is judged and retrieved."""
    empty = tuple(query for query, rows in by_query.items() if not rows)
    return Input(
        qrels=tuple((query, doc, rel) for query, rows in by_query.items() for doc, rel, _ in rows),
        run=tuple(
            (query, doc, score, place)
            for query, rows in by_query.items()
            for place, (doc, _, score) in enumerate(rows, start=1)
        ),
        empty_in_qrels=empty,
        empty_in_run=empty,
    )


def as_rows(data: Input) -> Input | None:
    """The rows of the run, each with its rel: what was not retrieved is lost, an unjudged doc has rel 0."""
    given = as_dicts(data)  # rows have no ids, so no doc can be there twice
    return _of_rows(_rows_of(given)) if given is not None and given.scored else None


def _without_empty(given: Input) -> Input | None:
    return replace(given, empty_in_qrels=(), empty_in_run=()) if given.run else None


as_batch = _in_steps(as_rows, _without_empty)
"""The rows, without the queries that have none."""


as_places = _in_steps(as_rows, binarised)
"""The rows of each query, of which it is told which are relevant: a rel above 1 is a 1."""


def _of_one_relevant(given: Input) -> Input | None:
    """The queries that have one relevant doc."""
    relevant = [query for query, _, rel in given.qrels if rel >= 1]
    ones = {query for query in relevant if relevant.count(query) == 1}
    if not ones:
        return None
    return Input(
        qrels=tuple(row for row in given.qrels if row[0] in ones),
        run=tuple(row for row in given.run if row[0] in ones),
        empty_in_run=tuple(query for query in given.empty_in_run if query in ones),
    )


as_one_place = _in_steps(as_places, _of_one_relevant)
"""The rows of each query of which one is relevant: the place of that one is all that is told of rels."""


def _relevant_first(given: Input) -> Input:
    return _of_rows({query: sorted(rows, key=lambda row: -row[1]) for query, rows in _rows_of(given).items()})


as_parted = _in_steps(as_places, _relevant_first)
"""The rows of each query, those of relevant docs before all others: how many they are is all that is told of rels."""
as_relevant_first = _in_steps(as_one_place, _relevant_first)
"""The same, the row of the relevant doc before all others: that it is the first is all that is told of rels."""


def _squared(given: Input) -> Input | None:
    rows_of = _rows_of(given)
    flags = {query: [int(rel >= 1) for _, rel, _ in rows] for query, rows in rows_of.items()}
    scores = {query: [score for _, _, score in rows] for query, rows in rows_of.items()}
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
    flagged = [[int(col == at) for col in range(size)] for at in range(size)]
    return _of_rows({f"q{at:02}": list(zip(docs, flagged[at], rows[at], strict=True)) for at in range(size)})


as_similarities = _in_steps(as_rows, _squared)
"""A square matrix of scores, in which the doc that is relevant to a query stands at its own place, and which has no other judgments.

Only queries that retrieve one relevant doc have a row, and only those that retrieve as many docs as the first one. They take turns
until each doc has been relevant once, or the first makes all rows, where that does not come out even: of a query of four docs
there are four rows, in which its scores are turned round.
"""


def _by_rank(row: tuple[object, ...]) -> tuple[object, bytes]:
    """By which rows are sorted, the first rank last: by the score, which stands last in a row, and then by the doc."""
    return row[-1], str(row[0]).encode("utf-8", "surrogatepass")


def _in_rank_order(given: Input) -> Input:
    """Docs are numbered and their scores tell nothing but the rank."""
    ranked = {query: sorted(rows, key=_by_rank, reverse=True) for query, rows in _rows_of(given).items()}
    return _of_rows(
        {
            query: [(f"d{place:03}", rel, 1.0 / place) for place, (_, rel, _) in enumerate(rows, start=1)]
            for query, rows in ranked.items()
        }
    )


as_ranked = _in_steps(as_rows, _in_rank_order)
"""The rels in rank order: docs are numbered and their scores tell nothing but the rank."""


def _last_first(given: Input) -> Input:
    return _of_rows({query: [*rows[-1:], *rows[:-1]] for query, rows in _rows_of(given).items()})


as_ranked_rows = _in_steps(as_ranked, _last_first)
"""The rows with a rank for each in place of a score, in no order: the rows of a query begin with its last rank."""
as_ranks = _in_steps(as_ranked_rows, binarised)
"""The same, of which it is told which are relevant."""


def as_totals(data: Input) -> Input | None:
    """The flags of relevance in rank order, and how many docs are relevant in all: those not retrieved have no place."""
    return _with_unretrieved(binarised(data), bool)


def as_all_rels(data: Input) -> Input | None:
    """The rels in rank order, and those of all judged docs."""
    return _with_unretrieved(data, lambda _rel: True)


def as_rels_by_place(data: Input) -> Input | None:
    """The same, in no order: the judgments of every other doc come first."""
    given = as_all_rels(data)
    if given is None:
        return None
    return _judging(given, [(q, *row) for q, rows in given.judged.items() for row in (*rows[1::2], *rows[::2])])


def _with_unretrieved(data: Input, is_told: Callable[[float], bool]) -> Input | None:
    """The rels in rank order, and after them those of the judged docs that were not retrieved, as far as they are told."""
    ranked = as_ranked(data)
    if ranked is None:
        return None
    retrieved = {(str(query), str(doc)) for query, doc, _, _ in data.run}
    qrels = []
    for query in ranked.scored:
        judged = data.judged.get(query, ())
        left = [rel for doc, rel in judged if (query, str(doc)) not in retrieved and is_told(rel)]
        qrels += [row for row in ranked.qrels if row[0] == query]
        qrels += [(query, f"u{place:03}", rel) for place, rel in enumerate(left, start=1)]
    return _judging(ranked, qrels)


def _judging(given: Input, qrels: Sequence[tuple[Any, Any, float]]) -> Input:
    """The same run, with judgments of its queries; those that have none are said to be without."""
    judged = {row[0] for row in qrels}
    return replace(given, qrels=tuple(qrels), empty_in_qrels=tuple(q for q in given.scored if q not in judged))


def as_ids_by_query(data: Input) -> Input | None:
    """The docs in rank order of each query of the run, and the rels of each query of the qrels."""
    given = _as_text(data)
    if has_a_doc_twice(given.qrels):
        return None
    pairs = {query: [(doc, score) for doc, score, _ in rows] for query, rows in given.scored.items()}
    run = tuple(
        (query, doc, 1.0 / place, place)
        for query, rows in pairs.items()
        for place, (doc, _) in enumerate(sorted(rows, key=_by_rank, reverse=True), start=1)
    )
    return replace(given, run=run, empty_in_run=tuple(query for query in given.empty_in_run if not pairs[str(query)]))


def _of_the_run(given: Input) -> Input | None:
    """What is told of each query of the run."""
    return _judging(given, [row for row in given.qrels if row[0] in given.scored]) if given.scored else None


def _relevant_alone(given: Input) -> Input:
    """The relevant docs alone; a query that has none is one without judgments."""
    relevant = tuple((query, doc, 1) for query, doc, rel in given.qrels if rel >= 1)
    some = {row[0] for row in relevant}
    return replace(given, qrels=relevant, empty_in_qrels=tuple(query for query in given.judged if query not in some))


as_graded_ids = _in_steps(as_ids_by_query, _of_the_run)
"""The docs in rank order, one perhaps twice, and the rel of each judged doc, of each query of the run."""
as_ids = _in_steps(as_graded_ids, _relevant_alone)
"""The docs in rank order and those that are relevant, of each query of the run: which rel a doc has is lost."""
as_relevant_by_query = _in_steps(as_ids_by_query, _relevant_alone)
"""The docs in rank order of each query of the run, and the relevant docs of each query of the qrels."""
as_one_id = _in_steps(as_ids, _of_one_relevant)
"""The docs in rank order of each query that has one relevant doc, and that doc."""
as_scored_ids = _in_steps(as_dicts, _of_the_run)
"""The rel of each judged doc and the score of each retrieved one, of each query of the run."""
as_relevant_and_scored = _in_steps(as_scored_ids, _relevant_alone)
"""The relevant docs and the scores of the retrieved ones, of each query of the run: which rel a doc has is lost."""
as_one_and_scored = _in_steps(as_relevant_and_scored, _of_one_relevant)
"""The scores of the retrieved docs of each query that has one relevant doc, and that doc."""
as_relevant_and_scored_by_query = _in_steps(as_dicts, _relevant_alone)
"""The scores of the retrieved docs of each query of the run, and the relevant docs of each query of the qrels."""


def _each_doc_once(given: Input) -> Input | None:
    return None if has_a_doc_twice(given.run) else given


def _that_find_it(given: Input) -> Input | None:
    """The queries that retrieve their relevant doc."""
    relevant = {row[:2] for row in given.qrels}
    found = {row[0] for row in given.run if row[:2] in relevant}
    run = tuple(row for row in given.run if row[0] in found)
    return Input(qrels=tuple(row for row in given.qrels if row[0] in found), run=run) if run else None


as_rank_or_none = _in_steps(as_one_id, _each_doc_once)
"""The rank of the only relevant doc, of each query that has one, whether or not it is retrieved."""
as_rank = _in_steps(as_one_id, _that_find_it, _each_doc_once)
"""The rank of the only relevant doc, of each query that has one and retrieves it."""


def _with_relevant_rows(given: Input) -> Input | None:
    return replace(given, empty_in_qrels=()) if given.qrels else None


as_files = _in_steps(as_frames, _as_text)
"""The same with ids that are text, as a file has them."""
as_ranked_files = _in_steps(as_relevant_by_query, _with_relevant_rows, as_frames)
"""The rows of the run in rank order, and of the qrels those of relevant docs."""
as_relevant_frames = _in_steps(as_frames, _as_text, _relevant_alone, _with_relevant_rows)
"""The rows of the run as they stand, and of the qrels those of relevant docs."""
