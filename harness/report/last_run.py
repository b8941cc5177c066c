"""Notes about the last run of a folder, which let `rankproof run` print an unchanged run without reading its results.

A note has digests of all inputs of a run (code, cases, adapters, sheets, options, stored values) and of each file that
it wrote. Notes only save time. Without a note, or if a digest differs, `run` judges the stored values again.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rankproof import adapters, reference_impl, version
from rankproof import cases as corpus
from rankproof.bounded import LARGEST, bytes_of
from rankproof.codec import decode, encode
from rankproof.files import cache, digest_of, publish
from rankproof.judge.results_file import FOLDER, files_below
from rankproof.report.run_report import RunReport
from rankproof.workers.store import digest, digest_of_files


@dataclass(frozen=True)
class Note:
    """Note about a run: a digest of its inputs, the digests of its files, and its report."""

    depends_on: str
    files: dict[str, str]
    report: RunReport


def read(folder: Path, depends_on: str) -> RunReport | None:
    """Return the report of the last run of a folder, if its inputs and files are unchanged."""
    try:
        note = decode(bytes_of(note_of(folder), LARGEST), Note)
        same = note.depends_on == depends_on != "" and note.files == _digests(folder, note.files)
    except (OSError, ValueError):
        return None
    return note.report if same else None


def write(folder: Path, depends_on: str, names: Sequence[str], report: RunReport) -> None:
    """Write a note about a run; ignore errors of the file system."""
    with suppress(OSError):
        if depends_on:
            publish(note_of(folder), encode(Note(depends_on, _digests(folder, names), report)))


def digest_of_run(options: Sequence[object], stores: Mapping[str, Path]) -> str:
    """Return a digest of everything that affects a run: options, stored values and all files of rankproof.

    Raises:
        OSError: a file cannot be read.
    """
    stored = {name: digest_of(path) if path.exists() else "" for name, path in stores.items()}
    packages = (Path(module.__file__ or "").resolve().parent for module in (version, adapters, corpus, reference_impl))
    files = (path for package in packages for path in package.rglob("*") if "__pycache__" not in path.parts)
    return digest(options, stored, digest_of_files([path for path in files if path.is_file()]))


def note_of(folder: Path) -> Path:
    """Return the path of the note about a folder."""
    return cache() / "runs" / f"{digest(str(folder.resolve()))}.json"


def _digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the digests of these files and of all results files of the folder."""
    others = (path.relative_to(folder).as_posix() for path in files_below(folder / FOLDER))
    return {name: digest_of(folder / name) for name in dict.fromkeys([*names, *others])}
