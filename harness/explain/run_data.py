"""Qrels and a run, measured under many conventions.

The value of a query does not depend on other queries. So each query is measured once for all conventions that agree on
the axes that can matter to it. A change without effect on most queries takes little time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from rankproof.cases.inputs import Input
from rankproof.evaluate.tie_ends import TieEnds, tie_ends
from rankproof.explain.answers_by_columns import answers_by, columns_of
from rankproof.inference.data_conditions import RowsByQuery
from rankproof.inference.deciding_axes import Facts, axes_that_matter, possible, values_of
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.recalled import Choices, Varied, standard_with
from rankproof.inference.reference_answers import Answers, CannotTell, Obstacle, Refused, Values, outcome_of, reading_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.definition import Ratio
from rankproof.reference_impl.evaluation import OF_MEANS, Collection, Worth, put_together
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judged, Judgment, QueryRow
from rankproof.reference_impl.ties import value_of
from rankproof.workers.observations import ABSENT, Reading
from rankproof.workers.same_answers import alike

if TYPE_CHECKING:
    from rankproof.evaluate.fast.column_values import ColumnValues

MOST_ROWS = 2_000_000
"""The largest number of rows and judgments that are read to try every convention, or kept judged."""
MANY_ROWS = 10_000
"""The smallest number of rows and judgments that are measured by columns if possible."""
LONGEST_MEAN, ALL_MEANS = 3_000_000, 30_000_000
"""The largest effort for means over all orders of tied documents, for one query and for all (some seconds)."""
WEIGHT = 50
"""The time to measure a document within the cutoff, relative to the time to order a document."""

T = TypeVar("T")
QueryValue: TypeAlias = Worth | Refused | CannotTell | None
"""The value of one query; None if the query does not count."""
Standing: TypeAlias = tuple[Reading, Reading] | None
"""The reported value of a query and the value in the mean; None if the input is refused or the value is unknown."""


@dataclass
class RunQuery:
    """A query with its values under the conventions that were tried.

    Attributes:
        most_kept: the number of conventions whose ordered and judged query is kept.
        longest: the largest effort for a mean over all orders of tied documents.
    """

    name: str
    qrels: Mapping[str, Sequence[Judgment]]
    run: Mapping[str, Sequence[QueryRow]]
    most_kept: int
    longest: int
    _varied: dict[Measure, Varied] = field(default_factory=dict)
    _worths: dict[tuple[Measure, bool, Choices], QueryValue] = field(default_factory=dict)
    _collection: Collection | None = None

    @cached_property
    def facts(self) -> Facts:
        """The features of the query that decide which axes can matter to it."""
        judged, rows = self.qrels.get(self.name), self.run.get(self.name)
        return Facts.of(
            Input(
                tuple((self.name, doc, cast("float", rel)) for doc, rel in judged or ()),
                tuple((self.name, *row) for row in rows or ()),
                (self.name,) if judged is not None and not judged else (),
                (self.name,) if rows is not None and not rows else (),
            )
        )

    def varied(self, measure: Measure) -> Varied:
        """Return the axes that can matter to the value of the query."""
        if measure not in self._varied:
            names = tuple(axis for axis in axes_that_matter(self.facts, measure) if axis not in OF_MEANS)
            self._varied[measure] = Varied(names)
        return self._varied[measure]

    def value(self, measure: Measure, conventions: Conventions) -> QueryValue:
        """Return the value of the query under these conventions."""
        key = measure, conventions.mean == "pooled", self.varied(measure).of(conventions)
        if key not in self._worths:
            self._worths[key] = self._measured(measure, conventions)
        return self._worths[key]

    def _measured(self, measure: Measure, conventions: Conventions) -> QueryValue:
        if self._takes_too_long(measure, conventions):
            what = f"the mean over all orders has no closed form for {measure}, and too many documents are tied"
            return CannotTell(Obstacle.TOO_MANY_ORDERS, what)
        if self._collection is None or len(self._worths) % self.most_kept == 0:
            self._collection = Collection(self.qrels, self.run)
        varied, collection = self.varied(measure), self._collection
        pairs = [*zip(varied.names, varied.of(conventions), strict=True)]
        pairs += [("mean", "pooled")] * (conventions.mean == "pooled")
        plain = standard_with(tuple(pair for pair in pairs if pair[1] != AXES[pair[0]].default))
        return outcome_of(lambda: collection.worths(measure, plain).get(self.name))

    def judged(self, measure: Measure, conventions: Conventions) -> Judged:
        """Return the ordered and judged documents of the query under conventions that do not refuse it."""
        return Collection(self.qrels, self.run).judged(self.name, measure.conventions(conventions), measure.rel)

    def _takes_too_long(self, measure: Measure, conventions: Conventions) -> bool:
        """Return whether the mean over all orders of tied documents would take too long."""
        if conventions.ties != "expectation" or measure.definition.expectation is not None:
            return False
        (facts,) = self.facts.queries
        appended = len(facts.not_retrieved) if conventions.unretrieved == "appended" else 0
        ahead = sorted(facts.singles, reverse=True)
        within = set(ahead[: measure.k]) if measure.k is not None else set(ahead)
        tied = sum(score in within for score in ahead) - len(within)
        tied += appended if measure.k is None or len(ahead) < measure.k else 0
        docs = len(ahead) + appended
        return tied * (docs + WEIGHT * min(docs, measure.k or docs)) > self.longest


@dataclass
class RunData(RowsByQuery):
    """Qrels and a run with the values computed so far.

    Attributes:
        has_ranks: whether the run has ranks that can be read.
    """

    has_ranks: bool = True
    _answers: dict[tuple[Measure, Choices], Answers] = field(default_factory=dict)
    _varied: dict[Measure, Varied] = field(default_factory=dict)
    _tie_ends: dict[tuple[Measure, Choices], TieEnds | None] = field(default_factory=dict)
    _columns: "ColumnValues | None" = None

    @cached_property
    def size(self) -> int:
        """The number of rows and judgments."""
        return sum(map(len, self.qrels.values())) + sum(map(len, self.run.values()))

    @cached_property
    def queries(self) -> Mapping[str, RunQuery]:
        """The queries by name, in the order of the qrels and then of the run."""
        names = dict.fromkeys([*self.qrels, *self.run])
        limits = self._most_kept, min(LONGEST_MEAN, ALL_MEANS // max(1, len(names)))
        return {q: RunQuery(q, _only(q, self.qrels), _only(q, self.run), *limits) for q in names}

    @property
    def _most_kept(self) -> int:
        """The number of conventions whose ordered and judged data are kept."""
        return max(2, MOST_ROWS // max(1, self.size))

    @cached_property
    def _new_columns(self) -> "Callable[[], ColumnValues] | None":
        """A function that makes columns; None for small data, and if only rows can be used."""
        return None if self.size < MANY_ROWS else columns_of(self.qrels, self.run, has_ranks=self.has_ranks)

    def axes(self, measure: Measure) -> tuple[str, ...]:
        """Return the axes that can matter to the values, in the order of the axes."""
        return self._that_matter(measure).names

    def _that_matter(self, measure: Measure) -> Varied:
        if measure not in self._varied:
            names = {axis for query in self.queries.values() for axis in query.varied(measure).names} | {"mean"}
            # Some conventions leave out every query.
            if all("no_query" in axes_that_matter(query.facts, measure) for query in self.queries.values()):
                names |= {*OF_MEANS}
            self._varied[measure] = Varied(tuple(axis for axis in AXES if axis in names))
        return self._varied[measure]

    def remaining_axes(self, measure: Measure, conventions: Conventions) -> tuple[str, ...]:
        """Return the axes that can matter under these conventions; `no_query` cannot if some query counts."""
        axes = self.axes(measure)
        is_of_some = "no_query" in axes and bool(self.mean(measure, conventions))  # else it is undefined or 0
        return tuple(axis for axis in axes if axis != "no_query" or not is_of_some)

    def choices(self, measure: Measure) -> dict[str, list[str]]:
        """Return the conventions to try on each axis that can matter, except those that refuse the input."""
        return {
            axis: [
                value
                for value in values_of(axis)
                if possible(measure, axis, value)
                and value != "rejected"
                and (self.has_ranks or (axis, value) != ("order", "rank"))
            ]
            for axis in self.axes(measure)
        }

    def is_small_enough(self, times: int) -> bool:
        """Return whether the data is small enough to be read so many times."""
        return times * self.size <= MOST_ROWS

    def varying(self, measure: Measure, conventions: Conventions) -> Conventions:
        """Return the conventions with the value of `standard` on every axis that cannot matter here."""
        return standard_with(
            tuple((axis, v) for axis in self.axes(measure) if (v := getattr(conventions, axis)) != AXES[axis].default)
        )

    def plain(self, measure: Measure, conventions: Conventions) -> Conventions:
        """Return equivalent conventions with the value of `standard` for every choice without effect here."""
        chosen = {axis: getattr(conventions, axis) for axis in AXES}
        if not any(query.facts.nan for query in self.queries.values()):
            chosen = canonical_profile(measure, chosen)
        is_plain = chosen["no_query"] == AXES["no_query"].default
        matter = self.axes(measure) if is_plain else self.remaining_axes(measure, conventions)
        return standard_with(tuple((axis, chosen[axis]) for axis in matter if chosen[axis] != AXES[axis].default))

    def answers(self, measure: Measure, conventions: Conventions) -> Answers:
        """Return the values under these conventions."""
        key = measure, self._that_matter(measure).of(conventions)
        if key not in self._answers:
            self._answers[key] = self._by_columns(measure, conventions) or self._by_rows(measure, conventions)
        return self._answers[key]

    def mean(self, measure: Measure, conventions: Conventions) -> Fraction | None:
        """Return the mean under these conventions; None if there is none."""
        answers = self.answers(measure, conventions)
        return answers.mean if isinstance(answers, Values) else None

    def _by_rows(self, measure: Measure, conventions: Conventions) -> Answers:
        worths = self._worths(measure, conventions)
        return outcome_of(lambda: put_together(measure, worths, conventions)) if isinstance(worths, dict) else worths

    def _worths(self, measure: Measure, conventions: Conventions) -> dict[str, Worth] | Refused | CannotTell:
        """Return the values of the queries that count, or why there are none."""
        worths: dict[str, Worth] = {}
        unknown: CannotTell | None = None
        for name, query in self.queries.items():
            value = query.value(measure, conventions)
            if isinstance(value, Refused):
                return value
            if isinstance(value, CannotTell):
                unknown = unknown or value
            elif value is not None:
                worths[name] = value
        return worths if unknown is None else unknown

    def _by_columns(self, measure: Measure, conventions: Conventions) -> Answers | None:
        """Return the values by columns; None if columns cannot be used, or a check of one query by rows fails."""
        is_over_orders = conventions.ties == "expectation" and not measure.definition.linear
        if self._new_columns is None or is_over_orders:
            return None
        if self._columns is None or len(self._answers) % self._most_kept == 0:
            self._columns = self._new_columns()
        answers = answers_by(self._columns, measure, conventions)
        if isinstance(answers, Values):
            names = list(self.queries)
            query = names[len(self._answers) % len(names)]
            standing = self.standing(query, measure, conventions)
            if standing is None or not alike(standing[0], reading_of(answers, query)):
                return None
        return answers

    def readings(self, measure: Measure, conventions: Conventions) -> dict[str, Reading | None]:
        """Return the value of each query; None for all queries if there are no values."""
        answers = self.answers(measure, conventions)
        return {query: reading_of(answers, query) for query in self.queries}

    def standings(self, measure: Measure, conventions: Conventions) -> dict[str, Standing]:
        """Return the reported and the counted value of each query; on large data, both are the reported value."""
        if self._new_columns is None:
            return {query: self.standing(query, measure, conventions) for query in self.queries}
        readings = self.readings(measure, conventions)
        return {query: None if reading is None else (reading, reading) for query, reading in readings.items()}

    def tie_ends(self, measure: Measure, conventions: Conventions) -> TieEnds | None:
        """Return the effect of the order of tied documents, under conventions that give values."""
        key = measure, self._that_matter(measure).of(conventions)
        if key not in self._tie_ends:
            in_groups, own = conventions.replace(ties="worst"), measure.conventions(conventions)
            tied = (query for query in self.queries.values() if "ties" in query.varied(measure).names)
            judged = (
                (q.name, q.judged(measure, in_groups)) for q in tied if any(q.qrels.values()) and any(q.run.values())
            )
            self._tie_ends[key] = tie_ends(measure, own, judged, lambda ends: self._mean_if(measure, conventions, ends))
        return self._tie_ends[key]

    def _mean_if(self, measure: Measure, conventions: Conventions, others: Mapping[str, Worth]) -> Fraction | None:
        """Return the mean if some queries had these values; None if there is none."""
        answers = self.answers(measure, conventions)
        if self._new_columns is not None and isinstance(answers, Values):
            by_value = {query: Worth(value, value) for query, value in answers.per_query.items()}
            # The reported values suffice if they give the mean.
            if alike(to_float(put_together(measure, by_value, conventions).mean), to_float(answers.mean)):
                return put_together(measure, {**by_value, **others}, conventions).mean
        worths = self._worths(measure, conventions)
        return put_together(measure, {**worths, **others}, conventions).mean if isinstance(worths, dict) else None

    def standing(self, query: str, measure: Measure, conventions: Conventions) -> Standing:
        """Return the reported and the counted value of one query."""
        value = self.queries[query].value(measure, conventions)
        if isinstance(value, Refused | CannotTell):
            return None
        if value is None:
            return ABSENT, ABSENT
        return _read(value.reported, is_there=value.is_reported), _read(value.counted, is_there=value.is_counted)


def _only(query: str, of: Mapping[str, T]) -> dict[str, T]:
    return {query: of[query]} if query in of else {}


def _read(value: Fraction | Ratio | None, *, is_there: bool) -> Reading:
    if not is_there:
        return ABSENT
    return to_float(None if value is None else value_of(value))
