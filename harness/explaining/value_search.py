"""Which conventions give a number that somebody printed: the smallest sets of changes of `standard`, and of every library's profile.

Several sets may give the same number, and one of them may be the one that was used; nothing more is said.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from rankproof.defects.defect import Defect
from rankproof.defects.trial import answers_of, asked_of, suspects
from rankproof.explaining.asked_data import AskedData
from rankproof.explaining.attribution import Changed, changes_between
from rankproof.judging.fewest_changes import changes_that_fit
from rankproof.judging.oracle import Values
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

MOST = 3
"""How many changes are made together at most."""
NEAREST = 3
FLOAT_DIGITS = 12
"""A number of so many digits is a float, and may be off by as much as floats are."""
NOISE = Fraction(1, 10**12)
MOST_ROWS = 5_000_000
"""How many rows and judgments are looked at for the sets of one size, at most; all sets of one change are always tried."""
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d{0,18})(\.(?P<part>\d{0,30}))?(e(?P<power>[-+]?\d{1,3}))?", re.ASCII | re.IGNORECASE
)


class NoValue(Unusable):
    """The text is no number."""


@dataclass(frozen=True)
class Wanted:
    """A number as it was printed: all numbers that round to it are meant."""

    text: str
    value: Fraction
    within: Fraction

    def fits(self, mean: Fraction | None) -> bool:
        """Whether a mean rounds to it, half a unit of the last digit either way."""
        return mean is not None and abs(mean - self.value) <= self.within


def wanted(text: str) -> Wanted:
    """Read a number as it was printed.

    >>> wanted(".26").fits(Fraction(2583, 10_000)), wanted(".260").fits(Fraction(2583, 10_000))
    (True, False)

    Raises:
        NoValue: it is no number.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None or not (found["whole"] or found["part"]):
        msg = f"--value {shortened(text)} is no number; write it as it was printed, as in .3016"
        raise NoValue(msg)
    part = found["part"] or ""
    unit = Fraction(10) ** (int(found["power"] or 0) - len(part))
    digits = f"{found['whole']}{part}"
    value = int(digits) * unit * (-1 if found["sign"] == "-" else 1)
    noise = abs(value) * NOISE if len(digits.lstrip("0")) >= FLOAT_DIGITS else Fraction(0)
    return Wanted(text.strip(), value, max(unit / 2, noise))


@dataclass(frozen=True)
class Base:
    """A profile from which is searched, and all who follow it on this data."""

    names: tuple[str, ...]
    conventions: Conventions


@dataclass(frozen=True)
class Found:
    """A set of changes of a profile, and the mean that it gives; no change is the profile itself."""

    base: Base
    changes: Changed
    conventions: Conventions
    mean: Fraction


@dataclass(frozen=True)
class Explained:
    """What gives a number.

    Attributes:
        wanted: the number.
        found: the smallest sets that give it, those of libraries first.
        nearest: where none does, what comes nearest.
        tried: how many sets were tried.
        largest: of how many changes of `standard` the largest sets were that were tried, all of them.
        defects: where none does, the errors that have a name and give it, each with the profile under which.
        defects_tried: how many of those were tried.
    """

    wanted: Wanted
    found: tuple[Found, ...]
    nearest: tuple[Found, ...]
    tried: int
    largest: int
    defects: tuple[tuple[Defect, Base], ...] = ()
    defects_tried: tuple[str, ...] = ()


