"""Aggregate: which queries are measured, what the odd ones are worth, and which mean is taken.

`Collection` holds the qrels and the run of many queries and answers measures under conventions. All that is disputed about
*queries* is settled here: judged but not in the run, in the run but not judged, without relevant docs, with an empty ranking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.definition import Definition, Ratio, Undefined, ratio
from rankproof.reference_impl.exact import exp, ln
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judged, Judgment, Rejected, Row, judge
from rankproof.reference_impl.ties import measured, value_of

Value = Fraction | None
"""An exact number; None where it is undefined (NaN)."""

LEAST = Fraction(1, 100_000)
"""The least value that enters a geometric mean (trec_eval's MIN_GEO_MEAN)."""


class NotPooled(ValueError):
    """A pooled mean of a measure that is no ratio of counts."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A measure of every query, in the order of the qrels, and over all of them."""

    per_query: Mapping[str, Value]
    mean: Value
    """The mean by the conventions (for counts: the sum); None where it is undefined, as over no query at all."""


@dataclass(frozen=True)
class Collection:
    """The judgments and the rows of each query, in the order given."""

    qrels: Mapping[str, Sequence[Judgment]]
    run: Mapping[str, Sequence[Row]]
    _judged: dict[tuple[object, ...], Judged] = field(default_factory=dict, repr=False, compare=False)

    def answer(self, measure: Measure, conventions: Conventions) -> Answer:
        """Measure every query.

        Raises:
            Rejected: the conventions refuse the input.
            TooManyOrders: ties would need the enumeration of more than 50,000 orders.
            NotPooled: a pooled mean is asked of a measure that is no ratio.
        """
        conventions = measure.conventions(conventions)
        values: dict[str, Fraction | Ratio | None] = {}
        for query in [*self.qrels, *(query for query in self.run if query not in self.qrels)]:
            found = self._value(query, measure, conventions)
            if not isinstance(found, _Absent):
                values[query] = found
        per_query = {query: None if v is None else value_of(v) for query, v in values.items()}
        return Answer(per_query, _total(measure.definition, list(values.values()), conventions))

    def _value(self, query: str, measure: Measure, conventions: Conventions) -> "Fraction | Ratio | None | _Absent":
        if query not in self.qrels and conventions.extra != "measured":
            return _worth("extra", conventions.extra, query)
        needs_formula = measure.definition.total == "sum" or conventions.mean == "pooled"
        if query not in self.run and not (conventions.missing == "0" and needs_formula):
            return _worth("missing", conventions.missing, query)
        judged = self._judge(query, conventions, measure.rel)
        return _measured(query, judged, measure, conventions)

    def _judge(self, query: str, conventions: Conventions, threshold: float) -> Judged:
        key = (query, threshold, *(getattr(conventions, axis) for axis in _BEFORE_THE_FORMULA))
        if key not in self._judged:
            self._judged[key] = judge(self.run.get(query, ()), self.qrels.get(query, ()), conventions, threshold)
        return self._judged[key]


_BEFORE_THE_FORMULA = [name for name, axis in AXES.items() if axis.stage in {"order", "judge"}]


class _Absent:
    """No value: the query leaves the mean."""


_ABSENT = _Absent()


def _worth(axis: str, value: str, query: str) -> Fraction | None | _Absent:
    """What a convention on queries makes of one."""
    if value == "rejected":
        raise Rejected(axis, f"query {query!r} is refused by {axis}=rejected: {AXES[axis].question}")
    if value in {"dropped", "ignored"}:
        return _ABSENT
    return None if value == "nan" else Fraction(value)


def _measured(
    query: str, judged: Judged, measure: Measure, conventions: Conventions
) -> Fraction | Ratio | None | _Absent:
    definition = measure.definition
    if definition.needs_relevant and not judged.R and conventions.mean != "pooled":
        return _worth("norel", conventions.norel, query)
    if not judged.groups and conventions.empty != "0" and definition.total != "sum":
        return _worth("empty", conventions.empty, query)
    try:
        return measured(definition, judged, measure.k, conventions, definition.arguments(conventions, measure.arguments))
    except Undefined as undefined:
        return _worth(undefined.axis, getattr(conventions, undefined.axis), query)


def _total(definition: Definition, values: list[Fraction | Ratio | None], conventions: Conventions) -> Value:
    if definition.total == "sum":
        return sum((value_of(v) for v in values if v is not None), Fraction(0))
    if not values or any(v is None for v in values):
        return None
    if conventions.mean == "pooled":
        return _pooled(definition, values)
    numbers = [value_of(v) for v in values if v is not None]
    if conventions.mean == "geometric":
        return exp(sum((ln(max(v, LEAST)) for v in numbers), Fraction(0)) / len(numbers))
    return sum(numbers, Fraction(0)) / len(numbers)


def _pooled(definition: Definition, values: list[Fraction | Ratio | None]) -> Fraction:
    ratios = [v for v in values if isinstance(v, Ratio)]
    if len(ratios) != len(values):
        msg = f"{definition.name} is no ratio of counts for every query, so it has no pooled mean"
        raise NotPooled(msg)
    return ratio(sum(r.numerator for r in ratios), sum(r.denominator for r in ratios)).value


def compare_labelings(
    measure: Measure, true: Sequence[object], predicted: Sequence[object], conventions: Conventions
) -> Value:
    """A clustering measure of two labelings of the same items; None where it is undefined.

    Raises:
        ValueError: the labelings differ in length.
    """
    return CLUSTERINGS[measure.name].of(true, predicted, conventions, dict(measure.params))
