"""Aggregate: which queries are measured, what the odd ones are worth, and which mean is taken.

`Collection` holds the qrels and the run of many queries and answers measures under conventions. All that is disputed
about *queries* is settled here: judged but not in the run, in the run but not judged, without relevant docs, with an
empty ranking.
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
"""An exact number; None where it is undefined (NaN)."""

MEAN = "mean"
"""What a case calls the value over all queries."""

LEAST = Fraction(1, 100_000)
"""The least value that enters a geometric mean (trec_eval's MIN_GEO_MEAN)."""


class NotPooled(Unusable):
    """A pooled mean of a measure that is no ratio of counts."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A measure of every query, in the order of the qrels, and over all of them."""

    per_query: Mapping[str, Value]
    mean: Value
    """The mean by the conventions (for counts: the sum); None where it is undefined, as over no query at all."""

    @property
    def named(self) -> Mapping[str, Value]:
        """All values by the names that a case gives them: the query, or `mean`."""
        return {**self.per_query, MEAN: self.mean}


@dataclass(frozen=True)
class Collection:
    """The judgments and the rows of each query, in the order given."""

    qrels: Mapping[str, Sequence[Judgment]]
    run: Mapping[str, Sequence[QueryRow]]
    number_ids: bool = False
    """Whether an id was given as a number; here it is text."""
    number_docs: bool = False
    """Whether that of a doc was."""
    judge_query: Callable[[str, Conventions, Rel], Judged] | None = None
    """What orders and judges a query in another way; then nothing but the names of queries, and whether they have rows, is looked at."""
    _judged: dict[tuple[object, ...], Judged] = field(default_factory=dict, repr=False, compare=False)
    _whole: dict[tuple[object, ...], Mapping[str, Judged]] = field(default_factory=dict, repr=False, compare=False)
    """All queries of one kind of conventions together, as a search asks for them again and again."""
    _first: dict[str, Judged] = field(default_factory=dict, repr=False, compare=False)
    _alike: dict[Judged, Judged] = field(default_factory=dict, repr=False, compare=False)
    """One of each that was judged otherwise than first: most conventions change nothing of most queries."""
    _values: "dict[tuple[object, ...], tuple[Definition, Worth]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    _worths: "dict[tuple[object, ...], Worth]" = field(default_factory=dict, repr=False, compare=False)
    """One for each value: what is worth the same is the same object."""
    _answers: "dict[tuple[object, ...], tuple[Definition, Mapping[str, Worth], Answer]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    """One wherever each query is worth the same."""

    def answer(self, measure: Measure, conventions: Conventions) -> Answer:
        """Measure every query; one object wherever each of them is worth the same.

        Raises:
            Rejected: the conventions refuse the input.
            TooManyOrders: ties would need the enumeration of more than 50,000 orders.
            NotPooled: a pooled mean is asked of a measure that is no ratio.
        """
        worths = self.worths(measure, conventions)
        definition = measure.definition
        # Kept with what has these ids, so that nothing else takes one.
        key = id(definition), of_means(measure.conventions(conventions)), *worths, *map(id, worths.values())
        entry = self._answers.get(key)
        if entry is None:
            entry = self._answers[key] = definition, worths, put_together(measure, worths, conventions)
        return entry[-1]

    def worths(self, measure: Measure, conventions: Conventions) -> "dict[str, Worth]":
        """What each query is worth, in the order of the qrels; that of one does not depend on the others.

        Raises:
            Rejected: the conventions refuse the input.
            TooManyOrders, NotPooled: as `answer` does.
        """
        conventions = measure.conventions(conventions)
        if conventions.mean == "pooled" and measure.definition.total == "mean" and not measure.definition.is_ratio:
            raise NotPooled(f"{measure.definition.name} is no ratio of counts, so it has no pooled mean")
        judged = self._all_judged(conventions, measure.rel)
        return {query: self.worth(query, measure, conventions, of_query) for query, of_query in judged.items()}

    def queries(self, conventions: Conventions) -> list[str]:
        """The queries that are judged or ranked, in the order of the qrels.

        Raises:
            Rejected: the conventions refuse an id.
        """
        return self._queries(*_of_queries(conventions))

    def _queries(self, no_judgments: str, empty: str, ids: str) -> list[str]:
        named = dict.fromkeys([*self.qrels, *self.run])
        queries = [q for q in named if self._is_judged(q, no_judgments) or self._is_ranked(q, empty)]
        self._refuse_ids(queries, ids)
        return queries

    def _all_judged(self, conventions: Conventions, threshold: float) -> Mapping[str, Judged]:
        """Every query, ordered and judged, in the order of the qrels: an input is refused whole, whether or not a query counts."""
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
            raise Rejected(axis="ids", message="an id is a number, and ids=text takes text only")
        if ids == "text-docs" and self.number_docs:
            raise Rejected(axis="ids", message="a doc is a number, and ids=text-docs takes text only")
        if ids == "digit-queries" and not all(query.isdigit() for query in queries):
            raise Rejected(axis="ids", message="a query has a name, and ids=digit-queries takes numbers only")

    def worth(self, query: str, measure: Measure, conventions: Conventions, judged: Judged | None = None) -> "Worth":
        """What a query is worth by conventions that are the measure's own already; `judged` is the query, if it was judged by them.

        Raises:
            Rejected: the conventions refuse it.
            TooManyOrders: as `answer` does.
        """
        ranked = self._is_ranked(query, conventions.empty)
        if not self._is_judged(query, conventions.no_judgments) and conventions.extra != "measured":
            return worth_by("extra", conventions.extra, query)
        # What is worth 0 still has counts: of relevant docs to sum, of docs to pool.
        counts = measure.definition.total == "sum" or conventions.mean == "pooled"
        counted = counts and conventions.missing in {"0", "absent-as-0"}
        if not ranked and not (conventions.missing == "measured" or counted):
            return worth_by("missing", conventions.missing, query)
        worth = self._measured(query, judged or self.judged(query, conventions, measure.rel), measure, conventions)
        unreported = not ranked and conventions.missing == "absent-as-0"
        return replace(worth, reported=None, is_reported=False) if unreported else worth

    def judged(self, query: str, conventions: Conventions, threshold: float) -> Judged:
        """A query, ordered and judged, by conventions that are the measure's own already.

        Raises:
            Rejected: the conventions refuse it.
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
        """The value of a query that has one; worked out once for all conventions by which it is judged and measured alike."""
        definition = measure.definition
        over_orders = _of_orders(conventions) if judged.has_ties else None
        # `_judged` keeps what was judged, and the value what it was measured by, so that no other takes its `id`.
        of_formula = definition.choices(conventions), *measure.arguments.items()
        key = id(judged), id(definition), measure.k, over_orders, *of_formula
        entry = self._values.get(key)
        if entry is None:
            arguments = definition.arguments(conventions, measure.arguments)
            value = measured(definition, judged, measure.k, conventions, arguments)
            # By its parts, as a fraction is hashed by a power of its denominator.
            parts = type(value), value.numerator, value.denominator
            entry = self._values[key] = definition, self._worths.setdefault(parts, Worth(value, value))
        return entry[1]


OF_QUERIES = ("no_judgments", "empty", "ids")
_of_queries = attrgetter(*OF_QUERIES)
"""The values of the axes by which a query is one of the collection."""
_before_the_formula = attrgetter(
    *(name for name, axis in AXES.items() if axis.stage in {"order", "judge"} and name not in OF_QUERIES)
)
"""Those of the axes by which a query is ordered and judged."""
OF_MEANS = ("mean", "no_query")
"""The axes of which queries that are measured are put together; nothing else of the conventions matters to that."""
of_means = attrgetter(*OF_MEANS)
_of_orders = attrgetter("ties", *(name for name, axis in AXES.items() if axis.stage == "aggregate"))
"""Those by which tied docs are measured: an order without a value is worth what a query without one is."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What a query is worth: the value reported for it and the value that enters the mean; either may be missing."""

    reported: Fraction | Ratio | None
    counted: Fraction | Ratio | None
    is_reported: bool = True
    is_counted: bool = True


def put_together(measure: Measure, worths: "Mapping[str, Worth]", conventions: Conventions) -> Answer:
    """The answer of which these are the queries."""
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
    "missing": Worth(_ZERO, _ZERO),  # it has rows, of which none is ranked
}


def worth_by(axis: str, value: str, query: str) -> Worth:
    """What a convention on queries makes of one.

    Raises:
        Rejected: it refuses the query.
    """
    if value == "rejected":
        raise Rejected(
            axis, f"query {query!r} is refused by {axis}=rejected: {AXES[axis].phrase(value).removesuffix(' refused')}"
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
        raise NotPooled(f"{definition.name} is no ratio of counts for every query, so it has no pooled mean")
    return ratio(sum(r.numerator for r in ratios), sum(r.denominator for r in ratios)).value


def compare_labelings(
    measure: Measure, true: Sequence[object], predicted: Sequence[object], conventions: Conventions
) -> Value:
    """A clustering measure of two labelings of the same items; None where it is undefined.

    Raises:
        ValueError: the labelings differ in length.
    """
    return CLUSTERINGS[measure.name].of(true, predicted, conventions, dict(measure.params))
