"""Versions of a program, from a wheel for this machine or on the PATH, such as `trec_eval` or `trec_eval-9.0.8`."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from rankproof.files import digest_of
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import worker_of
from rankproof.workers.process import WorkerFailed
from rankproof.workers.programs import NotInstallable, place_of, put, variable_of

FIRST_WORD = 60.0
"""The time limit for a program to report its version, in seconds."""


def put_program(library: Library, version: str, place: Path) -> str:
    """Copy a version of a program to a place, and return its SHA-256. Raise NotInstallable if it is not found."""
    program, here = library.sheet.program, (platform.system(), platform.machine(), version)
    for build in () if program is None else program.builds:
        if (build.system, build.machine, build.version) == here:
            kept = place_of(library)
            if kept.exists() and digest_of(kept) == build.sha256:
                shutil.copy2(kept, place)
            else:
                put(build, place)
            return build.sha256
    others: list[str] = []
    for path in _candidates(library.name):
        if (reported := _version_of(library, path)) == version:
            shutil.copy2(path, place)
            return digest_of(place)
        others.append(reported)
    seen = ", ".join(filter(None, dict.fromkeys(others)))
    there = f" (there is {seen})" if seen else ""
    remedy = "" if program is None else f"; {program.build}"
    raise NotInstallable(f"no {library.name} on the PATH reports version {version}{there}{remedy}")


def _candidates(name: str) -> Iterator[Path]:
    """Yield the program in the environment variable of a library, then those on the PATH with its name."""
    named = shutil.which(os.environ.get(variable_of(name)) or os.devnull)
    if named is not None:
        yield Path(named)
    for folder in filter(None, os.environ.get("PATH", "").split(os.pathsep)):
        for path in sorted(Path(folder).glob(f"{name}*")):
            rest = path.name.removeprefix(name).removesuffix(".exe")
            if (not rest or rest[0] in "-._") and path.is_file() and os.access(path, os.X_OK):
                yield path


def _version_of(library: Library, program: Path) -> str:
    """Return the version that a program reports; empty if it reports no version."""
    environment = {variable_of(library.name): str(program.absolute())}
    with worker_of(library, sys.executable, FIRST_WORD, environment=environment) as worker:
        try:
            return str(worker.hello().get("version", ""))
        except WorkerFailed:
            return ""
