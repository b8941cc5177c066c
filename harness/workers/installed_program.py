"""The program of a library in the user's cache: whether it is still the one that was put there."""

import os
from collections.abc import Mapping
from pathlib import Path

from rankproof.files import digest_of, programs
from rankproof.workers.known_libraries import Library


def place_of(library: Library) -> Path:
    """Where its program is put."""
    return programs() / library.name


def variable_of(library: str) -> str:
    """The variable that names the program of a library.

    >>> variable_of("trec_eval")
    'RANKPROOF_TREC_EVAL'
    """
    return f"RANKPROOF_{library.upper()}"


def why_another(library: Library, environment: Mapping[str, str]) -> str | None:
    """Why what lies in the cache is not to be run: it is none of the programs known; None where it is, or nothing of it would be run.

    Args:
        library: the library.
        environment: the variables that its worker gets beside those of this process; `RANKPROOF_` and its name names another program.
    """
    program, place = library.sheet.program, place_of(library)
    named = {**os.environ, **environment}.get(variable_of(library.name))
    if program is None or named or not place.exists():
        return None
    try:
        found = digest_of(place)
    except OSError as error:
        return f"{place} cannot be read: {(error.strerror or str(error)).lower()}"
    if found in {build.sha256 for build in program.builds}:
        return None
    return f"{place} is another program than the one that is put there, by its digest, and is not run"
