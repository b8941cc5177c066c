"""Measurement of one run in any process, and result files so that an interrupted evaluation can continue.

Each process reads the qrels once. A result file has a checksum. It is used again only for the same bytes of the run
and the qrels, and the same measures, conventions, columns and version of rankproof.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from rankproof.evaluate.inputs.input_files import parts_of
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.measuring import InputSource, Tasks, measure, readers
from rankproof.evaluate.result import Caution, Result
from rankproof.files import digest_of, publish, read_with_checksum, with_checksum
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION

_LONGEST = 80
"""The largest number of bytes of a run name in the name of its result file."""


@dataclass(frozen=True)
class Track:
    """The qrels, measures and options of all runs under one profile.

    Attributes:
        qrels: the file of the judgments.
        sha256: the digest of its bytes.
        tasks: measure -> signature.
        cautions: warnings about the measures.
        names: the names of columns, by side.
        separator: the character between fields.
        exact: whether large runs are also measured in exact arithmetic.
        profile: the name of the profile.
    """

    qrels: str
    sha256: str
    tasks: Tasks
    cautions: tuple[Caution, ...] = ()
    names: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {"qrels": {}, "run": {}})
    separator: str | None = None
    exact: bool = False
    profile: str = "standard"

    @cached_property
    def cache_key(self) -> Mapping[str, Any]:
        """Everything that a result depends on, except the run."""
        return {
            "qrels_sha256": self.sha256,
            "rankproof": VERSION,
            "signatures": {name: [task.computed.whole(), dict(task.taken)] for name, task in self.tasks.items()},
            "columns": {side: dict(own) for side, own in self.names.items()},
            "separator": self.separator,
            "exact": self.exact,
        }


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run.

    Attributes:
        result: its values.
        fault: why there is no result.
        of_qrels: whether the fault is in the qrels, so that no run can be measured.
        sha256: the digest of the bytes of the run.
        lost: whether the process that measured the run was lost.
    """

    result: Result | None = None
    fault: str = ""
    of_qrels: bool = False
    sha256: str = ""
    lost: bool = False


def outcome_of(track: Track, path: str) -> Outcome:
    """Measure a run, and return its values or the fault."""
    for_qrels, for_run = readers(track.names, track.separator, track.tasks)
    try:
        qrels = _qrels(track, InputSource(track.qrels, for_qrels))
    except Unusable as error:
        return Outcome(fault=str(error), of_qrels=True)
    try:
        digest = sha256_of(path)
        result = measure(qrels, InputSource(path, for_run), track.tasks, track.cautions, exact=track.exact)
        if sha256_of(path) != digest:
            raise BadInput(path, "the file changed while it was read. Run the evaluation again.")  # noqa: TRY301 - as other faults
        return Outcome(result, sha256=digest)
    except BadInput as error:
        return Outcome(fault=str(error), of_qrels=track.qrels in {error.where, error.where.rpartition(":")[0]})
    except Unusable as error:
        return Outcome(fault=str(error))


_sources: dict[tuple[str, str, str], InputSource] = {}
"""The qrels that this process read last."""


def _qrels(track: Track, source: InputSource) -> InputSource:
    key = track.qrels, track.sha256, repr(source.reader)
    if key not in _sources:
        if sha256_of(track.qrels) != track.sha256:
            raise BadInput(track.qrels, "the file changed since the evaluation began. Run it again.")
        if not source.is_large:  # large qrels are read with the first run
            source.judgments  # noqa: B018 - reads them
        _sources.clear()
        _sources[key] = source
    return _sources[key]


def sha256_of(path: str) -> str:
    """Return the digest of a file, or of the parts of a table.

    Raises:
        BadInput: the file cannot be read.
    """
    try:
        digests = [digest_of(Path(part)) for part in parts_of(path)]
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error
    return digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()


# -- results that are kept -----------------------------------------------------------------------------------------------


def kept_place(folder: Path, track: Track, system: str) -> Path:
    """Return the path of the result file of a run."""
    name = re.sub(r"[^\w.-]+", "_", system).encode(errors="replace")[-_LONGEST:].decode(errors="ignore")
    digest = sha256(json.dumps([system, track.cache_key]).encode()).hexdigest()
    return folder / f"{name}-{digest[:24]}.json"


def read_kept(folder: Path, track: Track, system: str, run: str, say: Callable[[str], None]) -> Result | None:
    """Return the kept result of a run; None if it must be measured. `say` prints a line about a damaged file."""
    from rankproof.codec import convert

    place = kept_place(folder, track, system)
    try:
        kept = read_with_checksum(place)
        result = convert(kept["result"], Result)
        is_same = kept["asked"] == track.cache_key and kept["run_sha256"] == sha256_of(run)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        say(f"{place}: the file is damaged ({error}), so the run {system} is measured again")
        return None
    return result if is_same and list(result.mean) == list(track.tasks) else None


def keep(folder: Path, track: Track, system: str, outcome: Outcome) -> None:
    """Write the result file of a run.

    Raises:
        OSError: the file cannot be written.
    """
    content = {"system": system, "run_sha256": outcome.sha256, "asked": track.cache_key, "result": outcome.result}
    publish(kept_place(folder, track, system), with_checksum(json.dumps(content, default=vars)))
