"""The store: answers of libraries that need not be computed again.

An answer is kept under everything that it depends on: the files of the adapter and its command, the versions of the library and its
dependencies, the interpreter, and the input. An interrupted run keeps what it has, and the next run continues.

Accidents are not kept: too much memory, an end from outside, a failure before an answer, or an error about a lack of memory, disk space or
files. A timeout is kept with its limit, and tried again if the limit is higher.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from rankproof import files
from rankproof.bounded import LARGEST, bytes_of
from rankproof.codec import convert, encode
from rankproof.files import publish, read_with_checksum, with_checksum
from rankproof.text import one_line

Answer = dict[str, Any]
_USED_UP = re.compile(
    r"\[Errno (?:12|23|24|28|122)\]|no space left|cannot allocate|too many open files|out of memory|bad_alloc",
    re.IGNORECASE,
)
"""Errors that are about the machine."""
_REPEATABLE = {"crash", "invalid-output", "timeout"}
"""Failures that are kept."""


@cache
def warn(problem: str) -> None:
    """Print a problem to stderr, each once, even if nobody reads it."""
    with suppress(OSError, ValueError):
        print(one_line(problem), file=sys.stderr)  # noqa: T201 - the run goes on


def digest(*parts: object) -> str:
    """Return a short name for data that JSON can hold."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def digest_of_files(paths: Iterable[Path]) -> str:
    """Return a short name for the names and contents of files, wherever their folder is."""
    content = hashlib.sha256()
    for path in sorted(paths, key=lambda path: (path.name, str(path))):
        content.update(path.name.encode())
        content.update(bytes_of(path, LARGEST))
    return content.hexdigest()[:24]


@dataclass(slots=True)
class KeptAnswer:
    """An answer in the store.

    Attributes:
        answer: as `Worker.observe` returns it.
        limit: the time limit in seconds of an answer that is a timeout.
    """

    answer: Answer
    limit: float | None = None


@dataclass(slots=True)
class Stored:
    """The content of a file of the store."""

    hello: dict[str, Any]
    answers: dict[str, dict[str, dict[str, KeptAnswer]]]
    """Digest of the input -> variant -> measure -> answer."""


@dataclass
class Kept:
    """The answers of one library under one set of versions; used by one thread.

    Attributes:
        path: the file.
        hello: the library's description of itself.
        timeout: seconds for an answer in this run.
        changed: whether it has answers that the file lacks.
        reused: how many answers were taken from it.
    """

    path: Path
    hello: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, dict[str, dict[str, KeptAnswer]]] = field(default_factory=dict)
    timeout: float = 0.0
    changed: bool = False
    reused: int = 0

    def get(self, data: Mapping[str, Any], variant: str, measures: Iterable[str]) -> dict[str, Answer]:
        """Return the known answers."""
        known = self._known(data, variant)
        entries = {measure: known[measure] for measure in measures if measure in known}
        self.reused += len(entries)
        return {measure: entry.answer for measure, entry in entries.items()}

    def knows(self, data: Mapping[str, Any], variant: str, measures: Iterable[str]) -> bool:
        """Return whether all these answers are known."""
        return set(measures) <= self._known(data, variant).keys()

    def _known(self, data: Mapping[str, Any], variant: str) -> dict[str, KeptAnswer]:
        entries = self.answers.get(digest(data), {}).get(variant, {})
        return {m: entry for m, entry in entries.items() if entry.limit is None or entry.limit >= self.timeout}

    def put(self, data: Mapping[str, Any], variant: str, answers: Mapping[str, Answer]) -> None:
        """Keep answers that are no accidents."""
        entries = self.answers.setdefault(digest(data), {}).setdefault(variant, {})
        for measure, answer in answers.items():
            if not _is_accident(answer):
                limit = self.timeout if answer.get("failed") == "timeout" else None
                entries[measure] = KeptAnswer(answer, limit)
        self.changed = True

    def save(self) -> None:
        """Write the file whole or not at all; a failure is reported and harms nothing else."""
        if not self.changed:
            return
        try:
            publish(self.path, with_checksum(encode(Stored(self.hello, self.answers))))
            self.changed = False
        except OSError as error:
            warn(f"answers are not kept and will be computed again: {self.path.parent}: {error.strerror or error}")


def _is_accident(answer: Answer) -> bool:
    """Whether an answer may be another one in the next run."""
    again = answer.get("again")
    if again is not None and ("failed" in answer or "failed" in again or _is_accident(again)):
        return True
    if "failed" in answer:
        is_own = answer["failed"] in _REPEATABLE and not answer.get("from_outside")
        return not is_own or bool(_USED_UP.search(answer.get("stderr", "")))
    error = answer.get("error")
    return error is not None and (error["type"] == "MemoryError" or bool(_USED_UP.search(error["message"])))


def key_of(adapter: str, command: Sequence[str], identity: Mapping[str, Any]) -> str:
    """Return a digest of all that a library's answers depend on, except the input.

    Args:
        adapter: a digest of the files of the adapter.
        command: how the sheet starts it.
        identity: its reply to `identify`.
    """
    return digest(adapter, list(command), {name: value for name, value in identity.items() if name != "seq"})


def path_of(library: str, key: str) -> Path:
    """Return the file of a library's answers."""
    return files.cache() / f"{library}-{key}.json"


def open_for(library: str, key: str, *, fresh: bool = False, timeout: float = 0.0) -> Kept:
    """Return the kept answers of a library; none if they are to be computed afresh, or if the file is damaged, which is reported."""
    kept = Kept(path_of(library, key), timeout=timeout)
    if fresh:
        return kept
    try:
        stored = convert(read_with_checksum(kept.path), Stored)
    except (FileNotFoundError, NotADirectoryError):
        return kept
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        warn(f"kept answers of {library} are damaged and will be computed again: {kept.path}: {why}")
        return kept
    kept.hello, kept.answers = stored.hello, stored.answers
    return kept
