"""A function that is asked a part of what was meant, or hurriedly, and then something else: no answer and no limit of before stays."""

import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankproof.asking.observations import Answered, Failure
from rankproof.calling.call_candidates import Source
from rankproof.calling.call_forms import RANKED, TORCHMETRICS
from rankproof.cases.inputs import Input
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.child_process import Call
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.time_limit import limited

PATIENT = Limits(question=60.0)


def session_of(function: Callable[..., Any], limits: Limits = PATIENT) -> Session:
    return Session(Source("mine:f", parse("P"), RANKED, function), limits)


def call(*rels: int) -> Call:
    rows = [(f"d{i}", rel) for i, rel in enumerate(rels)]
    return Input(
        tuple(("q1", doc, rel) for doc, rel in rows), tuple(("q1", doc, 9.0 - i, i + 1) for i, (doc, _) in enumerate(rows))
    ), None  # fmt: skip


def of(value: float) -> Answered:
    return Answered({"q1": value}, None)


def total(ranked_rels: list[int]) -> float:
    return sum(ranked_rels)


def test_what_was_left_unread_is_no_answer_to_what_is_asked_next() -> None:
    with session_of(total) as session:
        begun = session.twice([call(1), call(2), call(3)])
        assert next(begun) == (of(1.0), None)
        begun.close()
        assert list(session.twice([call(4), call(5)])) == [(of(4.0), None), (of(5.0), None)]
        assert session.anew(call(6)) == of(6.0)


def slow(ranked_rels: list[int]) -> float:
    time.sleep(0.3 * (sum(ranked_rels) > 1))
    return sum(ranked_rels)


def test_who_was_asked_briefly_has_all_of_its_time_afterwards() -> None:
    with session_of(slow) as session:
        brief = [said for said, _ in session.briefly([call(1), call(2)], 0.1)]
        assert brief == [of(1.0), Failure("timeout", "no answer within 0.1 s")]
        assert list(session.twice([call(2), call(1), call(3)])) == [(of(2.0), None), (of(1.0), None), (of(3.0), None)]


def test_a_first_call_without_end_leaves_nothing_to_be_believed_where_there_is_no_new_process(tmp_path: Path) -> None:
    """The module that it was importing may be there by half."""
    seen = tmp_path / "seen"

    def first_is_slow(ranked_rels: list[int]) -> float:
        if not seen.exists():
            seen.touch()
            time.sleep(9)
        return sum(ranked_rels)

    hurried = replace(PATIENT, question=0.1, first=0.2, isolated=False)
    with session_of(first_is_slow, hurried) as session:
        late = Failure("timeout", "no answer within 0.2 s")
        assert [session.anew(call(i)) for i in (1, 2, 3)] == [late] * 3


def test_a_time_limit_of_somebody_else_goes_on_while_calls_have_theirs() -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 30.0)
    try:
        lefts = []
        for _ in range(3):
            with limited(5.0):
                time.sleep(0.05)
            lefts.append(signal.getitimer(signal.ITIMER_REAL)[0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert all(20.0 < left < 30.0 - 0.05 * n + 0.01 for n, left in enumerate(lefts, start=1)), lefts


class Mean:
    """An object that is shown rows, and gives the share of relevant ones among the first so many of a query."""

    def __init__(self, top_k: int | None = None) -> None:
        self.top_k = top_k
        self.reset()

    def reset(self) -> None:
        """Forget all rows."""
        self.rows: list[tuple[int, float, float]] = []

    def update(self, preds: list[float], target: list[float], indexes: list[int]) -> None:
        """Be shown rows."""
        self.rows += zip(indexes, preds, target, strict=True)

    def compute(self) -> float:
        """The share."""
        best = sorted(self.rows, key=lambda row: -row[1])[: self.top_k]
        return sum(rel for *_, rel in best) / len(best)


def test_an_object_of_another_cutoff_answers_for_none() -> None:
    with Session(Source("mine:Mean", parse("P@1"), TORCHMETRICS, Mean), PATIENT) as session:
        asked = [(call(1, 0, 1)[0], k) for k in (1, 2, 3, 2)]
        values = [1.0, 0.5, 2 / 3, 0.5]
        assert list(session.twice(asked)) == [(Answered(None, value), None) for value in values]


def test_an_object_that_a_person_gave_stays_as_it_was() -> None:
    given = Mean(top_k=2)
    given.update([9.0], [1.0], [0])
    with Session(Source("", parse("P@1"), TORCHMETRICS, given), replace(PATIENT, isolated=False)) as session:
        answers = [
            said
            for said, _ in session.twice([(call(*rels)[0], k) for rels, k in (((0, 1), 1), ((1, 1), 2), ((0, 0), 3))])
        ]
    assert answers == [Answered(None, value) for value in (0.0, 1.0, 0.0)]
    assert (given.top_k, given.rows) == (2, [(0, 9.0, 1.0)])
