"""What is too much, says two things, or nothing: small files that hold more than any input has; and what the terminal is not to be told."""

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import pyarrow as pa
from doctored import QRELS, RUN, refusal
from ground import Ground
from pyarrow import parquet
from running import Limits
from tally import Outcome

LEAST = 3 * 2**30
MANY = 9_000_000
SECONDS = 15.0
"""How long a refusal may take; each of these takes a second, but the machine has more to do."""
Make = Callable[[Path], object]


def _rows(queries: object, docs: object, scores: object) -> Make:
    columns = {"query_id": queries, "doc_id": docs, "score": scores}
    return lambda path: parquet.write_table(pa.table(columns), path)


def _text(text: str | bytes) -> Make:
    return lambda path: path.write_bytes(text.encode() if isinstance(text, str) else text)


def _repeated(value: object, times: int) -> object:
    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), times), pa.array([value]))


MANY_COLUMNS = ("query_id", "doc_id", "score", *(f"c{i}" for i in range(998)))
ROW = '{"query_id": "q1", "doc_id": "d1", "score": 1, "more": %s}\n'
TOO_MUCH: Mapping[str, Make] = {
    "rows.parquet": _rows(_repeated("q1", MANY), _repeated("d1", MANY), _repeated(1.0, MANY)),
    "long-ids.parquet": _rows(["q1"], ["d" * 40_000_000], [1.0]),
    "id.parquet": _rows(["q1"], ["d" * 1_000_001], [1.0]),
    "dictionary.parquet": _rows(_repeated("q1", 2000), _repeated("d" * 100_000, 2000), [float(i) for i in range(2000)]),
    "columns.csv": _text(",".join(MANY_COLUMNS) + "\nq1,d1" + ",1" * (len(MANY_COLUMNS) - 2) + "\n"),
    "columns.jsonl": _text(json.dumps({**dict.fromkeys(MANY_COLUMNS, 1), "query_id": "q1", "doc_id": "d1"}) + "\n"),
    "nested.jsonl": _text(ROW % ("[" * 101 + "]" * 101)),
    "deep.jsonl": _text(ROW % ("[" * 100_000 + "]" * 100_000)),
    "line.jsonl": _text(ROW % f'"{"a" * 1_000_001}"'),
    "line-of-a-run": _text(f"q1 Q0 {'d' * 1_000_001} 1 1 t\n"),
    "packed.gz": _text(gzip.compress(b"q1 Q0 d1 1 1 t\n" * 4_000_000)),
    "packed-blanks.gz": _text(gzip.compress(b" " * 100_000_000)),
    "empty-run": _text(""),
    "empty.csv": _text("query_id,doc_id,score\n"),
    "empty.parquet": _rows(pa.array([], pa.string()), pa.array([], pa.string()), pa.array([], pa.float64())),
    "twice.csv": _text("query_id,doc_id,score,score\nq1,d1,1,2\n"),
    "two-ids.csv": _text("query_id,qid,doc_id,score\nq1,q2,d1,1\n"),
    "two-keys.jsonl": _text('{"query_id": "q1", "query_id": "q2", "doc_id": "d1", "score": 1}\n'),
}
"""Files that are refused as runs: of more than any input has, without rows, or with two columns for one."""
NAMES = tuple(TOO_MUCH)
WHY: Mapping[str, str] = {
    "rows": "unpack to more than",
    "long-ids": "an id of more than",
    "id": "an id of more than",
    "dictionary": "unpacks to more than",
    "columns": "1,001 columns",
    "nested": "nested",
    "deep": "nested",
    "line": "longer than",
    "line-of-a-run": "longer than",
    "packed": "unpacks to more than",
    "packed-blanks": "longer than",
    "empty-run": "is empty",
    "empty": "no row",
    "twice": "two columns",
    "two-ids": "could be",
    "two-keys": "stands there twice",
}
"""Why they are refused, by the beginning of their names."""


