"""Results files: rows are read back, contradictory lines are refused, and damaged files are read or refused in one line."""

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from observed_library import ANSWERS, CASES, answers_of
from places import ROOT
from random_observations import DrawnRun, drawn
from small_reports import CASES as SMALL_CASES
from small_reports import small, small_probes, small_results
from typed_commands import Ended, rankproof

from rankproof import cases as corpus
from rankproof.cli.program import BAD_INPUT
from rankproof.inference import fingerprint_file
from rankproof.judge import probe_findings, results_file
from rankproof.judge.results_file import COMPRESSED, FOLDER, BadResults, Truncated
from rankproof.judge.runs import Run, judge_all
from rankproof.judge.verdicts import Verdict

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def run() -> Run:
    return judge_all(CASES, [answers_of(ANSWERS)], 1.5)


# -- writing and reading ----------------------------------------------------------------------------------------------


@pytest.fixture(params=range(5))
def drawn_run(request: pytest.FixtureRequest) -> DrawnRun:
    return drawn(request.param)


def test_rows_are_read_back(drawn_run: DrawnRun, tmp_path: Path) -> None:
    results_file.write(drawn_run.run, tmp_path)
    found = results_file.load(tmp_path)
    assert sorted(map(repr, found.rows)) == sorted(map(repr, drawn_run.rows))
    for library in found.libraries:
        cases = list(dict.fromkeys(row.case for row in found.rows if row.library == library and row.case))
        assert cases == [case.id for case in drawn_run.cases if case.id in cases], "in the order of the questions"
    assert {row.subject for row in found.rows} == {row.subject for row in drawn_run.rows}
    unsupported = sum(row.verdict is Verdict.UNSUPPORTED for row in drawn_run.rows)
    assert found.footer == {
        "rows": len(drawn_run.rows) - unsupported,
        "unsupported": unsupported,
        "complaints": len(drawn_run.complaints),
        "verdicts": dict(Counter(row.verdict.value for row in drawn_run.rows)),
    }


def test_compressed_results_replace_plain_ones_and_have_the_same_bytes_each_time(tmp_path: Path) -> None:
    results_file.write(drawn(1).run, tmp_path)
    plain = repr(results_file.load(tmp_path).rows)  # NaN equals itself only as text
    contents = []
    for _ in range(2):
        results_file.write(drawn(1).run, tmp_path, COMPRESSED)
        contents.append({path.name: path.read_bytes() for path in (tmp_path / FOLDER).iterdir()})
    assert {name.partition(".")[2] for name in contents[0]} == {"jsonl.gz"}
    assert contents[0] == contents[1]
    assert repr(results_file.load(tmp_path).rows) == plain


def test_reason_for_an_unsupported_measure_is_written_once(run: Run) -> None:
    """A reason that applies to a measure in all cases names no case."""
    lines = [json.loads(line) for line in results_file.lines_of(run, "lib")]
    assert [line for line in lines if line["kind"] == "unsupported"] == [
        {"kind": "unsupported", "subject": "lib/w-1", "why": "lib has no RR", "measures": ["RR"]}
    ]


def test_writing_removes_only_results_of_rankproof(run: Run, tmp_path: Path) -> None:
    """In order: results of `lib`, stale results, foreign JSON (two files), invalid JSON, and text that is not UTF-8."""
    ours = '{"rankproof":"1"}'
    texts = {"lib": ours, "gone": ours, "alien": '{"x":1}', "list": "[1]", "torn": '{"rank', "odd": "\xff"}
    folder = tmp_path / results_file.FOLDER
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.jsonl").write_text(text, encoding="latin-1")
    results_file.write(run, tmp_path)
    assert {path.stem for path in folder.iterdir()} == texts.keys() - {"gone"}


@pytest.mark.parametrize("name", ["rankproof", "inputs", "code", "cases"])
def test_files_of_two_runs_are_refused(name: str, run: Run, tmp_path: Path) -> None:
    other = answers_of({("ties/none-tied", "v", "RR"): {"per_query": None, "mean": 0.5}}, name="other")
    results_file.write(judge_all(CASES, [answers_of(ANSWERS), other]), tmp_path)
    results_file.load(tmp_path)
    path = tmp_path / "results" / "other.jsonl"
    header, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = json.loads(header) | {name: 99 if name == "cases" else "another"}
    path.write_text("".join([json.dumps(changed) + "\n", *rest]))
    with pytest.raises(BadResults, match=r"other\.jsonl:1: lib\.jsonl next to it is from another run"):
        results_file.load(tmp_path)
    assert run.code != ""


