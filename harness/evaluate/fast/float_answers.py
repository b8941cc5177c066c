"""Aggregate: the values of all queries by the quickest way that holds for each.

    the measure has a formula in floats that knows all its conventions  ──► its values, for the queries in which nothing is odd
    anything else about a measure, or a query                           ──► the readable formula, on the judged docs that columns found
    anything else about order and judgment                              ──► the readable path, from the rows

What a query without judgments, docs or relevant docs is worth is said in one place, `rankproof.reference_impl.evaluation`.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np

from rankproof.evaluate.fast import docs_in_order, judged_columns
from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, NotColumnar
from rankproof.evaluate.fast.docs_in_order import DocsInOrder, in_order
from rankproof.evaluate.fast.judged_columns import (
    JudgedColumns,
    Judgments,
    SettledColumns,
    judged,
    judged_query,
    judgments_of,
)
from rankproof.evaluate.fast.numpy_queries import ColumnQueries
from rankproof.evaluate.float_values import FloatValues
from rankproof.evaluate.measurable import Measurable, measurable
from rankproof.reference_impl.all_queries import NO_RELEVANT, NoFloatForm
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.definition import Definition, Ratio
from rankproof.reference_impl.evaluation import LEAST, Collection, Worth, put_together, worth_by
from rankproof.reference_impl.exact import Overflow, to_float, written
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Doc, Judged, Rel
from rankproof.reference_impl.ties import OVER_ORDERS, value_of

KNOWN = docs_in_order.KNOWN | judged_columns.KNOWN
InFloats: TypeAlias = Callable[..., Any]
_LEAST = float(LEAST)
_AGGREGATE = {
    "missing",
    "no_judgments",
    "extra",
    "norel",
    "allrel",
    "empty",
    "nohit",
    "single",
    "short",
    "mean",
    "no_query",
}
_of_order = attrgetter(*(name for name, axis in AXES.items() if axis.stage == "order"))
_before_the_formula = attrgetter(*(name for name, axis in AXES.items() if axis.stage in {"order", "judge"}))


@dataclass(frozen=True)
class Columns:
    """Qrels and a run as columns, and what of them was settled once for several measures."""

    given: SettledColumns
    _ordered: dict[object, DocsInOrder] = field(default_factory=dict)
    _judged: dict[object, JudgedColumns] = field(default_factory=dict)
    _lines: dict[object, Judgments] = field(default_factory=dict)
    counted: dict[object, tuple[Floats, Bools]] = field(default_factory=dict)
    """Of each measure under its conventions: the value of each query, and whether it entered the mean."""

    @cached_property
    def collection(self) -> Collection:
        """The same for the readable formulas."""
        counts = np.bincount(self.given.qrels.query, minlength=len(self.given.qrels.queries)).tolist()
        qrels = {query: range(n) for query, n in zip(self.given.qrels.queries, counts, strict=True)}
        run = {query: range(n) for query, n in zip(self.given.run.queries, self.given.run.sizes.tolist(), strict=True)}
        return Collection(qrels, run, judge_query=self.judged_query)  # type: ignore[arg-type]  # only whether they have rows

    @cached_property
    def judged_docs(self) -> Ints:
        """How many judgments each query has."""
        return np.bincount(self.given.qrels.query, minlength=len(self.given.queries))

    def queries(self, conventions: Conventions) -> list[str]:
        """The queries that are judged or ranked."""
        empty = (self.given.run.sizes == 0).any() or (self.judged_docs[: len(self.given.qrels.queries)] == 0).any()
        return self.collection.queries(conventions) if empty or conventions.ids != "any" else list(self.given.queries)

    def docs(self, conventions: Conventions) -> DocsInOrder:
        """The judged docs in order."""
        key = _of_order(conventions)
        if key not in self._ordered:
            self._ordered[key] = in_order(self.given.run, conventions)
        return self._ordered[key]

    def top(self, conventions: Conventions, threshold: float) -> JudgedColumns:
        """All queries, ordered and judged."""
        key = threshold, _before_the_formula(conventions)
        if key not in self._judged:
            lines = self.lines(conventions, threshold)
            self._judged[key] = judged(self.given, self.docs(conventions), lines, conventions)
        return self._judged[key]

    def lines(self, conventions: Conventions, threshold: float) -> Judgments:
        """All lines of the qrels, as a measure sees them."""
        key = threshold, _before_the_formula(conventions)
        if key not in self._lines:
            self._lines[key] = judgments_of(self.given, conventions, threshold)
        return self._lines[key]

    def refuse(self, conventions: Conventions, threshold: float) -> None:
        """See whether all queries can be ordered and judged by these conventions.

        Raises:
            NotColumnar: one cannot, or is refused, or the conventions have a value that is not known here.
        """
        for name, axis in AXES.items():
            if axis.stage in {"order", "judge"} and getattr(conventions, name) not in KNOWN.get(name, ()):
                raise NotColumnar
        self.top(conventions, threshold)

    def judged_query(self, query: str, conventions: Conventions, threshold: Rel) -> Judged:
        """One query, ordered and judged by conventions that are not refused."""
        lines = self.lines(conventions, float(threshold))
        return judged_query(self.given, self.docs(conventions), lines, conventions, query)

    def mean_with(self, measure: Measure, own: Conventions, others: Mapping[str, Worth]) -> Fraction | None:
        """The mean of a measure that was answered, if these queries had other values; None if it is undefined."""
        if (measure, own) not in self.counted:
            return put_together(measure, {**self.collection.worths(measure, own), **others}, own).mean
        entered, is_counted = self.counted[measure, own]
        values = entered.copy()
        values[[self.given.queries[query] for query in others]] = [_float(one.counted) for one in others.values()]
        mean = _total(measure.definition, values[is_counted].tolist(), own)
        return None if math.isnan(mean) else Fraction(mean)


def answers_of(columns: Columns, asked: Mapping[str, tuple[Measure, Conventions]]) -> Measurable[FloatValues]:
    """The values of each measure under its conventions, by the name it has here.

    Raises:
        NotColumnar: the readable path is to be taken from the beginning.
        ValueError: as `Collection.answer` does.
    """
    return measurable(asked, lambda name: _answer(columns, *asked[name]))


def _answer(columns: Columns, measure: Measure, conventions: Conventions) -> FloatValues:
    conventions = measure.conventions(conventions)
    columns.refuse(conventions, measure.rel)
    try:
        values = _values(columns.top(conventions, measure.rel), measure, conventions)
        return _aggregated(values, columns, measure, conventions)
    except NoFloatForm:
        return FloatValues.of(columns.collection.answer(measure, conventions))
    except Overflow as error:  # rows say which rel is too large
        raise NotColumnar from error


def in_floats_of(measure: Measure, conventions: Conventions) -> InFloats | None:
    """The formula in floats of a measure, where it and its mean are known; None where the readable one is to be asked."""
    definition = measure.definition
    # One that was made of another, with a changed formula, is not the one that its formula in floats was written for.
    if definition.in_floats is None or MEASURES.get(definition.name) is not definition:
        return None
    if conventions.mean not in {"arithmetic", "geometric"}:
        return None
    if {name for name, axis in AXES.items() if axis.stage == "aggregate"} != _AGGREGATE:
        return None
    return definition.in_floats


def _values(top: JudgedColumns, measure: Measure, conventions: Conventions) -> Floats:
    """The value of each query by the formula in floats; NaN where the readable one is to be asked.

    Raises:
        NoFloatForm: it is to be asked of all of them.
    """
    formula = in_floats_of(measure, conventions)
    if formula is None:
        raise NoFloatForm
    arguments = measure.definition.arguments(conventions, measure.arguments)
    ties = conventions.ties if conventions.order == "score" else ""
    if ties == "last-rank":
        return _of(formula, ColumnQueries(top.at_last_ranks(), measure.k), arguments)
    if ties not in OVER_ORDERS or not top.has_ties.any():
        return _of(formula, ColumnQueries(top, measure.k), arguments)
    with suppress(NoFloatForm):
        values = _over_orders(formula, top, measure, ties, arguments)
        return np.where(top.has_ties & ~is_separable(top, measure, arguments), np.nan, values)
    return np.where(top.has_ties, np.nan, _of(formula, ColumnQueries(top, measure.k), arguments))


def _of(formula: InFloats, top: ColumnQueries, arguments: Mapping[str, Any]) -> Floats:
    """The values by a formula.

    Raises:
        NoFloatForm: it does not know what is asked; so where the readable formula has a parameter that it has not.
    """
    if not set(arguments) <= _parameters(formula):
        raise NoFloatForm
    with np.errstate(invalid="ignore"):  # what is NaN is for the readable formula
        return np.asarray(formula(top, **arguments), dtype=np.float64)


@lru_cache(maxsize=256)
def _parameters(formula: InFloats) -> frozenset[str]:
    parameters = inspect.signature(formula).parameters.values()
    takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)
    return frozenset(one.name for one in parameters) | (frozenset(AXES) if takes_any else frozenset())


def _over_orders(
    formula: InFloats, top: JudgedColumns, measure: Measure, ties: str, arguments: Mapping[str, Any]
) -> Floats:
    """The mean, the best or the worst over all orders of tied docs, where the sum is divided by what does not depend on them.

    Raises:
        NoFloatForm: the formula has none.
    """
    definition = measure.definition
    if ties == "expectation" and (definition.linear or definition.expectation is not None):
        return _of(formula, ColumnQueries(top, measure.k, by_mean=True), arguments)
    if ties != "expectation" and definition.monotone:
        return at_end(formula, top, measure, arguments, best=ties == "best")
    raise NoFloatForm


def at_end(
    formula: InFloats, top: JudgedColumns, measure: Measure, arguments: Mapping[str, Any], *, best: bool
) -> Floats:
    """The values if the docs of each tie group stand by descending merit, or by ascending merit.

    Raises:
        NoFloatForm: the formula does not know what is asked.
    """
    merit = ColumnQueries(top, measure.k).of_docs(measure.definition.merit, **arguments).value
    return _of(formula, ColumnQueries(top.rearranged(merit, best=best), measure.k), arguments)


@dataclass(frozen=True)
class _CountedQuery:
    """So much of a judged query as tells whether a sum over its docs can be taken over all orders."""

    n: int
    judgments: tuple[Doc, ...]
    """The one of the highest rel."""


def is_separable(top: JudgedColumns, measure: Measure, arguments: Mapping[str, Any]) -> Bools:
    """Of which queries the definition says so."""
    found = np.ones(top.count, dtype=np.bool_)
    separable = measure.definition.separable
    if separable is Definition.separable:
        return found
    highest = np.zeros(top.count)
    np.maximum.at(highest, top.judgments.query, top.judgments.rel)
    for query in np.flatnonzero(top.has_ties).tolist():
        best = Doc(written(float(highest[query])), relevant=True, pooled=True)
        found[query] = separable(_CountedQuery(int(top.n[query]), (best,)), measure.k, **arguments)
    return found


def _aggregated(values: Floats, columns: Columns, measure: Measure, conventions: Conventions) -> FloatValues:
    ordinary = _is_ordinary(columns, measure, conventions)
    lacks = values == NO_RELEVANT
    if measure.definition.needs_relevant:
        lacks |= columns.top(conventions, measure.rel).R == 0
    plain = ordinary & ~lacks & ~np.isnan(values)
    entered, is_counted = values.copy(), plain.copy()
    columns.counted[measure, conventions] = entered, is_counted
    queries = columns.queries(conventions)
    told = dict(zip(columns.given.queries, values.tolist(), strict=True))
    if plain.all() and len(queries) == len(told):
        return FloatValues(told, _total(measure.definition, list(told.values()), conventions))
    odd = dict.fromkeys(query for query, one in zip(told, plain.tolist(), strict=True) if not one)
    worths: dict[str, float] = {}
    for query in filter(odd.__contains__, queries):
        place = columns.given.queries[query]
        if ordinary[place] and lacks[place]:
            worth = worth_by("norel", conventions.norel, query)
        else:
            worth = columns.collection.worth(query, measure, conventions)
        if worth.is_told:
            worths[query] = _float(worth.told)
        entered[place], is_counted[place] = _float(worth.counted), worth.is_counted
    told.update(worths)
    for query in odd.keys() - worths.keys():
        del told[query]
    return FloatValues(told, _total(measure.definition, entered[is_counted].tolist(), conventions))


def _is_ordinary(columns: Columns, measure: Measure, conventions: Conventions) -> Bools:
    """Of which queries nothing is so that conventions on queries are about, but that they may lack relevant docs."""
    top = columns.top(conventions, measure.rel)
    ordinary = (top.n > 0) & (columns.judged_docs > 0)
    if conventions.single != "measured":
        ordinary &= top.n > 1
    if conventions.short != "measured" and measure.k is not None:
        ordinary &= top.n >= measure.k
    if conventions.nohit != "measured":
        ordinary &= _has_hit(top, measure) & (
            ~top.has_ties if conventions.ties in OVER_ORDERS | {"last-rank"} else True
        )
    return np.asarray(ordinary)


def _has_hit(top: JudgedColumns, measure: Measure) -> Bools:
    hits = top.docs.relevant
    if measure.definition.cut_at_R:
        hits = hits & (top.rank <= top.R[top.docs.query])
    elif measure.k is not None:
        hits = hits & (top.rank <= measure.k)
    return top.per_query(top.docs.query[hits]) > 0


def _float(value: Fraction | Ratio | None) -> float:
    return math.nan if value is None else to_float(value_of(value))


def _total(definition: Definition, values: Sequence[float], conventions: Conventions) -> float:
    """As for exact values; the sum is rounded once, so that the order of queries does not matter."""
    if definition.total == "sum":
        return math.fsum(value for value in values if not math.isnan(value))
    if not values:
        return 0.0 if conventions.no_query == "0" else math.nan
    if conventions.mean == "geometric":
        return math.exp(math.fsum(math.log(max(value, _LEAST)) for value in values) / len(values))
    return math.fsum(values) / len(values)
