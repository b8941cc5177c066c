"""The facts of qrels and a run that are there as rows."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rankproof.evaluating.float_values import FloatValues
from rankproof.evaluating.input_facts import (
    LOOKED_AT,
    FirstQuery,
    InputFacts,
    TieEnds,
    by_cutoff,
    drawn_candidates,
    parted,
    strict,
)
from rankproof.evaluating.known_exceptions import exceptions_of
from rankproof.evaluating.open_choices import ROWS_AGAIN, OpenChoice, Unmeasured, open_of_each
from rankproof.inference.data_conditions import RowsByQuery
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection, Worth, put_together
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import as_float32
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.reference_impl.unusable import Unusable

FEW, SHARE = 20, 20
"""So many queries, or one of so many, are measured again in the worst and in the best order; more would take as long as all measuring."""


def facts_of_rows(
    collection: Collection,
    tasks: Mapping[str, Signature],
    worths: Mapping[str, Mapping[str, Worth]],
    apart: Callable[[], Sequence[str]] = tuple,
) -> InputFacts:
    """What a collection has, of which these tasks were measured; `apart` finds the queries whose rows do not stand together."""
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

    def measured(measure: Measure, conventions: Conventions) -> FloatValues:
        try:
            return FloatValues.of(collection.answer(measure, conventions))
        except TooManyOrders as error:
            raise Unmeasured from error

    return open_of_each(tasks, measured, ties, ROWS_AGAIN // max(rows, 1))


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
    found: dict[str, TieEnds] = {}
    first: dict[tuple[str, ...], dict[str, int]] = {}
    for name, task in strict(tasks).items():
        own, k = task.measure.conventions(task.conventions), task.measure.k
        key = own.score, own.score_sign, own.unjudged
        if key not in first:
            every = ((query, _first_tied(collection, query, own)) for query in common)
            first[key] = {query: above for query, above in every if above is not None}
        tied = [query for query, above in first[key].items() if k is None or above < k]
        if tied and (ends := _ends(collection, task, worths[name], tied)).queries:
            found[name] = ends
    return found


def _first_tied(collection: Collection, query: str, own: Conventions) -> int | None:
    """How many docs stand above the first judged doc that is tied with another one; none are sure to where unjudged docs are removed."""
    rows = collection.run[query]
    scores: Sequence[float] = [row.score for row in rows]
    if own.score == "f32":
        scores = list(map(as_float32, scores))
    if own.score_sign == "positive":
        rows, scores = [row for row in rows if row.score > 0], [score for score in scores if score > 0]
    if len(set(scores)) == len(scores):
        return None
    judged = {judgment.doc for judgment in collection.qrels[query]}
    often = Counter(scores)
    tied = [score for row, score in zip(rows, scores, strict=True) if often[score] > 1 and row.doc in judged]
    if not tied:
        return None
    return 0 if own.unjudged == "removed" else sum(score > max(tied) for score in scores)


def _ends(collection: Collection, task: Signature, worths: Mapping[str, Worth], tied: list[str]) -> TieEnds:
    unmeasured = TieEnds(len(tied))
    if not task.measure.definition.monotone or len(tied) > max(FEW, len(worths) // SHARE):
        return unmeasured
    own = task.measure.conventions(task.conventions)

    def at(end: str) -> dict[str, Worth]:
        return {query: collection.worth(query, task.measure, own.replace(ties=end)) for query in tied}

    try:
        lowest, highest = at("worst"), at("best")
    except Unusable:  # there are too many orders, or the conventions refuse one
        return unmeasured
    worst, best = (to_float(put_together(task.measure, {**worths, **end}, own).mean) for end in (lowest, highest))
    if math.isnan(worst) or math.isnan(best):
        return unmeasured
    return TieEnds(sum(lowest[query] != highest[query] for query in tied), worst, best)
