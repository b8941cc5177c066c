"""Attribution of a difference: the smallest set of changes from one profile to another, and what each adds to the mean.

The set is verified by recomputation. With these changes, the first profile gives the value of every query and the mean
of the second, and no smaller set of their differences does. The changes are made one after another, in the order of
the axes (order, judge, measure, aggregate). A change without effect is joined with the next change into one part. So
every part changes a value, and the parts sum exactly to the whole difference. In another order the parts may differ,
but their sum does not.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from rankproof.explain.run_data import RunData, Standing
from rankproof.inference.reference_answers import Values, reading_of
from rankproof.inference.search import changes_that_fit
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Reading
from rankproof.workers.same_answers import alike

Changed = Mapping[str, tuple[str, str]]
"""The changed axes, each with its value before and after."""


@dataclass(frozen=True)
class Part:
    """Some changes of a set, made after those of the previous parts.

    Attributes:
        changes: the changed axes; several if only all of them together change a value.
        queries: the queries whose value changes.
        adds: the change of the mean; None if the mean before or after is not a number.
    """

    changes: Changed
    queries: tuple[str, ...]
    adds: Fraction | None


@dataclass(frozen=True)
class Attribution:
    """Why two profiles give different values.

    Attributes:
        changes: the smallest set of changes; empty if the values are equal, or if one profile gives no values.
        parts: the same changes, in parts whose contributions sum to the difference of the means.
        largest: the query whose value differs most, with both values; None if no query has two different numbers.
    """

    changes: Changed
    parts: tuple[Part, ...]
    largest: tuple[str, float, float] | None = None


def attribute(data: RunData, measure: Measure, first: Conventions, second: Conventions) -> Attribution:
    """Return the changes that turn the values under some conventions into those under others."""
    start, end = (data.varying(measure, conventions) for conventions in (first, second))
    if not all(isinstance(data.answers(measure, ends), Values) for ends in (start, end)):
        return Attribution({}, ())
    changes = _smallest(start, changes_between(start, end), _gives(data, measure, end))
    largest = _largest(data.readings(measure, start), data.readings(measure, end))
    return Attribution(changes, tuple(_parts(data, measure, start, changes)), largest)


def _largest(
    before: Mapping[str, Reading | None], after: Mapping[str, Reading | None]
) -> tuple[str, float, float] | None:
    pairs = ((query, value, after[query]) for query, value in before.items())
    differing = [(q, a, b) for q, a, b in pairs if isinstance(a, float) and isinstance(b, float) and abs(b - a) > 0]
    return max(differing, key=lambda row: abs(row[2] - row[1]), default=None)


def changes_between(before: Conventions, after: Conventions) -> Changed:
    """Return the axes on which two sets of conventions differ, in the order of the axes."""
    return {axis: (getattr(before, axis), value) for axis, value in before.differences(after).items()}


def _gives(data: RunData, measure: Measure, end: Conventions) -> Callable[[Conventions], bool]:
    """Return a function that checks whether conventions give the same values and mean as `end`."""
    mean, values = reading_of(data.answers(measure, end), None), data.readings(measure, end)
    failed: list[str] = []
    """Queries whose value differed under some set; the next set most likely fails on them."""

    def gives(conventions: Conventions) -> bool:
        for query in failed:
            standing = data.standing(query, measure, conventions)
            if standing is None or not alike(standing[0], values[query]):
                return False
        readings = data.readings(measure, conventions)
        moved = next((query for query, value in values.items() if not alike(readings[query], value)), None)
        if moved is not None:
            failed.insert(0, moved)
        return moved is None and alike(reading_of(data.answers(measure, conventions), None), mean)

    return gives


def _smallest(start: Conventions, changes: Changed, gives: Callable[[Conventions], bool]) -> Changed:
    """Return the smallest set of changes that gives the wanted values; empty if no change is needed."""
    if gives(start):
        return {}
    enough = dict(changes)
    for axis in reversed([*changes]):  # earlier stages, such as the judgments, are kept in favour of later ones
        fewer = {name: pair for name, pair in enough.items() if name != axis}
        if gives(start.replace(**{name: after for name, (_, after) in fewer.items()})):
            enough = fewer
    choices = {axis: [after] for axis, (_, after) in changes.items()}
    smaller = next(changes_that_fit(start, choices, gives, len(enough) - 1), enough)
    return {axis: changes[axis] for axis in smaller}


def _parts(data: RunData, measure: Measure, start: Conventions, changes: Changed) -> Iterator[Part]:
    """Yield the changes one after another, joined while no value changes or the mean is undefined."""
    end = start.replace(**{axis: after for axis, (_, after) in changes.items()})
    are_numbers = None not in (data.mean(measure, start), data.mean(measure, end))
    before, made = start, dict[str, tuple[str, str]]()
    for axis, pair in changes.items():
        made[axis] = pair
        after = before.replace(**{name: value for name, (_, value) in made.items()})
        answers, mean = data.answers(measure, after), data.mean(measure, after)
        if after != end and (not isinstance(answers, Values) or (are_numbers and mean is None)):
            continue
        moved = moved_between(data, measure, before, after)
        if (
            after == end
            or moved
            or not alike(reading_of(data.answers(measure, before), None), reading_of(answers, None))
        ):
            base = data.mean(measure, before)
            yield Part(made, moved, mean - base if are_numbers and mean is not None and base is not None else None)
            before, made = after, {}


def moved_between(data: RunData, measure: Measure, first: Conventions, second: Conventions) -> tuple[str, ...]:
    """Return the queries whose reported or counted values differ between two conventions."""
    before, after = data.standings(measure, first), data.standings(measure, second)
    return tuple(query for query in data.queries if not has_equal_values(before[query], after[query]))


def has_equal_values(a: Standing, b: Standing) -> bool:
    """Return whether the reported and the counted value of a query are equal under two conventions."""
    if a is None or b is None:
        return a is b
    return alike(a[0], b[0]) and alike(a[1], b[1])
