"""Known conventions of libraries, tools and papers, from fingerprints, source code and named profiles."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files

from rankproof.evaluate.read_profiles import read_ways
from rankproof.inference.fingerprint_file import FILE
from rankproof.inference.signatures import Signature, axes_of, effective
from rankproof.inference.signatures import parse as parse_signature
from rankproof.measure_forms import key_of, name_of
from rankproof.reference_impl.conventions import AXES, Conventions, UnknownConvention
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import PROFILES

UNDEFINED_AXES = frozenset({"norel", "allrel", "empty", "no_query"})
"""Axes of values that the formula does not define, so that an exception is not a wrong number."""
DATA_AXES = frozenset({"ties", "no_query"})
"""Axes that are independent of the measure: the order of tied documents, and a mean over no query."""


@cache
def _observed(measure_name: str) -> tuple[tuple[str, str, Signature], ...]:
    """Return the published libraries that have a measure, each with the form of the measure and its signature."""
    lines = files("rankproof.reports").joinpath(FILE).read_text(encoding="utf-8").splitlines()
    mark = f'"key":"{measure_name}'
    rows = [json.loads(line.rstrip(",")) for line in lines if mark in line[:200]]
    return tuple(
        (row["subject"].rpartition("-")[0].removesuffix("/default"), row["key"], parse_signature(row["signature"]))
        for row in rows
        if name_of(row["key"]) == measure_name
    )


@cache
def known_conventions(measure: Measure) -> Mapping[str, frozenset[str]]:
    """Return, by axis, the known conventions of a measure and of the measures that it is made of."""
    known: dict[str, set[str]] = {axis: set() for axis in axes_of(measure)}
    for conventions, undecided in _known_profiles(measure):
        for axis, values in known.items():
            if axis not in undecided:
                values.add(getattr(effective(measure, conventions), axis))
    return {axis: frozenset(values) for axis, values in known.items()}


def _known_profiles(measure: Measure) -> Iterator[tuple[Conventions, frozenset[str]]]:
    parts = () if measure.of_labels else measure.definition.parts
    for name in (measure.name, *parts):
        yield from ((signature.conventions, frozenset(signature.open)) for *_, signature in _observed(name))
    for profile in (*read_ways().values(), *PROFILES.values()):
        with suppress(UnknownConvention):
            yield profile.conventions(measure), frozenset(profile.undecided(measure))


def is_known(measure: Measure, axis: str, value: str) -> bool:
    """Return whether a known library, tool or paper has a convention for the measure, or users choose its number."""
    if axis in DATA_AXES or (axis in UNDEFINED_AXES and AXES[axis].refuses(value)):
        return True
    return value not in AXES[axis].values or value in known_conventions(measure)[axis]


def same_libraries(measure: Measure, profile: Conventions, decided: frozenset[str]) -> tuple[str, ...]:
    """Return the observed libraries that follow a profile on all decided axes."""
    form = key_of(measure)
    return tuple(
        name
        for name, key, signature in _observed(measure.name)
        if key == form
        and signature.open.keys().isdisjoint(decided)
        and all(getattr(signature.conventions, axis) == getattr(profile, axis) for axis in decided)
    )
