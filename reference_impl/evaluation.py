"""Aggregation: which queries count, what unusual queries score, and which mean is used.

`Collection` holds the qrels and the run of many queries and computes measures under conventions. This module applies
all disputed conventions about *queries*: judged but missing from the run, in the run but unjudged, without relevant
documents, or with an empty ranking.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import attrgetter

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.definition import Definition, Ratio, Undefined, ratio
from rankproof.reference_impl.exact import exp, ln
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judged, Judgment, QueryRow, Rejected, Rel, judge, rows_kept
from rankproof.reference_impl.ties import measured, value_of
from rankproof.reference_impl.unusable import Unusable

Value = Fraction | None
"""An exact number, or None if the value is undefined (NaN)."""

MEAN = "mean"
"""Name of the value over all queries in a case."""

LEAST = Fraction(1, 100_000)
"""Lowest value in a geometric mean; lower values are raised to it (trec_eval's MIN_GEO_MEAN)."""


class NotPooled(Unusable):
    """Pooled mean of a measure that is not a ratio of counts."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Values of a measure for every query, in the order of the qrels, and over all queries."""

    per_query: Mapping[str, Value]
    mean: Value
    """The mean by the conventions (for counts: the sum), or None if it is undefined, for example without any query."""

    @property
    def named(self) -> Mapping[str, Value]:
        """Values by their names in a case: the query, or `mean`."""
        return {**self.per_query, MEAN: self.mean}


@dataclass(frozen=True)
class Collection:
    """The judgments and rows of each query, in input order."""

    qrels: Mapping[str, Sequence[Judgment]]
    run: Mapping[str, Sequence[QueryRow]]
    number_ids: bool = False
    """Whether an id was a number in the input; here all ids are text."""
    number_docs: bool = False
    """Whether the id of a document was a number in the input."""
    judge_query: Callable[[str, Conventions, Rel], Judged] | None = None
    """Function that orders and judges a query instead of `judge`. Of the rows, only their existence then matters."""
    _judged: dict[tuple[object, ...], Judged] = field(default_factory=dict, repr=False, compare=False)
    _whole: dict[tuple[object, ...], Mapping[str, Judged]] = field(default_factory=dict, repr=False, compare=False)
    """All queries by the conventions of order and judgment, because a search uses them again and again."""
    _first: dict[str, Judged] = field(default_factory=dict, repr=False, compare=False)
    _alike: dict[Judged, Judged] = field(default_factory=dict, repr=False, compare=False)
    """Equal results as one object, because most conventions do not change most queries."""
    _values: "dict[tuple[object, ...], tuple[Definition, Worth]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    _worths: "dict[tuple[object, ...], Worth]" = field(default_factory=dict, repr=False, compare=False)
    """One object for each value, so equal scores are the same object."""
    _answers: "dict[tuple[object, ...], tuple[Definition, Mapping[str, Worth], Answer]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    """One object for equal scores of all queries."""

    def answer(self, measure: Measure, conventions: Conventions) -> Answer:
        """Measure every query. Equal scores of all queries give the same object.

        Raises:
            Rejected: the conventions reject the input.
            TooManyOrders: the ties have more than 50,000 orders to enumerate.
            NotPooled: the conventions use a pooled mean, and the measure is not a ratio.
        """
        worths = self.worths(measure, conventions)
        definition = measure.definition
        # The entry keeps the objects with these ids alive, so no other object gets their ids.
        key = id(definition), of_means(measure.conventions(conventions)), *worths, *map(id, worths.values())
        entry = self._answers.get(key)
        if entry is None:
            entry = self._answers[key] = definition, worths, put_together(measure, worths, conventions)
        return entry[-1]

    def worths(self, measure: Measure, conventions: Conventions) -> "dict[str, Worth]":
        """Return the score of each query, in the order of the qrels. The scores are independent of each other.

        Raises:
            Rejected: the conventions reject the input.
            TooManyOrders, NotPooled: as in `answer`.
        """
        conventions = measure.conventions(conventions)
        if conventions.mean == "pooled" and measure.definition.total == "mean" and not measure.definition.is_ratio:
            raise NotPooled(f"{measure.definition.name} is not a ratio of counts, so it has no pooled mean")
        judged = self._all_judged(conventions, measure.rel)
        return {query: self.worth(query, measure, conventions, of_query) for query, of_query in judged.items()}

    def queries(self, conventions: Conventions) -> list[str]:
        """Return the queries that are judged or ranked, in the order of the qrels.

        Raises:
            Rejected: the conventions reject an id.
        """
        return self._queries(*_of_queries(conventions))

    def _queries(self, no_judgments: str, empty: str, ids: str) -> list[str]:
        named = dict.fromkeys([*self.qrels, *self.run])
        queries = [q for q in named if self._is_judged(q, no_judgments) or self._is_ranked(q, empty)]
        self._refuse_ids(queries, ids)
        return queries

    def _all_judged(self, conventions: Conventions, threshold: float) -> Mapping[str, Judged]:
        """Return every query, ordered and judged, in the order of the qrels.

        Conventions reject an input as a whole, even if the query at fault does not count.
        """
        of_queries = _of_queries(conventions)
        key = threshold, _before_the_formula(conventions), of_queries
        by_query = self._whole.get(key)
        if by_query is None:
            queries = self._queries(*of_queries)
            by_query = self._whole[key] = {query: self.judged(query, conventions, threshold) for query in queries}
        return by_query

    def _is_judged(self, query: str, no_judgments: str) -> bool:
        return query in self.qrels and (bool(self.qrels[query]) or no_judgments == "judged")

    def _is_ranked(self, query: str, empty: str) -> bool:
        return query in self.run and (bool(self.run[query]) or empty != "missing")

    def _refuse_ids(self, queries: Sequence[str], ids: str) -> None:
        if ids == "text" and self.number_ids:
            raise Rejected(axis="ids", message="an id is a number, not text (ids=text)")
        if ids == "text-docs" and self.number_docs:
            raise Rejected(axis="ids", message="the id of a document is a number, not text (ids=text-docs)")
        if ids == "digit-queries" and not all(query.isdigit() for query in queries):
            raise Rejected(axis="ids", message="the id of a query has other characters than digits (ids=digit-queries)")

    def worth(self, query: str, measure: Measure, conventions: Conventions, judged: Judged | None = None) -> "Worth":
        """Return the score of a query.

        The conventions already include those of the measure. `judged` is the query as judged by them, if it is known.

        Raises:
            Rejected: the conventions reject the query.
            TooManyOrders: as in `answer`.
        """
        ranked = self._is_ranked(query, conventions.empty)
        if not self._is_judged(query, conventions.no_judgments) and conventions.extra != "measured":
            return worth_by("extra", conventions.extra, query)
        # A query that scores 0 still has counts: relevant documents to sum, documents to pool.
        counts = measure.definition.total == "sum" or conventions.mean == "pooled"
        counted = counts and conventions.missing in {"0", "absent-as-0"}
        if not ranked and not (conventions.missing == "measured" or counted):
            return worth_by("missing", conventions.missing, query)
        worth = self._measured(query, judged or self.judged(query, conventions, measure.rel), measure, conventions)
        unreported = not ranked and conventions.missing == "absent-as-0"
        return replace(worth, reported=None, is_reported=False) if unreported else worth

    def judged(self, query: str, conventions: Conventions, threshold: float) -> Judged:
        """Return a query, ordered and judged. The conventions already include those of the measure.

        Raises:
            Rejected: the conventions reject the query.
        """
        key = query, threshold, _before_the_formula(conventions)
        if key not in self._judged:
            judged = (
                judge(
                    rows_kept(query, self.run.get(query, ()), conventions),
                    self.qrels.get(query, ()),
                    conventions,
                    threshold,
                )
                if self.judge_query is None
                else self.judge_query(query, conventions, threshold)
            )
            first = self._first.setdefault(query, judged)
            self._judged[key] = first if judged == first else self._alike.setdefault(judged, judged)
        return self._judged[key]

    def _measured(self, query: str, judged: Judged, measure: Measure, conventions: Conventions) -> "Worth":
        definition = measure.definition
        for axis, so in (("single", judged.n == 1), ("short", measure.k is not None and judged.n < measure.k)):
            if so and getattr(conventions, axis) == "rejected":
                return worth_by(axis, "rejected", query)
        if not judged.groups and conventions.empty not in {"0", "missing"} and definition.total == "mean":
            return worth_by("empty", conventions.empty, query)
        pools_zeros = conventions.mean == "pooled" and conventions.norel == "0"
        if definition.needs_relevant and not judged.R and not pools_zeros:
            return worth_by("norel", conventions.norel, query)
        try:
            value = self._value(judged, measure, conventions)
        except Undefined as undefined:
            is_own = judged.groups or not judged.R or undefined.for_want_of_docs
            axis = undefined.axis if is_own else "empty"
            return worth_by(axis, getattr(conventions, axis), query)
        depth = judged.R if definition.cut_at_R else measure.k
        if conventions.nohit != "measured" and judged.R and not judged.ranking(depth).hits:
            return worth_by("nohit", conventions.nohit, query)
        return value

    def _value(self, judged: Judged, measure: Measure, conventions: Conventions) -> "Worth":
        """Return the score of a query with a value, computed once for equal judgments and arguments."""
        definition = measure.definition
        over_orders = _of_orders(conventions) if judged.has_ties else None
        # `_judged` keeps the judged query alive, and the entry the definition, so no other object gets their ids.
        of_formula = definition.choices(conventions), *measure.arguments.items()
        key = id(judged), id(definition), measure.k, over_orders, *of_formula
        entry = self._values.get(key)
        if entry is None:
            arguments = definition.arguments(conventions, measure.arguments)
            value = measured(definition, judged, measure.k, conventions, arguments)
            # The key is made of numerator and denominator, because hashing a fraction is slow.
            parts = type(value), value.numerator, value.denominator
            entry = self._values[key] = definition, self._worths.setdefault(parts, Worth(value, value))
        return entry[1]


OF_QUERIES = ("no_judgments", "empty", "ids")
_of_queries = attrgetter(*OF_QUERIES)
"""Values of the axes that decide which queries the collection has."""
_before_the_formula = attrgetter(
    *(name for name, axis in AXES.items() if axis.stage in {"order", "judge"} and name not in OF_QUERIES)
)
"""Values of the axes that order and judge a query."""
OF_MEANS = ("mean", "no_query")
"""The axes that combine the measured queries. No other axis matters for that."""
of_means = attrgetter(*OF_MEANS)
_of_orders = attrgetter("ties", *(name for name, axis in AXES.items() if axis.stage == "aggregate"))
"""Values of the axes that measure tied documents. An order without a value scores like a query without a value."""


@dataclass(frozen=True, slots=True)
class Worth:
    """Score of a query: the reported value and the value in the mean. Either can be missing."""

    reported: Fraction | Ratio | None
    counted: Fraction | Ratio | None
    is_reported: bool = True
    is_counted: bool = True


def put_together(measure: Measure, worths: "Mapping[str, Worth]", conventions: Conventions) -> Answer:
    """Combine the scores of the queries into an answer."""
    conventions = measure.conventions(conventions)
    per_query = {q: None if w.reported is None else value_of(w.reported) for q, w in worths.items() if w.is_reported}
    counted = [w.counted for w in worths.values() if w.is_counted]
    return Answer(per_query, _total(measure.definition, counted, *of_means(conventions)))


_NOTHING = Worth(None, None, is_reported=False, is_counted=False)
_ZERO = Fraction(0)
_WORTH = {
    "0": Worth(_ZERO, _ZERO),
    "0-in-counts": Worth(_ZERO, _ZERO),
    "1": Worth(Fraction(1), Fraction(1)),
    "0.5": Worth(Fraction(1, 2), Fraction(1, 2)),
    "nan": Worth(None, None),
    "nan-as-0": Worth(None, _ZERO),
    "nan-dropped": Worth(None, None, is_counted=False),
    "absent-as-0": Worth(None, _ZERO, is_reported=False),
    "dropped": _NOTHING,
    "ignored": _NOTHING,
    "missing": Worth(_ZERO, _ZERO),  # the query has rows, but no row is ranked
}


def worth_by(axis: str, value: str, query: str) -> Worth:
    """Return the score of a query under a convention on queries.

    Raises:
        Rejected: the convention rejects the query.
    """
    if value == "rejected":
        raise Rejected(
            axis, f"query {query!r} is rejected by {axis}=rejected: {AXES[axis].phrase(value).removesuffix(' refused')}"
        )
    return _WORTH[value]


def _total(definition: Definition, values: list[Fraction | Ratio | None], mean: str, no_query: str) -> Value:
    if definition.total == "sum":
        return sum((value_of(v) for v in values if v is not None), Fraction(0))
    if not values:
        return _ZERO if no_query == "0" else None
    if any(v is None for v in values):
        return None
    if mean == "pooled":
        return _pooled(definition, values)
    numbers = [value_of(v) for v in values if v is not None]
    if mean == "geometric":
        return exp(sum((ln(max(v, LEAST)) for v in numbers), Fraction(0)) / len(numbers))
    return sum(numbers, Fraction(0)) / len(numbers)


def _pooled(definition: Definition, values: list[Fraction | Ratio | None]) -> Fraction:
    ratios = [v for v in values if isinstance(v, Ratio)]
    if len(ratios) != len(values):
        raise NotPooled(f"{definition.name} is not a ratio of counts for every query, so it has no pooled mean")
    return ratio(sum(r.numerator for r in ratios), sum(r.denominator for r in ratios)).value


def compare_labelings(
    measure: Measure, true: Sequence[object], predicted: Sequence[object], conventions: Conventions
) -> Value:
    """Return a clustering measure of two labelings of the same items, or None if it is undefined.

    Raises:
        ValueError: the labelings differ in length.
    """
    return CLUSTERINGS[measure.name].of(true, predicted, conventions, dict(measure.params))
