"""Aggregate: the values of all queries by the quickest way that holds for each.

    a float form knows the formula, and all conventions  ──► its values, for the queries that have one and in which nothing is odd
    anything else about a measure, or a query             ──► the readable formula, on the judged docs that columns found
    anything else about order and judgment                ──► the readable path, from the rows

What a query without judgments, docs or relevant docs is worth is said in one place, `rankproof.reference_impl.evaluation`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from operator import attrgetter

import numpy as np

from rankproof.evaluating.fast import docs_in_order, judged_columns
from rankproof.evaluating.fast.arrays import Bools, Floats, Ints, NotColumnar
from rankproof.evaluating.fast.docs_in_order import DocsInOrder, in_order
from rankproof.evaluating.fast.float_forms import FORMS, NO_RELEVANT, Form
from rankproof.evaluating.fast.judged_columns import Given, JudgedColumns, Judgments, judged, judged_query, judgments_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.definition import Definition, Ratio
from rankproof.reference_impl.evaluation import LEAST, Asked, Collection, worth_by
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.ranking import Judged, Rel
from rankproof.reference_impl.ties import OVER_ORDERS, value_of

KNOWN = docs_in_order.KNOWN | judged_columns.KNOWN
_LEAST = float(LEAST)
_AGGREGATE = {
    "missing", "no_judgments", "extra", "norel", "allrel", "empty", "nohit", "single", "short", "mean",
}  # fmt: skip
_of_order = attrgetter(*(name for name, axis in AXES.items() if axis.stage == "order"))
_before_the_formula = attrgetter(*(name for name, axis in AXES.items() if axis.stage in {"order", "judge"}))


@dataclass(frozen=True)
class Values:
    """A measure of every query, and over all of them, as floats."""

    per_query: Mapping[str, float]
    mean: float


@dataclass(frozen=True)
class Columns:
    """Qrels and a run as columns, and what of them was settled once for several measures."""

    given: Given
    _ordered: dict[object, DocsInOrder] = field(default_factory=dict)
    _judged: dict[object, JudgedColumns] = field(default_factory=dict)
    _lines: dict[object, Judgments] = field(default_factory=dict)
    counted: dict[object, tuple[Floats, Bools, list[float]]] = field(default_factory=dict)
    """Of each measure under its conventions: the form's values, which of them entered the mean, and the other values that did."""

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
        _refuse_unknown(conventions)
        self.top(conventions, threshold)

    def judged_query(self, query: str, conventions: Conventions, threshold: Rel) -> Judged:
        """One query, ordered and judged by conventions that are not refused."""
        lines = self.lines(conventions, float(threshold))
        return judged_query(self.given, self.docs(conventions), lines, conventions, query)


def answers(given: Given, asked: Mapping[str, tuple[Asked, Conventions]]) -> dict[str, Values]:
    """The values of each measure under its conventions, by the name it has here.

    Raises:
        NotColumnar: the readable path is to be taken from the beginning.
        ValueError: as `Collection.answer` does.
    """
    return answers_of(Columns(given), asked)


def answers_of(columns: Columns, asked: Mapping[str, tuple[Asked, Conventions]]) -> dict[str, Values]:
    """The same of columns, which keep what was settled.

    Raises:
        NotColumnar, ValueError: as `answers` does.
    """
    return {name: _answer(columns, *task) for name, task in asked.items()}


def _answer(columns: Columns, measure: Asked, conventions: Conventions) -> Values:
    conventions = measure.conventions(conventions)
    columns.refuse(conventions, measure.rel)
    top = columns.top(conventions, measure.rel)
    form = form_of(measure, conventions)
    if form is None:
        answer = columns.collection.answer(measure, conventions)
        return Values({q: to_float(v) for q, v in answer.per_query.items()}, to_float(answer.mean))
    values = _values(form, top, measure, conventions)
    return _aggregated(values, columns, measure, conventions)


def _refuse_unknown(conventions: Conventions) -> None:
    """Leave it to the readable path where an axis of order or judgment, or a value on one, is not known here."""
    for name, axis in AXES.items():
        if axis.stage in {"order", "judge"} and getattr(conventions, name) not in KNOWN.get(name, ()):
            raise NotColumnar


