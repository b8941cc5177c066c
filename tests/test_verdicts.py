"""Every verdict, reached by a library that earns it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import read
from rankproof.asking.rounds import LibraryAnswers
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Subject
from rankproof.cases.inputs import Input
from rankproof.judging import verdicts
from rankproof.judging.complaints import complaints_of, other_version
from rankproof.judging.results_file import SCHEMA
from rankproof.judging.runs import Run, judge_all
from rankproof.judging.verdicts import (
    FAILING,
    FAILS,
    HOLDS,
    MARKS,
    NOT_JUDGED,
    Row,
    Verdict,
    failure_of,
    judge,
    mark_of,
)
from rankproof.matching.comparing import reading_of
from rankproof.matching.reference_answers import CannotTell, Obstacle, Oracle
from rankproof.reference_impl.conventions import parse_conventions
from rankproof.reference_impl.notation import parse
from rankproof.telling.terminal import tell_complaints

CASE = corpus.HERE / "ties" / "straddles-cutoff.toml"
SHEET = f"""{FAKE}
[profiles.v]
"P" = "ties=docid-asc gain=exp"
"AP" = "missing=rejected run_duplicates=first"
"ERR" = "ties=worst"
"""
PIN = """
[[known]]
reason = "the fake library cannot count"
link = "https://example.org/issues/1"
observed = '''
{observed}
'''
"""


def library(tmp_path: Path, *pins: str) -> Library:
    path = tmp_path / "fake.toml"
    path.write_text(SHEET + (PIN.format(observed="\n".join(pins)) if pins else ""), encoding="utf-8")
    return Library("fake", tmp_path / "fake_adapter.py", load(path))


def judged(tmp_path: Path, raw: dict[str, Any], *pins: str, measure: str = "P@2", path: Path = CASE) -> list[Row]:
    case = corpus.load(path)
    seen = read(case.id, Subject("fake", "v", "1"), measure, raw)
    return list(judge(case, Oracle(case.input), library(tmp_path, *pins), seen))


def mean(value: object) -> dict[str, Any]:
    return {"per_query": None, "mean": value}


@pytest.mark.parametrize(
    ("precisions", "verdict"),
    [
        ({}, Verdict.UNEXPLAINED),
        ({"v": {"RR": "float32"}}, Verdict.AGREES),
        ({"v": {"P": "float32"}}, Verdict.UNEXPLAINED),
        ({"w": {"RR": "float32"}}, Verdict.UNEXPLAINED),
    ],
)
def test_an_answer_is_held_to_the_precision_claimed_of_its_measure_and_variant(
    precisions: dict[str, dict[str, str]], verdict: Verdict, tmp_path: Path
) -> None:
    case = corpus.load(corpus.HERE / "ties" / "none-tied.toml")
    fake = library(tmp_path)
    claimed = replace(fake, sheet=replace(fake.sheet, precisions=precisions))
    right = reading_of(Oracle(case.input).answers(parse("RR"), "standard"), None)
    assert isinstance(right, float)
    assert right > 0
    seen = read(case.id, Subject("fake", "v", "1"), "RR", mean(right * (1 + 1e-8)))
    (row,) = judge(case, Oracle(case.input), claimed, seen)
    assert row.verdict is verdict


def test_the_end_of_stderr_is_told_beside_the_text_that_is_pinned(tmp_path: Path) -> None:
    raw = {"failed": "crash", "message": "the process ended by SIGSEGV", "stderr": "at /home/me/x.c:7"}
    (row,) = judged(tmp_path, raw)
    assert (row.error, row.note) == ("crash: the process ended by SIGSEGV", "its stderr ends: at /home/me/x.c:7")
    (row,) = judged(tmp_path, raw, "ties/straddles-cutoff v P@2 mean crash: the process ended by SIGABRT")
    assert row.note.endswith("it moved; its stderr ends: at /home/me/x.c:7")
    (row,) = judged(tmp_path, raw, "ties/straddles-cutoff v P@2 mean crash: the process ended by SIGSEGV")
    assert (row.verdict, "stderr" in row.note) == (Verdict.KNOWN, False)
    again = raw | {"stderr": "at /home/you/x.c:7"}
    fake = Subject("fake", "v", "1")
    assert read("c", fake, "AP", raw) == read("c", fake, "AP", again), "it is no other answer"


def tied_docs(tmp_path: Path, number: int) -> Path:
    path = tmp_path / "topic" / "many-tied-docs.toml"
    path.parent.mkdir(exist_ok=True)
    qrels = "\n".join(f"q1 d{i:02} {i % 7}" for i in range(number))
    run = "\n".join(f"q1 d{i:02} 1" for i in range(number))
    path.write_text(
        'question = "many docs are tied"\nwhy = "constant scorers exist"\nsource = "own"\ntags = ["ties"]\n'
        f'measures = ["ERR@10"]\nqrels = """\n{qrels}\n"""\nrun = """\n{run}\n"""\n'
    )
    return path


def test_what_the_reference_cannot_tell_is_unexplained_and_says_why(tmp_path: Path) -> None:
    case = corpus.load(tied_docs(tmp_path, 24))
    answers = Oracle(case.input).answers(parse("ERR@10"), "ties=worst")
    assert isinstance(answers, CannotTell)
    assert answers.obstacle is Obstacle.TOO_MANY_ORDERS
    standard = reading_of(Oracle(case.input).answers(parse("ERR@10"), "standard"), None)
    assert isinstance(standard, float)
    for value in (0.5, standard):
        (row,) = judged(tmp_path, mean(value), measure="ERR@10", path=tied_docs(tmp_path, 24))
        assert (row.verdict, row.expected) == (Verdict.UNEXPLAINED, standard), (
            "what standard says is not what is claimed"
        )
        assert row.note.startswith(
            "the reference cannot tell what the sheet's profile (ties=worst) gives: ERR has no closed form"
        )
        assert "orders are too many to enumerate" in row.note


def test_an_error_agrees_with_nothing_where_the_reference_cannot_tell(tmp_path: Path) -> None:
    error = {"error": {"type": "ValueError", "message": "no"}}
    (row,) = judged(tmp_path, error, measure="ERR@10", path=tied_docs(tmp_path, 24))
    assert (row.verdict, row.error) == (Verdict.ERROR, "ValueError: no")
    assert "the reference cannot tell" in row.note


def test_what_moved_is_said_before_why_nothing_can_be_told(tmp_path: Path) -> None:
    for raw, pinned in ((mean(0.5), "0.25"), ({"error": {"type": "ValueError", "message": "no"}}, "ValueError: yes")):
        pin = f"topic/many-tied-docs v ERR@10 mean {pinned}"
        (row,) = judged(tmp_path, raw, pin, measure="ERR@10", path=tied_docs(tmp_path, 24))
        assert row.note == f"the sheet pins {pinned}: it moved"


def test_a_number_where_the_profile_refuses_is_told_so(tmp_path: Path) -> None:
    path = corpus.HERE / "queries" / "judged-query-missing.toml"
    (row,) = judged(tmp_path, mean(0.375), measure="AP", path=path)
    assert row.verdict is Verdict.UNEXPLAINED
    assert row.note.endswith("(missing=rejected run_duplicates=first) gives a refusal")


@pytest.mark.parametrize("most", [4, 3])
def test_the_conventions_of_an_answer_are_the_fewest_that_give_it_or_all_where_they_are_many(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four of six that the sheet claims: of three relevant docs that are retrieved the ideal is the same, and no ranking is empty."""
    needed = "ties=docid-asc unjudged=removed gain=exp discount=rank"
    if most == 3:
        monkeypatch.setattr(verdicts, "MOST_AXES", most)
    rels, scores = {"a": 1, "b": 2, "c": 3, "e": 0}, {"z": 3.0, "a": 2.0, "b": 2.0, "c": 1.0}
    data = Input(
        tuple(("q", doc, rel) for doc, rel in rels.items()),
        tuple(("q", doc, score, rank) for rank, (doc, score) in enumerate(scores.items(), start=1)),
    )
    case = replace(corpus.load(CASE), input=data)
    claimed = parse_conventions(f"{needed} empty=nan ideal=retrieved")
    fake = library(tmp_path)
    claiming = replace(fake, sheet=replace(fake.sheet, profiles={"v": {"nDCG": claimed}}))
    value = reading_of(Oracle(data).answers(parse("nDCG@3"), claimed), None)
    (row,) = judge(case, Oracle(data), claiming, read(case.id, Subject("fake", "v", "1"), "nDCG@3", mean(value)))
    said = needed if most == 4 else f"{needed} empty=nan ideal=retrieved"
    assert (row.verdict, {*row.conventions}) == (Verdict.CONVENTION, {*said.split()})