def refused(ground: Ground, index: int, _chance: Random) -> Outcome:
    """One of them as a run: exit code 2, soon, in bounded memory, in a line that names it."""
    name = NAMES[index]
    machine = ground.machine(f"bounds-{index}")
    (machine.home / "qrels").write_text(QRELS, encoding="utf-8")
    why = WHY[name.partition(".")[0]]
    TOO_MUCH[name](machine.home / name)
    ended = ground.command(machine, "evaluate", "qrels", name, "-m", "AP", limits=Limits(memory=LEAST))
    faults = [*ended.faults([2]), *refusal(ended, name)]
    faults += [] if why in ended.stderr else [f"it is refused for something else than {why!r}: {ended.stderr[:200]!r}"]
    faults += [f"it took {ended.seconds:.1f} s"] if ended.seconds > SECONDS else []
    return Outcome(tuple(f"{name}: {fault}" for fault in faults), (), (), ended.left, ended.seconds)


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202egnp"
SPOKEN: Mapping[str, tuple[str, ...]] = {
    "a table": ("evaluate", "qrels", "run", "-m", "AP", "--per-query"),
    "Markdown": ("evaluate", "qrels", "run", "-m", "AP", "--per-query", "--format", "markdown"),
    "JSON": ("evaluate", "qrels", "run", "-m", "AP", "--per-query", "--json"),
    "a warning": ("evaluate", "qrels", "run", "more", "-m", "AP"),
    "an explanation": ("explain", "qrels", "run", "-m", "AP", "--query", f"q1{HOSTILE}"),
    "a refusal": ("evaluate", "qrels", "twice", "-m", "AP"),
    "no such measure": ("evaluate", "qrels", "run", "-m", f"AP{HOSTILE}"),
    "no such profile": ("evaluate", "qrels", "run", "-m", "AP", "--profile", f"a{HOSTILE}"),
    "no such file": ("evaluate", "qrels", f"run{HOSTILE}", "-m", "AP"),
    "no such case": ("cases", "show", f"a{HOSTILE}"),
}


def spoken(ground: Ground, index: int, _chance: Random) -> Outcome:
    """Ids and names that would move the cursor, name the window or turn the line about are written out."""
    kind, arguments = list(SPOKEN.items())[index]
    machine = ground.machine(f"spoken-{index}")
    for name, text in (("qrels", QRELS), ("run", RUN), ("more", RUN.replace("q1", "x1"))):
        (machine.home / name).write_text(
            text.replace(" d1", f" d1{HOSTILE}").replace("q1", f"q1{HOSTILE}"), encoding="utf-8"
        )
    (machine.home / "twice").write_text(f"q1 Q0 d{HOSTILE} 1 1 t\n" * 2, encoding="utf-8")
    ended = ground.command(machine, *arguments)
    said = (ended.stdout + ended.stderr).replace("\n", "")
    odd = sorted({sign for sign in said if not sign.isprintable() and sign != "\t"})
    faults = [*ended.faults([0, 2]), *([f"what does not print is said: {odd}"] if odd else [])]
    return Outcome(tuple(f"{kind}: {fault}" for fault in faults), (), (), ended.left, ended.seconds)


def none_relevant(ground: Ground, index: int, _chance: Random) -> Outcome:
    """No rel of the qrels reaches the threshold of a measure: it is said, with a threshold that one reaches; else nothing is said."""
    machine, share = ground.machine(f"none-relevant-{index}"), index % 2
    qrels = "".join(f"q{q} 0 d{d} {0.25 * (d % 4) + 0.25 * share}\n" for q in range(5) for d in range(6))
    (machine.home / "qrels").write_text(qrels, encoding="utf-8")
    (machine.home / "run").write_text(RUN, encoding="utf-8")
    ended = ground.command(machine, "evaluate", "qrels", "run", "-m", "AP(rel=1)", "--json")
    warned = "none-relevant" in ended.stdout
    faults = [*ended.faults([0]), *([] if warned is not bool(share) else [f"it is said: {warned}"])]
    return Outcome(tuple(faults), (), (), ended.left, ended.seconds)
