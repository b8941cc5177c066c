"""Comparison of observed values with those that the reference computes under any profile."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import TypeAlias

from rankproof.cases import Case
from rankproof.inference.recalled import Choices, Recalled, recalled
from rankproof.inference.reference_answers import (
    UNSPECIFIED,
    CannotTell,
    Obstacle,
    Refused,
    reading_of,
    some_order_gives,
)
from rankproof.measure_facts import Profile
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.observations import ABSENT, Answered, Failure, Reading, readings
from rankproof.workers.same_answers import same

Expected: TypeAlias = dict[str | None, Reading] | Refused | CannotTell


@dataclass(eq=False)
class ReferenceQuestion:
    """A measure on a case, with a cache of the reference's values, keyed by the axes that can matter."""

    case: Case
    measure: Measure
    _expected: dict[Choices, Expected] = field(default_factory=dict, init=False, repr=False)
    _read: dict[int, Expected] = field(default_factory=dict, init=False, repr=False)
    """The readings, by the id of the reference's values (which the reference keeps alive)."""

    @cached_property
    def reference(self) -> Recalled:
        """The cached reference for the input of the case."""
        return recalled(self.case.input)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The axes that can matter to the values."""
        return self.reference.axes(self.measure)

    @cached_property
    def key(self) -> Callable[[Profile], Choices]:
        """A function that returns the choices of a profile that can matter."""
        if len(self.axes) > 1:
            return itemgetter(*self.axes)
        return lambda profile: tuple(profile[axis] for axis in self.axes)

    def expected(self, profile: Profile) -> Expected:
        """Return the reference's values under a profile, by query (None is the mean)."""
        key = self.key(profile)
        expected = self._expected.get(key)
        if expected is None:
            expected = self._expected[key] = self._compute(key)
        return expected

    def _compute(self, choices: Choices) -> Expected:
        answers = self.reference.at(self.measure, choices)
        if isinstance(answers, Refused | CannotTell):
            return answers
        expected = self._read.get(id(answers))
        if expected is None:
            queries = [None, *(str(query) for query in self.case.queries)]
            readings_of = ((query, reading_of(answers, query)) for query in queries)
            expected = {query: reading for query, reading in readings_of if reading is not None}
            self._read[id(answers)] = expected
        return expected

    @cached_property
    def simplicity(self) -> tuple[int, int, int, str]:
        """A key that sorts questions by their numbers of queries and documents, and by their ids."""
        case, data = self.case, self.case.input
        return len(data.queries), data.size + len(data.true or ()), len(case.id), case.id


@dataclass
class Questions:
    """Reference values for all cases and measures, shared by the libraries."""

    cases: Mapping[str, Case]
    _questions: dict[tuple[str, str], ReferenceQuestion] = field(default_factory=dict)

    def of(self, case: str, measure: str) -> ReferenceQuestion:
        """Return the reference values for a measure on a case."""
        if (case, measure) not in self._questions:
            self._questions[case, measure] = ReferenceQuestion(self.cases[case], parse(measure))
        return self._questions[case, measure]


