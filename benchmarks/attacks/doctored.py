"""Doctored files: each kind of file that a command reads, spoilt in each way; every command ends in time, with one line of why."""

import gzip
import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from ground import ROOT, Ground, Machine
from tally import Outcome

LONGEST = 2_000
"""How many characters the line of why may have."""
DEEP = 100_000
INFLATED = 200_000_000
"""How many bytes come out of the small file that is compressed."""

Way = Callable[[bytes, Random], bytes]


def _somewhere(text: bytes, chance: Random, put: bytes, *, instead: int = 0) -> bytes:
    place = chance.randrange(len(text))
    return text[:place] + put + text[place + instead :]


def _number(text: bytes, chance: Random, put: bytes) -> bytes:
    """Another number in place of one of its own, or at the end of a line."""
    found = list(re.finditer(rb"(?<![\w.])-?\d+(\.\d+)?(?![\w.])", text))
    if not found:
        return text + put
    one = chance.choice(found)
    return text[: one.start()] + put + text[one.end() :]


def _quoted(text: bytes, chance: Random, put: bytes) -> bytes:
    """Something else in place of a quoted word, or of any word."""
    one = chance.choice(list(re.finditer(rb'"[^"\n]*"', text)) or list(re.finditer(rb"\S+", text)))
    return text[: one.start()] + put + text[one.end() :]


WAYS: Mapping[str, Way] = {
    "cut off": lambda text, chance: text[: chance.randrange(len(text))],
    "empty": lambda _text, _chance: b"",
    "flipped": lambda text, chance: _somewhere(text, chance, chance.randbytes(1), instead=1),
    "no UTF-8": lambda text, chance: _somewhere(text, chance, b"\xff\xfe\xe9"),
    "with NUL, ESC and marks of direction": lambda text, chance: _somewhere(text, chance, b"\0\x1b]0;a\x07\x1b[2J\xe2\x80\xae"),
    "a line lost": lambda text, chance: b"".join(_without_one(text.splitlines(keepends=True), chance)),
    "a line twice": lambda text, chance: b"".join(_with_one_twice(text.splitlines(keepends=True), chance)),
    "a list for a word": lambda text, chance: _quoted(text, chance, b"[[], {}]"),
    "a number for a word": lambda text, chance: _quoted(text, chance, b"7"),
    "nothing for a word": lambda text, chance: _quoted(text, chance, b""),
    "a number of 5,000 digits": lambda text, chance: _number(text, chance, b"9" * 5_000),
    "a number beyond floats": lambda text, chance: _number(text, chance, b"1e999999999"),
    "not a number": lambda text, chance: _number(text, chance, b"NaN"),
    "a word for a number": lambda text, chance: _number(text, chance, b'"many"'),
    "nested without end": lambda text, chance: _quoted(text, chance, b"[" * DEEP + b"]" * DEEP),
    "nested from the start": lambda _text, _chance: b'{"a":' * DEEP,
    "a word without end": lambda text, chance: _quoted(text, chance, b'"' + b"a" * 5_000_000 + b'"'),
    "another kind of file": lambda _text, _chance: b"%PDF-1.7\n\x89PNG\r\n\x1a\n",
    "compressed beyond measure": lambda _text, _chance: gzip.compress(b" " * INFLATED),
    "compressed and cut off": lambda text, _chance: gzip.compress(text)[:-9],
}  # fmt: skip


def _without_one(lines: list[bytes], chance: Random) -> list[bytes]:
    del lines[chance.randrange(len(lines))]
    return lines


def _with_one_twice(lines: list[bytes], chance: Random) -> list[bytes]:
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return lines


QRELS = "".join(f"q{q} 0 d{d} {(q + d) % 4}\n" for q in range(5) for d in range(6))
RUN = "".join(f"q{q} Q0 d{d} {d} {10 - d}.5 tag\n" for q in range(5) for d in range(8))
ASKED = ("-m", "nDCG@5", "-m", "AP", "-m", "ERR@5", "--per-query")


def _evaluated(machine: Machine, qrels: str, run: str) -> tuple[Path, tuple[str, ...]]:
    for name, text in (("qrels", QRELS), ("run", RUN)):
        (machine.home / name).write_text(text, encoding="utf-8")
    return machine.home / (qrels or run), ("evaluate", "qrels", "run", *ASKED)


def _reported(machine: Machine, name: str) -> tuple[Path, tuple[str, ...]]:
    if not (machine.out / name).exists():
        shutil.copy(ROOT / "reports" / name, machine.out / name)
    return machine.out / name, ("report", "--results", "out", "--out", "site")


def _diffed(machine: Machine) -> tuple[Path, tuple[str, ...]]:
    shutil.copytree(machine.out, machine.home / "old")
    return machine.home / "old" / "results" / "sound.jsonl", ("diff", "old", "out")


def _linted(machine: Machine) -> tuple[Path, tuple[str, ...]]:
    shutil.copy(ROOT / "cases" / "ties" / "renamed-doc.toml", machine.home)
    return machine.home / "renamed-doc.toml", ("cases", "lint", "renamed-doc.toml")


def _claimed(ground: Ground, machine: Machine) -> tuple[Path, tuple[str, ...]]:
    folder = machine.home / "adapters"
    shutil.copytree(ground.adapters, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "sound.toml", ("run", "--adapters", "adapters", "-l", "sound", "-c", "ties/n*")


KINDS: Mapping[str, Callable[[Ground, Machine], tuple[Path, tuple[str, ...]]]] = {
    "qrels": lambda _ground, machine: _evaluated(machine, "qrels", ""),
    "a run": lambda _ground, machine: _evaluated(machine, "", "run"),
    "results to report": lambda _ground, machine: _reported(machine, "results/sound.jsonl"),
    "results to compare": lambda _ground, machine: _diffed(machine),
    "fingerprints": lambda _ground, machine: _reported(machine, "fingerprint.json"),
    "probes": lambda _ground, machine: _reported(machine, "probes.json"),
    "a case": lambda _ground, machine: _linted(machine),
    "a sheet": _claimed,
}
"""Each kind of file: where it lies on a machine, and the command that reads it."""
FILES = [(kind, way) for way in WAYS for kind in KINDS]


def file(ground: Ground, index: int, chance: Random) -> Outcome:
    """One file, doctored in one way, and the command that reads it."""
    kind, way = FILES[index]
    machine = ground.machine(f"file-{index}", "same")
    path, arguments = KINDS[kind](ground, machine)
    path.write_bytes(WAYS[way](path.read_bytes(), chance))
    ended = ground.command(machine, *arguments)
    faults = (*ended.faults([0, 1, 2, 3]), *(_said(ended.stderr) if ended.code == 2 else ()))  # noqa: PLR2004 - bad input
    return Outcome(tuple(f"{kind}, {way}: {fault}" for fault in faults), (), (), ended.left, ended.seconds)


def _said(stderr: str) -> list[str]:
    """What is wrong with the words of a command that refuses its input: there must be one line, short and printable."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    faults = [f"{len(lines)} lines on stderr, as {json.dumps(lines[:1])[:200]}"] if len(lines) != 1 else []
    faults += [f"a line of {len(line)} characters" for line in lines if len(line) > LONGEST]
    return faults + [f"what does not print: {line[:200]!r}" for line in lines if not line.isprintable()]