def test_a_text_is_of_a_kind_of_failure_by_the_whole_word_before_a_colon() -> None:
    each = ("memory is full", "memory: is full", "timeouts: 3", "crash:", "error: x")
    assert [failure_of(text).kind for text in each] == ["error", "memory", "error", "error", "error"]
    assert [failure_of(text).text for text in each] == [
        "memory is full",
        "is full",
        "timeouts: 3",
        "crash:",
        "error: x",
    ]


def test_where_no_order_is_claimed_and_their_range_cannot_be_told_the_row_says_so(tmp_path: Path) -> None:
    case = corpus.load(tied_docs(tmp_path, 24))
    fake = library(tmp_path)
    fake.sheet.path.write_text(SHEET.replace("ties=worst", "ties=unspecified"), encoding="utf-8")
    claiming = replace(fake, sheet=load(fake.sheet.path))
    seen = read(case.id, Subject("fake", "v", "1"), "ERR@10", mean(0.5))
    (row,) = judge(case, Oracle(case.input), claiming, seen)
    assert row.verdict is Verdict.UNEXPLAINED
    assert row.note.startswith(
        "the reference cannot tell what the sheet's profile (ties=unspecified) gives: ERR has no"
    )


@pytest.mark.parametrize(("precision", "verdict"), [("float64", Verdict.UNEXPLAINED), ("float32", Verdict.CONVENTION)])
def test_an_end_of_the_range_of_ties_is_met_by_the_precision_of_the_library(
    precision: str, verdict: Verdict, tmp_path: Path
) -> None:
    """A float32 of 2/3 is above 2/3: the best of all orders all the same."""
    fake = library(tmp_path)
    text = SHEET.replace("ties=worst", "ties=unspecified").replace('"float64"', f'"{precision}"')
    fake.sheet.path.write_text(text, encoding="utf-8")
    case = corpus.load(corpus.HERE / "ties/expected-rr.toml")
    seen = read(case.id, Subject("fake", "v", "1"), "P@3", mean(0.6666666865348816))
    (row,) = judge(case, Oracle(case.input), replace(fake, sheet=load(fake.sheet.path)), seen)
    assert row.verdict is verdict


