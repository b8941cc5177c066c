"""Verdicts: values judged by the conventions of a sheet, by its exceptions, and without a reference value."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_sheets import FAKE
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.inference.reference_answers import CannotTell, Obstacle, reading_of
from rankproof.judge.verdicts import FAILS, Row, Verdict, failure_of, judge
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Failure, read
from rankproof.workers.sheets import read as read_sheet
from rankproof.workers.subjects import Subject

TIED = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
"""P@2 is 0 if tied documents are in the order of descending ids, and 1/2 in ascending order."""
SUBJECT = Subject("fake", "v", "1")
PIN = """
[[known]]
reason = 'it cannot count'
observed = '''
{place} {pin}
'''
"""


def row_of(
    raw: Mapping[str, Any],
    claim: str = "standard",
    pin: str = "",
    *,
    case: Case = TIED,
    measure: str = "P@2",
    precision: str = "float64",
) -> Row:
    """Judge a value by a sheet with one claim and perhaps one exception; `pin` is `query observation`."""
    text = f'{FAKE.replace("float64", precision)}\n[profiles.v]\n"{parse(measure).name}" = "{claim}"\n'
    text += PIN.format(place=f"{case.id} v {measure}", pin=pin) if pin else ""
    library = Library("fake", Path("fake_adapter.py"), read_sheet(Path("fake.toml"), text))
    (row,) = judge(case, library, read(case.id, SUBJECT, measure, raw))
    return row


def mean(value: object) -> dict[str, Any]:
    return {"per_query": None, "mean": value}


# -- exceptions ---------------------------------------------------------------------------------------------------------

ANSWERS: Mapping[str, tuple[dict[str, Any], Verdict]] = {
    "0.25": (mean(0.25), Verdict.UNEXPLAINED),
    "nan": (mean("nan"), Verdict.UNEXPLAINED),
    "inf": (mean("inf"), Verdict.UNEXPLAINED),
    "ValueError: no": ({"error": {"type": "ValueError", "message": "no"}}, Verdict.ERROR),
    "ValueError: no such doc": ({"error": {"type": "ValueError", "message": "no such doc"}}, Verdict.ERROR),
    "KeyError: no": ({"error": {"type": "KeyError", "message": "no"}}, Verdict.ERROR),
    "KeyError": ({"error": {"type": "KeyError", "message": ""}}, Verdict.ERROR),
    **{
        f"{kind}: it ended by SIGSEGV": ({"failed": str(kind), "message": "it ended by SIGSEGV"}, kind)
        for kind in sorted(FAILS - {Verdict.UNEXPLAINED, Verdict.ERROR, Verdict.UNSTABLE})
    },
    "crash: it ended by SIGABRT": ({"failed": "crash", "message": "it ended by SIGABRT"}, Verdict.CRASH),
    "unstable": (mean(0.5) | {"again": mean(0.25)}, Verdict.UNSTABLE),
}
"""The text of an exception, the value that it describes, and the verdict without exceptions."""


@pytest.mark.parametrize("observed", ANSWERS)
def test_value_is_known_by_its_own_exception_only(observed: str) -> None:
    raw, verdict = ANSWERS[observed]
    row = row_of(raw)
    assert (row.verdict, row.observed) == (verdict, observed)
    for pinned in ANSWERS:
        row = row_of(raw, pin=f"mean {pinned}")
        assert (row.verdict is Verdict.KNOWN) == (pinned == observed), pinned
        assert row.observed == observed, "the row has what was observed, whatever the exception is"
        if pinned == observed:
            assert row.note == "it cannot count"
        elif verdict is not Verdict.UNSTABLE:
            assert row.note == f"the sheet pins {pinned}: it changed"


def test_paths_are_left_out_of_an_exception() -> None:
    def verdict(text: str) -> Verdict:
        return row_of({"error": {"type": "OSError", "message": text}}, pin="mean OSError: no …, try again").verdict

    assert verdict("no /tmp/a/b, try again") is Verdict.KNOWN
    assert {verdict(text) for text in ("no /tmp/a/b", "none, try again", "no x, try again later")} == {Verdict.ERROR}


def test_case_without_a_right_value_fails_nothing() -> None:
    undefined = replace(TIED, tags=("undefined",))
    rows = [row_of(raw, case=undefined) for raw, _ in ANSWERS.values()]
    assert {(row.verdict, row.expected) for row in rows} == {(Verdict.UNDEFINED, None)}


# -- conventions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        (0.0, True),
        (0.5, True),
        (0.25, True),
        (-0.001, False),
        (0.501, False),
        (1.0, False),
        ("nan", False),
        ("inf", False),
        ("-inf", False),
        (0.5 + 1e-8, False),
    ],
)
def test_unspecified_order_of_ties_explains_numbers_between_the_worst_and_the_best_order(
    value: object,
    *,
    holds: bool,
) -> None:
    for raw in (mean(value), {"per_query": {"q1": value}, "mean": value}, {"per_query": {"q1": value}, "mean": None}):
        row = row_of(raw, "ties=unspecified")
        assert row.verdict is (Verdict.CONVENTION if holds else Verdict.UNEXPLAINED)
        assert row.conventions == (("ties=unspecified",) if holds else ())
        assert (row.query, row.expected) == (None if raw["mean"] is not None else "q1", 0.0)
        assert row.observed == str(value)


NO: dict[str, Any] = {"error": {"type": "ValueError", "message": "no"}}


@pytest.mark.parametrize(
    ("raw", "pinned", "claimed", "verdict"),
    [
        (mean(0.5), "", "ties=worst", Verdict.UNEXPLAINED),
        (None, "", "ties=worst", Verdict.UNEXPLAINED),
        (mean(0.5), "", "ties=unspecified", Verdict.UNEXPLAINED),
        (NO, "", "ties=worst", Verdict.ERROR),
        (mean(0.5), "0.25", "ties=worst", Verdict.UNEXPLAINED),
        (NO, "ValueError: yes", "ties=worst", Verdict.ERROR),
    ],
)
def test_value_without_reference_is_unexplained_and_the_row_has_the_reason(
    raw: dict[str, Any] | None, pinned: str, claimed: str, verdict: Verdict
) -> None:
    """Without an explicit value, the library returns the standard value, which the sheet does not claim."""
    docs = [f"d{i:02}" for i in range(24)]
    data = Input(tuple(("q1", doc, i % 7) for i, doc in enumerate(docs)), tuple(("q1", doc, 1.0, 1) for doc in docs))
    case = replace(TIED, input=data, expect=None, also_ask=("ERR@10",))
    oracle = PlainReference(case.input)
    unknown = oracle.answers(parse("ERR@10"), "ties=worst")
    assert isinstance(unknown, CannotTell)
    assert unknown.obstacle is Obstacle.TOO_MANY_ORDERS
    assert re.fullmatch("ERR has no closed form .* orders are too many to enumerate", unknown.reason)
    standard = reading_of(oracle.answers(parse("ERR@10"), "standard"), None)
    row = row_of(raw or mean(standard), claimed, pinned and f"mean {pinned}", case=case, measure="ERR@10")
    assert (row.verdict, row.expected) == (verdict, standard)
    why = f"the reference cannot tell what the sheet's profile ({claimed}) gives: {unknown.reason}"
    assert row.note == (f"the sheet pins {pinned}: it changed" if pinned else why)


@pytest.mark.parametrize("needed", ["ties=docid-asc unjudged=removed gain=exp discount=rank", ""])
def test_row_has_the_fewest_conventions_that_give_the_value_or_all_if_they_are_many(needed: str) -> None:
    """The sheet claims seven conventions.

    Two cannot change the value, nor can `missing` without the unretrieved query.
    """
    rels, scores = {"a": 1, "b": 2, "c": 3, "e": 0}, {"z": 3.0, "a": 2.0, "b": 2.0, "c": 1.0}
    qrels = [("q", doc, rel) for doc, rel in rels.items()] + ([] if needed else [("missing", "a", 1)])
    run = [("q", doc, score, rank) for rank, (doc, score) in enumerate(scores.items(), start=1)]
    case = replace(TIED, input=Input(tuple(qrels), tuple(run)))
    claimed = "ties=docid-asc unjudged=removed gain=exp discount=rank missing=dropped empty=nan ideal=retrieved"
    value = reading_of(PlainReference(case.input).answers(parse("nDCG@3"), claimed), None)
    row = row_of(mean(value), claimed, case=case, measure="nDCG@3")
    assert (row.verdict, {*row.conventions}) == (Verdict.CONVENTION, {*(needed or claimed).split()})


@pytest.mark.parametrize(("precision", "verdict"), [("float64", Verdict.UNEXPLAINED), ("float32", Verdict.CONVENTION)])
def test_ends_of_the_orders_of_ties_are_compared_with_the_precision_of_the_library(
    precision: str, verdict: Verdict
) -> None:
    """A float32 of 2/3 is above 2/3, but still equals the best of all orders."""
    case = corpus.load(corpus.HERE / "ties/expected-rr.toml")
    row = row_of(mean(0.6666666865348816), "ties=unspecified", case=case, measure="P@3", precision=precision)
    assert row.verdict is verdict


# -- failures -----------------------------------------------------------------------------------------------------------


def test_kind_of_a_failure_is_the_whole_word_before_the_colon() -> None:
    others = ("memory is full", "timeouts: 3", "crash:", "error: x")
    assert [*map(failure_of, others)] == [Failure("error", text) for text in others]
    assert failure_of("memory: is full") == Failure("memory", "is full")


def test_memory_error_is_not_a_refusal() -> None:
    raised = {"error": {"type": "MemoryError", "message": "Unable to allocate 9 GiB"}}
    assert row_of(raised).verdict is Verdict.MEMORY
    seen, again = (read(TIED.id, SUBJECT, "P@2", said) for said in (raised, mean(0.5) | {"again": raised}))
    assert again.again == seen.answer == Failure("memory", "MemoryError: Unable to allocate 9 GiB")


def test_only_an_error_is_the_refusal_that_a_sheet_claims() -> None:
    crash = {"failed": "crash", "message": "it ended"}
    verdicts = [row_of(raw, "ids=digit-queries").verdict for raw in (NO, crash)]
    assert verdicts == [Verdict.CONVENTION, Verdict.CRASH], "the claim explains an exception, and no crash"


def test_end_of_stderr_is_in_the_note_and_does_not_affect_equality() -> None:
    raw = {"failed": "crash", "message": "it ended", "stderr": "at /home/me/x.c:7"}
    seen, other = (read(TIED.id, SUBJECT, "P@2", one) for one in (raw, raw | {"stderr": "at /home/you/x.c:7"}))
    assert seen == other
    row = row_of(raw)
    assert (row.error, row.note) == ("crash: it ended", "its stderr ends: at /home/me/x.c:7")