@dataclass
class _Search:
    """The sets that are tried from one profile, for one number."""

    data: AskedData
    measure: Measure
    wanted: Wanted
    seen: set[Conventions] = field(default_factory=set)
    near: list[Found] = field(default_factory=list)

    def of(self, base: Base, conventions: Conventions) -> Found | None:
        """What some conventions give, unless that was asked already or is no number."""
        plain = self.data.plain(self.measure, conventions)
        if plain in self.seen:
            return None
        self.seen.add(plain)
        answers = self.data.answers(self.measure, plain)
        if not isinstance(answers, Values) or answers.mean is None:
            return None
        found = Found(base, changes_between(base.conventions, plain), plain, answers.mean)
        self.near = sorted([*self.near, found], key=lambda one: abs(one.mean - self.wanted.value))[:NEAREST]
        return found

    def from_base(self, base: Base, most: int) -> Iterator[Found]:
        """The smallest sets of changes of a profile that give the number, of at least one change."""
        kept: dict[Conventions, Found] = {}

        def fits(conventions: Conventions) -> bool:
            found = self.of(base, conventions)
            if found is None or not self.wanted.fits(found.mean):
                return False
            kept[conventions] = found
            return True

        choices = self.data.choices(self.measure)
        for change in changes_that_fit(base.conventions, choices, fits, most):
            yield kept[base.conventions.replace(**change)]


def explained(
    data: AskedData, measure: Measure, value: Wanted, bases: Sequence[Base], told: Callable[[str], object] = str
) -> Explained:
    """What gives a number: the profiles as they are, then small sets of changes of them; `standard` is the first of the profiles.

    Args:
        data: what was measured.
        measure: what it was measured by.
        value: the number.
        bases: the profiles from which is searched.
        told: is told what is being tried.
    """
    search = _Search(data, measure, value)
    as_they_are = [one for base in bases if (one := search.of(base, base.conventions)) is not None]
    exact = [one for one in as_they_are if value.fits(one.mean)]
    largest = _largest(data, measure)
    told(f"changes of standard that give {value.text}")
    standard = [] if any(one.base is bases[0] for one in exact) else list(search.from_base(bases[0], largest))
    others: list[Found] = []
    if not exact:
        size = min((len(one.changes) for one in standard), default=2) - 1
        for base in bases[1:]:
            told(f"changes of {base.names[0]} that give {value.text}")
            others += search.from_base(base, min(size, largest, 1))
    found = (*exact, *others, *standard)
    if found:
        return Explained(value, found, (), len(search.seen), largest)
    told("errors that have a name")
    broken, names = _defects(data, measure, value, bases)
    return Explained(value, (), tuple(search.near), len(search.seen), largest, broken, names)


def _largest(data: AskedData, measure: Measure) -> int:
    """How many changes are made together at most, on so much data."""
    values = [len(choices) - 1 for choices in data.choices(measure).values()]
    sets = _sets(values)
    return next((size - 1 for size in range(2, MOST + 1) if sets[size] * data.size > MOST_ROWS), MOST)


def _sets(values: Sequence[int]) -> Mapping[int, int]:
    """How many sets of so many changes there are, where each axis can be changed in so many ways."""
    counts = {0: 1, **dict.fromkeys(range(1, MOST + 1), 0)}
    for ways in values:
        for size in range(MOST, 0, -1):
            counts[size] += counts[size - 1] * ways
    return counts


def _defects(
    data: AskedData, measure: Measure, value: Wanted, bases: Sequence[Base]
) -> tuple[tuple[tuple[Defect, Base], ...], tuple[str, ...]]:
    """The errors that give the number under one of the profiles, and the names of all that were tried."""
    tried = suspects(measure)
    found: dict[str, tuple[Defect, Base]] = {}
    for base in bases:
        gathered = Collection(data.qrels, data.run)
        for suspect in tried:
            if suspect.defect.name in found:
                continue
            answers = answers_of(suspect.way, asked_of(suspect, measure), gathered, base.conventions)
            if isinstance(answers, Values) and value.fits(answers.mean):
                found[suspect.defect.name] = (suspect.defect, base)
    return tuple(found.values()), tuple(dict.fromkeys(suspect.defect.name for suspect in tried))


def fewest_apart(one: Explained, other: Explained) -> tuple[Found, Found] | None:
    """Of what gives two numbers, the two that are the fewest changes apart; None where one is given by nothing."""
    pairs = ((a, b) for a in one.found for b in other.found)
    return min(pairs, key=lambda pair: len(changes_between(pair[0].conventions, pair[1].conventions)), default=None)
