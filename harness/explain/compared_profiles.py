"""Profiles that `explain` compares: requested, of libraries and from source code; and how common a choice is."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from rankproof.evaluate.library_profiles import (
    each_way,
    library_names,
    other_ways,
    profile_named,
    published,
    speaking_of,
    speaks_of,
)
from rankproof.evaluate.read_profiles import read_ways
from rankproof.explain.run_data import RunData
from rankproof.inference.signatures import axes_of
from rankproof.measure_facts import fixed_by_parameters
from rankproof.measure_forms import cut_at, measure_of
from rankproof.reference_impl.conventions import AXES, UnknownConvention
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import EVERY, PROFILES, Profile
from rankproof.workers.subjects import names_of


def compared(measure: Measure, names: Sequence[str], *, numbers: bool) -> dict[str, Profile]:
    """Return the profiles to compare. All others are compared with the first.

    Args:
        measure: the measure.
        names: the requested profiles (default: `standard` and every library).
        numbers: whether printed numbers are explained, so that only requested profiles are compared.
    """
    standard = {"standard": PROFILES["standard"]}
    if not names:
        return standard if numbers else standard | library_profiles(measure)
    named = {name: _named(name, measure) for name in _with_ways(names, measure)}
    return named if len(named) > 1 else standard | named


def _with_ways(names: Sequence[str], measure: Measure) -> Iterator[str]:
    """Yield the names. A tool with several ways of use is replaced by those that have the measure, or by all."""
    for name in names:
        ways = each_way(name)
        yield from [way for way in ways if len(ways) > 1 and speaks_of(profile_named(way), measure)] or ways


def _named(name: str, measure: Measure) -> Profile:
    """Return the profile of a name; if it lacks the measure, raise an error with another way of use or measure."""
    own, whole = profile_named(name), cut_at(measure, None)
    try:
        return speaking_of(own, measure)
    except UnknownConvention as unknown:
        if (way := next(iter(other_ways(name, measure)), None)) is not None:
            remedy = f", but {way} has it. Use {way} instead of {name}."
        elif measure.k is not None and speaks_of(own, whole):
            remedy = f", but it has {whole}. Use -m {whole} instead."
        else:
            raise
        raise UnknownConvention(f"{str(unknown).partition('; it has ')[0]}{remedy}") from unknown


def library_profiles(measure: Measure) -> dict[str, Profile]:
    """Return the profile of every library that has the measure, under its shortest name."""
    profiles: dict[str, Profile] = {}
    for name in library_names():
        own = profile_named(name)
        if own not in profiles.values() and speaks_of(own, measure):
            profiles[name] = own
    return profiles


def read_tool_profiles(data: RunData, measure: Measure) -> dict[str, Profile]:
    """Return the profiles from source code that have the measure and can rank this data."""
    read = {name: own for name, own in read_ways().items() if speaks_of(own, measure)}
    return {n: own for n, own in read.items() if data.has_ranks or own.conventions(measure).order != "rank"}


# -- how common a choice is ----------------------------------------------------------------------------------------------


class Makers(NamedTuple):
    """The number of profiles that make a choice: for a measure of the same name, and for any measure."""

    here: int
    anywhere: int


def makers(measure: Measure, axis: str, value: str) -> Makers:
    """Return how many known profiles make a choice.

    >>> from rankproof.reference_impl.notation import parse
    >>> makers(parse("AP"), "ties", "docid-desc") > makers(parse("AP"), "ties", "worst") > makers(parse("AP"), "ties", "best")
    True
    """
    return Makers(_counted(measure.name)[axis, value], _counted(None)[axis, value])


@cache
def _counted(name: str | None) -> Counter[tuple[str, str]]:
    """Count the choices of all profiles for measures of a name, or for any measure."""
    libraries = names_of(published()).values()
    profiles = (profile_named(known) for known in dict.fromkeys([*PROFILES, *libraries, *read_ways()]))
    return Counter(choice for profile in profiles for choice in _choices(profile, name))


def _choices(profile: Profile, name: str | None) -> set[tuple[str, str]]:
    choices: set[tuple[str, str]] = set()
    for key, conventions in profile.of.items():
        measure = None if key == EVERY else measure_of(key)
        if measure is not None and name not in {None, measure.name}:
            continue
        still = profile.open.get(key, {})
        axes = AXES if measure is None else axes_of(measure)
        choices |= {(axis, getattr(conventions, axis)) for axis in axes if axis not in still}
        choices |= set() if measure is None else set(fixed_by_parameters(measure).items())
    return choices
