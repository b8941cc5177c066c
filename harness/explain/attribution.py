"""From one set of conventions to another on some data: which changes move which query, and what each adds to the mean.

A query is attributed to the smallest set of the changes that turns its value under the first conventions into that under the second; of
several as small, to the one that does so for the most queries, as what moves one query by coincidence does not move the others. The
difference of the means is split by making the changes one after another, in the order of the axes (order, judge, measure, aggregate): each
adds what it adds when those before it are made already, and the parts sum to the whole exactly. In another order the parts may be others;
the sum is the same.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankproof.explain.asked_data import AskedData, Standing
from rankproof.grouping import grouped
from rankproof.inference.fewest_changes import changes_that_fit
from rankproof.inference.reference_answers import Answers, Values
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import OF_MEANS
from rankproof.reference_impl.notation import Measure
from rankproof.workers.same_answers import alike

Changed = Mapping[str, tuple[str, str]]
"""The axes that are changed, each with its value before and after."""


@dataclass(frozen=True)
class Cause:
    """The queries that one smallest set of changes turns from their value into the other.

    Attributes:
        adds: what the mean becomes more where these queries alone have their other value; None where that is no number.
    """

    changes: Changed
    queries: tuple[str, ...]
    adds: Fraction | None = None


@dataclass(frozen=True)
class AttributionStep:
    """What one change adds to the mean where those before it are made; several axes where between them there is no mean."""

    changes: Changed
    adds: Fraction


@dataclass(frozen=True)
class Attribution:
    """Why a measure is worth this by one set of conventions and that by another.

    Attributes:
        changes: the axes on which they differ, of those that can matter to the data.
        before: the answer by the first.
        after: the answer by the second.
        causes: the queries that differ, by the smallest set of changes that does it; those first that move the mean most.
        steps: the difference of the means, split in the order of the axes; nothing where one of the means is no number.
        queries: how many queries there are.
    """

    changes: Changed
    before: Answers
    after: Answers
    causes: tuple[Cause, ...]
    steps: tuple[AttributionStep, ...]
    queries: int

    @property
    def moved(self) -> tuple[str, ...]:
        """The queries that differ."""
        return tuple(query for cause in self.causes for query in cause.queries)

    @property
    def of_the_mean(self) -> Changed:
        """The changes that move the mean where no query differs, the first step of several; nothing where it does not move."""
        before, after = self.before, self.after
        if self.causes or not isinstance(before, Values) or not isinstance(after, Values) or before.mean == after.mean:
            return {}
        step = next((step.changes for step in self.steps if step.adds), self.changes)
        return {axis: pair for axis, pair in step.items() if axis in OF_MEANS}


def attribute(data: AskedData, measure: Measure, one: Conventions, other: Conventions) -> Attribution:
    """Which changes move which query, from one set of conventions to another."""
    before, after = (data.plain(measure, conventions) for conventions in (one, other))
    changes = changes_between(before, after)
    answers = data.answers(measure, before), data.answers(measure, after)
    told = all(isinstance(each, Values) for each in answers)
    causes = _causes(data, measure, (before, after), changes) if told else ()
    return Attribution(changes, *answers, causes, _steps(data, measure, before, changes), len(data.queries))


def changes_between(before: Conventions, after: Conventions) -> Changed:
    """The axes on which two sets of conventions differ, in the order of the axes."""
    return {axis: (getattr(before, axis), value) for axis, value in before.differences(after).items()}


def _causes(
    data: AskedData, measure: Measure, ends: tuple[Conventions, Conventions], changes: Changed
) -> tuple[Cause, ...]:
    each = {
        query: _smallest(data, measure, ends[0], changes, query, data.standing(query, measure, ends[1]))
        for query in moved_between(data, measure, *ends)
    }
    queries = Counter(axes for sets in each.values() for axes in sets)
    found = grouped((max(sets, key=queries.__getitem__), query) for query, sets in each.items())
    causes = [
        Cause({axis: changes[axis] for axis in axes}, tuple(own), _adds(data, measure, ends, own))
        for axes, own in found.items()
    ]
    return tuple(sorted(causes, key=heaviest_first))


def heaviest_first(cause: Cause) -> tuple[Fraction, int, int]:
    """What sorts causes by how much they add to the mean or take from it, and then by their queries."""
    return -abs(cause.adds or Fraction(0)), -len(cause.queries), len(cause.changes)


def _adds(
    data: AskedData, measure: Measure, ends: tuple[Conventions, Conventions], queries: Sequence[str]
) -> Fraction | None:
    mean, other = data.mean(measure, ends[0]), data.mean_with(measure, *ends, frozenset(queries))
    return None if mean is None or other is None else other - mean


def _smallest(
    data: AskedData, measure: Measure, base: Conventions, changes: Changed, query: str, wanted: Standing
) -> list[tuple[str, ...]]:
    """The axes of the smallest sets of changes that give a query its other value."""
    own = set(data.queries[query].axes(measure))
    choices = {axis: [after] for axis, (_, after) in changes.items() if axis in own or axis == "mean"}

    def fits(conventions: Conventions) -> bool:
        return same_standing(data.standing(query, measure, conventions), wanted)

    return [tuple(change) for change in changes_that_fit(base, choices, fits, len(choices))] or [tuple(changes)]


def moved_between(data: AskedData, measure: Measure, one: Conventions, other: Conventions) -> tuple[str, ...]:
    """The queries of which two conventions tell something else, or take something else into the mean."""
    return tuple(
        query
        for query in data.queries
        if not same_standing(data.standing(query, measure, one), data.standing(query, measure, other))
    )


def same_standing(a: Standing, b: Standing) -> bool:
    """Whether two conventions tell the same of a query, and take the same into the mean."""
    if a is None or b is None:
        return a is b
    return alike(a[0], b[0]) and alike(a[1], b[1])


def _steps(data: AskedData, measure: Measure, base: Conventions, changes: Changed) -> tuple[AttributionStep, ...]:
    mean = data.mean(measure, base)
    if mean is None:
        return ()
    steps: list[AttributionStep] = []
    together: dict[str, tuple[str, str]] = {}
    for axis, (_, value) in changes.items():
        base = base.replace(**{axis: value})
        together[axis] = changes[axis]
        now = data.mean(measure, base)
        if now is not None:
            steps.append(AttributionStep(together, now - mean))
            mean, together = now, {}
    return () if together else tuple(steps)
