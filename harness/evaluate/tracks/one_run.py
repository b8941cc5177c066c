"""One run of a track, measured in whatever process this is; the qrels are read when the first one comes, and kept for the others."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rankproof.evaluate.asked_measures import strictest_of
from rankproof.evaluate.inputs import BadInput, Rows, read_qrels, read_run
from rankproof.evaluate.inputs.parted_folders import parts_of
from rankproof.evaluate.making_results import result_of_columns, result_of_rows
from rankproof.evaluate.quick import has_engine, is_large, left_to_rows, qrels_by_column, run_by_column
from rankproof.evaluate.result import Result
from rankproof.evaluate.tracks.track import Outcome, QrelsFile, Track
from rankproof.files import digest_of
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION

if TYPE_CHECKING:
    from rankproof.evaluate.fast.sources import ReadQrels

T = TypeVar("T")
_one_at_a_time = threading.Lock()


class QrelsRefused(Unusable):
    """It is the qrels that cannot be used, whatever the run is."""


def outcome_of(track: Track, path: str) -> Outcome:
    """What comes of a run."""
    if track.version != VERSION:
        why = f"rankproof {VERSION} is to measure for rankproof {track.version}"
        return Outcome(of_all=f"{why}; install the same version")
    try:
        qrels = _qrels(track.qrels)
    except Unusable as error:
        return Outcome(of_all=str(error))
    try:
        with unchanged(path):
            sha256 = sha256_of(path) if track.is_kept else ""
            return replace(_measured(track, qrels, path), sha256=sha256)
    except Unusable as error:
        return Outcome(faults=dict.fromkeys(track.asked, str(error)))


def _measured(track: Track, qrels: "_Qrels", path: str) -> Outcome:
    """All profiles by one reading of the run; each by itself where one of them refuses what it reads."""
    if len(track.asked) > 1:
        with suppress(Unusable):
            return Outcome(_results(track, qrels, path, track.asked))
    results: dict[str, Result] = {}
    faults: dict[str, Unusable] = {}
    for profile, tasks in track.asked.items():
        try:
            results |= _results(track, qrels, path, {profile: tasks})
        except Unusable as error:
            faults[profile] = error
    told = {profile: str(error) for profile, error in faults.items()}
    by_qrels = not results and all(isinstance(error, QrelsRefused) for error in faults.values())
    return Outcome(results, told, of_all=next(iter(told.values())) if by_qrels else "")


def _results(
    track: Track, qrels: "_Qrels", path: str, asked: Mapping[str, Mapping[str, Signature]]
) -> dict[str, Result]:
    """What the run is worth by each of these profiles, as `rankproof.evaluate` finds it."""
    strictest = strictest_of([task.conventions for tasks in asked.values() for task in tasks.values()])
    separator = track.qrels.separator
    difference = None
    if not track.exact and has_engine() and is_large(track.qrels.path, path) and qrels.columns is not None:
        with left_to_rows():
            found = run_by_column(qrels.columns, path, track.names, separator, asked, strictest)
            if not found.checked.difference:
                return {
                    profile: result_of_columns(found, profile, tasks, track.beside.get(profile, ()))
                    for profile, tasks in asked.items()
                }
            difference = found.checked
    judgments = qrels.rows(strictest)
    run = read_run(path, track.names, strictest, separator=separator)
    return {
        profile: result_of_rows(judgments, run, tasks, track.beside.get(profile, ()), difference)
        for profile, tasks in asked.items()
    }


# -- what a process keeps ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Qrels:
    """Qrels, read at most once in each way."""

    file: QrelsFile
    state: tuple[int, ...]
    """Of the file, when its digest was taken."""
    read: dict[str, Rows[Judgment]] = field(default_factory=dict)

    @cached_property
    def columns(self) -> "ReadQrels | None":
        """As columns; None where rows are to be taken.

        Raises:
            QrelsRefused: they are more than any qrels.
        """
        with left_to_rows(), _of_qrels(), unchanged(self.file.path, self.state):
            return qrels_by_column(self.file.path, dict(self.file.names), self.file.separator)
        return None

    def rows(self, strictest: Conventions) -> Rows[Judgment]:
        """As rows.

        Raises:
            QrelsRefused: they do not read, or these conventions refuse them.
        """
        key = strictest.qrels_duplicates
        if key not in self.read:
            with _of_qrels(), unchanged(self.file.path, self.state):
                self.read[key] = read_qrels(self.file.path, dict(self.file.names), strictest, self.file.separator)
        return self.read[key]


@contextmanager
def _of_qrels() -> Iterator[None]:
    """Say of what is refused within that it is the qrels."""
    try:
        yield
    except Unusable as error:
        raise QrelsRefused(str(error)) from error


def _qrels(file: QrelsFile) -> _Qrels:
    with _one_at_a_time:  # a worker of Dask has several threads
        return _kept_qrels(file)


@lru_cache(maxsize=1)
def _kept_qrels(file: QrelsFile) -> _Qrels:
    state = _state(file.path)
    if sha256_of(file.path) != file.sha256:
        raise BadInput(file.path, "this is another file than the one that was meant; all machines are to have the same")
    return _Qrels(file, state)


# -- files that are what they were -------------------------------------------------------------------------------------


def sha256_of(path: str) -> str:
    """The digest of a file, or of the parts of one.

    Raises:
        BadInput: it cannot be read.
    """
    parts = _of_parts(path, digest_of)
    return parts[0] if parts_of(path) == (path,) else hashlib.sha256("".join(parts).encode()).hexdigest()


@contextmanager
def unchanged(path: str, since: tuple[int, ...] = ()) -> Iterator[None]:
    """Refuse what was made of a file that somebody wrote to meanwhile, or since it was in that state.

    Raises:
        BadInput: somebody did.
    """
    before = since or _state(path)
    yield
    if _state(path) != before:
        raise BadInput(path, "it was written to while it was read; ask again")


def _state(path: str) -> tuple[int, ...]:
    found = _of_parts(path, Path.stat)
    return tuple(n for one in found for n in (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns))


def _of_parts(path: str, found: Callable[[Path], T]) -> list[T]:
    try:
        return [found(Path(part)) for part in parts_of(path)]
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error
