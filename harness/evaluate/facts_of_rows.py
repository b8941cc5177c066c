"""The facts of qrels and a run that are there as rows."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from rankproof.evaluate.float_values import FloatValues
from rankproof.evaluate.input_facts import (
    LOOKED_AT,
    FirstQuery,
    InputFacts,
    by_cutoff,
    drawn_candidates,
    parted,
    strict,
)
from rankproof.evaluate.known_exceptions import exceptions_of
from rankproof.evaluate.open_choices import ROWS_AGAIN, OpenChoice, open_of_each
from rankproof.evaluate.tie_ends import TieEnds, tie_ends
from rankproof.inference.data_conditions import RowsByQuery
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection, Worth, put_together
from rankproof.reference_impl.ranking import QueryRow, as_float32


def facts_of_rows(
    collection: Collection,
    tasks: Mapping[str, Signature],
    worths: Mapping[str, Mapping[str, Worth]],
    apart: Callable[[], Sequence[str]] = tuple,
) -> InputFacts:
    """Return the facts of a collection that concern these tasks; `apart` finds the queries whose rows are not together."""
    judged = [query for query, rows in collection.qrels.items() if rows]
    run = [query for query, rows in collection.run.items() if rows]
    common, missing, extra = parted(judged, run)
    ties = _ties(collection, common, tasks, worths)
    rels = [float(judgment.rel) for rows in collection.qrels.values() for judgment in rows]
    first = tuple(
        FirstQuery(
            query,
            {judgment.doc: None for judgment in collection.qrels[query]},
            {row.doc: row.score for row in collection.run[query]},
        )
        for query in common[:LOOKED_AT]
    )
    relevant = {query: {one.doc for one in collection.qrels[query] if one.rel > 0} for query in judged}
    one_each = bool(judged) and all(len(docs) == 1 for docs in relevant.values())
    found = one_each and all(relevant[query] <= {row.doc for row in collection.run[query]} for query in common)
    candidates = drawn_candidates([len(collection.run[query]) for query in common], first, all_found=found)
    return InputFacts(
        len(judged),
        missing,
        extra,
        first,
        _unjudged(collection, common, tasks),
        ties,
        max(rels, default=-math.inf),
        _open(collection, tasks, ties),
        min(rels, default=-math.inf),
        one_each,
        candidates,
        exceptions_of(tasks, lambda: RowsByQuery(collection.qrels, collection.run, apart())),
    )


def _open(
    collection: Collection, tasks: Mapping[str, Signature], ties: Mapping[str, TieEnds]
) -> dict[str, tuple[OpenChoice, ...]]:
    rows = sum(len(one) for side in (collection.qrels, collection.run) for one in side.values())
    return open_of_each(
        tasks, lambda *asked: FloatValues.of(collection.answer(*asked)), ties, ROWS_AGAIN // max(rows, 1)
    )


def _unjudged(collection: Collection, common: list[str], tasks: Mapping[str, Signature]) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for k, task in by_cutoff(tasks.values()).items():
        own, rel = task.measure.conventions(task.conventions), task.measure.rel
        tops = [[doc for _, doc in collection.judged(query, own, rel).strict[:k]] for query in common]
        found[k] = sum(not doc.pooled for top in tops for doc in top), sum(map(len, tops))
    return found


def _ties(
    collection: Collection, common: list[str], tasks: Mapping[str, Signature], worths: Mapping[str, Mapping[str, Worth]]
) -> dict[str, TieEnds]:
    @cache
    def tied(score: str, unretrieved: str) -> list[str]:
        own = STANDARD.replace(score=score, unretrieved=unretrieved)
        return [query for query in common if _may_be_tied(collection.run[query], own)]

    found: dict[str, TieEnds] = {}
    for name, task in strict(tasks).items():
        own = task.measure.conventions(task.conventions)
        if ends := _ends(collection, tied(own.score, own.unretrieved), task, worths[name]):
            found[name] = ends
    return found


def _ends(collection: Collection, tied: list[str], task: Signature, worths: Mapping[str, Worth]) -> TieEnds | None:
    measure, own = task.measure, task.measure.conventions(task.conventions)
    in_groups = own.replace(ties="worst")
    judged = ((query, collection.judged(query, in_groups, measure.rel)) for query in tied)
    return tie_ends(measure, own, judged, lambda ends: put_together(measure, {**worths, **ends}, own).mean)


def _may_be_tied(rows: Sequence[QueryRow], own: Conventions) -> bool:
    scores = [as_float32(row.score) if own.score == "f32" else row.score for row in rows]
    return len(set(scores)) < len(scores) or own.unretrieved == "appended"
