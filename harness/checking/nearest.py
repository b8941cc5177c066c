"""The libraries that come nearest to a function, by what their sheets claim."""

import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from rankproof import files
from rankproof.adapters.worker import match
from rankproof.checking.case_questions import Seen
from rankproof.checking.differing import missed_first, misses
from rankproof.meaning.signatures import axes_of, effective
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure, keys_of
from rankproof.workers.known_libraries import Library, libraries, usable
from rankproof.workers.library_worker import WorkerFailed, adapter_of, worker_of
from rankproof.workers.sheets import Sheet
from rankproof.workers.store import key_of

AT_ONCE = 4
"""How many libraries are asked at the same time what they support: a process each, that imports no library."""


@dataclass(frozen=True)
class Nearest:
    """The libraries that come nearest to a function, and how near."""

    libraries: tuple[str, ...]
    same: int
    asked: int


def nearest(measure: Measure, seen: Sequence[Seen], precision: str, follows: Conventions) -> Nearest | None:
    """The libraries under whose claimed profile the reference gives most of the answers.

    The sheets are part of rankproof, so no library needs to be there.
    """
    near, fewest = _nearest(measure, seen, precision, follows)
    names = [name for _, names in near for name in names]
    return Nearest(tuple(names), len(seen) - fewest, len(seen)) if names else None


def nearest_claims(measure: Measure, seen: Sequence[Seen], precision: str, follows: Conventions) -> list[Conventions]:
    """The profiles that sheets claim under which the fewest answers differ; those near what is followed are tried first."""
    return [conventions for conventions, _ in _nearest(measure, seen, precision, follows)[0]]


def _nearest(
    measure: Measure, seen: Sequence[Seen], precision: str, follows: Conventions
) -> tuple[list[tuple[Conventions, list[str]]], int]:
    """The claims under which the fewest answers differ, and how many these are."""
    left: dict[int, int] = {}
    fewest = len(seen)
    claims = _claims(measure)
    # The likely ones first, and first what these miss: the others are left at the first answer that is one too many.
    for i in sorted(range(len(claims)), key=lambda i: len(claims[i][0].differences(follows))):
        left[i] = misses(seen, claims[i][0], precision, fewest)
        if left[i] < fewest:
            fewest = left[i]
            seen = missed_first(seen, claims[i][0], precision)
    return [claim for i, claim in enumerate(claims) if left[i] <= fewest], fewest


def claims_of(measure: Measure) -> list[Conventions]:
    """The profiles that sheets claim for a measure."""
    return [conventions for conventions, _ in _claims(measure)]


@cache
def _claims(measure: Measure) -> list[tuple[Conventions, list[str]]]:
    """Every profile that a sheet claims for the measure, and whose it is."""
    by_profile: dict[tuple[str, ...], tuple[Conventions, list[str]]] = {}
    for library, measures in _known():
        for variant in library.sheet.profiles:
            if _answers(measures, library.sheet, variant, measure):
                conventions = library.sheet.profile_of(variant, measure)
                key = tuple(getattr(effective(measure, conventions), axis) for axis in axes_of(measure))
                name = library.name if len(library.sheet.profiles) == 1 else f"{library.name}/{variant}"
                by_profile.setdefault(key, (conventions, []))[1].append(name)
    return list(by_profile.values())


def left_out() -> list[Library]:
    """The libraries that a function is not compared with, as their sheets do not read."""
    return [library for library in _here() if library.fault]


def forget() -> None:
    """Look at the libraries anew when they are needed next: their sheets and adapters are read once, and may have changed since."""
    for kept in (_here, _known, _claims):
        kept.cache_clear()


@cache
def _here() -> list[Library]:
    return libraries()


@cache
def _known() -> list[tuple[Library, Mapping[str, Sequence[str]]]]:
    """The libraries of rankproof, and by variant the notations that each says it supports; of one that cannot be asked, none."""
    asked = usable(_here())
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        return list(zip(asked, pool.map(_supported, asked), strict=True))


def _supported(library: Library) -> Mapping[str, Sequence[str]]:
    """What a library says it supports; what its adapter said before is kept, as no library is imported for it."""
    key = key_of(adapter_of(library), library.sheet.command, {"python": sys.version})
    path = files.cache() / "supported" / f"{library.name}-{key}.json"
    with suppress(OSError, ValueError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(kept, dict) and all(isinstance(names, list) for names in kept.values()):
            return kept
    said = _asked(library)
    if said:  # what could not be asked is no answer to keep
        with suppress(OSError):
            files.publish(path, json.dumps(said))
    return said


def _asked(library: Library) -> Mapping[str, Sequence[str]]:
    with worker_of(library) as worker:
        try:
            found: Mapping[str, Sequence[str]] = worker.identify().get("measures", {})
        except WorkerFailed:
            return {}
        return found


def _answers(measures: Mapping[str, Sequence[str]], sheet: Sheet, variant: str, measure: Measure) -> bool:
    """Whether a variant has the measure; where only the library could tell, whether its sheet speaks of that measure."""
    supported = measures.get(variant, ())
    if "*" in supported:
        return variant == "default" or any(key in sheet.profiles[variant] for key in keys_of(measure) if key != "*")
    return match(dict.fromkeys(supported), str(measure)) is not None
