"""Every verdict, reached by a library that earns it."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_sheets import FAKE
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.inference.reference_answers import CannotTell, Obstacle, reading_of
from rankproof.judge import verdicts
from rankproof.judge.verdicts import FAILING, FAILS, HOLDS, MARKS, Row, Verdict, failure_of, judge, mark_of
from rankproof.reference_impl.conventions import parse_conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Failure, read
from rankproof.workers.sheets import load
from rankproof.workers.subjects import Subject

CASE = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
SUBJECT = Subject("fake", "v", "1")
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


def library(tmp_path: Path, *pins: str, sheet: str = SHEET) -> Library:
    path = tmp_path / "fake.toml"
    path.write_text(sheet + (PIN.format(observed="\n".join(pins)) if pins else ""), encoding="utf-8")
    return Library("fake", tmp_path / "fake_adapter.py", load(path))


def row_of(case: corpus.Case, fake: Library, measure: str, said: dict[str, Any]) -> Row:
    """How an answer is judged."""
    (row,) = judge(case, fake, read(case.id, SUBJECT, measure, said))
    return row


def mean(value: object) -> dict[str, Any]:
    return {"per_query": None, "mean": value}


NO: dict[str, Any] = {"error": {"type": "ValueError", "message": "no"}}


@pytest.mark.parametrize(
    ("said", "pinned", "claimed", "verdict"),
    [
        (mean(0.5), "", "ties=worst", Verdict.UNEXPLAINED),
        (None, "", "ties=worst", Verdict.UNEXPLAINED),
        (mean(0.5), "", "ties=unspecified", Verdict.UNEXPLAINED),
        (NO, "", "ties=worst", Verdict.ERROR),
        (mean(0.5), "0.25", "ties=worst", Verdict.UNEXPLAINED),
        (NO, "ValueError: yes", "ties=worst", Verdict.ERROR),
    ],
)
def test_where_the_reference_cannot_tell_nothing_is_explained_and_the_row_says_why_or_what_moved(
    said: dict[str, Any] | None, pinned: str, claimed: str, verdict: Verdict, tmp_path: Path
) -> None:
    """Where nothing is said to be said, it is what `standard` gives: that is not what is claimed."""
    docs = [f"d{i:02}" for i in range(24)]
    data = Input(tuple(("q1", doc, i % 7) for i, doc in enumerate(docs)), tuple(("q1", doc, 1.0, 1) for doc in docs))
    case = replace(CASE, input=data, expect=None, also_ask=("ERR@10",))
    oracle = PlainReference(case.input)
    untold = oracle.answers(parse("ERR@10"), "ties=worst")
    assert isinstance(untold, CannotTell)
    assert untold.obstacle is Obstacle.TOO_MANY_ORDERS
    assert re.fullmatch("ERR has no closed form .* orders are too many to enumerate", untold.reason)
    standard = reading_of(oracle.answers(parse("ERR@10"), "standard"), None)
    pins = [f"{case.id} v ERR@10 mean {pinned}"] if pinned else []
    fake = library(tmp_path, *pins, sheet=SHEET.replace("ties=worst", claimed))
    row = row_of(case, fake, "ERR@10", said or mean(standard))
    assert (row.verdict, row.expected) == (verdict, standard)
    why = f"the reference cannot tell what the sheet's profile ({claimed}) gives: {untold.reason}"
    assert row.note == (f"the sheet pins {pinned}: it changed" if pinned else why)


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
    case = replace(CASE, input=data)
    claimed = parse_conventions(f"{needed} empty=nan ideal=retrieved")
    fake = library(tmp_path)
    claiming = replace(fake, sheet=replace(fake.sheet, profiles={"v": {"nDCG": claimed}}))
    value = reading_of(PlainReference(data).answers(parse("nDCG@3"), claimed), None)
    row = row_of(case, claiming, "nDCG@3", mean(value))
    said = needed if most == 4 else f"{needed} empty=nan ideal=retrieved"
    assert (row.verdict, {*row.conventions}) == (Verdict.CONVENTION, {*said.split()})


def test_a_text_is_of_a_kind_of_failure_by_the_whole_word_before_a_colon() -> None:
    others = ("memory is full", "timeouts: 3", "crash:", "error: x")
    assert [*map(failure_of, others)] == [Failure("error", text) for text in others]
    assert failure_of("memory: is full") == Failure("memory", "is full")


@pytest.mark.parametrize(("precision", "verdict"), [("float64", Verdict.UNEXPLAINED), ("float32", Verdict.CONVENTION)])
def test_an_end_of_the_range_of_ties_is_met_by_the_precision_of_the_library(
    precision: str, verdict: Verdict, tmp_path: Path
) -> None:
    """A float32 of 2/3 is above 2/3: the best of all orders all the same."""
    text = SHEET.replace("ties=docid-asc gain=exp", "ties=unspecified").replace('"float64"', f'"{precision}"')
    case = corpus.load(corpus.HERE / "ties/expected-rr.toml")
    assert row_of(case, library(tmp_path, sheet=text), "P@3", mean(0.6666666865348816)).verdict is verdict


def test_every_verdict_that_is_shown_has_a_mark_and_its_letter_is_its_own() -> None:
    assert {mark_of(verdict) for verdict in FAILS} == {FAILING}
    assert {mark_of(verdict) for verdict in HOLDS | {Verdict.UNDEFINED} | FAILS} == set(MARKS)
    assert len({mark[0] for mark in MARKS}) == len(MARKS)


def test_a_library_that_says_itself_that_it_is_out_of_memory_refuses_nothing(tmp_path: Path) -> None:
    raised = {"error": {"type": "MemoryError", "message": "Unable to allocate 9 GiB"}}
    assert row_of(CASE, library(tmp_path), "P@2", raised).verdict is Verdict.MEMORY
    seen, again = (read(CASE.id, SUBJECT, "P@2", said) for said in (raised, mean(0.5) | {"again": raised}))
    assert again.again == seen.answer == Failure("memory", "MemoryError: Unable to allocate 9 GiB")


def test_the_end_of_stderr_is_told_and_makes_no_other_answer(tmp_path: Path) -> None:
    raw = {"failed": "crash", "message": "it ended", "stderr": "at /home/me/x.c:7"}
    seen, other = (read(CASE.id, SUBJECT, "P@2", one) for one in (raw, raw | {"stderr": "at /home/you/x.c:7"}))
    assert seen == other
    row = row_of(CASE, library(tmp_path), "P@2", raw)
    assert (row.error, row.note) == ("crash: it ended", "its stderr ends: at /home/me/x.c:7")
