"""The store: what a library answered once, it need not be asked again.

Answers are kept by all that they depend on: the files of the adapter and how it is started, the versions of the library and of what it
stands on, the interpreter, and the input. A case that was changed is asked anew, and so is everything after an upgrade. An interrupted run
keeps what it got, and the next one goes on from there.

What was asked once, as the published run has just the same answer, is marked so, and is asked twice by whoever wants that.

Only what the library said is kept, and a crash, nonsense or silence that was seen twice in a row, in two processes. A silence is kept with
the limit of time that it was seen under, and is asked again by whoever grants more. What may be an accident is asked again in the next run:
what took too much memory, was ended from outside, failed once and then answered, or tells of a machine without memory, room or files.

A file bears the checksum of its content, and is held to the protocol's schema. One that is odd in any way is as none, and that is said.

What a library says of itself only once it is loaded (whether a module came from a hub) is kept with its answers. Where it says
otherwise when more is to be asked, everything is asked anew, so that what is kept was answered in one way.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rankproof.files import cache, publish, read_with_checksum, with_checksum
from rankproof.text import one_line
from rankproof.workers.failures import FAILURES
from rankproof.workers.replies import Reply, flaw, flaw_of_hello, without

Say = Callable[[str], None]
_USED_UP = re.compile(
    r"\[Errno (?:12|23|24|28|122)\]|no space left|cannot allocate|too many open files|out of memory|bad_alloc",
    re.IGNORECASE,
)
"""What an error says that tells of the machine, and not of the library: memory, files or room were used up."""
_FAILED = {"failed", "message", "stderr"}
_LIMIT = "limit"
"""What stands beside a timeout that is kept: the seconds that were granted."""
_ONCE = "once"
"""What stands beside an answer that was asked for once, as the published run has it just so."""
_BY_ITSELF = {"crash", "invalid-output", "timeout"}
"""The failures that a library brings about by itself, once they are seen twice."""


def digest(*parts: object) -> str:
    """A short name for anything that JSON can write."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def digest_of_files(paths: Iterable[Path]) -> str:
    """A short name for the content of files."""
    found = hashlib.sha256()
    for path in sorted(paths, key=lambda path: (path.name, str(path))):  # wherever the folder lies
        found.update(path.name.encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:24]


@dataclass
class Kept:
    """The answers of one library under one set of versions; used by one thread."""

    path: Path
    hello: Reply = field(default_factory=dict)
    answers: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """Input -> variant -> measure -> answer."""
    changed: bool = False
    reused: int = 0
    once: int = 0
    """How many of the answers that were given were asked for once."""
    timeout: float = 0.0
    """The seconds that an answer is granted in this run."""
    twice: bool = True
    """Whether what was asked once is as not known."""

    def get(self, data: Mapping[str, Any], variant: str, measures: Iterable[str]) -> dict[str, Any]:
        """The answers known to these measures."""
        known = self._known(data, variant)
        found = {measure: without(known[measure], _LIMIT, _ONCE) for measure in measures if measure in known}
        self.reused += len(found)
        self.once += sum(_ONCE in known[measure] for measure in found)
        return found

    def knows(self, data: Mapping[str, Any], variant: str, measures: Iterable[str]) -> bool:
        """Whether all these measures were answered."""
        return set(measures) <= self._known(data, variant).keys()

    def _known(self, data: Mapping[str, Any], variant: str) -> dict[str, Any]:
        """What is kept of these, but for what took too long when less was granted, and what was asked once if that is not enough."""
        kept = self.answers.get(digest(data), {}).get(variant, {})
        return {
            measure: answer
            for measure, answer in kept.items()
            if answer.get(_LIMIT, self.timeout) >= self.timeout and not (self.twice and _ONCE in answer)
        }

    def put(
        self, data: Mapping[str, Any], variant: str, answers: Mapping[str, Any], once: Collection[str] = ()
    ) -> None:
        """Keep those of the answers that may be served again; `once` are the measures that were asked once."""
        known = self.answers.setdefault(digest(data), {}).setdefault(variant, {})
        to_keep = {measure: answer for measure, answer in answers.items() if _is_to_keep(answer)}
        known.update({measure: self._marked(answer, once=measure in once) for measure, answer in to_keep.items()})
        self.once += len(once)
        self.changed = True

    def _marked(self, answer: Mapping[str, Any], *, once: bool) -> dict[str, Any]:
        limit = {_LIMIT: self.timeout} if answer.get("failed") == "timeout" else {}
        return {**answer, **limit, **({_ONCE: True} if once else {})}

    def save(self, say: Say) -> None:
        """Write it, whole or not at all; that it cannot be written is no reason to fail, and is said."""
        if not self.changed:
            return
        try:
            publish(self.path, with_checksum({"hello": self.hello, "answers": self.answers}))
        except OSError as error:
            say(
                f"answers are not kept, and are asked for again next time: {self.path.parent}: {error.strerror or error}"
            )
            return
        self.changed = False


