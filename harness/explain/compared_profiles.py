"""The profiles that `explain` speaks of: those that are named, every library's, and those of the tools whose source was read."""

from collections.abc import Iterator, Mapping, Sequence

from rankproof.evaluate.library_profiles import (
    each_way,
    library_names,
    other_ways,
    profile_named,
    speaking_of,
    speaks_of,
)
from rankproof.evaluate.read_profiles import read_ways
from rankproof.explain.asked_data import AskedData
from rankproof.grouping import grouped
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import Conventions, UnknownConvention
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import PROFILES, Profile


def compared(measure: Measure, names: Sequence[str], *, numbers: bool) -> dict[str, Profile]:
    """The profiles that are compared, the first being what all others are compared with.

    Args:
        measure: of which they speak.
        names: theirs; none: `standard` and every library's.
        numbers: whether numbers are given, so that nobody is compared who is not named.
    """
    standard = {"standard": PROFILES["standard"]}
    if not names:
        return standard if numbers else standard | of_libraries(measure)
    named = {name: _named(name, measure) for name in _with_ways(names, measure)}
    return named if len(named) > 1 else standard | named


def _with_ways(names: Sequence[str], measure: Measure) -> Iterator[str]:
    """The names; in place of a tool's that answers in several ways, those of its ways that have the measure, or of all where none has."""
    for name in names:
        ways = each_way(name)
        having = [way for way in ways if len(ways) > 1 and speaks_of(profile_named(way), measure)]
        yield from having or ways


def _named(name: str, measure: Measure) -> Profile:
    """The profile of that name, which speaks of the measure; where it does not, another way of asking the tool that does is named."""
    own, whole = profile_named(name), cut_at(measure, None)
    try:
        return speaking_of(own, measure)
    except UnknownConvention as unknown:
        if (way := next(iter(other_ways(name, measure)), None)) is not None:
            mend = f"; {way} has it: name that instead of {name}"
        elif measure.k is not None and speaks_of(own, whole):
            mend = f", but it has {whole}: ask for that, by -m {whole}"
        else:
            raise
        raise UnknownConvention(f"{str(unknown).partition('; it has ')[0]}{mend}") from unknown


def of_libraries(measure: Measure) -> dict[str, Profile]:
    """The profile of every library that was asked this measure, the shorter of two names for the same first."""
    found: dict[str, Profile] = {}
    for name in library_names():
        own = profile_named(name)
        if own not in found.values() and speaks_of(own, measure):
            found[name] = own
    return found


def of_read_tools(data: AskedData, measure: Measure) -> dict[str, Profile]:
    """The profile of every tool whose source was read, and which can rank this data."""
    read = {name: own for name, own in read_ways().items() if speaks_of(own, measure)}
    return {n: own for n, own in read.items() if data.has_ranks or own.conventions(measure).order != "rank"}


def by_conventions(data: AskedData, measure: Measure, profiles: Mapping[str, Profile]) -> dict[Conventions, list[str]]:
    """The conventions that differ on this data, each with the names of all who follow them."""
    return grouped((data.plain(measure, profile.conventions(measure)), name) for name, profile in profiles.items())
