"""The facts of qrels and a run that are there as columns: of docs without a judgment nothing is looked at but how many they are."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import compress
from typing import Generic, TypeVar

import numpy as np

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, NotColumnar, RefusedColumns, begins
from rankproof.evaluate.fast.float_answers import Columns, answers_of, at_end, in_floats_of, is_separable
from rankproof.evaluate.fast.judged_columns import UNJUDGED, JudgedColumns, SettledColumns
from rankproof.evaluate.fast.numpy_queries import ColumnQueries
from rankproof.evaluate.fast.row_columns import Ids
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
from rankproof.evaluate.open_choices import ROWS_AGAIN, OpenChoice, Unmeasured, open_of_each
from rankproof.evaluate.tie_ends import Ends, TieEnds, is_by_merit, tie_ends
from rankproof.inference.data_conditions import RowsByQuery
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.all_queries import NoFloatForm
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Worth
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rejected
from rankproof.reference_impl.ties import TooManyOrders

FAR, NEAR, LEAST = 1e-11, 1e-13, 1e-16
"""Floats that differ by more than the first are different numbers; those that differ by less, the second relatively, are the same."""
Made = TypeVar("Made", Judgment, QueryRow)
MOST_AGAIN = 64
"""By so many other conventions a measure is measured again, where nothing decided which it follows."""


def facts_of_columns(
    columns: Columns, tasks: Mapping[str, Signature], apart: Callable[[], Sequence[str]] = tuple
) -> InputFacts:
    """Return the facts of the columns that concern these tasks; `apart` finds the queries whose rows are not together."""
    given = columns.given
    judged = [query for query, n in zip(given.qrels.queries, columns.judged_docs.tolist(), strict=False) if n]
    run = [query for query, n in zip(given.run.queries, given.run.sizes.tolist(), strict=True) if n]
    common, missing, extra = parted(judged, run)
    unjudged = {k: _unjudged(columns, k, task) for k, task in by_cutoff(tasks.values()).items()}
    ends = {name: _ends(columns, task) for name, task in strict(tasks).items()}
    ties = {name: end for name, end in ends.items() if end is not None}
    first = tuple(_first(given, query) for query in common[:LOOKED_AT])
    one_each, candidates = _one_relevant(columns, first)
    return InputFacts(
        len(judged),
        missing,
        extra,
        first,
        unjudged,
        ties,
        float(given.qrels.rels.max(initial=-math.inf)),
        _open(columns, tasks, ties),
        float(given.qrels.rels.min()) if len(given.qrels.rels) else -math.inf,
        one_each,
        candidates,
        exceptions_of(tasks, lambda: _by_query(given, apart())),
    )


def _by_query(given: SettledColumns, apart: Sequence[str]) -> RowsByQuery:
    qrels, run = given.qrels, given.run
    starts = np.searchsorted(qrels.query, np.arange(len(qrels.queries) + 1))
    judgments = _PerQuery(qrels.queries, starts, qrels.docs, qrels.rels, Judgment)
    return RowsByQuery(judgments, _PerQuery(run.queries, run.starts, run.docs, run.scores, QueryRow), apart)


class _PerQuery(Mapping[str, Sequence[Made]], Generic[Made]):
    """The rows of each query, made when they are read."""

    def __init__(
        self, queries: Sequence[str], starts: Ints, docs: Ids, values: Floats, made: Callable[[str, float], Made]
    ) -> None:
        self._place = {query: place for place, query in enumerate(queries)}
        self._starts, self._docs, self._values = starts, docs, values
        self._made: Callable[[str, float], Made] = made

    def __getitem__(self, query: str) -> Sequence[Made]:
        low, high = self._starts[(at := self._place[query]) : at + 2].tolist()
        docs = self._docs.listed(np.arange(low, high))
        return list(map(self._made, docs, self._values[low:high].tolist()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)


def _one_relevant(columns: Columns, first: Sequence[FirstQuery]) -> tuple[bool, int]:
    """Whether each judged query has exactly one relevant doc, and how many candidates seem to be drawn for each."""
    given = columns.given
    is_relevant = given.qrels.rels > 0
    relevant = np.bincount(given.qrels.query[is_relevant], minlength=len(given.queries))
    judged = columns.judged_docs > 0
    one_each = bool(judged.any()) and bool((relevant[judged] == 1).all())
    of_run = given.of_run
    common = judged[of_run] & (given.run.sizes > 0)
    retrieved = np.bincount(given.run.query[is_relevant[given.run.judgments]], minlength=len(given.run.queries))
    found = one_each and bool((retrieved == relevant[of_run])[common].all())
    return one_each, drawn_candidates(given.run.sizes[common].tolist(), first, all_found=found)


def _open(
    columns: Columns, tasks: Mapping[str, Signature], ties: Mapping[str, TieEnds]
) -> dict[str, tuple[OpenChoice, ...]]:
    rows = int(columns.given.run.sizes.sum()) + len(columns.given.qrels.query)

    def measured(measure: Measure, conventions: Conventions) -> FloatValues:
        if rows > ROWS_AGAIN and in_floats_of(measure, measure.conventions(conventions)) is None:
            raise Unmeasured
        try:
            return answers_of(columns, {"": (measure, conventions)}).of[""]
        except RefusedColumns as error:
            raise Rejected("", "a convention refuses these columns") from error
        except (NotColumnar, TooManyOrders) as error:
            raise Unmeasured from error

    return open_of_each(tasks, measured, ties, MOST_AGAIN)


def _first(given: SettledColumns, query: str) -> FirstQuery:
    low, high = np.searchsorted(given.qrels.query, [place := given.queries[query], place + 1]).tolist()
    judged = dict.fromkeys(given.qrels.docs.listed(np.arange(low, high)))
    start, end = given.run.starts[(at := given.place_in_run[query]) : at + 2].tolist()
    docs = given.run.docs.listed(np.arange(start, end))
    return FirstQuery(query, judged, dict(zip(docs, given.run.scores[start:end].tolist(), strict=True)))


def _unjudged(columns: Columns, k: int, task: Signature) -> tuple[int, int]:
    docs = columns.docs(task.measure.conventions(task.conventions))
    within = docs.rank <= k
    has_judgments = columns.judged_docs[columns.given.of_run] > 0
    count = int(np.minimum(docs.sizes, k)[has_judgments].sum())
    return count - int(within.sum()), count


def _ends(columns: Columns, task: Signature) -> TieEnds | None:
    """What the order of tied docs can change: in floats if these suffice to tell that it does."""
    measure, own = task.measure, task.measure.conventions(task.conventions)
    top = columns.top(own, measure.rel)
    if not top.has_ties.any():
        return None
    known, left = _in_floats(top, measure, own)
    judged = ((query, columns.judged_query(query, own, measure.rel)) for query in compress(top.queries, left))
    return tie_ends(measure, own, judged, lambda ends: columns.mean_with(measure, own, ends), known)


def _in_floats(top: JudgedColumns, measure: Measure, own: Conventions) -> tuple[dict[str, Ends], Bools]:
    """Return the ends that floats show to differ, and the queries whose ends floats cannot decide."""
    definition, formula = measure.definition, in_floats_of(measure, own)
    if formula is None or not is_by_merit(measure, own):
        return {}, _with_mixed_groups(top, measure.k, top.docs.rel, math.nan)
    arguments = definition.arguments(own, measure.arguments)
    merit = ColumnQueries(top, measure.k).of_docs(definition.merit, **arguments).value
    mixed = _with_mixed_groups(top, measure.k, merit, float(definition.merit(UNJUDGED, **arguments)))
    if not mixed.any():
        return {}, mixed
    try:
        worst, best = (at_end(formula, top, measure, arguments, best=best) for best in (False, True))
    except NoFloatForm:
        return {}, mixed
    is_sure = mixed & is_separable(top, measure, arguments) & np.isfinite(worst) & np.isfinite(best)
    with np.errstate(invalid="ignore"):
        gap, size = np.abs(best - worst), np.maximum(np.abs(best), np.abs(worst))
    differ = is_sure & (gap > FAR * np.maximum(size, 1))
    ends = zip(compress(top.queries, differ), worst[differ].tolist(), best[differ].tolist(), strict=True)
    known = {query: (_worth(low), _worth(high)) for query, low, high in ends}
    return known, mixed & ~differ & ~(is_sure & (gap <= np.maximum(NEAR * size, LEAST)))


def _worth(value: float) -> Worth:
    return Worth(Fraction(value), Fraction(value))


def _with_mixed_groups(top: JudgedColumns, k: int | None, value: Floats, of_unjudged: float) -> Bools:
    """The queries with a tie group that begins within the cutoff and has docs of different values."""
    tied = np.flatnonzero(top.tied > 1)
    query, value = top.docs.query[tied], value[tied]
    first = np.flatnonzero(begins(query, top.above[tied]))
    lowest, highest = np.minimum.reduceat(value, first), np.maximum.reduceat(value, first)
    whole = top.tied[tied][first] == np.diff(np.append(first, len(tied)))
    alike = (lowest == highest) & (whole | (lowest == of_unjudged))  # never of what has no rel
    begun = True if k is None else top.above[tied][first] < k
    return np.asarray(np.bincount(query[first][~alike & begun], minlength=top.count) > 0)
