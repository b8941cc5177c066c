"""One run of a track, measured in whatever process this is; the qrels are read once by each process."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from rankproof.evaluate.inputs.input_files import parts_of
from rankproof.evaluate.inputs.reading import SIDES, Reader
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.measuring import InputSource, measure, readers
from rankproof.evaluate.result import Caution, Result
from rankproof.files import digest_of
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION

_MOST_SOURCES = 4


@dataclass(frozen=True)
class Track:
    """The task of every run.

    Attributes:
        qrels: the file of the judgments.
        sha256: the digest of its bytes.
        tasks: profile -> measure -> signature.
        cautions: profile -> warnings about the measures.
        names: the names of columns, by side.
        separator: the character between fields.
        exact: whether large runs are measured in exact arithmetic, too.
        version: the version of rankproof.
    """

    qrels: str
    sha256: str
    tasks: Mapping[str, Mapping[str, Signature]]
    cautions: Mapping[str, tuple[Caution, ...]] = field(default_factory=dict)
    names: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {side: {} for side in SIDES})
    separator: str | None = None
    exact: bool = False
    version: str = VERSION


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run.

    Attributes:
        results: profile -> result.
        faults: profile -> why there is no result.
        qrels_fault: why no run can be measured.
        sha256: the digest of the bytes of the run.
        lost: whether the process was lost that measured it.
    """

    results: Mapping[str, Result] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    qrels_fault: str = ""
    sha256: str = ""
    lost: bool = False


def outcome_of(track: Track, path: str) -> Outcome:
    """Measure a run under all profiles; under each by itself if one of them refuses the run."""
    try:
        digest = sha256_of(path)
        with unchanged(path):
            try:
                return Outcome(_results(track, path, [*track.tasks]), sha256=digest)
            except _QrelsRefused as error:
                if len(track.tasks) == 1:
                    return Outcome(qrels_fault=str(error))
            except Unusable:
                if len(track.tasks) == 1:
                    raise
            return _one_by_one(track, path, digest)
    except Unusable as error:
        return Outcome(faults=dict.fromkeys(track.tasks, str(error)))


def _one_by_one(track: Track, path: str, digest: str) -> Outcome:
    results: dict[str, Result] = {}
    faults: dict[str, Unusable] = {}
    for profile in track.tasks:
        try:
            results |= _results(track, path, [profile])
        except Unusable as error:
            faults[profile] = error
    texts = {profile: str(error) for profile, error in faults.items()}
    if not results and all(isinstance(error, _QrelsRefused) for error in faults.values()):
        return Outcome(qrels_fault=next(iter(texts.values())))
    return Outcome(results, texts, sha256=digest)


class _QrelsRefused(Unusable):
    """Qrels that cannot be used, whatever the run."""


def _results(track: Track, path: str, profiles: list[str]) -> dict[str, Result]:
    tasks = {profile: track.tasks[profile] for profile in profiles}
    for_qrels, for_run = readers(track.names, track.separator, tasks.values())
    qrels = _qrels(track.qrels, track.sha256, for_qrels)
    if not qrels.is_large:  # the faults of large qrels are faults of every run
        try:
            qrels.judgments  # noqa: B018 - reads them
        except Unusable as error:
            raise _QrelsRefused(str(error)) from error
    return measure(qrels, InputSource(path, for_run), tasks, track.cautions, exact=track.exact)


_sources: dict[tuple[str, str, str], InputSource] = {}
"""The qrels that this process has read."""


def _qrels(path: str, digest: str, reader: Reader) -> InputSource:
    key = path, digest, repr(reader)
    if key not in _sources:
        if sha256_of(path) != digest:
            raise _QrelsRefused(str(BadInput(path, "the file was written to since the evaluation began; run it again")))
        if len(_sources) >= _MOST_SOURCES:
            _sources.clear()
        _sources[key] = InputSource(path, reader)
    return _sources[key]


def sha256_of(path: str) -> str:
    """Return the digest of a file, or of the parts of one.

    Raises:
        BadInput: it cannot be read.
    """
    try:
        digests = [digest_of(Path(part)) for part in parts_of(path)]
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error
    return digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()


@contextmanager
def unchanged(path: str) -> Iterator[None]:
    """Refuse results of a file that was written to while it was read.

    Raises:
        BadInput: it was.
    """
    before = _state(path)
    yield
    if _state(path) != before:
        raise BadInput(path, "the file was written to while it was read; run the evaluation again")


def _state(path: str) -> list[tuple[int, ...]]:
    try:
        found = [Path(part).stat() for part in parts_of(path)]
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error
    return [(one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns) for one in found]
