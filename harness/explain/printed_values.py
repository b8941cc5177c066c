"""What gives each of the numbers that somebody printed, and what turns one of them into the next."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rankproof.evaluating.known_exceptions import computes_in_float32, met_by
from rankproof.explain.asked_data import AskedData
from rankproof.explain.attribution import Attribution, attribute, changes_between
from rankproof.explain.compared_profiles import by_conventions, of_libraries, of_read_tools
from rankproof.explain.printed_number import PrintedNumber
from rankproof.explain.value_match import Base, Explained, ValueMatch
from rankproof.explain.value_search import explained, given_as_they_are
from rankproof.grouping import grouped
from rankproof.inference.reference_answers import Refused
from rankproof.measure_facts import can_look_at, fixed_by_parameters
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import PROFILES, Profile

OF_FLAGS = frozenset({"binary", "two-values"})
"""Grades of who is asked of docs that are relevant or not."""


@dataclass(frozen=True)
class Between:
    """What turns one number into another: what gives each, and why they differ.

    Attributes:
        attribution: from the one set of conventions to the other, but for the order of tied docs where one leaves it open.
        open: whether one of them gives its number in some order of the tied docs alone.
    """

    texts: tuple[str, str]
    attribution: Attribution
    open: bool = False


def given_by(
    data: AskedData,
    measure: Measure,
    values: Sequence[tuple[PrintedNumber, Callable[[], bool]]],
    libraries: Mapping[str, Profile],
    told: Callable[[str], object],
) -> tuple[tuple[Explained, ...], tuple[Between, ...]]:
    """What gives each of the numbers, and what turns each into the next.

    Args:
        data: what was measured.
        measure: what it was measured by.
        values: each number, and whether there is time left to look for what gives it.
        libraries: the profiles that may have given it, beside `standard`.
        told: is told what is being tried.
    """
    if not values:
        return (), ()
    profiles = {"standard": PROFILES["standard"], **libraries}
    bases = bases_of(data, measure, profiles | dict(of_flags(data, measure, libraries)))
    found = told_apart([explained(data, measure, value, bases, told, in_time) for value, in_time in values])
    found = _without_the_cutoff(data, measure, found, [in_time for _, in_time in values])
    between = []
    for one, other in pairwise(found):
        pair = None if one.uncut or other.uncut else best_known_pair(one, other)
        if pair is None or one.wanted.value == other.wanted.value:
            continue
        is_open = any(each.ends is not None for each in pair)
        ends = [each.conventions.replace(ties="input") if is_open else each.conventions for each in pair]
        if is_open or ends[0] != ends[1]:
            between.append(Between((one.wanted.text, other.wanted.text), attribute(data, measure, *ends), is_open))
    return found, tuple(between)


def _without_the_cutoff(
    data: AskedData, measure: Measure, values: Sequence[Explained], in_time: Sequence[Callable[[], bool]]
) -> tuple[Explained, ...]:
    """The same, with who gives a number of all that was retrieved, as tools do that take no cutoff; of much data, while there is time."""
    few = data.is_little(measure)
    asked = [
        measure.k is not None and not one.is_as_it_is and (few or more())
        for one, more in zip(values, in_time, strict=True)
    ]
    if not any(asked):
        return tuple(values)
    whole = cut_at(measure, None)
    profiles = {"standard": PROFILES["standard"], **of_libraries(whole), **of_read_tools(data, whole)}
    may_depart = {met.name for met in met_by(data, whole, profiles)}
    bases = bases_of(data, whole, {name: own for name, own in profiles.items() if name not in may_depart})
    return tuple(
        replace(one, uncut=given_as_they_are(data, whole, one.wanted, bases)) if is_asked else one
        for one, is_asked in zip(values, asked, strict=True)
    )


def as_flags(measure: Measure) -> str | None:
    """The changes of a profile by which rels count as if they were 0 and 1; None where none do, as ERR looks at the rels themselves."""
    looked_at = can_look_at(measure)
    of_gains = "gains" in looked_at
    if measure.rel > 1 or "rels" in looked_at or (of_gains and "gain" in fixed_by_parameters(measure)):
        return None
    return "grades=any gain=binary" if of_gains else "grades=any"


def of_flags(data: AskedData, measure: Measure, profiles: Mapping[str, Profile]) -> Iterator[tuple[str, Profile]]:
    """What those would give who refuse the data for its rels, had these been made 0 and 1 before, as people do who ask them."""
    changes = as_flags(measure)
    if changes is None:
        return
    for name, profile in profiles.items():
        own = data.plain(measure, profile.conventions(measure))
        if own.grades in OF_FLAGS and isinstance(data.answers(measure, own), Refused):
            yield f"{name} of rels made 0 and 1", profile.changed(changes)


def bases_of(data: AskedData, measure: Measure, profiles: Mapping[str, Profile]) -> list[Base]:
    """The profiles that differ on this data, each with the names of all who follow it."""
    matter = data.axes(measure)

    def whole(names: Sequence[str]) -> dict[Conventions, tuple[str, ...]]:
        of = ((profiles[name].conventions(measure), name) for name in names)
        found = grouped((STANDARD.replace(**{axis: getattr(own, axis) for axis in matter}), name) for own, name in of)
        return {chosen: tuple(same) for chosen, same in found.items()}

    alike = by_conventions(data, measure, profiles)
    proved = {conventions: [name for name in names if not profiles[name].read] for conventions, names in alike.items()}
    single = {name for name in profiles if computes_in_float32(name, measure)}
    return [
        Base(tuple(n), c, whole(proved[c] or n), not proved[c], tuple(name for name in n if name in single))
        for c, n in alike.items()
    ]


def told_apart(each: Sequence[Explained]) -> tuple[Explained, ...]:
    """The same, no set of conventions being named for two different numbers: it gives the one that its mean is nearest to.

    What gives a number in some order of tied docs gives another in another order; it is left where nothing else gives that number. So is
    what gives a number with fewer decimals than another one: `.33` and `.3333` may be of one tool.
    """
    return tuple(_less(each, place) for place in range(len(each)))


def _less(each: Sequence[Explained], place: int) -> Explained:
    """What gives one of several numbers, without what gives another one."""
    one = each[place]
    others = [(at, other) for at, other in enumerate(each) if other.wanted.value != one.wanted.value]

    def is_anothers(found: ValueMatch) -> bool:
        nearer = [(abs(found.mean - o.wanted.value), at) for at, o in others if o.wanted.fits(found.mean)]
        return bool(nearer) and (found.ends is not None or min(nearer) < (abs(found.mean - one.wanted.value), place))

    kept = [found for found in one.found if not is_anothers(found)] or list(one.found)
    elsewhere = {found.conventions for _, other in others for found in other.found}
    if any(found.ends is None for found in kept):
        kept = [found for found in kept if found.ends is None or found.conventions not in elsewhere]
    return replace(one, found=tuple(kept))


def best_known_pair(one: Explained, other: Explained) -> tuple[ValueMatch, ValueMatch] | None:
    """Of what gives two numbers, the two that are known best, and of these those that are the fewest changes apart."""

    def order(pair: tuple[ValueMatch, ValueMatch]) -> tuple[int, int, int]:
        kinds = [found.kind for found in pair]
        return max(kinds), sum(kinds), len(changes_between(pair[0].conventions, pair[1].conventions))

    return min(((a, b) for a in one.found for b in other.found), key=order, default=None)