def _both(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The answer, and the other one that came when it was asked again."""
    yield without(answer, "again")
    if "again" in answer:
        yield answer["again"]


def _is_to_keep(answer: Mapping[str, Any]) -> bool:
    """Whether an answer is no accident."""
    both = list(_both(answer))
    return all(map(_was_said, both)) and not (len(both) > 1 and any("failed" in one for one in both))


def _was_said(answer: Mapping[str, Any]) -> bool:
    """Whether it is what the library said, or what befell it by its own doing."""
    if "failed" in answer:
        own = answer["failed"] in _BY_ITSELF and not answer.get("from_outside")
        return own and not _USED_UP.search(answer.get("stderr", ""))
    error = answer.get("error")
    return error is None or not (error["type"] == "MemoryError" or _USED_UP.search(error["message"]))


def key_of(adapter: str, command: Sequence[str], identity: Reply) -> str:
    """All that a library's answers depend on, but for the input.

    Args:
        adapter: a digest of the files of the adapter.
        command: how it is started, as its sheet says.
        identity: its reply to `identify`.
    """
    return digest(adapter, list(command), without(identity, "seq"))


def path_of(library: str, key: str) -> Path:
    """Where the answers of a library are kept."""
    return cache() / f"{library}-{key}.json"


def open_for(
    library: str, key: str, say: Say, *, fresh: bool = False, timeout: float = 0.0, twice: bool = True
) -> Kept:
    """What is kept of a library; nothing if it is to be asked afresh, or if what is kept is odd, which is said."""
    kept = Kept(path_of(library, key), timeout=timeout, twice=twice)
    if fresh:
        return kept
    try:
        stored = _read(kept.path)
    except (FileNotFoundError, NotADirectoryError):
        return kept
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        say(one_line(f"what was kept of {library} is not used, and asked for again: {kept.path}: {why}"))
        return kept
    return replace(kept, hello=stored["hello"], answers=stored["answers"])


# -- the file ----------------------------------------------------------------------------------------------------------


def _read(path: Path) -> dict[str, Any]:
    """What a file of the store holds.

    Raises:
        ValueError: it is not as it was written.
        OSError: it cannot be read.
    """
    stored = read_with_checksum(path)
    if (why := _flaw_of(stored)) is not None:
        raise ValueError(why)
    return stored


def _flaw_of(stored: object) -> str | None:
    """What is wrong with what a file of the store holds; None if nothing is."""
    if not isinstance(stored, dict) or stored.keys() != {"hello", "answers"}:
        return "it holds other things than hello and answers"
    if not isinstance(stored["hello"], dict):
        return "its hello is none"
    if (why := flaw_of_hello(stored["hello"])) is not None:
        return why
    if not _is_table(stored["answers"]) or not all(map(_is_table, stored["answers"].values())):
        return "its answers are no tables"
    tables = (table for variants in stored["answers"].values() for table in variants.values())
    answers = (answer for table in tables for answer in table.values())
    found = (_flaw_of_one(one) for each in answers for one in (_both(each) if isinstance(each, dict) else [each]))
    return next((why for why in found if why is not None), None)


def _flaw_of_one(answer: object) -> str | None:
    if isinstance(answer, dict) and "failed" in answer:
        texts = without(answer, _LIMIT)
        told = all(isinstance(text, str) for text in texts.values()) and "message" in texts and texts.keys() <= _FAILED
        limited = isinstance(answer.get(_LIMIT), int | float) is (answer["failed"] == "timeout")
        return None if told and limited and answer["failed"] in FAILURES else "a failure is none"
    if isinstance(answer, dict) and answer.get(_ONCE) is True:
        return flaw(without(answer, _ONCE))
    return flaw(answer)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(inner, dict) for inner in value.values())
