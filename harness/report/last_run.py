"""Notes about the last run into a folder, so that an unchanged run is printed again without reading its results.

A note holds a digest of everything that a run depends on (code, cases, adapters, sheets, options, stored values) and a digest of each file
that it wrote. It only saves time: without it, or if anything differs, `run` judges the stored values again.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rankproof import adapters, reference_impl, version
from rankproof import cases as corpus
from rankproof.codec import decode, encode
from rankproof.files import cache, publish
from rankproof.judge.results_file import FOLDER, files_below
from rankproof.report.run_report import RunReport
from rankproof.workers.store import digest


@dataclass(frozen=True)
class Note:
    """What a run depended on, the digests of the files that it wrote, and its report."""

    depends_on: str
    files: dict[str, str]
    report: RunReport


def read(folder: Path, depends_on: str) -> RunReport | None:
    """Return the report of the last run into a folder, if it depended on the same and all its files are unchanged."""
    try:
        note = decode(note_of(folder).read_bytes(), Note)
        same = note.depends_on == depends_on != "" and note.files == _digests(folder, note.files)
    except (OSError, ValueError):
        return None
    return note.report if same else None


def write(folder: Path, depends_on: str, files: Collection[str], report: RunReport) -> None:
    """Write the note about a run; a failure is harmless."""
    with suppress(OSError):
        if depends_on:
            publish(note_of(folder), encode(Note(depends_on, _digests(folder, files), report)))


def note_of(folder: Path) -> Path:
    """Return the file of the note about a folder."""
    return cache() / "runs" / f"{digest(str(folder.resolve()))}.json"


def digest_of_run(options: Sequence[object], stores: Mapping[str, Path]) -> str:
    """Return a digest of everything that a run depends on: options, stored values and all files of rankproof.

    Raises:
        OSError: a file cannot be read.
    """
    stored = {
        name: hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "" for name, path in stores.items()
    }
    code = hashlib.sha256()
    for module in (version, adapters, corpus, reference_impl):
        for path in sorted(Path(module.__file__ or "").resolve().parent.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                code.update(f"{path}\0{hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
    return digest(options, stored, code.hexdigest())


def _digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return a digest of each file, and of each other results file of the folder."""
    others = (path.relative_to(folder).as_posix() for path in files_below(folder / FOLDER))
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in dict.fromkeys([*names, *others])}
