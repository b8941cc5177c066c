"""Doctored files: each kind of file that a command reads, spoilt in each way; every command ends in time, with one line of why.

A command that refuses names the file, and leaves all files as they were. After one of three the file is as before
again, and the same command says, line for line, what it says on a clean machine: a line that is not there is lost, another is invented.
"""

import gzip
import io
import json
import re
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
from ground import ROOT, Ground, Machine, Tree, tree
from pyarrow import parquet
from running import Ended, Limits
from tally import Outcome

LONGEST = 2_000
"""How many characters the line of why may have."""
DEEP = 100_000
BEHIND = 300_000
"""How many empty lines stand behind a text; more than is read at once."""
INFLATED = 200_000_000
"""How many bytes come out of the small file that is compressed."""

Way = Callable[[bytes, Random], bytes]
Kind = Callable[[Ground, Machine], tuple[Path, tuple[str, ...]]]


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
    "with NUL, ESC and marks of direction": lambda text, chance: _somewhere(
        text, chance, b"\0\x1b]0;a\x07\x1b[2J\xe2\x80\xae"
    ),
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
    "compressed and cut off": lambda text, _chance: _in_two(text)[:-9],
}


def _in_two(text: bytes) -> bytes:
    """Compressed as two members, with so much behind all lines that whoever reads on after the first has them before the second ends."""
    return gzip.compress(text + b"\n" * BEHIND) + gzip.compress(b"\n" * BEHIND)


def _without_one(lines: list[bytes], chance: Random) -> list[bytes]:
    del lines[chance.randrange(len(lines))]
    return lines


def _with_one_twice(lines: list[bytes], chance: Random) -> list[bytes]:
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return lines


QRELS = "".join(f"q{q} 0 d{d} {(q + d) % 4}\n" for q in range(5) for d in range(6))
RUN = "".join(f"q{q} Q0 d{d} {d} {10 - d}.5 tag\n" for q in range(5) for d in range(8))
ASKED = ("-m", "nDCG@5", "-m", "AP", "-m", "ERR@5")
SAME = "def precision(rels, k):\n    return sum(rel >= 1 for rel in rels[:k]) / k\n"
COLUMNS = {"qrels": ("query_id", "", "doc_id", "relevance"), "run": ("query_id", "", "doc_id", "rank", "score", "")}


def _columns(side: str, text: str) -> dict[str, list[str | int | float]]:
    rows = [line.split() for line in text.splitlines()]
    named = [(i, name) for i, name in enumerate(COLUMNS[side]) if name]
    return {name: [row[i] if name.endswith("id") else json.loads(row[i]) for row in rows] for i, name in named}


def _separated(side: str, text: str) -> bytes:
    columns = _columns(side, text)
    return "".join(",".join(map(str, row)) + "\n" for row in [columns, *zip(*columns.values(), strict=True)]).encode()


def _json_lines(side: str, text: str) -> bytes:
    columns = _columns(side, text)
    rows = zip(*columns.values(), strict=True)
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows).encode()


def _parquet(side: str, text: str) -> bytes:
    table = pa.table(_columns(side, text))
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def _zstd(_side: str, text: str) -> bytes:
    return pa.compress(text.encode(), codec="zstd", asbytes=True)


