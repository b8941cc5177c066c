"""Results: each library has a file that holds all that was found of it, reads back, and is refused where it says what cannot be."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from random_observations import drawn
from small_reports import small_results

from rankproof import adapters, cases, reference_impl, version
from rankproof import cases as corpus
from rankproof.judge import results_file, runs
from rankproof.judge.results_file import BadResults, Truncated
from rankproof.judge.runs import Run, code_of, inputs_of, judge_all
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import STANDARD
from rankproof.workers import store
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import read
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import Known, ObservationPlace, Pin, load
from rankproof.workers.subjects import Subject

HERE = Path(__file__).resolve().parent.parent
CASES = tuple(corpus.load(corpus.HERE / "ties" / f"{name}.toml") for name in ("none-tied", "straddles-cutoff"))
SHEET = load(HERE / "miniatures" / "miniatures.toml")
HELLO = {
    "version": "1",
    "python": "3.11.7",
    "variants": {"v": "as it is", "w": "otherwise"},
    "absent": {"x": "no such module"},
    "dependencies": {"numpy": "2"},
    "notes": {"module": "a copy"},
}


def library(name: str = "lib", **changes: Any) -> Library:
    return replace(Library(name, Path(f"{name}_adapter.py"), replace(SHEET, library=name)), **changes)


def asked(
    answers: Mapping[tuple[str, str, str], dict[str, Any]], hello: Mapping[str, Any] = HELLO, **how: Any
) -> LibraryAnswers:
    """What a library said: (case, variant, measure) -> answer."""
    one = LibraryAnswers(library(**how), dict(hello), (), library_seconds=2.5, key="k", adapter="a digest")
    seen = tuple(read(case, one.subject(variant), measure, raw) for (case, variant, measure), raw in answers.items())
    return replace(one, observations=seen)


RIGHT = {("ties/none-tied", "v", "RR"): {"per_query": None, "mean": 1.0}}
PINNED = ObservationPlace("ties/none-tied", "v", "RR", None)
PINS = {PINNED: Pin(PINNED, "0.25", Known("it cannot count", ""))}
ANSWERS: dict[tuple[str, str, str], dict[str, Any]] = {
    ("ties/none-tied", "v", "RR"): {"per_query": {"q1": 1.0}, "mean": 1.0},
    ("ties/none-tied", "v", "AP"): {"per_query": None, "mean": "nan"},
    ("ties/straddles-cutoff", "v", "P@2"): {"per_query": {"q1": "inf"}, "mean": None},
    ("ties/none-tied", "w", "RR"): {"unsupported": "lib has no RR"},
    ("ties/none-tied", "w", "AP"): {"failed": "crash", "message": "it ended", "stderr": "no"},
    ("ties/straddles-cutoff", "w", "P@2"): {"error": {"type": "ValueError", "message": "\ud800"}},
}


@pytest.fixture(scope="module")
def run() -> Run:
    return judge_all(CASES, [asked(ANSWERS)], 1.5)


# -- rows of what could not be asked -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("not-installed", "no module lib"),
        ("crash", "it ended by SIGSEGV"),
        ("timeout", "no answer within 1 s"),
        ("error", "no such sheet"),
        ("invalid-output", "no JSON"),
    ],
)
def test_a_library_that_could_not_be_asked_is_one_row_that_says_why(kind: str, why: str) -> None:
    hello = {"not_installed": why} if kind == "not-installed" else {"failed": kind, "message": why}
    found = judge_all(CASES, [asked({}, hello, sheet=replace(SHEET, library="lib", pins=PINS))])
    assert found.rows == (Row("", Subject("lib"), "", None, Verdict(kind), note=why),)
    told = [f"lib mean: {kind}: {why}; look at its adapter"] if "failed" in hello else []
    assert [" ".join(str(one).split()) for one in found.complaints] == told
    unread = judge_all(CASES, [asked({}, hello, fault="lib.toml:3: it does not read")]).complaints
    ends = [str(one).partition(f": {kind}: ")[2] for one in unread]
    assert ends == ([why] if told else []), "the fault says its own mend"


# -- a file ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_what_was_written_is_read_back_row_for_row(seed: int, tmp_path: Path) -> None:
    run = drawn(seed).run
    results_file.write(run, tmp_path)
    loaded = results_file.load(tmp_path)
    assert sorted(map(repr, loaded.rows)) == sorted(map(repr, run.rows))
    assert len(loaded.rows) == sum(loaded.footer["verdicts"].values())


def test_each_reason_is_written_once(run: Run) -> None:
    """A reason that holds for a measure in all cases names no case."""
    lines = [json.loads(line) for line in results_file.lines_of(run, "lib")]
    assert [line for line in lines if line["kind"] == "unsupported"] == [
        {"kind": "unsupported", "subject": "lib/w-1", "why": "lib has no RR", "measures": ["RR"]}
    ]


def test_of_files_beside_those_of_a_run_only_our_own_go(run: Run, tmp_path: Path) -> None:
    """In an order that is not theirs: ours of who was asked, ours of another, JSON of somebody else, no JSON, and no UTF-8."""
    ours = '{"rankproof":"1"}'
    texts = {"lib": ours, "gone": ours, "alien": '{"x":1}', "list": "[1]", "torn": '{"rank', "odd": "\xff"}
    folder = tmp_path / results_file.FOLDER
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.jsonl").write_text(text, encoding="latin-1")
    results_file.write(run, tmp_path)
    assert {path.stem for path in folder.iterdir()} == texts.keys() - {"gone"}


@pytest.mark.parametrize("name", ["rankproof", "inputs", "code", "cases"])
def test_files_of_two_runs_are_not_read_as_one(name: str, run: Run, tmp_path: Path) -> None:
    other = asked({("ties/none-tied", "v", "RR"): {"per_query": None, "mean": 0.5}}, name="other")
    results_file.write(judge_all(CASES, [asked(ANSWERS), other]), tmp_path)
    results_file.load(tmp_path)
    path = tmp_path / "results" / "other.jsonl"
    header, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = json.loads(header) | {name: 99 if name == "cases" else "another"}
    path.write_text("".join([json.dumps(changed) + "\n", *rest]))
    with pytest.raises(BadResults, match=r"other\.jsonl:1: lib\.jsonl next to it is of another run"):
        results_file.load(tmp_path)
    assert run.code != ""


# -- what is read -------------------------------------------------------------------------------------------------------

Lines = list[dict[str, Any]]


def changed(**values: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[1].update(values)


def counted(**values: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[-1].update(values)


NOTHING_OF = {"kind": "unsupported", "why": "no RR", "cases": ["a/x"]}


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (lambda lines: lines.insert(5, lines[1]), 6, "there is a row of the same value before it"),
        (
            lambda lines: lines.insert(2, lines[0]),
            3,
            "not a results file of rankproof, or its lines are in another order",
        ),
        (lambda lines: lines.insert(2, lines[-1]), 4, "its lines are in another order"),
        (changed(measure="AP@7"), 2, "was not asked for AP@7, by the header"),
        (changed(case="ties/none-tied"), 2, "ties/none-tied was not asked for"),
        (changed(subject="x"), 2, "it has another subject than those that the header says were asked"),
        (changed(verdict="agrees", value=None, error=None), 2, "neither a value nor an error"),
        (changed(verdict="agrees", value=None), 2, "it has neither a value nor an error, and its verdict is agrees"),
        (changed(verdict="known", value=None), 2, "it has neither a value nor an error, and its verdict is known"),
        (counted(verdicts={"agrees": 1}), -1, "the footer counts "),
        (counted(rows=1), -1, "the footer counts "),
        (counted(unsupported=9), -1, "the footer counts "),
        (lambda lines: lines[0].update(asked=[]), 1, "the header names no library, or several; a file is of one"),
        (
            lambda lines: lines[0].update(asked=[*lines[0]["asked"], {"library": "two"}]),
            1,
            "the header names no library, or several",
        ),
        (
            lambda lines: lines.insert(2, {**NOTHING_OF, "subject": lines[1]["subject"]}),
            3,
            "no such case was asked: a/x",
        ),
        (
            lambda lines: lines.insert(2, {**NOTHING_OF, "subject": lines[1]["subject"], "measures": ["P@1"]}),
            3,
            "no such case was asked: a/x",
        ),
        (lambda lines: lines.pop(), -1, "header or footer is missing: the file was cut off"),
        (lambda lines: lines.pop(0), 1, "not a results file of rankproof, or its lines are in another order"),
    ],
)
def test_a_line_that_says_what_cannot_be_is_refused(
    change: Callable[[Lines], None], line: int, said: str, tmp_path: Path
) -> None:
    path, count = changed_file(tmp_path, change)
    with pytest.raises((BadResults, Truncated)) as refused:
        results_file.load(path)
    assert str(refused.value).startswith(f"{path}:{count if line < 0 else line}: "), refused.value
    assert said in str(refused.value)


def changed_file(folder: Path, change: Callable[[Lines], None]) -> tuple[Path, int]:
    """A small file of results that was changed, and how many lines it has then."""
    lines = [json.loads(text) for text in small_results().splitlines()]
    change(lines)
    path = folder / "sklearn.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path, len(lines)


def test_a_library_stands_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "first.jsonl").write_text(small_results().replace("sklearn", "first"), encoding="utf-8")
    for name in ("sklearn", "other"):
        (tmp_path / f"{name}.jsonl").write_text(small_results(), encoding="utf-8")
    with pytest.raises(BadResults, match=r"sklearn\.jsonl:1: other\.jsonl next to it has sklearn, too"):
        results_file.load(tmp_path)
    alone = results_file.load(tmp_path / "other.jsonl").rows
    assert {row.library for row in alone} == {"sklearn"}, "a file may be read alone"


# -- what a run depends on ---------------------------------------------------------------------------------------------


def digests(cases: Iterable[corpus.Case] = CASES, **changes: Any) -> tuple[str, str]:
    one = replace(asked({}), **changes)
    return inputs_of(tuple(cases), [one]), code_of(tuple(cases), [one])


def test_the_digests_of_a_run_are_of_every_file_that_can_change_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[set[Path]] = []
    monkeypatch.setattr(store, "digest_of_files", lambda paths: (seen.append(set(paths)), str(len(seen)))[1])
    sheet = tmp_path / "lib.toml"
    sheet.write_text("")
    one = library(sheet=replace(SHEET, path=sheet))
    assert digests(library=one) == digests(library=one) or len(seen) == 4
    inputs, code, *_ = seen
    folders = [Path(str(module.__file__)).parent for module in (adapters, cases, reference_impl)]
    data = {path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".toml", ".json"}}
    harness = Path(str(version.__file__)).parent
    ours = {path for path in harness.rglob("*") if path.suffix in {".py", ".toml", ".json"}}
    assert inputs == data | {sheet}
    assert code == data | ours | {sheet}
    assert Path(str(runs.__file__)) in code - inputs
    assert digests(library=one)[0] != digests(library=one)[0], "what is made of the files is part of it"


def test_a_digest_of_who_was_asked_is_of_all_that_is_asked() -> None:
    part = [digests(library=library(only=only))[0] for only in ((), ("v",), ("v", "w"))]
    assert len({*part}) == 3


def test_a_run_tells_the_time_of_all_libraries_and_who_is_absent_of_each() -> None:
    absent = {**HELLO, "absent": {"x": "no such module", "y": "too old", "z": "no licence"}}
    found = judge_all(CASES, [asked(RIGHT, absent), asked(RIGHT, name="other"), asked(RIGHT, name="third")], -1.0)
    assert found.seconds == -1.0
    left = [row for row in found.rows if row.verdict is Verdict.NOT_INSTALLED and row.library == "lib"]
    assert [(row.variant, row.note) for row in left] == [*absent["absent"].items()]


def test_what_fails_is_of_its_own_version_and_is_judged_when_it_is_asked_again() -> None:
    """Version 2 is wrong on the smoke case, and version 1, of which the sheet speaks, is right."""
    sheet = replace(SHEET, library="lib", speaks_of="1")
    wrong = {place: {"per_query": None, "mean": 0.25} for place in RIGHT}
    two = [asked(said, {**HELLO, "version": version}, sheet=sheet) for said, version in ((RIGHT, "1"), (wrong, "2"))]
    (one,) = judge_all(CASES, two, whole=False).complaints
    smoke, _ = judge_all(CASES, [asked(wrong, sheet=sheet)], whole=False).complaints
    assert "version 2 ran; the sheet describes 1" in one.what
    assert smoke.what == "v fails the smoke case: look at its adapter first"


def test_what_a_sheet_claims_in_vain_is_a_complaint_where_all_was_asked_and_of_the_library_alone() -> None:
    claims = {"v": {"RR": STANDARD, "ERR": STANDARD.replace(ties="worst")}, "gone": {"AP": STANDARD}}
    sheet = replace(SHEET, library="lib", profiles=claims, pins=PINS)
    found = judge_all(CASES, [asked(RIGHT, sheet=sheet)]).complaints
    assert [(one.library, one.place) for one in found] == [("lib", PINNED), ("lib", None), ("lib", None)]
    moved, unused, unknown = (one.what for one in found)
    assert moved == "miniatures.toml pins '0.25', but the verdict is agrees (1.0) now: remove the exception"
    assert unused.startswith('miniatures.toml: [profiles.v] claims "ERR", which decides no value: ')
    assert unknown.startswith("miniatures.toml: [profiles.gone] is not a variant of the adapter: ")
    assert len(judge_all(CASES, [asked(RIGHT, sheet=sheet)], whole=False).complaints) == 1
    alone = replace(asked(RIGHT, sheet=sheet), library=library(sheet=sheet, only=("v",)))
    assert len(judge_all(CASES, [alone]).complaints) == 1
    absent = asked(RIGHT, {**HELLO, "variants": {"v": ""}, "absent": {"gone": "no module"}}, sheet=sheet)
    assert len(judge_all(CASES, [absent]).complaints) == 2, "what is absent is held to nothing"