def test_a_pooled_mean_of_what_is_no_ratio_cannot_be_told() -> None:
    answers = Oracle(corpus.load(CASE).input).answers(parse("nDCG@2"), "mean=pooled")
    assert answers == CannotTell(Obstacle.NOT_POOLED, "nDCG is no ratio of counts, so it has no pooled mean")
    assert reading_of(answers, None) is None


def test_the_schema_of_results_has_the_verdicts_that_there_are() -> None:
    row = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]["row"]["properties"]
    # What is unsupported has no row in a file: it is said once, as an absence.
    assert row["verdict"]["enum"] == [str(verdict) for verdict in Verdict if verdict is not Verdict.UNSUPPORTED]


def test_every_verdict_that_is_shown_has_a_mark_and_its_letter_is_its_own() -> None:
    assert {mark_of(verdict) for verdict in FAILS} == {FAILING}
    assert {mark_of(verdict) for verdict in HOLDS | {Verdict.UNDEFINED} | FAILS} == set(MARKS)
    assert len({mark[0] for mark in MARKS}) == len(MARKS)


def test_the_set_of_verdicts_is_parted() -> None:
    assert set(Verdict) == FAILS | HOLDS | NOT_JUDGED
    assert not FAILS & HOLDS
    assert not (FAILS | HOLDS) & NOT_JUDGED


