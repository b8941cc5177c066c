"""The store: what a library answered once, it need not be asked again.

Answers are kept by all that they depend on: the files of the adapter and how it is started, the versions of the library and of what it
stands on, the interpreter, and the input. A case that was changed is asked anew, and so is everything after an upgrade. Answers that depend
on the machine's mood, a timeout, are not kept. An interrupted run keeps what it got, and the next one goes on from there.

What a library says of itself only once it is loaded (whether a module came from a hub) is kept with its answers. Where it says
otherwise when more is to be asked, everything is asked anew, so that what is kept was answered in one way.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankproof.asking.workers import Reply
from rankproof.files import cache, publish


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

    def get(self, data: Mapping[str, Any], variant: str, measures: Iterable[str]) -> dict[str, Any]:
        """The answers known to these measures."""
        known = self.answers.get(digest(data), {}).get(variant, {})
        found = {measure: known[measure] for measure in measures if measure in known}
        self.reused += len(found)
        return found

    def knows(self, data: Mapping[str, Any], variant: str, measures: Iterable[str]) -> bool:
        """Whether all these measures were answered."""
        return set(measures) <= self.answers.get(digest(data), {}).get(variant, {}).keys()

    def put(self, data: Mapping[str, Any], variant: str, answers: Mapping[str, Any]) -> None:
        """Keep answers, but for timeouts."""
        known = self.answers.setdefault(digest(data), {}).setdefault(variant, {})
        known.update({m: a for m, a in answers.items() if not _timed_out(a) and not _timed_out(a.get("again", {}))})
        self.changed = True

    def save(self) -> None:
        """Write it, whole or not at all; a store that cannot be written is no reason to fail."""
        if not self.changed:
            return
        try:
            publish(self.path, json.dumps({"hello": self.hello, "answers": self.answers}))
        except OSError:
            return
        self.changed = False


def _timed_out(answer: Mapping[str, Any]) -> bool:
    return answer.get("failed") == "timeout"


def key_of(files: Iterable[Path], command: Sequence[str], identity: Reply) -> str:
    """All that a library's answers depend on, but for the input.

    Args:
        files: the files of the adapter.
        command: how it is started, as its sheet says.
        identity: its reply to `identify`.
    """
    said = {name: value for name, value in identity.items() if name != "seq"}
    return digest(digest_of_files(files), list(command), said)


def open_for(library: str, key: str, *, fresh: bool = False) -> Kept:
    """What is kept of a library; nothing if it is to be asked afresh, or if the store does not read."""
    kept = Kept(cache() / f"{library}-{key}.json")
    if fresh or not kept.path.exists():
        return kept
    try:
        stored = json.loads(kept.path.read_text(encoding="utf-8"))
        return Kept(kept.path, stored["hello"], stored["answers"])
    except (OSError, ValueError, KeyError, TypeError):
        return kept
