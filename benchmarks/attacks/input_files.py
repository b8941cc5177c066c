"""Attacks with damaged, large, empty or ambiguous files: read, or rejected in one line with the name of the file."""

import gzip
import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import pyarrow as pa
from commands import Ended, Limits
from machines import ROOT, Machine, Rows, Trial, files_of
from pyarrow import parquet
from tracks import QRELS, RUN

LONGEST = 2_000
"""Maximum characters of the error message for a file."""
MEMORY = 3 * 2**30
"""Maximum bytes of address space of a command that reads such a file."""
BAD_INPUT = 2

# -- ways to damage a file ---------------------------------------------------------------------------------------------

Way = Callable[[bytes, Random], bytes]


def _insert(text: bytes, chance: Random, new: bytes, *, instead: int = 0) -> bytes:
    place = chance.randrange(len(text))
    return text[:place] + new + text[place + instead :]


def _number(text: bytes, chance: Random, new: bytes) -> bytes:
    """Replace one of the numbers, or append to a file without numbers."""
    numbers = list(re.finditer(rb"(?<![\w.])-?\d+(\.\d+)?(?![\w.])", text))
    number = chance.choice(numbers) if numbers else None
    return text + new if number is None else text[: number.start()] + new + text[number.end() :]


def _word(text: bytes, chance: Random, new: bytes) -> bytes:
    """Replace a quoted word, or any word."""
    word = chance.choice(list(re.finditer(rb'"[^"\n]*"', text)) or list(re.finditer(rb"\S+", text)))
    return text[: word.start()] + new + text[word.end() :]


def _line(text: bytes, chance: Random, *, twice: bool) -> bytes:
    lines = text.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    return b"".join([*lines[:place], *([lines[place]] * 2 if twice else []), *lines[place + 1 :]])


WAYS: Mapping[str, Way] = {
    "cut off": lambda text, chance: text[: chance.randrange(len(text))],
    "empty": lambda _text, _chance: b"",
    "a byte changed": lambda text, chance: _insert(text, chance, chance.randbytes(1), instead=1),
    "not UTF-8": lambda text, chance: _insert(text, chance, b"\xff\xfe\xe9"),
    "control characters": lambda text, chance: _insert(text, chance, b"\0\x1b]0;a\x07\x1b[2J\xe2\x80\xae"),
    "a line missing": lambda text, chance: _line(text, chance, twice=False),
    "a line twice": lambda text, chance: _line(text, chance, twice=True),
    "a list for a word": lambda text, chance: _word(text, chance, b"[[], {}]"),
    "a number for a word": lambda text, chance: _word(text, chance, b"7"),
    "nothing for a word": lambda text, chance: _word(text, chance, b""),
    "a number of 5,000 digits": lambda text, chance: _number(text, chance, b"9" * 5_000),
    "a number beyond floats": lambda text, chance: _number(text, chance, b"1e999999999"),
    "NaN": lambda text, chance: _number(text, chance, b"NaN"),
    "a word for a number": lambda text, chance: _number(text, chance, b'"many"'),
    "nested 100,000 deep": lambda text, chance: _word(text, chance, b"[" * 100_000 + b"]" * 100_000),
    "only opening braces": lambda _text, _chance: b'{"a":' * 100_000,
    "a word of 5 MB": lambda text, chance: _word(text, chance, b'"' + b"a" * 5_000_000 + b'"'),
    "another kind of file": lambda _text, _chance: b"%PDF-1.7\n\x89PNG\r\n\x1a\n",
    "200 MB compressed": lambda _text, _chance: gzip.compress(b" " * 200_000_000),
    # Two gzip members: readers that continue after the first have all lines before the truncated second one.
    "compressed and cut off": lambda text, _chance: (
        gzip.compress(text + b"\n" * 300_000) + gzip.compress(b"\n" * 300_000)
    )[:-9],
}
USELESS = ("empty", "only opening braces", "another kind of file", "200 MB compressed", "compressed and cut off")
"""Ways that make qrels and runs unusable."""

# -- kinds of files ----------------------------------------------------------------------------------------------------

