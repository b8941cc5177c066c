"""Selection: which cases are asked, and which of their measures; and in which of its variants a library is asked."""

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankproof.cases import Case
from rankproof.measure_forms import name_of
from rankproof.reference_impl.shown import first_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library, UnknownLibrary
from rankproof.workers.subjects import selected


class NothingSelected(Unusable):
    """Globs that match nothing."""


def select(cases: Iterable[Case], globs: Sequence[str], measures: Sequence[str]) -> list[Case]:
    """The cases whose ids match one of the globs, asked only the measures that match (`nDCG`, `nDCG@10`, `nDCG*`).

    Raises:
        NothingSelected: nothing is left to ask.
    """
    chosen = [case for case in cases if not globs or any(fnmatch.fnmatch(case.id, glob) for glob in globs)]
    if measures:
        of_each = [tuple(m for m in case.measures if any(is_of(m, glob) for glob in measures)) for case in chosen]
        chosen = [
            replace(case, expect={m: e for m, e in (case.expect or {}).items() if m in wanted}, also_ask=wanted)
            for case, wanted in zip(chosen, of_each, strict=True)
            if wanted
        ]
    if not chosen:
        asked = " ".join([*globs, *measures])
        raise NothingSelected(f"no case matches {asked}; `rankproof cases list` shows them")
    return chosen


def is_of(measure: str, glob: str) -> bool:
    """Whether a measure is meant by `nDCG@10`, by its name `nDCG`, or by a glob.

    >>> is_of("nDCG@10", "nDCG"), is_of("nDCG@10", "nDCG@1*"), is_of("nDCG@10", "DCG")
    (True, True, False)
    """
    return measure == glob or name_of(measure) == glob or fnmatch.fnmatchcase(measure, glob)


def in_wanted_variants(library: Library, hello: Mapping[str, Any]) -> dict[str, Any]:
    """What a library said to `hello`, of those of its variants alone that are wanted.

    Raises:
        UnknownLibrary: it was named, and has none of them.
    """
    found = selected(hello, library.only)
    if "version" in hello and library.only and library.must and not found.get("variants") and not found.get("absent"):
        raise no_such_variant(library.name, library.only, [*hello["variants"], *hello.get("absent", {})])
    return found


def no_such_variant(library: str, wanted: Iterable[str], known: Iterable[str]) -> UnknownLibrary:
    """That a library has none of the variants that are wanted, and which it has."""
    names = first_of(f"{library}/{variant}" for variant in known)
    return UnknownLibrary(f"{library} has no variant {' or '.join(wanted)}; known are {names}")
