"""The libraries that come nearest to a function, by what their sheets claim."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rankproof.adapters import worker
from rankproof.asking.sheets import Sheet, libraries
from rankproof.checking.case_questions import Seen
from rankproof.checking.differing import count, differences
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure, keys_of


@dataclass(frozen=True)
class Nearest:
    """The libraries that come nearest to a function, and how near."""

    libraries: tuple[str, ...]
    same: int
    asked: int


def nearest(measure: Measure, seen: Sequence[Seen], precision: str) -> Nearest | None:
    """The libraries under whose claimed profile the reference gives most of the answers.

    The sheets are part of rankproof, so no library needs to be there.
    """
    scored = [
        (len(seen) - count(differences(seen, conventions, precision)), names)
        for conventions, names in _claims(measure)
    ]  # fmt: skip
    if not scored:
        return None
    most = max(score for score, _ in scored)
    return Nearest(tuple(name for score, names in scored if score == most for name in names), most, len(seen))


def nearest_claims(measure: Measure, seen: Sequence[Seen], precision: str) -> list[Conventions]:
    """The profiles that sheets claim, the nearest first."""
    claims = [conventions for conventions, _ in _claims(measure)]
    return sorted(claims, key=lambda conventions: count(differences(seen, conventions, precision)))


@cache
def _claims(measure: Measure) -> list[tuple[Conventions, list[str]]]:
    """Every profile that a sheet claims for the measure, and whose it is."""
    by_profile: dict[tuple[str, ...], tuple[Conventions, list[str]]] = {}
    for library in libraries():
        adapter = worker.load_adapter(str(library.adapter))
        for variant in library.sheet.profiles:
            if _answers(adapter, library.sheet, variant, measure):
                conventions = library.sheet.profile_of(variant, measure)
                key = tuple(getattr(measure_conventions(measure, conventions), axis) for axis in axes_of(measure))
                name = library.name if len(library.sheet.profiles) == 1 else f"{library.name}/{variant}"
                by_profile.setdefault(key, (conventions, []))[1].append(name)
    return list(by_profile.values())


def measure_conventions(measure: Measure, conventions: Conventions) -> Conventions:
    """The conventions with what a parameter of the measure names."""
    return conventions if measure.of_labels else measure.conventions(conventions)


def _answers(adapter: types.ModuleType, sheet: Sheet, variant: str, measure: Measure) -> bool:
    """Whether a variant has the measure; where only the library could tell, whether its sheet speaks of that measure."""
    supported: Mapping[str, Any] | None = adapter.MEASURES(variant) if callable(adapter.MEASURES) else adapter.MEASURES
    if supported is not None and "*" in supported:
        return variant == "default" or any(key in sheet.profiles[variant] for key in keys_of(measure) if key != "*")
    return supported is not None and worker.match(dict(supported), str(measure)) is not None