def test_library_in_two_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "first.jsonl").write_text(small_results().replace("sklearn", "first"), encoding="utf-8")
    for name in ("sklearn", "other"):
        (tmp_path / f"{name}.jsonl").write_text(small_results(), encoding="utf-8")
    with pytest.raises(BadResults, match=r"sklearn\.jsonl:1: other\.jsonl next to it also has sklearn"):
        results_file.load(tmp_path)
    alone = results_file.load(tmp_path / "other.jsonl").rows
    assert {row.library for row in alone} == {"sklearn"}, "a file may be read alone"


# -- contradictory lines ----------------------------------------------------------------------------------------------


def changed(**values: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[1].update(values)


def counted(**values: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[-1].update(values)


NOTHING_OF = {"kind": "unsupported", "why": "no RR", "cases": ["a/x"]}


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (lambda lines: lines.insert(5, lines[1]), 6, "an earlier row has the same case, measure and query"),
        (
            lambda lines: lines.insert(2, lines[0]),
            3,
            "not a results file of rankproof, or its lines are in the wrong order",
        ),
        (lambda lines: lines.insert(2, lines[-1]), 4, "its lines are in the wrong order"),
        (changed(measure="AP@7"), 2, "the header does not list AP@7 for "),
        (changed(case="ties/none-tied"), 2, " for ties/none-tied"),
        (changed(subject="x"), 2, "the header does not list the subject of this row"),
        (changed(verdict="agrees", value=None, error=None), 2, "needs a value or an error"),
        (changed(verdict="agrees", value=None), 2, "a row with the verdict agrees needs a value or an error"),
        (counted(verdicts={"agrees": 1}), -1, "the footer counts "),
        (counted(rows=1), -1, "the footer counts "),
        (counted(unsupported=9), -1, "the footer counts "),
        (lambda lines: lines[0].update(asked=[]), 1, "the header must list exactly one library"),
        (
            lambda lines: lines[0].update(asked=[*lines[0]["asked"], {"library": "two"}]),
            1,
            "the header must list exactly one library",
        ),
        (
            lambda lines: lines.insert(2, {**NOTHING_OF, "subject": lines[1]["subject"]}),
            3,
            "the header does not list the case a/x",
        ),
        (
            lambda lines: lines.insert(2, {**NOTHING_OF, "subject": lines[1]["subject"], "measures": ["P@1"]}),
            3,
            "the header does not list the case a/x",
        ),
        (lambda lines: lines.pop(), -1, "header or footer is missing: the file was cut off"),
        (lambda lines: lines.pop(0), 1, "not a results file of rankproof, or its lines are in the wrong order"),
    ],
)
def test_contradictory_line_is_refused(
    change: Callable[[Lines], None], line: int, message: str, tmp_path: Path
) -> None:
    path, count = changed_file(tmp_path, change)
    with pytest.raises((BadResults, Truncated)) as refused:
        results_file.load(path)
    assert str(refused.value).startswith(f"{path}:{count if line < 0 else line}: "), refused.value
    assert message in str(refused.value)


def changed_file(folder: Path, change: Callable[[Lines], None]) -> tuple[Path, int]:
    """Return a small results file after a change, and its number of lines."""
    lines = [json.loads(text) for text in small_results().splitlines()]
    change(lines)
    path = folder / "sklearn.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path, len(lines)


# -- damaged files ----------------------------------------------------------------------------------------------------

TIMES = 4
"""Number of damaged files of each kind that each command reads."""
READERS: dict[str, Callable[[Path], object]] = {
    "results/sklearn.jsonl": results_file.load,
    "fingerprint.json": fingerprint_file.read,
    "probes.json": probe_findings.read,
}


@pytest.fixture(scope="module")
def whole() -> dict[str, str]:
    return dict(zip(READERS, (small_results(), small("fingerprint.json", "fingerprints"), small_probes()), strict=True))