COLUMNS = {"qrels": ("query_id", "", "doc_id", "relevance"), "run": ("query_id", "", "doc_id", "rank", "score", "")}


def _columns(side: str, text: str) -> dict[str, list[str | float]]:
    rows = [line.split() for line in text.splitlines()]
    numeric = {"relevance": int, "rank": int, "score": float}
    return {name: [numeric.get(name, str)(row[i]) for row in rows] for i, name in enumerate(COLUMNS[side]) if name}


def _rows(side: str, text: str) -> list[dict[str, str | float]]:
    columns = _columns(side, text)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _parquet(side: str, text: str) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(pa.table(_columns(side, text)), sink)
    return sink.getvalue()


def _csv(side: str, text: str) -> bytes:
    rows = _rows(side, text)
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows), ""]).encode()


FORMATS: Mapping[str, Callable[[str, str], bytes]] = {
    "": lambda _side, text: text.encode(),
    ".gz": lambda _side, text: gzip.compress(text.encode()),
    ".zst": lambda _side, text: pa.compress(text.encode(), codec="zstd", asbytes=True),
    ".csv": _csv,
    ".jsonl": lambda side, text: "".join(json.dumps(row) + "\n" for row in _rows(side, text)).encode(),
    ".parquet": _parquet,
}
Prepare = Callable[[Machine], tuple[Path, Sequence[str]]]
"""Function that writes the files of a command, and returns the file to damage and the command."""


def _measured(side: str, ending: str, verb: str, *options: str) -> Prepare:
    """Return a function that writes qrels and a run, one of them in a format, and an undamaged second run."""

    def prepare(machine: Machine) -> tuple[Path, Sequence[str]]:
        names = {"qrels": "the-qrels", "run": "the-run"}
        names[side] += ending
        for name, text in (("qrels", QRELS), ("run", RUN)):
            machine.write(names[name], FORMATS[ending if name == side else ""](name, text))
        machine.write("other-run", RUN.replace("d1 1 9.5", "d1 1 0.5"))
        runs = (names["run"], "other-run") if verb == "evaluate" else (names["run"],)
        return machine.home / names[side], (verb, names["qrels"], *runs, *options)

    return prepare


def _in_parts(machine: Machine) -> tuple[Path, Sequence[str]]:
    machine.write("qrels", QRELS)
    lines = RUN.splitlines(keepends=True)
    for i, half in enumerate((lines[:16], lines[16:])):
        machine.write(f"run.parquet/part-{i}.parquet", _parquet("run", "".join(half)))
    return machine.home / "run.parquet" / "part-1.parquet", ("evaluate", "qrels", "run.parquet", *MEASURES)


def _published(name: str) -> Prepare:
    def prepare(machine: Machine) -> tuple[Path, Sequence[str]]:
        if not (machine.out / name).exists():
            shutil.copy(ROOT / "reports" / name, machine.out / name)
        return machine.out / name, ("report", "site", "--results", "out", "--out", "site")

    return prepare


def _compared(machine: Machine) -> tuple[Path, Sequence[str]]:
    shutil.copytree(machine.out, machine.home / "old")
    return machine.home / "old" / "results" / "sound.jsonl", ("diff", "old", "out")


def _case(machine: Machine) -> tuple[Path, Sequence[str]]:
    shutil.copy(ROOT / "cases" / "ties" / "renamed-doc.toml", machine.home)
    return machine.home / "renamed-doc.toml", ("cases", "lint", "renamed-doc.toml")