@dataclass(eq=False)
class Evidence:
    """Values of a library for one measure on one case. A *mask* has a bit for each row that a profile does not explain.

    Attributes:
        rows: pairs of a query and its value; the query None is the mean.
        reported: the queries whose values the library returned; None is the mean.
    """

    question: ReferenceQuestion
    rows: tuple[tuple[str | None, Reading], ...]
    reported: frozenset[str | None]
    failure: Failure | None
    precision: str
    _masks: dict[Choices, int] = field(default_factory=dict, init=False)
    _against: dict[int, int] = field(default_factory=dict, init=False)
    """Masks by the id of the expected values, which the question keeps alive."""

    @property
    def size(self) -> int:
        """The number of rows to explain."""
        return len(self.rows)

    def at(self, precision: str) -> "Evidence":
        """Return the same values, compared at another precision."""
        return replace(self, precision=precision)

    def of(self, formula: Measure) -> "Evidence":
        """Return the same values as evidence for another formula."""
        return replace(self, question=ReferenceQuestion(self.question.case, formula))

    @property
    def numbers(self) -> "Evidence":
        """The same values, without failures and queries that have no value."""
        rows = () if self.failure is not None else tuple(row for row in self.rows if isinstance(row[1], float))
        return replace(self, rows=rows)

    def reading(self, profile: Profile, query: str | None) -> Reading | None:
        """Return the reference's value of a query (None is the mean), or None if it has no value."""
        expected = self.question.expected(profile)
        return expected.get(query, ABSENT) if isinstance(expected, dict) else None

    def missed(self, profile: Profile) -> list[str | None]:
        """Return the queries whose rows the profile does not explain; None is the mean."""
        mask = self.mask(profile)
        return [query for i, (query, _) in enumerate(self.rows) if mask >> i & 1]

    def split(self, queries: Container[str | None]) -> tuple["Evidence", "Evidence"]:
        """Return the rows of all other queries, and those of these queries; None is the mean."""
        rest, taken = ([row for row in self.rows if (row[0] in queries) is own] for own in (False, True))
        return replace(self, rows=tuple(rest)), replace(self, rows=tuple(taken))

    def mask(self, profile: Profile) -> int:
        """Return the rows that the profile does not explain, as bits."""
        key = self.question.key(profile)
        mask = self._masks.get(key)
        if mask is None:
            mask = self._masks[key] = self._missed(profile)
        return mask

    def _missed(self, profile: Profile) -> int:
        if profile["ties"] == UNSPECIFIED:
            # A value also counts as explained if some order of the tied documents gives it.
            mask = self.mask({**profile, "ties": "input"})
            return mask & ~self.within_ties(profile) if mask else 0
        expected = self.question.expected(profile)
        missed = self._against.get(id(expected))
        if missed is None:
            missed = self._against[id(expected)] = self._unlike(expected)
        return missed

    def _unlike(self, expected: Expected) -> int:
        if self.failure is not None and self.rows:
            return int(not (self.failure.kind == "error" and isinstance(expected, Refused)))
        if not isinstance(expected, dict):
            return (1 << self.size) - 1
        return sum(
            1 << i
            for i, (query, reading) in enumerate(self.rows)
            if not same(reading, expected.get(query, ABSENT), self.precision)
        )

    def within_ties(self, profile: Profile) -> int:
        """Return the rows that ties change and whose values lie between the worst and the best order, as bits."""
        if self.failure is not None or "ties" not in self.question.axes:
            return 0
        worst, best = (self.question.expected({**profile, "ties": ties}) for ties in ("worst", "best"))
        if not isinstance(worst, dict) or not isinstance(best, dict):
            return 0
        return sum(
            1 << i
            for i, (query, reading) in enumerate(self.rows)
            if some_order_gives(reading, worst.get(query, ABSENT), best.get(query, ABSENT), self.precision)
        )

    def unanswered(self, profile: Profile) -> bool:
        """Return whether the tied documents have too many orders for the reference."""
        orders = ("worst", "best") if profile["ties"] == UNSPECIFIED else (profile["ties"],)
        answers = (self.question.expected({**profile, "ties": ties}) for ties in orders)
        return any(isinstance(answer, CannotTell) and answer.obstacle is Obstacle.TOO_MANY_ORDERS for answer in answers)

    def differs_unreported(self, a: Profile, b: Profile) -> bool:
        """Return whether the values under two profiles differ only in queries that the library does not report."""
        first, second = self.question.expected(a), self.question.expected(b)
        if not isinstance(first, dict) or not isinstance(second, dict):
            return False
        return any(
            not same(reading, second.get(query, ABSENT), self.precision)
            for query, reading in first.items()
            if query not in self.reported
        )


def evidence_of(answer: Answered | Failure, question: ReferenceQuestion, precision: str) -> Evidence:
    """Return the evidence in a library's values or failure."""
    if isinstance(answer, Failure):
        return Evidence(question, ((None, ABSENT),), frozenset(), answer, precision)
    queries = tuple(str(query) for query in question.case.queries)
    reported = {None} if answer.mean is not None else set()
    return Evidence(
        question,
        tuple(readings(answer, queries)),
        frozenset(reported if answer.per_query is None else reported | set(queries)),
        None,
        precision,
    )