FORMS: Mapping[str, Callable[[str, str], bytes]] = {
    "": lambda _side, text: text.encode(),
    ".gz": lambda _side, text: gzip.compress(text.encode()),
    ".zst": _zstd,
    ".csv": _separated,
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
"""The forms of files that qrels and runs have."""


def _measured(machine: Machine, side: str, form: str, *verb: str) -> tuple[Path, tuple[str, ...]]:
    """Qrels and two runs, one of the three in a form, for a verb; the second run is never spoilt."""
    names = {"qrels": "the-qrels", "run": "the-run"}
    names[side] += form
    for one, text in (("qrels", QRELS), ("run", RUN)):
        (machine.home / names[one]).write_bytes(FORMS[form if one == side else ""](one, text))
    (machine.home / "other-run").write_text(RUN.replace("d1 1 9.5", "d1 1 0.5"), encoding="utf-8")
    others = ("other-run",) if verb[0] == "evaluate" else ()
    return machine.home / names[side], (verb[0], names["qrels"], names["run"], *others, *verb[1:])


def _parted(machine: Machine) -> tuple[Path, tuple[str, ...]]:
    """A run in two parts, of which the second is spoilt."""
    (machine.home / "qrels").write_text(QRELS, encoding="utf-8")
    folder = machine.home / "run.parquet"
    folder.mkdir()
    rows = RUN.splitlines(keepends=True)
    for i, half in enumerate((rows[:16], rows[16:])):
        (folder / f"part-{i}.parquet").write_bytes(_parquet("run", "".join(half)))
    return folder / "part-1.parquet", ("evaluate", "qrels", "run.parquet", *ASKED, "--per-query")


def evaluated(side: str, form: str, *more: str) -> Kind:
    """A kind of qrels, or of run, that `evaluate` reads."""
    return lambda _ground, machine: _measured(machine, side, form, "evaluate", *ASKED, "--per-query", *more)


def explained(side: str, form: str) -> Kind:
    """A kind of qrels, or of run, that `explain` reads."""
    return lambda _ground, machine: _measured(
        machine, side, form, "explain", "-m", "nDCG@5", "--as", "sklearn", "--as", "trec_eval"
    )


def _reported(machine: Machine, name: str) -> tuple[Path, tuple[str, ...]]:
    if not (machine.out / name).exists():
        shutil.copy(ROOT / "reports" / name, machine.out / name)
    return machine.out / name, ("report", "site", "--results", "out", "--out", "site")


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


def _checked(machine: Machine) -> tuple[Path, tuple[str, ...]]:
    (machine.home / "own_measure.py").write_text(SAME, encoding="utf-8")
    return machine.home / "own_measure.py", ("check", "own_measure.py", "precision(rels, k)", "P@5")


FURTHER = {
    *(f"{of}{form} to evaluate" for of in ("qrels", "a run") for form in FORMS if form),
    "qrels of a track",
    "a run of a track",
    "a run in parts to evaluate",
    "qrels to explain",
    "a run.parquet to explain",
}
WORDS = {
    "evaluate": "evaluate",
    "a track": "evaluate",
    "explain": "explain",
    "compare": "diff",
    "a case": "cases lint",
    "a sheet": "run",
    "check": "check",
}
"""The verb that reads a kind of file, by a word of the kind."""
KINDS: Mapping[str, Kind] = {
    **{f"qrels{form} to evaluate": evaluated("qrels", form) for form in FORMS},
    **{f"a run{form} to evaluate": evaluated("run", form) for form in FORMS},
    "a run in parts to evaluate": lambda _ground, machine: _parted(machine),
    "qrels of a track": evaluated("qrels", "", "--jobs", "2", "--out", "kept"),
    "a run of a track": evaluated("run", "", "--jobs", "2", "--out", "kept"),
    "qrels to explain": explained("qrels", ""),
    "a run to explain": explained("run", ""),
    "a run.parquet to explain": explained("run", ".parquet"),
    "results to report": lambda _ground, machine: _reported(machine, "results/sound.jsonl"),
    "results to compare": lambda _ground, machine: _diffed(machine),
    "fingerprints": lambda _ground, machine: _reported(machine, "fingerprint.json"),
    "probes": lambda _ground, machine: _reported(machine, "probes.json"),
    "a case": lambda _ground, machine: _linted(machine),
    "a sheet": _claimed,
    "a function to check": lambda _ground, machine: _checked(machine),
}
"""Each kind of file: where it lies on a machine, and the command that reads it."""
VERB_OF = {kind: next((verb for word, verb in WORDS.items() if word in kind), "report") for kind in KINDS}
VERBS = tuple(dict.fromkeys(VERB_OF.values()))
TURNS = 4
"""One way of so many is tried on a form that is one of several; all of them are, on one form or another."""
FILES = [
    (kind, way)
    for i, way in enumerate(WAYS)
    for j, kind in enumerate(KINDS)
    if kind not in FURTHER or (i + j) % TURNS == 0
]
NEVER = (
    "compressed and cut off",
    "another kind of file",
    "nested from the start",
    "empty",
    "compressed beyond measure",
)
"""Ways after which no qrels and no run are left that could be measured."""
MEMORY = 3 * 2**30
"""How many bytes of addresses a command may take for a doctored file."""
MENDED = 3
"""After one of so many, the file is as it was, and asked again."""
ENDS = (0, 1, 2)
"""It holds, it does not, or the file is refused; never interrupted, and never a fault of rankproof."""
KEPT = ("cache", "site", "kept")
"""Folders that a command may write into before it comes to the file that it refuses."""


def file(ground: Ground, index: int, chance: Random, files: Sequence[tuple[str, str]] = FILES) -> Outcome:
    """One file, doctored in one way, and the command that reads it; then the same file as it was."""
    kind, way = files[index]
    machine = ground.machine(f"file-{kind.replace(' ', '-')}-{index}", "same")
    path, arguments = KINDS[kind](ground, machine)
    clean = path.read_bytes()
    path.write_bytes(WAYS[way](clean, chance))
    before = left_alone(machine)
    ended = ground.command(machine, *arguments, limits=Limits(memory=MEMORY))
    faults = [*ended.faults(ENDS), *refusal(ended, path.name)]
    if ended.code != 2 and way in NEVER and VERB_OF[kind] in {"evaluate", "explain"}:  # noqa: PLR2004 - bad input
        faults += ["it is measured"]
    if ended.code == 2 and left_alone(machine) != before:  # noqa: PLR2004 - bad input
        faults += ["it refuses, and has written"]
    attacked = Outcome(tuple(faults), (), (), ended.left, ended.seconds)
    if index % MENDED == 0:
        path.write_bytes(clean)
        attacked = attacked.and_then(mended(ground, machine, kind, arguments))
    return replace(attacked, lost=tuple(f"{kind}, {way}: {fault}" for fault in attacked.lost))


def left_alone(machine: Machine) -> Tree:
    """The files that no refused command changes."""
    return {name: text for name, text in tree(machine.home).items() if name.split("/")[0] not in KEPT}


def refusal(ended: Ended, name: str) -> list[str]:
    """What is wrong with the words of a command: if it refuses its input there is one line that says why, and it names the file."""
    if ended.code != 2:  # noqa: PLR2004 - bad input
        return []
    lines = [
        line for line in ended.stderr.splitlines() if line.strip() and not line.startswith(("warning:", "these are"))
    ]
    named = [] if name in ended.stderr else [f"{name} is not named: {ended.stderr[:200]!r}"]
    if name.endswith(".py"):  # a function that cannot be called is told with the forms that were tried
        return [*named, *(fault for line in lines for fault in _said(line))]
    return [*named, *_said("\n".join(lines))]


_clean: dict[tuple[Path, str], Counter[str]] = {}
_asking = threading.Lock()


def mended(ground: Ground, machine: Machine, kind: str, arguments: Sequence[str]) -> Outcome:
    """The same command on the file as it was says what it says on a clean machine."""
    with _asking:
        if (ground.folder, kind) not in _clean:
            fresh = ground.machine(f"clean-{kind.replace(' ', '-')}", "same")
            told = ground.command(fresh, *KINDS[kind](ground, fresh)[1])
            _clean[ground.folder, kind] = _lines(told)
    ended, clean = ground.command(machine, *arguments), _clean[ground.folder, kind]
    found = _lines(ended)
    faults = ended.faults([int(code) for code in clean if code.isdecimal()])
    return Outcome(
        tuple(f"the next run: {fault}" for fault in faults),
        tuple((found - clean).elements()),
        tuple((clean - found).elements()),
        ended.left,
    )


def _lines(ended: Ended) -> Counter[str]:
    timeless = re.sub(r"\d+\.\d s\b", "some s", ended.stdout)
    return Counter([*timeless.splitlines(), str(ended.code)])


def _said(stderr: str) -> list[str]:
    """What is wrong with the words of a command that refuses its input: there must be one line, short and printable."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    faults = [f"{len(lines)} lines on stderr, as {json.dumps(lines[:1])[:200]}"] if len(lines) != 1 else []
    faults += [f"a line of {len(line)} characters" for line in lines if len(line) > LONGEST]
    return faults + [f"what does not print: {line[:200]!r}" for line in lines if not line.isprintable()]
