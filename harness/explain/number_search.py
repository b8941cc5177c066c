"""Which profiles and changes give a number that somebody printed.

All profiles are tried unchanged first, whatever the time; then one change of each, known ones first, and then several changes of
`standard`. The search ends as soon as a mean is exactly the number. If one only rounds to it, single changes are still tried, but only
exact ones are added. Every set is minimal: without one of its changes it does not give the number. A search of so many sets finds some by
chance; the sets that were tried and those that chance finds are counted. Little data is searched wholly, whatever the time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fractions import Fraction
from itertools import combinations
from math import prod

from rankproof.explain.attribution import Changed
from rankproof.explain.compared_profiles import makers
from rankproof.explain.printed_number import PrintedNumber
from rankproof.explain.run_data import RunData
from rankproof.explain.tie_envelope import MeanEnds, ends_of, may_give
from rankproof.inference.reference_answers import UNSPECIFIED, Refused
from rankproof.inference.search import Change, changes_that_fit
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure

MOST = 3
"""How many changes are made together at most."""
NEAREST = 3
"""How many of the nearest means are kept if none fits."""
DIGITS = 12
"""Means with the same first digits are one."""
MOST_ROWS = 5_000_000
"""How many rows and judgments are read at most for the sets of one size."""
NEAR = 100
"""How many times the rounding error from a number other means are counted, to estimate how many fit by chance."""

Choices = Mapping[str, Sequence[str]]


class Commonness(IntEnum):
    """How a set of changes is known, the commonest first."""

    UNCHANGED = 0
    WITHIN_TIES = 1
    ONE_HABIT = 2
    ONE_CHANGE = 3
    SEVERAL = 4


@dataclass(frozen=True)
class Base:
    """A profile that the search starts from.

    Attributes:
        names: the libraries that follow it on this data.
        conventions: what it does, on every axis that can matter here.
        read: whether all of them are known by their source alone.
        single: whether they compute in float32.
    """

    names: tuple[str, ...]
    conventions: Conventions
    read: bool = False
    single: bool = False


@dataclass(frozen=True)
class ValueMatch:
    """A minimal set of changes of a profile that gives a number; no change is the profile itself.

    Attributes:
        mean: what it gives; of the rows in input order if it keeps no order of tied documents.
        exact: whether that is the number and not only rounds to it.
        ends: the least and the greatest mean over the orders of tied documents, if the number is given by one of these orders.
    """

    base: Base
    changes: Changed
    conventions: Conventions
    mean: Fraction
    kind: Commonness = Commonness.UNCHANGED
    exact: bool = True
    ends: MeanEnds | None = None

    @property
    def chosen(self) -> Conventions:
        """The profile with the changes, on every axis that can matter here."""
        return self.base.conventions.replace(**{axis: after for axis, (_, after) in self.changes.items()})


@dataclass(frozen=True)
class Explained:
    """What gives a number.

    Attributes:
        found: the sets that give it; if several give every query the same value, the best known of them.
        more: how many sets were left out for that.
        nearest: the nearest means, if nothing gives the number.
        tried: how many different sets were tried.
        by_chance: how many of them would give a number of so many digits by chance, about.
        not_tried: what was not tried, or not wholly, because the time was over.
        uncut: what gives it without the cutoff of the measure, unchanged.
        not_excluded: the libraries whose value is unknown here, by a known exception that the data meets.
    """

    wanted: PrintedNumber
    found: tuple[ValueMatch, ...] = ()
    nearest: tuple[ValueMatch, ...] = ()
    tried: int = 0
    by_chance: Fraction | None = None
    more: int = 0
    not_tried: tuple[str, ...] = ()
    uncut: tuple[str, ...] = ()
    not_excluded: tuple[str, ...] = ()

    @property
    def best(self) -> ValueMatch | None:
        """The set to report first: never one of several changes, as these are found by chance too often."""
        return next((match for match in self.found if match.kind < Commonness.SEVERAL), None)


class _OverTime(Exception):
    """The time is over."""


@dataclass
class _Search:
    """All that was tried for one number.

    Attributes:
        means: the mean by conventions that were tried; conventions that are equal on the data are one.
        not_tried: what was left out because the time was over.
    """

    data: RunData
    measure: Measure
    wanted: PrintedNumber
    in_time: Callable[[], bool]
    means: dict[Conventions, ValueMatch] = field(default_factory=dict)
    not_tried: list[str] = field(default_factory=list)

    def has_time(self, what: str) -> bool:
        """Whether there is time left for something; if not, it is noted."""
        if self.in_time():
            return True
        self.not_tried.append(what)
        return False

    def mean(self, base: Base, change: Change) -> ValueMatch | None:
        """Return what a profile with some changes gives; None if it is not a number."""
        plain = self.data.plain(self.measure, base.conventions.replace(**change))
        mean = self.data.mean(self.measure, plain)
        if mean is None:
            return None
        changes = {axis: (getattr(base.conventions, axis), value) for axis, value in change.items()}
        match = ValueMatch(base, changes, plain, mean, self._kind(change), self.wanted.is_exactly(mean))
        self.means.setdefault(plain, match)
        return match

    def _kind(self, change: Change) -> Commonness:
        if len(change) > 1:
            return Commonness.SEVERAL
        is_habit = all(makers(self.measure, axis, value).anywhere for axis, value in change.items())
        return (Commonness.ONE_HABIT if is_habit else Commonness.ONE_CHANGE) if change else Commonness.UNCHANGED

    def number(self, base: Base) -> PrintedNumber:
        """Return the number with the rounding error of those that follow a profile."""
        return self.wanted.in_single if base.single else self.wanted

    def within_ties(self, match: ValueMatch) -> ValueMatch | None:
        """Return the match if some order of the tied documents, whose order it leaves open, gives the number."""
        ends = ends_of(self.data, self.measure, match.conventions)
        if ends is None or not may_give(self.data, self.measure, match.conventions, ends, self.number(match.base)):
            return None
        return replace(match, kind=Commonness.WITHIN_TIES, ends=ends, exact=False)

    def unchanged(self, bases: Sequence[Base]) -> list[ValueMatch]:
        """Return the profiles that give the number unchanged. All of them are tried, whatever the time."""
        means = [match for base in bases if (match := self.mean(base, {})) is not None]
        fitting = [match for match in means if self.number(match.base).fits(match.mean)]
        open_ties = [match for match in means if match.conventions.ties == UNSPECIFIED and match not in fitting]
        return fitting + [within for match in open_ties if (within := self.within_ties(match)) is not None]

    def sets(self, base: Base, choices: Choices, most: int) -> Iterator[ValueMatch]:
        """Yield the smallest sets of changes of a profile that give the number."""
        matches: dict[Conventions, ValueMatch] = {}

        def fits(conventions: Conventions) -> bool:
            if not self.in_time():
                raise _OverTime
            match = self.mean(base, base.conventions.differences(conventions))
            if match is None or not self.number(base).fits(match.mean):
                return False
            matches[conventions] = match
            return True

        try:
            for change in changes_that_fit(base.conventions, choices, fits, most):
                yield matches[base.conventions.replace(**change)]
        except _OverTime:
            self.not_tried.append(f"some changes of {base.names[0]}")

    def one_change(self, bases: Sequence[Base], choices: Choices) -> Iterator[ValueMatch]:
        """Yield the single changes of all profiles that give the number."""
        for place, base in enumerate(bases):
            if not self.has_time(f"changes of {len(bases) - place} of {len(bases)} profiles"):
                return
            yield from self.sets(base, choices, 1)

    def distinct(self, candidates: Iterable[ValueMatch]) -> tuple[list[ValueMatch], int]:
        """Return the best known match of those that give all queries the same values, and the number of the others."""
        alike: dict[tuple[str, ...], list[ValueMatch]] = {}
        for match in sorted(candidates, key=self.order):
            alike.setdefault(self._values(match), []).append(match)
        matches, more = [], 0
        for same in alike.values():
            # All that give it by the same changes are one.
            first = [match for match in same if (match.kind, match.changes) == (same[0].kind, same[0].changes)]
            names = dict.fromkeys(name for match in first for name in match.base.names)
            matches.append(replace(same[0], base=replace(same[0].base, names=tuple(names))))
            more += len(same) - len(first)
        return sorted(matches, key=self.order), more

    def _values(self, match: ValueMatch) -> tuple[str, ...]:
        """Return the mean that is made, and what of each query enters it: the worst and the best, of open ties."""
        ways = ("worst", "best") if match.ends is not None else (match.conventions.ties,)
        choices = [match.conventions.replace(ties=ties) for ties in ways]
        standing = [value for way in choices for value in self.data.standings(self.measure, way).values()]
        is_open = str(match.conventions.ties == UNSPECIFIED)
        return match.conventions.mean, is_open, *(str(value and value[1]) for value in standing)

    def order(self, match: ValueMatch) -> tuple[object, ...]:
        """Return what sorts matches: single changes before several, exact ones before rounded ones, known ones before others."""
        counts = [makers(self.measure, axis, after) for axis, (_, after) in match.changes.items()]
        known = (prod(count.here for count in counts), prod(count.anywhere for count in counts))
        refuses = isinstance(self.data.answers(self.measure, match.base.conventions), Refused)
        is_several, is_open = match.kind == Commonness.SEVERAL, match.conventions.ties == UNSPECIFIED
        by_base = match.base.read, *(-len(match.base.names) * count for count in known)
        return is_several, not match.exact, match.kind, not refuses, is_open, len(match.changes), *by_base


def search(
    data: RunData,
    measure: Measure,
    value: PrintedNumber,
    bases: Sequence[Base],
    on_progress: Callable[[str], object] = str,
    in_time: Callable[[], bool] = lambda: True,
) -> Explained:
    """Return what gives a number; `standard` is the first of the profiles, and `in_time` is called on much data only."""
    are_few = _count(data, measure, 1) * len(bases) * data.size <= MOST_ROWS
    tried = _Search(data, measure, value, (lambda: True) if are_few else in_time)
    on_progress(f"whether a profile gives {value.text}")
    candidates = tried.unchanged(bases)
    for most, stage in _stages(tried, bases):
        is_rounded = any(match.kind != Commonness.WITHIN_TIES for match in candidates)
        if any(match.exact for match in candidates) or (is_rounded and most > 1):
            break
        on_progress(f"changes that give {value.text}")
        candidates += [match for match in stage if match.exact or not is_rounded]
    matches, more = tried.distinct(candidates)
    nearest = () if matches else _nearest(tried)
    return Explained(value, tuple(matches), nearest, len(tried.means), _by_chance(tried), more, tuple(tried.not_tried))


def _stages(tried: _Search, bases: Sequence[Base]) -> Iterator[tuple[int, Iterator[ValueMatch]]]:
    """Yield the number of changes, and the sets: a change of some library, any change, and several changes of `standard`."""
    choices = tried.data.choices(tried.measure)
    if "ties" in choices:
        choices["ties"] = [*choices["ties"], UNSPECIFIED]
    made = {a: [v for v in values if makers(tried.measure, a, v).anywhere] for a, values in choices.items()}
    others = {axis: [value for value in values if value not in made[axis]] for axis, values in choices.items()}
    yield 1, tried.one_change(bases, made)
    yield 1, tried.one_change(bases, others)
    sizes = range(2, MOST + 1)
    costs = {size: _count(tried.data, tried.measure, size) * tried.data.size for size in sizes}
    largest = next((size - 1 for size in sizes if costs[size] > MOST_ROWS), MOST)
    if largest > 1 and tried.has_time("several changes of standard together"):
        yield largest, tried.sets(bases[0], tried.data.choices(tried.measure), largest)


def _count(data: RunData, measure: Measure, size: int) -> int:
    """Return how many sets of so many changes there are."""
    return sum(map(prod, combinations([len(values) - 1 for values in data.choices(measure).values()], size)))


def _nearest(tried: _Search) -> tuple[ValueMatch, ...]:
    """Return the nearest means, each by what is known best of it."""
    by_digits: dict[str, ValueMatch] = {}
    for match in sorted(tried.means.values(), key=tried.order):
        by_digits.setdefault(f"{to_float(match.mean):.{DIGITS}g}", match)
    return tuple(sorted(by_digits.values(), key=lambda match: abs(match.mean - tried.wanted.value))[:NEAREST])


def unchanged(data: RunData, measure: Measure, value: PrintedNumber, bases: Sequence[Base]) -> tuple[str, ...]:
    """Return the names that give a number unchanged, of those that keep an order of tied documents."""
    ordered = [base for base in bases if base.conventions.ties != UNSPECIFIED]
    matches = _Search(data, measure, value, lambda: True).unchanged(ordered)
    return tuple(name for match in matches for name in match.base.names)


def _by_chance(tried: _Search) -> Fraction | None:
    """Return about how many sets give a number of so many digits by chance: those near it, that do not give it, for its width."""
    within, value = tried.wanted.within, tried.wanted.value
    if not tried.wanted.decimals:
        return None
    near = sum(within < abs(match.mean - value) <= NEAR * within for match in tried.means.values())
    return Fraction(near, NEAR - 1)
