"""What gives a number that somebody printed, the commonest first.

A library as it is; a library within the orders of tied docs that it leaves open; one change that somebody is known to make, of these first
what a library has to be told that else refuses the data; and then the rest: changes that nobody is known to make, and several changes
together. Each set of changes is as small as it can be: without one of them it does not give the number. Several sets may give the same
number, and one of them may be the one that was used; nothing more is said.

On much data all of this can take minutes. Then it ends when the time that it is given is over, with what it has found by then and with what
was not tried. On little data it always tries all, so that the answer is the same on every machine.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import prod
from typing import TypeAlias, TypeVar

from rankproof.defects.defect import BrokenMeasure, Defect
from rankproof.explain.asked_data import AskedData
from rankproof.explain.habits import Choice, makers
from rankproof.explain.orders_of_ties import ends_of, may_give
from rankproof.explain.printed_number import FEW_DECIMALS, PrintedNumber
from rankproof.explain.value_match import Base, Commonness, Explained, ValueMatch
from rankproof.inference.fewest_changes import Change, changes_that_fit
from rankproof.inference.reference_answers import UNSPECIFIED, Refused, Values, said
from rankproof.inference.suspects import broken_answers, formula_of, suspects
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure

MOST = 3
"""How many changes are made together at most."""
NEAREST = 3
"""How many numbers that come near are told where none fits."""
SAME = 12
"""To so many digits numbers are one, and told once."""
MOST_ROWS = 5_000_000
"""How many rows and judgments are looked at for the sets of one size, at most; those of one change are tried where nothing else fits."""
T = TypeVar("T")
NEAR = 100
"""How many times as far from a number as it may be rounded one looks, to see how close the means of other sets stand."""


class _OverTime(Exception):
    """The time is over."""


Alike: TypeAlias = tuple[str, ...]
"""Which mean is made, whether the order of tied docs is open, and what of each query enters the mean."""


def _of_all(found: Sequence[ValueMatch]) -> ValueMatch:
    """The first, by the names of all."""
    names = tuple(name for one in found for name in one.base.names)
    return replace(found[0], base=replace(found[0].base, names=names))


@dataclass
class _ValueSearch:
    """All that was tried for one number.

    Attributes:
        few: whether there is so little data that whatever can be tried is.
        means: what each of the conventions that were tried gives, once for all that are the same on the data.
        told: how well known the best known is by whom the queries are worth this: nothing in a mean tells it from others that do the same.
        less_known: how many do the same that are known less.
        in_time: whether there is time left.
        not_tried: what was not tried, or not wholly.
    """

    data: AskedData
    measure: Measure
    wanted: PrintedNumber
    few: bool
    means: dict[Conventions, ValueMatch] = field(default_factory=dict)
    told: dict[Alike, Commonness] = field(default_factory=dict)
    less_known: int = 0
    in_time: Callable[[], bool] = lambda: True
    not_tried: list[str] = field(default_factory=list)

    def goes_on(self, what: str) -> bool:
        """Whether there is time left for something; else it is noted as not tried."""
        if self.few or self.in_time():
            return True
        self.not_tried.append(what)
        return False

    def in_turn(self, each: Sequence[T], what: str) -> Iterator[T]:
        """One after the other while there is time; how many are left out is noted."""
        for place, one in enumerate(each):
            if not self.goes_on(f"{len(each) - place} of {len(each)} {what}"):
                return
            yield one

    def mean(self, base: Base, change: Change) -> ValueMatch | None:
        """What a profile with some changes gives; None where it is no number."""
        plain = self.data.plain(self.measure, base.conventions.replace(**change))
        mean = self.data.mean(self.measure, plain)
        if mean is None:
            return None
        changes = {axis: (getattr(base.conventions, axis), value) for axis, value in change.items()}
        kind = Commonness.AS_IT_IS if not change else Commonness.THE_REST
        if len(change) == 1 and all(self.is_habit(*choice) for choice in change.items()):
            kind = Commonness.ONE_HABIT
        found = ValueMatch(base, changes, plain, mean, kind)
        self.means.setdefault(plain, found)
        return found

    def is_habit(self, axis: str, value: str) -> bool:
        """Whether anybody is known to make this choice."""
        return makers(self.measure, axis, value).anywhere > 0

    def gives(self, found: ValueMatch | None) -> ValueMatch | None:
        """The same, where it gives the number; of what somebody is known to do, be it in some order of the tied docs."""
        if found is None or self.wanted.fits(found.mean):
            return found
        if self.wanted.fits_single(found.mean) and found.base.single:
            return self.of_single(found)
        if found.kind is Commonness.THE_REST or (found.changes and not self.few):
            return None
        ends = ends_of(self.data, self.measure, found.conventions)
        if ends is None:
            return None
        if not may_give(self.data, self.measure, found.conventions, ends, self.wanted):
            near = self.wanted.in_single
            if not found.base.single or not may_give(self.data, self.measure, found.conventions, ends, near):
                return None
            found = self.of_single(found)
        return replace(found, kind=max(found.kind, Commonness.WITHIN_TIES), ends=ends)

    @staticmethod
    def of_single(found: ValueMatch) -> ValueMatch:
        """The same, of those alone who compute in float32."""
        return replace(found, base=replace(found.base, names=found.base.single))

    def new(self, found: Iterable[ValueMatch]) -> Iterator[ValueMatch]:
        """Those by whom not all queries are worth the same as by one that is known better; who changes the same is one.

        Of profiles as they are, those that were proved stand before those that were read.
        """
        alike: dict[Alike, dict[tuple[Choice, ...], list[ValueMatch]]] = {}
        for one in sorted(found, key=lambda one: self.order(one) if one.changes else (one.base.read,)):
            key = self._alike(one)
            # Where it is the order of tied docs that gives the number, one choice more or less beside it is no other answer.
            changes = () if one.ends is not None else tuple((axis, after) for axis, (_, after) in one.changes.items())
            if self.told.setdefault(key, one.kind) == one.kind and not (one.ends is not None and key in alike):
                alike.setdefault(key, {}).setdefault(changes, []).append(one)
            else:
                self.less_known += 1
        rows = [_of_all(same) for each in alike.values() for same in each.values()]
        return iter(sorted(rows, key=self.order))

    def _alike(self, found: ValueMatch) -> Alike:
        """What each query adds to the mean, and which mean it is; of what is open, in the worst and in the best order."""
        ways = ("worst", "best") if found.ends is not None else (found.conventions.ties,)
        each = [found.conventions.replace(ties=ties) for ties in ways]
        standing = [self.data.standing(query, self.measure, one) for one in each for query in self.data.queries]
        is_open = str(found.conventions.ties == UNSPECIFIED)
        return found.conventions.mean, is_open, *(str(one and one[1]) for one in standing)

    def order(self, found: ValueMatch) -> tuple[object, ...]:
        """What is told first."""
        rounds = not self.wanted.is_exactly(found.mean)
        is_open = found.conventions.ties == UNSPECIFIED
        base = self.data.answers(self.measure, found.base.conventions)
        open_ends = not isinstance(base, Refused), found.ends is not None, is_open
        by_kind = found.kind, *open_ends, rounds, len(found.changes), *found.known(self.measure)
        return (rounds and self.wanted.decimals <= FEW_DECIMALS and found.ends is None, *by_kind)

    def sets(self, base: Base, choices: Mapping[str, Sequence[str]], most: int) -> Iterator[ValueMatch]:
        """The smallest sets of changes of a profile that give the number, of at least one change."""
        kept: dict[Conventions, ValueMatch] = {}

        def fits(conventions: Conventions) -> bool:
            if not self.few and not self.in_time():
                raise _OverTime
            change = base.conventions.differences(conventions)
            found = self.gives(self.mean(base, change))
            if found is not None:
                kept[conventions] = found
            return found is not None

        try:
            for change in changes_that_fit(base.conventions, choices, fits, most):
                yield kept[base.conventions.replace(**change)]
        except _OverTime:
            self.not_tried.append(f"some changes of {base.names[0]}")


def explained(
    data: AskedData,
    measure: Measure,
    value: PrintedNumber,
    bases: Sequence[Base],
    told: Callable[[str], object] = str,
    in_time: Callable[[], bool] = lambda: True,
) -> Explained:
    """What gives a number, the commonest first; `standard` is the first of the profiles.

    Args:
        data: what was measured.
        measure: what it was measured by.
        value: the number.
        bases: the profiles from which is searched.
        told: is told what is being tried.
        in_time: whether there is time left; it is asked on much data alone.
    """
    few, largest = _are_few(data, measure, bases), _largest(data, measure)
    search = _ValueSearch(data, measure, value, few, in_time=in_time)
    as_they_are = _as_they_are(search, bases, told)
    found = list(search.new(as_they_are))
    others = [base for base in bases if all(one.base.conventions != base.conventions for one in as_they_are)]
    if not found or search.few:
        found += search.new(_one_change(search, bases[0], others, told, more=not found))
    if not found and bases[0] in others and largest > 1 and search.goes_on("several changes of standard together"):
        told(f"changes of standard that give {value.text}")
        found += search.new(search.sets(bases[0], data.choices(measure), largest))
    if found:
        by_chance, not_tried = _by_chance(search), tuple(search.not_tried)
        tried = len(search.means)
        return Explained(value, tuple(found), (), tried, largest, search.less_known, by_chance, not_tried=not_tried)
    told("errors that have a name")
    broken, names = _defects(search, bases)
    return Explained(
        value, (), _nearest(search, value), len(search.means), largest, 0, None, broken, names, tuple(search.not_tried)
    )


def _nearest(search: _ValueSearch, value: PrintedNumber) -> tuple[ValueMatch, ...]:
    """The means that come nearest to a number, each by what is known best of it."""
    found: dict[str, ValueMatch] = {}
    for one in sorted(search.means.values(), key=search.order):
        # What is cut at 60 digits may be another fraction, and is the same number to everybody.
        found.setdefault(f"{to_float(one.mean):.{SAME}g}", one)
    return tuple(sorted(found.values(), key=lambda one: abs(one.mean - value.value))[:NEAREST])


def given_as_they_are(
    data: AskedData, measure: Measure, value: PrintedNumber, bases: Iterable[Base]
) -> tuple[str, ...]:
    """Who gives a number, of those who keep an order of tied docs, and with no change."""
    found: list[str] = []
    for base in bases:
        if base.conventions.ties != UNSPECIFIED:
            mean = data.mean(measure, base.conventions)
            found += base.names if value.fits(mean) else base.single if value.fits_single(mean) else ()
    return tuple(found)


def _as_they_are(search: _ValueSearch, bases: Sequence[Base], told: Callable[[str], object]) -> list[ValueMatch]:
    """The profiles that give the number; on much data those that only some order of tied docs lets give it come after all others."""
    means = [one for one in [search.mean(bases[0], {})] if one is not None]  # which is known by now
    for base in search.in_turn(bases[1:], "profiles as they are"):
        told(f"whether {base.names[0]} gives {search.wanted.text}")
        means += [one for one in [search.mean(base, {})] if one is not None]
    exact = [one for one in means if search.wanted.fits(one.mean)]
    exact += [
        search.of_single(one)
        for one in means
        if one not in exact and one.base.single and search.wanted.fits_single(one.mean)
    ]
    given = {one.conventions for one in exact}
    of_ties = [one for one in means if one.conventions not in given and one.conventions.ties == UNSPECIFIED]
    within = search.in_turn(of_ties, "profiles that keep no order of tied docs") if of_ties else iter(())
    return exact + [one for each in within if (one := search.gives(each)) is not None]


def _one_change(
    search: _ValueSearch, standard: Base, bases: Sequence[Base], told: Callable[[str], object], *, more: bool
) -> list[ValueMatch]:
    """Single changes that give the number: those that somebody is known to make; of `standard`, or where `more` are wanted of all, any."""
    choices = search.data.choices(search.measure)
    if "ties" in choices:
        choices["ties"] = [*choices["ties"], UNSPECIFIED]
    habits = {axis: [value for value in values if search.is_habit(axis, value)] for axis, values in choices.items()}
    found: list[ValueMatch] = []
    for among in ([base for base in bases if not base.read], [base for base in bases if base.read]):
        if found or (among and among[0].read and not more):
            break
        whose = "profiles that were read" if among and among[0].read else "profiles"
        for base in search.in_turn(among, f"{whose}, with one change that somebody makes"):
            told(f"changes of {base.names[0]} that give {search.wanted.text}")
            for each in base.each if search.few else [base]:
                found += search.sets(each, choices if base is standard else habits, 1)
    if found or not more or not search.goes_on("changes that nobody is known to make"):
        return found
    return [
        one
        for base in search.in_turn([one for one in bases if one is not standard], "profiles with any one change")
        for each in (base.each if search.few else [base])
        for one in search.sets(each, choices, 1)
    ]


def _are_few(data: AskedData, measure: Measure, bases: Sequence[Base]) -> bool:
    """Whether all single changes of all profiles can be tried, though something gives the number already."""
    changes = sum(len(values) - 1 for values in data.choices(measure).values())
    return changes * len(bases) * data.size <= MOST_ROWS


def _by_chance(search: _ValueSearch) -> Fraction | None:
    """How many sets would give a number by chance: from those that do not, and of which the means stand near."""
    within, value = search.wanted.within, search.wanted.value
    if not search.wanted.decimals:
        return None
    near = sum(within < abs(one.mean - value) <= NEAR * within for one in search.means.values())
    return Fraction(near, NEAR - 1)


def _largest(data: AskedData, measure: Measure) -> int:
    """How many changes are made together at most, on so much data."""
    ways = [len(choices) - 1 for choices in data.choices(measure).values()]
    sets = {size: sum(map(prod, combinations(ways, size))) for size in range(2, MOST + 1)}
    return next((size - 1 for size, count in sets.items() if count * data.size > MOST_ROWS), MOST)


def _defects(search: _ValueSearch, bases: Sequence[Base]) -> tuple[tuple[tuple[Defect, Base], ...], tuple[str, ...]]:
    """The errors that give the number under one of the profiles, and the names of all that were tried."""
    suspected = suspects(search.measure)
    found: dict[str, tuple[Defect, Base]] = {}
    tried: dict[str, None] = {}
    for base in search.in_turn(bases, "profiles with an error that has a name"):
        gathered = Collection(search.data.qrels, search.data.run)
        for suspect in suspected:
            if suspect.defect.name in found:
                continue
            tried[suspect.defect.name] = None
            formula = formula_of(suspect, search.measure)
            answers = (
                broken_answers(formula, gathered, base.conventions)
                if isinstance(formula, BrokenMeasure)
                else said(partial(gathered.answer, formula, base.conventions))
            )
            if isinstance(answers, Values) and search.wanted.fits(answers.mean):
                found[suspect.defect.name] = (suspect.defect, base)
    return tuple(found.values()), tuple(tried)