def _sheet(machine: Machine) -> tuple[Path, Sequence[str]]:
    folder = machine.home / "adapters"
    shutil.copytree(machine.home.parent.parent / "adapters", folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "sound.toml", ("run", "--adapters", "adapters", "-l", "sound", "-c", "ties/n*")


def _function(machine: Machine) -> tuple[Path, Sequence[str]]:
    text = "def precision(rels, k):\n    return sum(rel >= 1 for rel in rels[:k]) / k\n"
    return machine.write("own_measure.py", text), ("check", "own_measure.py", "precision(rels, k)", "P@5")


MEASURES = ("-m", "nDCG@5", "-m", "AP", "-m", "ERR@5", "--per-query")
PROFILES = ("-m", "nDCG@5", "--as", "sklearn", "--as", "trec_eval")
TRACK = (*MEASURES, "--jobs", "2", "--out", "kept")
MAIN: Mapping[str, Prepare] = {
    "qrels to evaluate": _measured("qrels", "", "evaluate", *MEASURES),
    "a run to evaluate": _measured("run", "", "evaluate", *MEASURES),
    "a run to explain": _measured("run", "", "explain", *PROFILES),
    "results to report": _published("results/sound.jsonl"),
    "results to diff": _compared,
    "fingerprints to report": _published("fingerprint.json"),
    "probes to report": _published("probes.json"),
    "a case to lint": _case,
    "a sheet to run": _sheet,
    "a function to check": _function,
}
"""Files that are damaged in all ways."""
VARIANTS: Mapping[str, Prepare] = {
    **{f"qrels{end} to evaluate": _measured("qrels", end, "evaluate", *MEASURES) for end in FORMATS if end},
    **{f"a run{end} to evaluate": _measured("run", end, "evaluate", *MEASURES) for end in FORMATS if end},
    "a run in parts to evaluate": _in_parts,
    "qrels of a track to evaluate": _measured("qrels", "", "evaluate", *TRACK),
    "a run of a track to evaluate": _measured("run", "", "evaluate", *TRACK),
    "qrels to explain": _measured("qrels", "", "explain", *PROFILES),
    "a run.parquet to explain": _measured("run", ".parquet", "explain", *PROFILES),
}
"""Files in other formats, each damaged in a quarter of the ways."""
DAMAGED = [
    *((kind, way) for kind in MAIN for way in WAYS),
    *((kind, way) for j, kind in enumerate(VARIANTS) for i, way in enumerate(WAYS) if (i + j) % 4 == 0),
]
WRITTEN = ("cache", "site", "kept")
"""Folders that a command may write before it rejects a file."""


def damaged(trial: Trial) -> None:
    """Read a file that is damaged in one way, then the undamaged file."""
    kind, way = DAMAGED[trial.index]
    prepare, about = {**MAIN, **VARIANTS}[kind], f"{kind}, {way}"
    machine = trial.machine("same")
    path, command = prepare(machine)
    whole = path.read_bytes()
    path.write_bytes(WAYS[way](whole, trial.chance))
    before = _other_files(machine)
    ended = trial.command(machine, *command, codes=(0, 1, 2), about=about, limits=Limits(memory=MEMORY))
    is_called = path.suffix == ".py" and "precision" in ended.stderr  # an error of a call names the function
    trial.fault(*refusal(ended, "precision" if is_called else path.name), about=about)
    is_useless = way in USELESS and command[0] in {"evaluate", "explain"}
    trial.require(ended.code == BAD_INPUT or not is_useless, f"{about}: it is measured")
    trial.require(ended.code != BAD_INPUT or _other_files(machine) == before, f"{about}: rejected, but files changed")
    if trial.index % 3 == 0:
        path.write_bytes(whole)
        expected = trial.ground.once(kind, lambda: _undamaged(trial, prepare))
        trial.compare(_lines(trial.command(machine, *command, codes=None)), expected, about=f"{kind}, undamaged")


def _undamaged(trial: Trial, prepare: Prepare) -> Rows:
    machine = trial.machine("same", "-undamaged")
    return _lines(trial.command(machine, *prepare(machine)[1], codes=(0, 1)))


def _lines(ended: Ended) -> Rows:
    return Counter([*re.sub(r"\d+\.\d s\b", "some s", ended.stdout).splitlines(), f"exit code {ended.code}"])


def _other_files(machine: Machine) -> Mapping[str, bytes]:
    return {name: text for name, text in files_of(machine.home).items() if name.split("/")[0] not in WRITTEN}


def refusal(ended: Ended, name: str) -> list[str]:
    """Return the faults of an error message, which must be one short, printable line with the name of the file."""
    if ended.code != BAD_INPUT:
        return []
    lines = [line for line in ended.stderr.splitlines() if line.strip() and not line.startswith(("warning:", "only "))]
    faults = [] if name in ended.stderr else [f"{name} is not named: {ended.stderr[:200]!r}"]
    if len(lines) != 1 and name != "precision":  # the error for a call is followed by a suggestion
        faults.append(f"{len(lines)} lines on stderr, as {lines[:1]}")
    faults += [f"a line of {len(line)} characters" for line in lines if len(line) > LONGEST]
    return faults + [f"not printable: {line[:200]!r}" for line in lines if not line.isprintable()]


# -- files that are too large, empty or ambiguous ----------------------------------------------------------------------

MANY = 9_000_000
NAMES = ("query_id", "doc_id", "score", *(f"c{i}" for i in range(998)))
ROW = '{"query_id": "q1", "doc_id": "d1", "score": 1, "more": %s}\n'


def _table(queries: object, docs: object, scores: object) -> Callable[[Path], object]:
    columns = {"query_id": queries, "doc_id": docs, "score": scores}
    return lambda path: parquet.write_table(pa.table(columns), path)


def _text(text: str | bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text.encode() if isinstance(text, str) else text)


def _same(value: object, times: int) -> object:
    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), times), pa.array([value]))


