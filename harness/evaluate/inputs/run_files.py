"""The files that a path stands for: itself, all files of a folder, or all that a pattern names."""

import glob
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rankproof.evaluate.inputs.parted_folders import is_parted
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.inputs.standard_input import NAME
from rankproof.evaluate.inputs.systems import systems_of

Paths = str | os.PathLike[str]


def run_files(runs: Paths | Iterable[Paths] | Mapping[str, Paths]) -> dict[str, str]:
    """System -> the file of its run, in the order given; those of a folder or a pattern by their names.

    Files are called as `systems_of` calls them. A folder of the parts of one run is that run. Hidden files, and other folders in a
    folder, are no runs.

    Raises:
        BadInput: a folder has no file, a pattern names none, there is none at all, or one is no path.
    """
    if isinstance(runs, Mapping) and runs:
        return {system: path_of(path, f"the run {system}") for system, path in runs.items()}
    given = [runs] if isinstance(runs, str | os.PathLike) else list(runs)
    files = [file for path in given for file in _files_of(path_of(path, "the run"))]
    if not files:
        raise BadInput("the run", "none is given; give files, or a folder of them")
    return dict(systems_of(files, {}) or {})


def path_of(given: Any, name: str) -> str:  # noqa: ANN401 - whatever is given in place of a path
    """A path as text.

    Raises:
        BadInput: it is none; `name` says of what.
    """
    if not isinstance(given, str | os.PathLike):
        what = (
            f"this is of type {type(given).__name__}, and no path of a file; data in memory is for rankproof.evaluate"
        )
        raise BadInput(name, what)
    return os.fspath(given)


def _files_of(path: str) -> Iterator[str]:
    place = Path(path)
    if place.is_dir() and not is_parted(path):
        found = sorted(file for file in place.iterdir() if _is_run(file) and not file.name.startswith("."))
        if not found:
            raise BadInput(path, "there is no file in this folder; give one that has runs")
        yield from map(str, found)
    elif glob.has_magic(path) and not place.exists():
        named = sorted(file for file in glob.glob(path) if _is_run(Path(file)))  # noqa: PTH207 - as the path is written
        if not named:
            raise BadInput(path, "no file has such a name")
        yield from named
    else:
        yield path


def _is_run(path: Path) -> bool:
    return path.is_file() or is_parted(str(path))


def is_lasting(path: str) -> bool:
    """Whether a path can be read again, and by others: a file, a table in parts, or nothing yet; no pipe, and not the standard input."""
    place = Path(path)
    return path != NAME and (_is_run(place) or not place.exists())
