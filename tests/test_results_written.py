"""What a run writes is all that it found, and what it says of itself depends on all that it is said to."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankproof import adapters, cases, judging, reference_impl, version
from rankproof import cases as corpus
from rankproof.asking import store
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import read
from rankproof.asking.rounds import LibraryAnswers
from rankproof.asking.sheets import Known, ObservationPlace, Pin, load
from rankproof.asking.subjects import Subject
from rankproof.judging import results_file, runs
from rankproof.judging.absences import absences_of
from rankproof.judging.complaints import Complaint
from rankproof.judging.results_file import BadResults, Truncated
from rankproof.judging.runs import Judging, Run, code_of, corpus_of, inputs_of, judge_all
from rankproof.judging.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import STANDARD

HERE = Path(__file__).resolve().parent
CASES = tuple(corpus.load(corpus.HERE / "ties" / f"{name}.toml") for name in ("none-tied", "straddles-cutoff"))
SHEET = load(HERE / "miniatures" / "miniatures.toml")
HELLO = {
    "version": "1", "python": "3.11.7", "variants": {"v": "as it is", "w": "otherwise"}, "absent": {"x": "no such module"},
    "dependencies": {"numpy": "2"}, "notes": {"module": "a copy"},
}  # fmt: skip


def library(name: str = "lib", **changes: Any) -> Library:
    return replace(Library(name, Path(f"{name}_adapter.py"), replace(SHEET, library=name)), **changes)


def asked(
    answers: Mapping[tuple[str, str, str], dict[str, Any]], hello: Mapping[str, Any] = HELLO, **how: Any
) -> LibraryAnswers:
    """What a library said: (case, variant, measure) -> answer."""
    one = LibraryAnswers(library(**how), dict(hello), (), library_seconds=2.5, key="k", adapter="a digest")
    seen = tuple(read(case, one.subject(variant), measure, raw) for (case, variant, measure), raw in answers.items())
    return replace(one, observations=seen)


NO_RR: dict[str, Any] = {"unsupported": "lib has no RR"}
ANSWERS: dict[tuple[str, str, str], dict[str, Any]] = {
    ("ties/none-tied", "v", "RR"): {"per_query": {"q1": 1.0}, "mean": 1.0},
    ("ties/none-tied", "v", "AP"): {"per_query": None, "mean": "nan"},
    ("ties/straddles-cutoff", "v", "P@2"): {"per_query": {"q1": "inf"}, "mean": None},
    ("ties/none-tied", "w", "RR"): NO_RR,
    ("ties/none-tied", "w", "AP"): {"failed": "crash", "message": "it ended", "stderr": "no"},
    ("ties/straddles-cutoff", "w", "P@2"): {"error": {"type": "ValueError", "message": "\ud800"}},
}


@pytest.fixture(scope="module")
def run() -> Run:
    return judge_all(CASES, [asked(ANSWERS)], 1.5)


def records(lines: Iterable[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


# -- rows of what could not be asked -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hello", "verdict", "why"),
    [
        ({"not_installed": "no module lib"}, Verdict.NOT_INSTALLED, "no module lib"),
        ({"failed": "crash", "message": "it ended by SIGSEGV"}, Verdict.CRASH, "it ended by SIGSEGV"),
        ({"failed": "timeout", "message": "no answer within 1 s"}, Verdict.TIMEOUT, "no answer within 1 s"),
        ({"failed": "error", "message": "no such sheet"}, Verdict.ERROR, "no such sheet"),
        ({"failed": "invalid-output", "message": "no JSON"}, Verdict.INVALID_OUTPUT, "no JSON"),
    ],
)
def test_a_library_that_could_not_be_asked_is_one_row_that_says_why(
    hello: dict[str, str], verdict: Verdict, why: str
) -> None:
    pinned = ObservationPlace("ties/none-tied", "v", "RR", None)
    sheet = replace(SHEET, library="lib", pins={pinned: Pin(pinned, "0.25", Known("it cannot count", ""))})
    found = judge_all(CASES, [asked({}, hello, sheet=sheet)])
    assert found.rows == (Row("", Subject("lib"), "", None, verdict, note=why),)
    told = [] if verdict is Verdict.NOT_INSTALLED else [f"lib mean: {verdict}: {why}; look at its adapter"]
    assert [" ".join(str(one).split()) for one in found.complaints] == told
    unread = judge_all(CASES, [asked({}, hello, fault="lib.toml:3: it does not read")]).complaints
    assert [str(one).partition(f": {verdict}: ")[2] for one in unread] == ([why] if told else []), (
        "the fault says its own mend"
    )


# -- what is unsupported -----------------------------------------------------------------------------------------------

QUESTIONS = {"a/a": ("AP", "RR", "P@1"), "a/b": ("AP", "RR"), "a/c": ("RR",), "a/d": ("AP", "P@1")}


def test_a_reason_that_holds_wherever_it_is_asked_is_said_once() -> None:
    subject = Subject("lib", "v", "1")

    def said(lacking: dict[tuple[str, str], str]) -> list[dict[str, Any]]:
        rows = [
            Row(case, subject, measure, None, Verdict.UNSUPPORTED, note=why) for (case, measure), why in lacking.items()
        ]
        return [one.as_json() for one in absences_of(rows, QUESTIONS)]

    everywhere = {(case, "AP"): "no AP" for case, measures in QUESTIONS.items() if "AP" in measures}
    assert said(everywhere) == [{"why": "no AP", "measures": ["AP"]}]
    assert said({("a/b", "AP"): "no", ("a/b", "RR"): "no"}) == [{"why": "no", "cases": ["a/b"]}]
    assert said({("a/a", "AP"): "no"}) == [{"why": "no", "cases": ["a/a"], "measures": ["AP"]}]
    assert said({("a/c", "RR"): "no"}) == [{"why": "no", "cases": ["a/c"], "measures": ["RR"]}], (
        "one measure is no whole case"
    )


# -- a file ------------------------------------------------------------------------------------------------------------


def test_each_library_has_its_own_file_and_what_was_not_asked_goes(run: Run, tmp_path: Path) -> None:
    other = asked({("ties/none-tied", "v", "RR"): {"per_query": None, "mean": 0.5}}, name="other")
    both = judge_all(CASES, [asked(ANSWERS), other])
    results_file.write(both, tmp_path)
    own = tmp_path / "results" / "notes.jsonl"
    own.write_text("{}\n")
    found = results_file.load(tmp_path / "results" / "other.jsonl")
    assert ({row.library for row in found.rows}, [one.library for one in found.asked]) == ({"other"}, ["other"])
    assert found.footer["complaints"] == sum(complaint.library == "other" for complaint in both.complaints) > 0
    assert {record["library"] for record in records(results_file.lines_of(both, "lib"))[0]["asked"]} == {"lib"}
    own.unlink()
    assert {row.library for row in results_file.load(tmp_path).rows} == {"lib", "other"}
    assert [one.library for one in results_file.load(tmp_path).asked] == ["lib", "other"]
    own.write_text("{}\n")
    results_file.write(run, tmp_path)
    assert {path.name for path in (tmp_path / "results").iterdir()} == {"lib.jsonl", "notes.jsonl"}, (
        "nobody's own file goes"
    )


@pytest.mark.parametrize("name", ["rankproof", "inputs", "code", "cases"])
def test_files_of_two_runs_are_not_read_as_one(name: str, run: Run, tmp_path: Path) -> None:
    other = asked({("ties/none-tied", "v", "RR"): {"per_query": None, "mean": 0.5}}, name="other")
    results_file.write(judge_all(CASES, [asked(ANSWERS), other]), tmp_path)
    results_file.load(tmp_path)
    path = tmp_path / "results" / "other.jsonl"
    header, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = json.loads(header) | {name: 99 if name == "cases" else "another"}
    path.write_text("".join([json.dumps(changed) + "\n", *rest]))
    with pytest.raises(BadResults, match=r"other\.jsonl:1: lib\.jsonl beside it is of another run"):
        results_file.load(tmp_path)
    assert run.code != ""


@pytest.mark.parametrize("line", range(9))
def test_a_file_that_lacks_a_line_is_refused(line: int, run: Run, tmp_path: Path) -> None:
    lines = list(results_file.lines_of(run, "lib"))
    assert len(lines) == 9
    (tmp_path / "lib.jsonl").write_text("".join(lines[:line] + lines[line + 1 :]))
    with pytest.raises((Truncated, BadResults)):
        results_file.load(tmp_path)


# -- what a run depends on ---------------------------------------------------------------------------------------------


def digests(cases: Iterable[corpus.Case] = CASES, **changes: Any) -> tuple[str, str]:
    one = asked({})
    one = replace(one, **changes)
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
    assert Path(str(judging.__file__)).parent / "schemas" / "results.schema.json" in code
    assert digests(library=one)[0] != digests(library=one)[0], "what is made of the files is part of it"


def test_a_digest_of_a_corpus_or_of_who_was_asked_is_of_all_that_is_asked() -> None:
    first, *others = CASES
    more = replace(first, also_ask=(*first.also_ask, "Rprec"))
    assert corpus_of([more, *others]) != corpus_of(CASES)
    part = [digests(library=library(only=only))[0] for only in ((), ("v",), ("v", "w"))]
    assert len({*part}) == 3


def test_a_run_tells_the_time_of_all_libraries_and_who_is_absent_of_each() -> None:
    absent = {**HELLO, "absent": {"x": "no such module", "y": "too old", "z": "no licence"}}
    right = {("ties/none-tied", "v", "RR"): {"per_query": None, "mean": 1.0}}
    found = judge_all(CASES, [asked(right, absent), asked(right, name="other"), asked(right, name="third")], -1.0)
    assert (found.seconds["asking"], found.seconds["libraries"]) == (-1.0, 7.5)
    assert found.seconds["judging"] >= 0
    left = [
        (row.variant, row.note) for row in found.rows if row.verdict is Verdict.NOT_INSTALLED and row.library == "lib"
    ]
    assert left == [*absent["absent"].items()]


def test_what_fails_is_of_its_own_version_and_is_judged_when_it_is_asked_again() -> None:
    """Version 2 is wrong on the smoke case, and version 1, of which the sheet speaks, is right."""
    sheet = replace(SHEET, library="lib", speaks_of="1")
    right, wrong = ({("ties/none-tied", "v", "RR"): {"per_query": None, "mean": mean}} for mean in (1.0, 0.25))
    two = [asked(said, {**HELLO, "version": version}, sheet=sheet) for said, version in ((right, "1"), (wrong, "2"))]
    ((one,), (smoke, _)) = (
        judge_all(CASES, each, whole=False).complaints
        for each in (two, [asked(wrong, {**HELLO, "version": "1"}, sheet=sheet)])
    )
    assert "asked is version 2; the sheet speaks of 1" in one.what
    assert smoke.what == "v fails the smoke case: look at its adapter first"
    judging = Judging(CASES)
    assert [[row.value for row in judging.rows(each) if row.case] for each in (*two, two[0])] == [[1.0], [0.25], [1.0]]


def test_a_complaint_says_of_whom_it_is() -> None:
    assert str(Complaint("lib", "it is wrong")) == "lib: it is wrong"
    assert (
        str(Complaint("lib", "it is wrong", ObservationPlace("a/b", "v", "RR", "q1"))) == "lib a/b v RR q1: it is wrong"
    )


def test_what_a_sheet_claims_in_vain_is_a_complaint_where_all_was_asked_and_of_the_library_alone() -> None:
    claims = {"v": {"RR": STANDARD, "ERR": STANDARD.replace(ties="worst")}, "gone": {"AP": STANDARD}}
    pinned = ObservationPlace("ties/none-tied", "v", "RR", None)
    pins = {pinned: Pin(pinned, "0.25", Known("it cannot count", ""))}
    sheet = replace(SHEET, library="lib", profiles=claims, pins=pins)
    right = {("ties/none-tied", "v", "RR"): {"per_query": None, "mean": 1.0}}
    found = judge_all(CASES, [asked(right, sheet=sheet)]).complaints
    assert [(one.library, one.place) for one in found] == [("lib", pinned), ("lib", None), ("lib", None)]
    moved, unused, unknown = (one.what for one in found)
    assert moved == "miniatures.toml pins '0.25', but the answer agrees with `standard` (1.0) now: remove the exception"
    assert unused.startswith('miniatures.toml: [profiles.v] claims "ERR", but no answer is judged by it: ')
    assert unknown.startswith("miniatures.toml: [profiles.gone] is of no variant that the adapter has: ")
    assert len(judge_all(CASES, [asked(right, sheet=sheet)], whole=False).complaints) == 1
    alone = replace(asked(right, sheet=sheet), library=library(sheet=sheet, only=("v",)))
    assert len(judge_all(CASES, [alone]).complaints) == 1
    absent = {**HELLO, "variants": {"v": ""}, "absent": {"gone": "no module"}}
    assert len(judge_all(CASES, [asked(right, absent, sheet=sheet)]).complaints) == 2, (
        "what is absent is held to nothing"
    )


def test_of_files_beside_those_of_a_run_only_our_own_go(tmp_path: Path) -> None:
    """In an order that is not theirs: ours of who was asked, ours of another, JSON of somebody else, no JSON, and no UTF-8."""
    texts = {
        "mine": '{"rankproof":"1"}',
        "gone": '{"rankproof":"1"}',
        "alien": '{"x":1}',
        "list": "[1]",
        "torn": '{"rank',
        "odd": "\xff",
    }
    folder = tmp_path / results_file.FOLDER
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.jsonl").write_text(text, encoding="latin-1")
    results_file.remove_others(tmp_path, ["mine"])
    assert {path.stem for path in folder.iterdir()} == texts.keys() - {"gone"}
