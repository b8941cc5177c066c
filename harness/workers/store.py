"""Store of library values that need not be computed again.

The key contains everything that can change a value: the files of the adapter and its command, the versions of the
library and its dependencies, the interpreter, and the input. An interrupted run stores its values, and the next run
continues.

Accidental failures are not stored: too much memory, a signal from outside, a failure before a value, or an error
about a lack of memory, disk space or files. A timeout is stored with its limit, and tried again if the limit is
higher.
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
"""A pattern of errors about the machine."""
_REPEATABLE = {"crash", "invalid-output", "timeout"}
"""The kinds of failures that are stored."""


@cache
def warn(problem: str) -> None:
    """Print a problem to stderr, only once and even if stderr is closed."""
    with suppress(OSError, ValueError):
        print(one_line(problem), file=sys.stderr)  # noqa: T201 - the run goes on


def digest(*parts: object) -> str:
    """Return a digest of JSON data."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def digest_of_files(paths: Iterable[Path]) -> str:
    """Return a digest of the names and contents of files, without their folders."""
    content = hashlib.sha256()
    for path in sorted(paths, key=lambda path: (path.name, str(path))):
        content.update(path.name.encode())
        content.update(bytes_of(path, LARGEST))
    return content.hexdigest()[:24]


@dataclass(slots=True)
class KeptAnswer:
    """A result in the store.

    Attributes:
        answer: the result of `Worker.observe` for one measure.
        limit: the time limit in seconds, if the result is a timeout.
    """

    answer: Answer
    limit: float | None = None


@dataclass(slots=True)
class Stored:
    """The content of a file of the store."""

    hello: dict[str, Any]
    answers: dict[str, dict[str, dict[str, KeptAnswer]]]
    """The results by digest of the input, variant and measure."""


@dataclass
class Kept:
    """The stored results of one library under one set of versions, for use by one thread.

    Attributes:
        path: the file.
        hello: the library's description of itself.
        answers: the results by digest of the input, variant and measure.
        timeout: the time limit of this run in seconds.
        changed: whether there are results that are not in the file.
        reused: how many stored results this run used.
    """

    path: Path
    hello: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, dict[str, dict[str, KeptAnswer]]] = field(default_factory=dict)
    timeout: float = 0.0
    changed: bool = False
    reused: int = 0

    def get(self, data: Mapping[str, Any], variant: str, measures: Iterable[str]) -> dict[str, Answer]:
        """Return the stored results for these measures."""
        known = self._known(data, variant)
        entries = {measure: known[measure] for measure in measures if measure in known}
        self.reused += len(entries)
        return {measure: entry.answer for measure, entry in entries.items()}

    def knows(self, data: Mapping[str, Any], variant: str, measures: Iterable[str]) -> bool:
        """Return whether the results for all these measures are stored."""
        return set(measures) <= self._known(data, variant).keys()

    def _known(self, data: Mapping[str, Any], variant: str) -> dict[str, KeptAnswer]:
        entries = self.answers.get(digest(data), {}).get(variant, {})
        return {m: entry for m, entry in entries.items() if entry.limit is None or entry.limit >= self.timeout}

    def put(self, data: Mapping[str, Any], variant: str, answers: Mapping[str, Answer]) -> None:
        """Add results, except accidental failures."""
        entries = self.answers.setdefault(digest(data), {}).setdefault(variant, {})
        for measure, answer in answers.items():
            if not _is_accident(answer):
                limit = self.timeout if answer.get("failed") == "timeout" else None
                entries[measure] = KeptAnswer(answer, limit)
        self.changed = True

    def save(self) -> None:
        """Write the file atomically. If that fails, print a warning and continue."""
        if not self.changed:
            return
        try:
            publish(self.path, with_checksum(encode(Stored(self.hello, self.answers))))
            self.changed = False
        except OSError as error:
            warn(f"cannot store values, so they will be computed again: {self.path.parent}: {error.strerror or error}")


def _is_accident(answer: Answer) -> bool:
    """Return whether a result may differ in the next run."""
    again = answer.get("again")
    if again is not None and ("failed" in answer or "failed" in again or _is_accident(again)):
        return True
    if "failed" in answer:
        is_own = answer["failed"] in _REPEATABLE and not answer.get("from_outside")
        return not is_own or bool(_USED_UP.search(answer.get("stderr", "")))
    error = answer.get("error")
    return error is not None and (error["type"] == "MemoryError" or bool(_USED_UP.search(error["message"])))


def key_of(adapter: str, command: Sequence[str], identity: Mapping[str, Any]) -> str:
    """Return a digest of everything that can change a library's values, except the input.

    Args:
        adapter: a digest of the files of the adapter.
        command: the command in the sheet.
        identity: the reply of the adapter to `identify`.
    """
    return digest(adapter, list(command), {name: value for name, value in identity.items() if name != "seq"})


def path_of(library: str, key: str) -> Path:
    """Return the path of a library's stored results."""
    return files.cache() / f"{library}-{key}.json"


def open_for(library: str, key: str, *, fresh: bool = False, timeout: float = 0.0) -> Kept:
    """Load the stored results of a library, or none if `fresh` or, with a warning, if the file is damaged."""
    kept = Kept(path_of(library, key), timeout=timeout)
    if fresh:
        return kept
    try:
        stored = convert(read_with_checksum(kept.path), Stored)
    except (FileNotFoundError, NotADirectoryError):
        return kept
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        warn(f"stored values of {library} are damaged and will be computed again: {kept.path}: {why}")
        return kept
    kept.hello, kept.answers = stored.hello, stored.answers
    return kept