REFUSED: Mapping[str, tuple[str, Callable[[Path], object]]] = {
    "rows.parquet": ("unpacks to more than", _table(_same("q1", MANY), _same("d1", MANY), _same(1.0, MANY))),
    "long-ids.parquet": ("an id of more than", _table(["q1"], ["d" * 40_000_000], [1.0])),
    "id.parquet": ("an id of more than", _table(["q1"], ["d" * 1_000_001], [1.0])),
    "dictionary.parquet": (
        "unpacks to more than",
        _table(_same("q1", 2000), _same("d" * 100_000, 2000), [float(i) for i in range(2000)]),
    ),
    "columns.csv": ("more than 1,000 columns", _text(",".join(NAMES) + "\nq1,d1" + ",1" * 999 + "\n")),
    "columns.jsonl": ("more than 1,000 columns", _text(json.dumps(dict.fromkeys(NAMES, 1)) + "\n")),
    "deep.jsonl": ("nested", _text(ROW % ("[" * 100_000 + "]" * 100_000))),
    "line.jsonl": ("longer than", _text(ROW % f'"{"a" * 1_000_001}"')),
    "line-of-a-run": ("longer than", _text(f"q1 Q0 {'d' * 1_000_001} 1 1 t\n")),
    "packed.gz": ("unpacks to more than", _text(gzip.compress(b"q1 Q0 d1 1 1 t\n" * 4_000_000))),
    "packed-blanks.gz": ("longer than", _text(gzip.compress(b" " * 100_000_000))),
    "empty-run": ("is empty", _text("")),
    "empty.csv": ("no row", _text("query_id,doc_id,score\n")),
    "empty.parquet": ("no row", _table(pa.array([], "string"), pa.array([], "string"), pa.array([], "float64"))),
    "twice.csv": ("two columns", _text("query_id,doc_id,score,score\nq1,d1,1,2\n")),
    "two-ids.csv": ("could be", _text("query_id,qid,doc_id,score\nq1,q2,d1,1\n")),
    "two-keys.jsonl": (
        "twice",
        _text('{"query_id": "q1", "query_id": "q2", "doc_id": "d1", "score": 1}\n'),
    ),
}
"""Runs to reject: part of the reason, and a function that writes the file."""


def refused(trial: Trial) -> None:
    """Evaluate an unusable run: exit code 2 with the reason, within seconds and in bounded memory."""
    name, (reason, write) = list(REFUSED.items())[trial.index]
    machine = trial.machine()
    machine.write("qrels", QRELS)
    write(machine.home / name)
    limits = Limits(memory=MEMORY)
    ended = trial.command(machine, "evaluate", "qrels", name, "-m", "AP", codes=[2], about=name, limits=limits)
    trial.fault(*refusal(ended, name), about=name)
    trial.require(reason in ended.stderr, f"{name}: it is rejected for another reason: {ended.stderr[:200]!r}")
    trial.require(ended.seconds < 15, f"{name}: it took {ended.seconds:.1f} s")