def asked(tmp_path: Path, *pins: str) -> LibraryAnswers:
    return LibraryAnswers(library(tmp_path, *pins), {"version": "1", "variants": {"v": ""}}, ())


def test_of_a_version_that_the_sheet_does_not_speak_of_one_complaint_says_it_all(tmp_path: Path) -> None:
    rows = [row for value in (0.25, 0.5, 0.75, 0.125) for row in judged(tmp_path, mean(value))]
    rows += [row for why in ("no P", "no file") for row in judged(tmp_path, {"unsupported": why})]
    newer = LibraryAnswers(library(tmp_path), {"version": "2", "variants": {"v": ""}}, ())
    (complaint,) = complaints_of(newer, rows, whole=True)
    assert str(complaint) == (
        "fake: asked is version 2; the sheet speaks of 1; 3 of 4 answers are not what is claimed, in 1 case (ties/straddles-cutoff); "
        "`rankproof diff` compares it with results of 1"
    )
    assert len(complaints_of(asked(tmp_path), rows, whole=False)) == 3, "of its own version each is told"


def test_a_version_of_which_all_holds_is_said_and_is_no_complaint(tmp_path: Path) -> None:
    rows = judged(tmp_path, mean(0.5))
    newer = LibraryAnswers(library(tmp_path), {"version": "2", "variants": {"v": ""}}, ())
    assert complaints_of(newer, rows, whole=True) == []
    assert other_version(newer) == "asked is version 2; the sheet speaks of 1"
    assert other_version(asked(tmp_path)) == ""
    assert other_version(LibraryAnswers(library(tmp_path), {"not_installed": "it is not there"}, ())) == ""


def test_another_version_is_told_once_at_the_end_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newer = LibraryAnswers(library(tmp_path), {"version": "2", "variants": {"v": ""}}, ())
    took = dict.fromkeys(("asking", "judging", "libraries"), 0.0)
    for value in (0.5, 0.25):
        rows = judged(tmp_path, mean(value))
        tell_complaints(Run((), (newer,), tuple(rows), tuple(complaints_of(newer, rows, whole=True)), seconds=took))
        assert capsys.readouterr().out.count("asked is version 2; the sheet speaks of 1") == 1


@pytest.mark.parametrize("parts", [(0, 0, 0), (3, 0, 0), (2, 1, 0), (0, 1, 1), (1, 2, 0)])
def test_how_many_came_from_the_cache_and_how_many_were_asked_once_is_said_at_the_end(
    parts: tuple[int, int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of three libraries, which were each asked 1,500 questions."""
    each = [replace(asked(tmp_path), observations=(None,) * 1500, reused=500 * n, once=700 * n) for n in parts]
    took = dict.fromkeys(("asking", "judging", "libraries"), 0.0)
    tell_complaints(Run((), tuple(each), (), (), seconds=took))
    n = sum(parts)
    once = f", and {700 * n:,} are as published and so were asked once" if n else ""
    assert f"; {500 * n:,} of 4,500 answers came from the cache{once}; " in capsys.readouterr().out


def test_a_variant_that_fails_the_smoke_case_is_told_of_first(tmp_path: Path) -> None:
    rows = judged(tmp_path, mean(0.25))
    first, second = complaints_of(asked(tmp_path), rows, whole=False, smoke=frozenset({"ties/straddles-cutoff"}))
    assert str(first) == "fake: v fails the smoke case: look at its adapter first"
    assert second.place is not None


def test_the_pins_and_claims_of_variants_that_were_left_out_are_not_held_to_anything(tmp_path: Path) -> None:
    whole = library(tmp_path, "ties/straddles-cutoff w P@2 mean 0.25")
    asked = LibraryAnswers(whole, {"version": "1", "variants": {"v": ""}}, ())
    assert judge_all([corpus.load(CASE)], [asked]).complaints, "v is all of it, so w is no variant"
    part = replace(asked, library=replace(whole, only=("v",)))
    assert judge_all([corpus.load(CASE)], [part]).complaints == ()
