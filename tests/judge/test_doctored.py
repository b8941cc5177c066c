"""Files from elsewhere: whatever was done to one, it reads as it is meant, or is refused in one line with its name and the line."""

import json
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from small_reports import CASES, small, small_probes, small_results
from typed_commands import rankproof

from rankproof import cases as corpus
from rankproof.cli.program import BAD_INPUT
from rankproof.inference import fingerprint_file
from rankproof.judge import probe_findings, results_file

TIMES = int(os.environ.get("RANKPROOF_DOCTORED", "4"))
"""How many doctored files of each kind are shown to each verb."""
Verb = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def whole() -> dict[str, str]:
    return {
        "results/sklearn.jsonl": small_results(),
        "fingerprint.json": small("fingerprint.json", "fingerprints"),
        "probes.json": small_probes(),
    }


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> Verb:
    """Runs a verb in this process, of a corpus of two cases; its exit code and what it says on stderr."""
    two = [corpus.load(ROOT / "cases" / f"{case}.toml") for case in CASES]
    monkeypatch.setattr(corpus, "load_all", lambda *_: two)

    def run(*arguments: object) -> tuple[int, str]:
        ended = rankproof(*arguments, cwd=Path.cwd())
        return ended.code, ended.err

    return run


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def refused(path: Path, said: str) -> bool:
    """Whether one line names the file, and where it has lines, the line."""
    names_it = re.match(rf"rankproof: {re.escape(str(path))}:\d+: ", said)
    return names_it is not None and said.count("\n") == 1 and len(said) < 3000


def test_the_files_that_are_doctored_read(whole: dict[str, str], tmp_path: Path, verb: Verb) -> None:
    folder = written(tmp_path / "out", whole)
    assert verb("report", "site", "-r", folder, "-o", tmp_path / "site")[0] == 0
    assert verb("diff", folder, folder)[0] == 0


@pytest.mark.parametrize("measure", ["nope@5", "P(rel=", "", "\x1b[2J", "d" * 5000])
def test_a_measure_that_is_not_known_here_stops_no_report(
    measure: str, whole: dict[str, str], tmp_path: Path, verb: Verb
) -> None:
    text = whole["results/sklearn.jsonl"]
    known = json.loads(text.splitlines()[1])["measure"]
    folder = written(tmp_path / "out", {"results/sklearn.jsonl": text.replace(json.dumps(known), json.dumps(measure))})
    assert verb("report", "site", "-r", folder, "-o", tmp_path / "site") == (0, "")
    assert verb("diff", folder, folder) == (0, "")


READERS: dict[str, Callable[[Path], object]] = {
    "results/sklearn.jsonl": results_file.load,
    "fingerprint.json": fingerprint_file.read,
    "probes.json": probe_findings.read,
}


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_such_file_is_refused_at_the_door(name: str, whole: dict[str, str], tmp_path: Path) -> None:
    path = written(tmp_path, whole) / name
    refusals = []
    for seed in range(20 * TIMES):
        path.write_bytes(doctored(whole[name], seed))
        try:
            READERS[name](path)
        except ValueError as error:  # any other error is a traceback, or a fault that is told as one
            refusals.append(str(error))
    assert [said for said in refusals if not re.match(rf"{re.escape(str(path))}:\d+: ", said)] == []
    assert len(refusals) > 10 * TIMES, "most of what is done to a file makes it useless"


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("what", ["folder", "nothing", "empty", "locked"])
def test_what_is_no_file_at_all_is_refused(
    name: str, what: str, whole: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, whole) / name
    path.unlink()
    if what == "folder":
        path.mkdir()
    elif what != "nothing":
        path.write_text("")
    if what == "locked":  # by hand, as root may read everything

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ValueError, match=re.escape(str(path))):
        READERS[name](path)


@pytest.mark.parametrize(
    ("asked", "name"),
    [*(("report", name) for name in READERS), ("diff", "results/sklearn.jsonl")],
)
def test_a_doctored_file_reads_or_is_refused_in_a_line(
    asked: str, name: str, whole: dict[str, str], tmp_path: Path, verb: Verb
) -> None:
    folder, same = written(tmp_path / "out", whole), written(tmp_path / "same", whole)
    path = folder / name
    report, diff = ("report", "site", "-r", folder, "-o", tmp_path / "site"), ("diff", same, folder)
    arguments: Sequence[object] = report if asked == "report" else diff
    holds = {0} if asked == "report" else {0, 1}
    wrong = []
    for seed in range(TIMES):
        path.write_bytes(doctored(whole[name], seed))
        code, said = verb(*arguments)
        if code not in holds and not (code == BAD_INPUT and refused(path, said)):
            wrong.append((seed, code, said[-300:]))
    assert wrong == []


# -- what a file may have become on its way, seeded, so that each can be made again -------------------------------------

DEEP = 100_000
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    1e308,
    "",
    "x",
    "nan",
    "\x1b[2J\u202e\0",
    "\ud800",
    [],
    {},
    [[]],
    {"x": 1},
    ["x"],
    "a=b",
    "d" * 5000,
)
"""Values of every type, most of which fit nowhere."""
RAW = (
    "NaN",
    "-Infinity",
    "1e999",
    "9" * 5000,
    "-" + "9" * 400,
    "[" * DEEP,
    '{"a":' * 5000,
    "1,,",
    "'x'",
    '{"k":1,"k":2}',
    "\\",
)
"""What is no JSON, or is none that can be used."""


def doctored(text: str, seed: int) -> bytes:
    """A text of JSON, as a document or as lines, with one thing in it changed."""
    chance = random.Random(seed)
    kinds: Sequence[Callable[[str, random.Random], bytes]] = (*[_value] * 4, *[_raw] * 2, _bytes, _lines)
    return chance.choice(kinds)(text, chance)


def _value(text: str, chance: random.Random) -> bytes:
    """A value is another one, a key is missing, is new, or is called otherwise."""
    whole = text.count("\n{") and not text.startswith("{\n")
    lines = text.splitlines(keepends=True) if whole else [text]
    at = chance.randrange(len(lines))
    document = json.loads(lines[at])
    places = list(_places(document))
    parent, key = chance.choice(places)
    how = chance.randrange(4)
    if how == 0:
        del parent[key]
    elif how == 1 and isinstance(parent, dict):
        parent[chance.choice(["x", "", f"{key}s", "__class__"])] = parent.pop(key)
    else:
        parent[key] = chance.choice(WRONG)
    lines[at] = json.dumps(document) + "\n"
    return "".join(lines).encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _raw(text: str, chance: random.Random) -> bytes:
    """Something stands in the place of a number or a word that is no JSON."""
    starts = [i + 1 for i, c in enumerate(text) if c == ":"]
    at = chance.choice(starts)
    end = min(i for c in ",}\n" if (i := text.find(c, at)) > 0)
    return (text[:at] + chance.choice(RAW) + text[end:]).encode()


def _bytes(text: str, chance: random.Random) -> bytes:
    """Bytes are lost, changed, or doubled."""
    found = text.encode()
    at = chance.randrange(len(found))
    before, after = found[:at], found[at:]
    return chance.choice([before, before + b"\xff" + after[1:], before + b"\0" + after, found + after])


def _lines(text: str, chance: random.Random) -> bytes:
    """A line is missing, stands there twice, or elsewhere."""
    lines = text.splitlines(keepends=True)
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.randrange(3)
    line = lines.pop(at) if how else lines[at]
    if how != 1:
        lines.insert(to, line)
    return "".join(lines).encode()
