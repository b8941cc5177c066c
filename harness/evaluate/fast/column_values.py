"""Values of all queries, computed by columns.

If the formula in floats of a measure supports the conventions, it computes all ordinary queries, and the readable
formula computes the unusual ones. Other measures use the readable formula for all queries.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

import numpy as np

from rankproof.evaluate.fast import judging, ordering
from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, NotColumnar
from rankproof.evaluate.fast.encoding import ColumnInputs
from rankproof.evaluate.fast.judging import JudgedColumns, judged_columns, kinds_of
from rankproof.evaluate.fast.ordering import DocsInOrder, in_order
from rankproof.evaluate.fast.queries import ColumnQueries
from rankproof.evaluate.result import FloatValues
from rankproof.reference_impl.all_queries import NO_RELEVANT, NoFloatForm
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.definition import Definition, Ratio
from rankproof.reference_impl.evaluation import LEAST, Collection, Worth, put_together, worth_by
from rankproof.reference_impl.exact import Overflow, to_float, written
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Doc
from rankproof.reference_impl.ties import OVER_ORDERS, value_of

KNOWN = ordering.KNOWN | judging.KNOWN
InFloats: TypeAlias = Callable[..., Any]
T = TypeVar("T")
_AGGREGATE = {
    *("missing", "no_judgments", "extra", "norel", "allrel", "empty"),
    *("nohit", "single", "short", "mean", "no_query"),
}
_of_order = attrgetter(*(name for name, axis in AXES.items() if axis.stage == "order"))
_before_the_formula = attrgetter(*(name for name, axis in AXES.items() if axis.stage in {"order", "judge"}))


@dataclass(frozen=True)
class ColumnValues:
    """Qrels and a run as columns, with intermediate results that several measures share."""

    inputs: ColumnInputs
    _kept: dict[object, Any] = field(default_factory=dict)
    counted: dict[object, tuple[Floats, Bools]] = field(default_factory=dict)
    """The value of each query by measure and conventions, and whether it counts in the mean."""

    @property
    def collection(self) -> Collection:
        """The qrels and the run as rows, for the readable formulas."""
        return self.inputs.rows

    @cached_property
    def judged_docs(self) -> Ints:
        """The number of judgments of each query."""
        return np.bincount(self.inputs.qrels.query, minlength=len(self.inputs.queries))

    def queries(self, conventions: Conventions) -> list[str]:
        """Return the queries that are judged or ranked."""
        empty = (self.inputs.run.sizes == 0).any() or (self.judged_docs[: len(self.inputs.qrels.queries)] == 0).any()
        return self.collection.queries(conventions) if empty or conventions.ids != "any" else list(self.inputs.queries)

    def docs(self, conventions: Conventions) -> DocsInOrder:
        """Return the judged documents of the run in the order of these conventions."""
        return self._cached(_of_order(conventions), lambda: in_order(self.inputs.run, conventions))

    def top(self, conventions: Conventions, threshold: float) -> JudgedColumns:
        """Return the ordered and judged documents of all queries."""

        def judged() -> JudgedColumns:
            kinds = kinds_of(self.inputs, conventions, threshold)
            return judged_columns(self.inputs, self.docs(conventions), kinds, conventions)

        return self._cached((threshold, _before_the_formula(conventions)), judged)

    def _cached(self, key: object, made: Callable[[], T]) -> T:
        if key not in self._kept:
            self._kept[key] = made()
        kept: T = self._kept[key]
        return kept

    def mean_if(
        self, measure: Measure, own: Conventions, values: Floats, changed: Bools, others: Mapping[str, Worth]
    ) -> float:
        """Return the mean of a measure if the `changed` queries and the `others` had other values."""
        if (measure, own) not in self.counted:
            return to_float(put_together(measure, {**self.collection.worths(measure, own), **others}, own).mean)
        entered, is_counted = self.counted[measure, own]
        entered = np.where(changed, values, entered)
        entered[[self.inputs.queries[query] for query in others]] = [_float(worth.counted) for worth in others.values()]
        return _total(measure.definition, entered[is_counted].tolist(), own)

    def values(self, measure: Measure, conventions: Conventions) -> FloatValues:
        """Return the values of a measure.

        Raises:
            NotColumnar: the exact path is needed.
            ValueError: as in `Collection.answer`.
        """
        own = measure.conventions(conventions)
        for name, axis in AXES.items():
            if axis.stage in {"order", "judge"} and getattr(own, name) not in KNOWN.get(name, ()):
                raise NotColumnar
        top = self.top(own, measure.rel)
        try:
            return _aggregated(values_in_floats(top, measure, own), self, measure, own)
        except NoFloatForm:
            return FloatValues.of(self.collection.answer(measure, own))
        except Overflow as error:  # the exact path reports the grade that is too large
            raise NotColumnar from error


def in_floats_of(measure: Measure, conventions: Conventions) -> InFloats | None:
    """Return the formula in floats of a measure if it supports the mean and all axes of queries; otherwise None."""
    definition = measure.definition
    # A derived definition inherits a formula in floats that does not belong to it.
    if definition.in_floats is None or MEASURES.get(definition.name) is not definition:
        return None
    is_known = {name for name, axis in AXES.items() if axis.stage == "aggregate"} == _AGGREGATE
    return definition.in_floats if is_known and conventions.mean in {"arithmetic", "geometric"} else None


def values_in_floats(top: JudgedColumns, measure: Measure, conventions: Conventions) -> Floats:
    """Return the value of each query by the formula in floats; NaN if the readable formula is needed.

    Raises:
        NoFloatForm: the readable formula is needed for all queries.
    """
    formula = in_floats_of(measure, conventions)
    if formula is None:
        raise NoFloatForm
    definition, arguments = measure.definition, measure.definition.arguments(conventions, measure.arguments)
    ties = conventions.ties if conventions.order == "score" else ""
    if ties == "last-rank":
        return _apply(formula, ColumnQueries(top.at_last_ranks(), measure.k), arguments)
    plain = ColumnQueries(top, measure.k)
    if ties not in OVER_ORDERS or not top.has_ties.any():
        return _apply(formula, plain, arguments)
    with suppress(NoFloatForm):
        if ties == "expectation" and (definition.linear or definition.expectation is not None):
            values = _apply(formula, ColumnQueries(top, measure.k, by_mean=True), arguments)
        elif ties != "expectation" and definition.monotone:
            merit = plain.of_docs(definition.merit, **arguments).value
            values = _apply(formula, ColumnQueries(top.rearranged(merit, best=ties == "best"), measure.k), arguments)
        else:
            raise NoFloatForm
        return np.where(top.has_ties & ~_is_separable(top, measure, arguments), np.nan, values)
    return np.where(top.has_ties, np.nan, _apply(formula, plain, arguments))


def _apply(formula: InFloats, top: ColumnQueries, arguments: Mapping[str, Any]) -> Floats:
    """Return the values of a formula for all queries.

    Raises:
        NoFloatForm: the formula lacks a parameter of the readable one.
    """
    if not set(arguments) <= _parameters(formula):
        raise NoFloatForm
    with np.errstate(invalid="ignore"):  # the readable formula is used for NaN
        return np.asarray(formula(top, **arguments), dtype=np.float64)


@lru_cache(maxsize=256)
def _parameters(formula: InFloats) -> frozenset[str]:
    parameters = inspect.signature(formula).parameters.values()
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)
    return frozenset(parameter.name for parameter in parameters) | (frozenset(AXES) if takes_any else frozenset())


@dataclass(frozen=True)
class _CountedQuery:
    """The features of a query that `Definition.separable` reads: its size and the judgment of the highest grade."""

    n: int
    judgments: tuple[Doc, ...]


def _is_separable(top: JudgedColumns, measure: Measure, arguments: Mapping[str, Any]) -> Bools:
    """Return, for each query, whether the definition is separable."""
    separable = measure.definition.separable
    if separable is Definition.separable:
        return np.ones(top.count, dtype=np.bool_)
    kinds, kind = top.shapes
    queries = [_CountedQuery(n, (Doc(written(rel), relevant=True, pooled=True),)) for n, rel in kinds]
    return np.array([separable(query, measure.k, **arguments) for query in queries], dtype=np.bool_)[kind]


def _aggregated(values: Floats, columns: ColumnValues, measure: Measure, conventions: Conventions) -> FloatValues:
    top = columns.top(conventions, measure.rel)
    ordinary = _is_ordinary(top, columns, measure, conventions)
    lacks = values == NO_RELEVANT
    if measure.definition.needs_relevant:
        lacks |= top.R == 0
    plain = ordinary & ~lacks & ~np.isnan(values)
    entered, is_counted = values.copy(), plain.copy()
    columns.counted[measure, conventions] = entered, is_counted
    queries = columns.queries(conventions)
    per_query = dict(zip(columns.inputs.queries, values.tolist(), strict=True))
    if plain.all() and len(queries) == len(per_query):
        return FloatValues(per_query, _total(measure.definition, list(per_query.values()), conventions))
    unusual = dict.fromkeys(query for query, is_plain in zip(per_query, plain.tolist(), strict=True) if not is_plain)
    worths: dict[str, float] = {}
    for query in filter(unusual.__contains__, queries):
        place = columns.inputs.queries[query]
        if ordinary[place] and lacks[place]:
            worth = worth_by("norel", conventions.norel, query)
        else:
            worth = columns.collection.worth(query, measure, conventions)
        if worth.is_reported:
            worths[query] = _float(worth.reported)
        entered[place], is_counted[place] = _float(worth.counted), worth.is_counted
    per_query.update(worths)
    for query in unusual.keys() - worths.keys():
        del per_query[query]
    return FloatValues(per_query, _total(measure.definition, entered[is_counted].tolist(), conventions))


def _is_ordinary(top: JudgedColumns, columns: ColumnValues, measure: Measure, conventions: Conventions) -> Bools:
    """Return, for each query, whether no convention on queries matters to it, apart from missing relevant documents."""
    ordinary = (top.n > 0) & (columns.judged_docs > 0)
    if conventions.single != "measured":
        ordinary &= top.n > 1
    if conventions.short != "measured" and measure.k is not None:
        ordinary &= top.n >= measure.k
    if conventions.nohit != "measured":
        hits = top.docs.relevant
        if measure.definition.cut_at_R:
            hits = hits & (top.rank <= top.R[top.docs.query])
        elif measure.k is not None:
            hits = hits & (top.rank <= measure.k)
        ordinary &= top.per_query(top.docs.query[hits]) > 0
        if conventions.ties in OVER_ORDERS | {"last-rank"}:
            ordinary &= ~top.has_ties
    return np.asarray(ordinary)


def _float(value: Fraction | Ratio | None) -> float:
    return math.nan if value is None else to_float(value_of(value))


def _total(definition: Definition, values: Sequence[float], conventions: Conventions) -> float:
    """Return the mean or the sum, rounded only once, so that the order of queries has no effect."""
    if definition.total == "sum":
        return math.fsum(value for value in values if not math.isnan(value))
    if not values:
        return 0.0 if conventions.no_query == "0" else math.nan
    if conventions.mean == "geometric":
        return math.exp(math.fsum(math.log(max(value, float(LEAST))) for value in values) / len(values))
    return math.fsum(values) / len(values)
