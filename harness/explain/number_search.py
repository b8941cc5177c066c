"""Search for the profiles and changes that give a printed number.

All profiles are tried unchanged first, without a time limit. Then one change of each is tried, known changes first,
and finally several changes of `standard`. The search ends when a mean equals the number exactly. If a mean only rounds
to it, single changes are still tried, but only exact matches are added. Every set is minimal: without any of its
changes it does not give the number. So many sets give some matches by chance, so both the sets that were tried and the
expected chance matches are counted. Small data is searched completely, without a time limit.
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
"""The largest number of changes in a set."""
NEAREST = 3
"""The number of nearest means that are kept if no mean fits."""
DIGITS = 12
"""Means with the same first digits count once among the nearest."""
MOST_ROWS = 5_000_000
"""The largest number of rows and judgments to read for the sets of one size."""
NEAR = 100
"""The width, in rounding errors, of the range around a number that is used to estimate chance matches."""

Choices = Mapping[str, Sequence[str]]


class Commonness(IntEnum):
    """The kinds of sets of changes, the most common first."""

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
        conventions: the conventions, on every axis that can matter here.
        read: whether all libraries are known only from their source code.
        single: whether the libraries compute in float32.
    """

    names: tuple[str, ...]
    conventions: Conventions
    read: bool = False
    single: bool = False


@dataclass(frozen=True)
class ValueMatch:
    """A minimal set of changes of a profile that gives a number; the set is empty for the profile itself.

    Attributes:
        mean: the mean; for tied documents in input order if the profile has no consistent order of them.
        exact: whether the mean equals the number, and not only rounds to it.
        ends: the least and the greatest mean over the orders of tied documents, if only some order gives the number.
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
    """The result of the search for one number.

    Attributes:
        found: the sets that give the number; of several with the same values of all queries, the most common.
        more: the number of sets that were left out for this reason.
        nearest: the nearest means, if no set gives the number.
        tried: the number of different sets that were tried.
        by_chance: the estimated number of sets that give a number of so many digits by chance.
        not_tried: sets that were not all tried because the time was over.
        uncut: the profiles that give the number without the cutoff of the measure.
        not_excluded: the libraries whose value is unknown here because the data meets a known exception.
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
        """The set to report first. Sets of several changes are excluded, as they often match by chance."""
        return next((match for match in self.found if match.kind < Commonness.SEVERAL), None)


class _OverTime(Exception):
    """The time is over."""


@dataclass
class _Search:
    """The state of the search for one number.

    Attributes:
        means: the mean of each set of conventions that was tried, merged if they are equal on the data.
        not_tried: descriptions of what was left out because the time was over.
    """

    data: RunData
    measure: Measure
    wanted: PrintedNumber
    in_time: Callable[[], bool]
    means: dict[Conventions, ValueMatch] = field(default_factory=dict)
    not_tried: list[str] = field(default_factory=list)

    def has_time(self, what: str) -> bool:
        """Return whether there is time left for a step. If not, add the step to `not_tried`."""
        if self.in_time():
            return True
        self.not_tried.append(what)
        return False

    def mean(self, base: Base, change: Change) -> ValueMatch | None:
        """Return the match of a profile with some changes; None if its mean is not a number."""
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
        """Return the number with the rounding error of the libraries of a profile."""
        return self.wanted.in_single if base.single else self.wanted

    def within_ties(self, match: ValueMatch) -> ValueMatch | None:
        """Return the match if it leaves the order of ties open and some order gives the number; otherwise None."""
        ends = ends_of(self.data, self.measure, match.conventions)
        if ends is None or not may_give(self.data, self.measure, match.conventions, ends, self.number(match.base)):
            return None
        return replace(match, kind=Commonness.WITHIN_TIES, ends=ends, exact=False)

    def unchanged(self, bases: Sequence[Base]) -> list[ValueMatch]:
        """Return the profiles that give the number unchanged. All profiles are tried, without a time limit."""
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
        """Return the most common of the matches with equal values of all queries, and the number of other matches."""
        alike: dict[tuple[str, ...], list[ValueMatch]] = {}
        for match in sorted(candidates, key=self.order):
            alike.setdefault(self._values(match), []).append(match)
        matches, more = [], 0
        for same in alike.values():
            # Matches with the same changes are merged.
            first = [match for match in same if (match.kind, match.changes) == (same[0].kind, same[0].changes)]
            names = dict.fromkeys(name for match in first for name in match.base.names)
            matches.append(replace(same[0], base=replace(same[0].base, names=tuple(names))))
            more += len(same) - len(first)
        return sorted(matches, key=self.order), more

    def _values(self, match: ValueMatch) -> tuple[str, ...]:
        """Return the kind of mean and the counted value of each query (the worst and the best if ties are open)."""
        ways = ("worst", "best") if match.ends is not None else (match.conventions.ties,)
        choices = [match.conventions.replace(ties=ties) for ties in ways]
        standing = [value for way in choices for value in self.data.standings(self.measure, way).values()]
        is_open = str(match.conventions.ties == UNSPECIFIED)
        return match.conventions.mean, is_open, *(str(value and value[1]) for value in standing)

    def order(self, match: ValueMatch) -> tuple[object, ...]:
        """Return a sort key: single changes before several, exact before rounded, known changes before others."""
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
    """Search for what gives a number. `standard` is the first profile, and `in_time` is called only on large data."""
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
    """Yield the number of changes and the sets: one change of some library, any one change, several of `standard`."""
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
    """Return the number of sets with so many changes."""
    return sum(map(prod, combinations([len(values) - 1 for values in data.choices(measure).values()], size)))


def _nearest(tried: _Search) -> tuple[ValueMatch, ...]:
    """Return the nearest means, each with its most common match."""
    by_digits: dict[str, ValueMatch] = {}
    for match in sorted(tried.means.values(), key=tried.order):
        by_digits.setdefault(f"{to_float(match.mean):.{DIGITS}g}", match)
    return tuple(sorted(by_digits.values(), key=lambda match: abs(match.mean - tried.wanted.value))[:NEAREST])


def unchanged(data: RunData, measure: Measure, value: PrintedNumber, bases: Sequence[Base]) -> tuple[str, ...]:
    """Return the names of profiles with a consistent order of tied documents that give a number unchanged."""
    ordered = [base for base in bases if base.conventions.ties != UNSPECIFIED]
    matches = _Search(data, measure, value, lambda: True).unchanged(ordered)
    return tuple(name for match in matches for name in match.base.names)


def _by_chance(tried: _Search) -> Fraction | None:
    """Return the estimated number of chance matches: nearby means that do not fit, scaled to the rounding width."""
    within, value = tried.wanted.within, tried.wanted.value
    if not tried.wanted.decimals:
        return None
    near = sum(within < abs(match.mean - value) <= NEAR * within for match in tried.means.values())
    return Fraction(near, NEAR - 1)