@pytest.fixture
def two_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the corpus to the two cases of the small results, because a site of all cases takes seconds."""
    cases = [corpus.load(ROOT / "cases" / f"{case}.toml") for case in SMALL_CASES]
    monkeypatch.setattr(corpus, "load_all", lambda *_: cases)


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run_on(folder: Path, command: str, same: Path) -> Ended:
    """Run `report site` on a folder, or `diff` with an undamaged one."""
    if command == "diff":
        return rankproof("diff", same, folder, cwd=folder)
    return rankproof("report", "site", "-r", folder, "-o", folder.parent / "site", cwd=folder)


def is_refusal(text: str, path: Path) -> bool:
    """Return whether a message is one line with the name of the file and the number of its line."""
    named = re.match(rf"(rankproof: )?{re.escape(str(path))}:\d+: ", text)
    return named is not None and text.count("\n") <= 1


@pytest.mark.parametrize("name", READERS)
def test_damaged_file_is_read_or_refused_with_its_name_and_line(
    name: str, whole: dict[str, str], tmp_path: Path
) -> None:
    path = written(tmp_path, whole) / name
    refusals = []
    for seed in range(20 * TIMES):
        path.write_bytes(damaged(whole[name], seed))
        try:
            READERS[name](path)
        except ValueError as error:  # any other error would end in a traceback
            refusals.append(str(error))
    assert [text for text in refusals if not is_refusal(text, path)] == []
    assert len(refusals) > 10 * TIMES, "most damages make a file useless"


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("what", ["folder", "nothing", "empty", "not gzip", "cut gzip"])
def test_path_without_such_a_file_is_refused(name: str, what: str, whole: dict[str, str], tmp_path: Path) -> None:
    path = written(tmp_path, whole) / name
    path.unlink()
    if what == "folder":
        path.mkdir()
    elif what == "empty":
        path.write_text("")
    elif what != "nothing":
        path = path.with_name(f"{path.name}.gz")
        data = gzip.compress(whole[name].encode())
        path.write_bytes(data[:60] if what == "cut gzip" else b"this is not gzip")
    with pytest.raises(ValueError, match=re.escape(str(path))):
        READERS[name](path)


@pytest.mark.usefixtures("two_cases")
@pytest.mark.parametrize(
    ("command", "name"), [*(("report", name) for name in READERS), ("diff", "results/sklearn.jsonl")]
)
def test_commands_read_a_damaged_file_or_refuse_it(
    command: str, name: str, whole: dict[str, str], tmp_path: Path
) -> None:
    folder, same = written(tmp_path / "out", whole), written(tmp_path / "same", whole)
    assert run_on(folder, command, same).code == 0, "the file is not damaged yet"
    path = folder / name
    wrong = []
    for seed in range(TIMES):
        path.write_bytes(damaged(whole[name], seed))
        ended = run_on(folder, command, same)
        is_read = ended.code == 0 or (command, ended.code) == ("diff", 1)
        if not is_read and not (ended.code == BAD_INPUT and is_refusal(ended.err, path) and len(ended.err) < 3000):
            wrong.append((seed, ended.code, ended.err[-300:]))
    assert wrong == []


@pytest.mark.usefixtures("two_cases")
@pytest.mark.parametrize("measure", ["nope@5", "P(rel=", "", "\x1b[2J"])
def test_unknown_measure_in_results_stops_no_command(measure: str, whole: dict[str, str], tmp_path: Path) -> None:
    text = whole["results/sklearn.jsonl"]
    known = json.loads(text.splitlines()[1])["measure"]
    folder = written(tmp_path / "out", {"results/sklearn.jsonl": text.replace(json.dumps(known), json.dumps(measure))})
    for command in ("report", "diff"):
        assert run_on(folder, command, folder) == Ended(0, ANY, "")


DEEP = 100_000
TEXTS = ("", "x", "nan", "a=b", "\x1b[2J\u202e\0", "\ud800", "d" * 5000)
WRONG: tuple[Any, ...] = (None, True, -1, 0.5, 1e308, *TEXTS, [], {}, [[]], {"x": 1}, ["x"])
"""Values of every type, most of them invalid in every place."""
NUMBERS = ("NaN", "-Infinity", "1e999", "9" * 5000, "-" + "9" * 400)
RAW = (*NUMBERS, "[" * DEEP, '{"a":' * 5000, "1,,", "'x'", '{"k":1,"k":2}', "\\")
"""Text that is not JSON, or is JSON that no reader accepts."""


def damaged(text: str, seed: int) -> bytes:
    """Return JSON text, a document or lines, with one random change; a seed always gives the same change."""
    chance = random.Random(seed)
    kinds: Sequence[Callable[[str, random.Random], bytes]] = (*[_value] * 4, *[_raw] * 2, _bytes, _lines)
    return chance.choice(kinds)(text, chance)


def _value(text: str, chance: random.Random) -> bytes:
    """Replace a value, or remove, add or rename a key."""
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
    """Replace a number or a word by text that is not JSON."""
    starts = [i + 1 for i, c in enumerate(text) if c == ":"]
    at = chance.choice(starts)
    end = min(i for c in ",}\n" if (i := text.find(c, at)) > 0)
    return (text[:at] + chance.choice(RAW) + text[end:]).encode()


def _bytes(text: str, chance: random.Random) -> bytes:
    """Remove, change or repeat bytes."""
    found = text.encode()
    at = chance.randrange(len(found))
    before, after = found[:at], found[at:]
    return chance.choice([before, before + b"\xff" + after[1:], before + b"\0" + after, found + after])


def _lines(text: str, chance: random.Random) -> bytes:
    """Remove or repeat a line, or change its place."""
    lines = text.splitlines(keepends=True)
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.randrange(3)
    line = lines.pop(at) if how else lines[at]
    if how != 1:
        lines.insert(to, line)
    return "".join(lines).encode()