def form_of(measure: Asked, conventions: Conventions) -> Form | None:
    """The float form of a measure under its conventions; None if there is none that knows all of it."""
    form = FORMS.get(measure.definition.formula)
    if form is None or conventions.mean not in {"arithmetic", "geometric"}:
        return None
    if {name for name, axis in AXES.items() if axis.stage == "aggregate"} != _AGGREGATE:
        return None
    for name, value in measure.definition.arguments(conventions, measure.arguments).items():
        if name not in form.params and not _is_known(form, name, value):
            return None
    return form


def _is_known(form: Form, axis: str, value: str) -> bool:
    known = form.knows.get(axis, ())
    return value in known or any(value.startswith(one) for one in known if one in _OPEN)


_OPEN = ("map:", "jk-", "")
"""How values begin that have no name of their own."""


def _values(form: Form, top: JudgedColumns, measure: Asked, conventions: Conventions) -> Floats:
    """The value of each query, as a form gives it."""
    definition, k = measure.definition, measure.k
    arguments = definition.arguments(conventions, measure.arguments)
    ties = conventions.ties if conventions.order == "score" else ""
    if ties == "last-rank":
        return form.values(top.at_last_ranks(), k, **arguments)
    if ties not in OVER_ORDERS or not top.has_ties.any():
        return form.values(top, k, **arguments)
    axes = {name: value for name, value in arguments.items() if name in form.knows}
    separable = form.separable(k, **axes)
    has_mean = definition.linear or definition.expectation is not None
    if ties == "expectation" and separable and has_mean and form.means:
        return form.values(replace(top, by_mean=True, kept={}), k, **arguments)
    if ties in {"best", "worst"} and separable and definition.monotone:
        merit = form.merit(top, **arguments)
        return form.values(top.rearranged(merit, best=ties == "best"), k, **arguments)
    return np.where(top.has_ties, np.nan, form.values(top, k, **arguments))


def _aggregated(values: Floats, columns: Columns, measure: Asked, conventions: Conventions) -> Values:
    ordinary = _is_ordinary(columns, measure, conventions)
    lacks = values == NO_RELEVANT
    if measure.definition.needs_relevant:
        lacks |= columns.top(conventions, measure.rel).R == 0
    plain = ordinary & ~lacks & ~np.isnan(values)
    beside: list[float] = []
    columns.counted[measure, conventions] = values, plain, beside
    queries = columns.queries(conventions)
    told = dict(zip(columns.given.queries, values.tolist(), strict=True))
    if plain.all() and len(queries) == len(told):
        return Values(told, _total(measure.definition, list(told.values()), conventions))
    odd = dict.fromkeys(query for query, one in zip(told, plain.tolist(), strict=True) if not one)
    worths: dict[str, float] = {}
    for query in filter(odd.__contains__, queries):
        place = columns.given.queries[query]
        worth = (
            worth_by("norel", conventions.norel, query)
            if ordinary[place] and lacks[place]
            else columns.collection.worth(query, measure, conventions)
        )
        if worth.is_told:
            worths[query] = _float(worth.told)
        if worth.is_counted:
            beside.append(_float(worth.counted))
    told.update(worths)
    for query in odd.keys() - worths.keys():
        del told[query]
    return Values(told, _total(measure.definition, [*values[plain].tolist(), *beside], conventions))


def mean_with(others: Floats, which: Ints, columns: Columns, measure: Asked, conventions: Conventions) -> float | None:
    """The mean of a measure that was answered, if these queries had other values; None where it is not known, or none."""
    values, plain, beside = columns.counted[measure, conventions]
    if np.isnan(values[which]).any() or np.isnan(others).any():
        return None
    values = values.copy()
    values[which] = others
    mean = _total(measure.definition, [*values[plain].tolist(), *beside], conventions)
    return None if math.isnan(mean) else mean


def _is_ordinary(columns: Columns, measure: Asked, conventions: Conventions) -> Bools:
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


def _has_hit(top: JudgedColumns, measure: Asked) -> Bools:
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
        return math.nan
    if conventions.mean == "geometric":
        return math.exp(math.fsum(math.log(max(value, _LEAST)) for value in values) / len(values))
    return math.fsum(values) / len(values)
