"""Repros on a page: each script in parts, so that what scripts share, which is most of them, is stored once for all cases."""

import itertools
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rankproof.cases import Case
from rankproof.judge.reproduction import NothingToShow, script
from rankproof.judge.verdicts import Row
from rankproof.site.short_repros import short
from rankproof.workers.known_libraries import Library, UnknownLibrary

_MAIN = 'if __name__ == "__main__":'


@dataclass(frozen=True, slots=True)
class Repro:
    """A script: head, adapter, data, and the calls; and the command that runs it, before and behind the library's name.

    Attributes:
        head: the line of the case, the lines of the library, and the line of the measure.
    """

    library: str
    command: tuple[str, str]
    head: tuple[str, str, str]
    data: str
    calls: str
    measure: str = ""


def repros(case: Case, libraries: Sequence[Library], rows: Sequence[Row]) -> Iterator[Repro]:
    """The scripts of all libraries that answered a question, each with the variants that did."""
    for library in libraries:
        variants = tuple(dict.fromkeys(row.variant for row in rows if row.library == library.name))
        if not variants:
            continue
        measure = rows[0].measure
        try:
            whole = script(case, library, [measure], variants)
        except (NothingToShow, UnknownLibrary):  # the results are of another version of the adapter
            continue
        head, _, tail = whole.partition(_source(library))
        data, main, calls = tail.partition(_MAIN)
        command = (f"rankproof cases repro {shlex.quote(case.id)} ", f" {shlex.quote(measure)} | python -")
        first, *own, last = head.splitlines(keepends=True)
        yield Repro(library.name, command, (first, "".join(own), last), data.strip(), main + calls, measure)


def _source(library: Library) -> str:
    return library.adapter.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Scripts:
    """What the scripts of all cases share: filled while pages are made, and written after the last."""

    heads: dict[str, str] = field(default_factory=dict)
    lines: dict[str, dict[str, str]] = field(default_factory=dict)
    """By library and measure, the few lines that its own users would write."""
    calls: dict[str, dict[str, int]] = field(default_factory=dict)
    """By library, each text of calls and its number."""

    def parted(self, found: Sequence[Repro]) -> dict[str, object]:
        """What a page needs of its scripts: the lines of the case and of the measure, and the number of each one's calls."""
        return {
            "head": [found[0].head[0], found[0].head[2]] if found else [],
            "calls": [self._kept(one) for one in found],
        }

    def _kept(self, one: Repro) -> int:
        self.heads[one.library] = one.head[1]
        if lines := short(one.library, one.measure):
            self.lines.setdefault(one.library, {})[one.measure] = lines
        calls = self.calls.setdefault(one.library, {})
        return calls.setdefault(one.calls, len(calls))

    def written(self, libraries: Sequence[Library]) -> str:
        """By library the adapter, the lines of the head and the calls, and what all calls begin and end with, as JSON."""
        frame = _shared([text for texts in self.calls.values() for text in texts])
        before, behind = map(len, frame)
        calls = {name: [text[before : len(text) - behind] for text in texts] for name, texts in self.calls.items()}
        adapters = {library.name: _source(library) for library in libraries}
        shared = {"adapters": adapters, "heads": self.heads, "calls": calls, "frame": frame, "lines": self.lines}
        return json.dumps(shared, ensure_ascii=True, separators=(",", ":"))


def _shared(texts: Sequence[str]) -> tuple[str, str]:
    """What all of them begin with, and what the rest of all of them ends with."""
    before = _beginning(texts)
    behind = _beginning([text[len(before) :][::-1] for text in texts])[::-1]
    return before, behind


def _beginning(texts: Sequence[str]) -> str:
    same = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)
