"""Every kind of answer, whatever a sheet pins: it is known by its own pin alone. And what holds where nothing is claimed."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.judge.verdicts import FAILS, Row, Verdict, judge
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import read
from rankproof.workers.sheets import read as read_sheet
from rankproof.workers.subjects import Subject

TIED = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
"""P@2 is 0 where tied docs stand by descending docid, and 1/2 by ascending."""
SHEET = f"""{FAKE}
[profiles.v]
P = "{{claim}}"
"""
PIN = "\n[[known]]\nreason = 'it cannot count'\nobserved = '''\nties/straddles-cutoff v P@2 {pin}\n'''\n"


def row_of(raw: Mapping[str, Any], claim: str = "standard", pin: str = "", case: Case = TIED) -> Row:
    """An answer, judged by a sheet that claims and pins this, and nothing else; `pin` is `query observation`."""
    sheet = read_sheet(Path("fake.toml"), SHEET.format(claim=claim) + (PIN.format(pin=pin) if pin else ""))
    seen = read(TIED.id, Subject("fake", "v", "1"), "P@2", raw)
    (row,) = judge(case, Library("fake", Path("fake_adapter.py"), sheet), seen)
    return row


def mean(value: object) -> dict[str, Any]:
    return {"per_query": None, "mean": value}


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
"""What a sheet pins, the answer that it means, and the verdict on that answer where nothing is pinned."""


@pytest.mark.parametrize("said", ANSWERS)
def test_an_answer_is_known_by_its_own_pin_and_by_no_other(said: str) -> None:
    raw, verdict = ANSWERS[said]
    row = row_of(raw)
    assert (row.verdict, row.observed) == (verdict, said)
    for pinned in ANSWERS:
        row = row_of(raw, pin=f"mean {pinned}")
        assert (row.verdict is Verdict.KNOWN) == (pinned == said), pinned
        assert row.observed == said, "what was observed is told, whatever is pinned"
        if pinned == said:
            assert row.note == "it cannot count"
        elif verdict is not Verdict.UNSTABLE:
            assert row.note == f"the sheet pins {pinned}: it changed"


def test_what_differs_from_machine_to_machine_is_left_out_of_a_pin_and_nothing_else() -> None:
    def verdict(text: str) -> Verdict:
        return row_of({"error": {"type": "OSError", "message": text}}, pin="mean OSError: no …, try again").verdict

    assert verdict("no /tmp/a/b, try again") is Verdict.KNOWN
    assert {verdict(text) for text in ("no /tmp/a/b", "none, try again", "no x, try again later")} == {Verdict.ERROR}


def test_where_nothing_is_right_no_answer_is_wrong_be_it_another_one_when_asked_again() -> None:
    undefined = replace(TIED, tags=("undefined",))
    rows = [row_of(raw, case=undefined) for raw, _ in ANSWERS.values()]
    assert {(row.verdict, row.expected) for row in rows} == {(Verdict.UNDEFINED, None)}


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        (0.0, True),
        (0.5, True),
        (0.25, True),
        (0.3, True),
        (-0.001, False),
        (0.501, False),
        (1.0, False),
        (-0.5, False),
        ("nan", False),
        ("inf", False),
        ("-inf", False),
        (0.5 + 1e-8, False),
    ],
)
def test_where_no_order_of_ties_is_claimed_a_number_holds_between_the_worst_order_and_the_best(
    value: object,
    holds: bool,  # noqa: FBT001 - a parameter of a test
) -> None:
    for raw in (mean(value), {"per_query": {"q1": value}, "mean": value}, {"per_query": {"q1": value}, "mean": None}):
        row = row_of(raw, "ties=unspecified")
        assert row.verdict is (Verdict.CONVENTION if holds else Verdict.UNEXPLAINED)
        assert row.conventions == (("ties=unspecified",) if holds else ())
        assert (row.query, row.expected) == (None if raw["mean"] is not None else "q1", 0.0)
        assert row.observed == str(value)
