"""A session with a function: whatever becomes of its processes, of what it was asked in part and of its limits, each answer is its own."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from processes import gone

from rankproof.calling.call_candidates import Source
from rankproof.calling.call_forms import RANKED, TORCHMETRICS
from rankproof.calling.targets import BadFunction
from rankproof.cases.inputs import Input
from rankproof.isolating.call_sessions import NOT_ASKED, Session
from rankproof.isolating.child_process import Call, Child, can_fork, nothing_left
from rankproof.isolating.in_process import Here
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure

DATA = Input(qrels=(("q1", "a", 1), ("q1", "b", 0)), run=(("q1", "a", 0.75, 1), ("q1", "b", 0.5, 2)))
OTHER = replace(DATA, qrels=(("q1", "a", 0), ("q1", "b", 0)))
HALF = Answered({"q1": 0.5}, None)
PATIENT = Limits(question=60.0)
HURRIED = replace(PATIENT, question=0.1, first=0.1)
"""For functions that never answer."""
LATE = Failure("timeout", "no answer within 0.1 s")
IN_VAIN = Failure("timeout", NOT_ASKED)


def session_of(function: Callable[..., Any], limits: Limits = PATIENT) -> Session:
    return Session(Source("mine:f", parse("P"), RANKED, function), limits)


def half(ranked_rels: list[int]) -> float:
    return sum(ranked_rels) / 2


def is_killed(ranked_rels: list[int]) -> float:
    os.kill(os.getpid(), signal.SIGKILL)
    return len(ranked_rels)


def hangs(ranked_rels: list[int]) -> float:
    time.sleep(300 * len(ranked_rels))
    return 0.5


def comes_back_twice(ranked_rels: list[int]) -> float:
    os.fork()
    return sum(ranked_rels) / 2


def closes_all(ranked_rels: list[int]) -> float:
    os.closerange(3, 200)
    return len(ranked_rels)


def writing(line: bytes) -> Callable[..., Any]:
    """A function that writes a line to whatever is open, before it answers; without an end, it writes for ever."""

    def writes(ranked_rels: list[int]) -> float:
        for descriptor in range(3, 200):
            with contextlib.suppress(OSError):
                is_a_pair = stat.S_ISSOCK(os.fstat(descriptor).st_mode)
                while is_a_pair and os.write(descriptor, line) and not line.endswith(b"\n"):
                    pass
        return sum(ranked_rels) / 2

    return writes


@pytest.mark.parametrize(
    ("function", "answer"),
    [
        (half, HALF),
        (comes_back_twice, HALF),
        (is_killed, Failure("crash", "it ended its process by SIGKILL")),
        (hangs, LATE),
        (lambda ranked_rels: os._exit(sum(ranked_rels) - 1), Failure("crash", "it ended its process with exit code 0")),
    ],
)
def test_what_becomes_of_a_function_is_its_answer(function: Callable[..., Any], answer: Answered | Failure) -> None:
    with session_of(function, HURRIED if function is hangs else PATIENT) as session:
        assert list(session.twice([(DATA, None)])) == [(answer, None)]


FORGED = b'{"n": 1, "per_query": {"q1": 0.0}, "mean": null}\n'
"""The answer that is due, but for its value."""


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "kind"),
    [(closes_all, "crash"), (writing(FORGED), "invalid-output"), (writing(b"x" * 100_000), "invalid-output")],
)
def test_who_spoils_what_it_answers_by_is_believed_nothing(function: Callable[..., Any], kind: str) -> None:
    with session_of(function) as session:
        ((answer, again),) = session.twice([(DATA, None)])
    assert isinstance(answer, Failure)
    assert (answer.kind, again) == (kind, None)


@pytest.mark.in_turn
def test_an_input_that_was_answered_late_is_asked_at_no_other_cutoff() -> None:
    with session_of(hangs, HURRIED) as session:
        assert list(session.twice([(OTHER, 1), (OTHER, 2)])) == [(LATE, None), (IN_VAIN, None)]


@pytest.mark.in_turn
def test_no_more_is_asked_once_too_much_was_waited_in_vain() -> None:
    with session_of(hangs, replace(HURRIED, in_vain=0.15)) as session:
        found = [answer for answer, _ in session.twice([(DATA, 1), (OTHER, 1)])]
    assert found == [LATE, IN_VAIN]


def test_what_it_prints_and_leaves_running_stays_with_it(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    left = tmp_path / "left"

    def starts_and_prints(ranked_rels: list[int]) -> float:
        print("out", file=sys.stderr)  # noqa: T201 - that is the point
        started = subprocess.Popen(["sleep", "300"], start_new_session=True)
        left.write_text(str(started.pid), encoding="utf-8")
        return sum(ranked_rels) / 2

    with nothing_left(), session_of(starts_and_prints) as session:
        assert list(session.twice([(DATA, None)])) == [(HALF, None)]
        os.kill(int(left.read_text(encoding="utf-8")), 0)  # it is there
    assert gone([int(left.read_text(encoding="utf-8"))])
    assert capfd.readouterr() == ("", "")


@pytest.mark.in_turn
@pytest.mark.skipif(not can_fork(), reason="a process is forked")
@pytest.mark.parametrize("is_forked", [True, False])
def test_what_a_process_wrote_to_temporary_files_goes_with_it(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_forked: bool
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    text = "import tempfile\ndef f(ranked_rels): return float(bool(tempfile.mkdtemp()))\n"
    (modules / "rp_session_writes.py").write_text(text, encoding="utf-8")
    child = Child(Source("rp_session_writes:f", parse("P"), RANKED), PATIENT, is_forked)
    for _ in range(2):  # it may be begun once more
        child.begin()
        assert list(child.answers(0, [(DATA, None)], 30)) == [Answered({"q1": 1.0}, None)]
        assert len(list(temporary.glob("*/*"))) == 1
        child.end()
        assert list(temporary.iterdir()) == []


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules that nobody imported."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("rp_session")]:
        del sys.modules[name]


@pytest.mark.in_turn
def test_a_function_that_is_another_one_in_the_next_process_is_believed_nothing(modules: Path) -> None:
    module = modules / "rp_session_changes.py"
    module.write_text("import os\ndef f(ranked_rels): os._exit(3)\n", encoding="utf-8")
    with Session(Source("rp_session_changes:f", parse("P"), RANKED), PATIENT) as session:
        session.candidates()
        module.write_text("def f(ranked_rels, k): return 0.5\n", encoding="utf-8")
        ((answer, again),) = session.twice([(DATA, None)])
    assert (answer, again) == (Failure("crash", "it ended its process with exit code 3"), None)


def test_in_this_process_a_way_stays_what_it_was_whatever_is_imported_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once pandas is there, a series is a way, too, before those that were counted after it."""
    monkeypatch.delitem(sys.modules, "pandas", raising=False)

    def kind(ranked_rels: Any) -> float:
        of_kinds = {"list": 0.25, "ndarray": 0.5, "Series": 0.75}
        return of_kinds[type(ranked_rels).__name__] if len(ranked_rels) > 1 else 1.0

    with session_of(kind, replace(PATIENT, isolated=False)) as session:
        ways = range(len(session.candidates().targets))
        before = [next(session.twice([(DATA, None)])) for which in ways if session.chosen(which, None)]
        monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(Series=type("Series", (list,), {})))  # type: ignore[arg-type]
        session.end()
        after = [next(session.twice([(DATA, None)])) for which in ways if session.chosen(which, None)]
    assert len(set(map(repr, before))) > 1
    assert before == after


ODD = """
class Odd:
    def __call__(self, ranked_rels): return 0.5
    @property
    def __signature__(self): raise {}({!r})
f = Odd()
"""


@pytest.mark.in_turn
@pytest.mark.parametrize("error", ["SystemExit: 3", "OSError: none", "GeneratorExit: enough"])
def test_what_raises_when_it_is_looked_at_is_told_by_its_name(error: str, modules: Path) -> None:
    kind, _, why = error.partition(": ")
    name = f"rp_session_{kind.lower()}"
    (modules / f"{name}.py").write_text(ODD.format(kind, why), encoding="utf-8")
    with Session(Source(f"{name}:f", parse("P"), RANKED), PATIENT) as session, pytest.raises(BadFunction) as refused:
        session.candidates()
    assert str(refused.value) == f"{name}:f cannot be looked at ({error})"


def test_in_this_process_nothing_is_believed_after_a_late_first_call(capsys: pytest.CaptureFixture[str]) -> None:
    def late_on_nothing_relevant(ranked_rels: list[int]) -> float:
        print("out")  # noqa: T201 - nobody is to see it
        print("err", file=sys.stderr)  # noqa: T201 - as above
        if not any(ranked_rels):
            time.sleep(300)
        return sum(ranked_rels) / 2

    with session_of(late_on_nothing_relevant, replace(HURRIED, isolated=False)) as session:
        assert list(session.twice([(OTHER, None), (DATA, None)])) == [(LATE, None)] * 2
    with session_of(late_on_nothing_relevant, replace(PATIENT, isolated=False)) as session:
        assert list(session.twice([(DATA, None)])) == [(HALF, None)]
    once = Here(Source("mine:f", parse("P"), RANKED, late_on_nothing_relevant), replace(HURRIED, isolated=False))
    once.begin()
    assert list(once.answers(0, [(DATA, None), (OTHER, None), (DATA, None)], 0.1)) == [HALF, LATE, HALF], "it came back"
    assert capsys.readouterr() == ("", "")


def test_in_this_process_a_first_call_has_the_longer_one_of_two_limits() -> None:
    def is_slow(ranked_rels: list[int]) -> float:
        time.sleep(0.3)
        return sum(ranked_rels) / 2

    for first, usual in ((60, 0.05), (0.05, 60)):
        asked = Here(Source("mine:f", parse("P"), RANKED, is_slow), replace(PATIENT, first=first, isolated=False))
        asked.begin()
        assert list(asked.answers(0, [(DATA, None)], usual)) == [HALF]


@pytest.mark.parametrize(("platform", "forks"), [("linux", True), ("darwin", False)])
def test_a_process_can_be_forked_where_its_libraries_survive_it(
    platform: str, *, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(os, "fork", print, raising=False)
    assert can_fork() is forks
    monkeypatch.delattr(os, "fork")
    assert can_fork() is False


# -- what is asked in part, or hurriedly, and then something else -------------------------------------------------------


def call(*rels: int) -> Call:
    run = tuple(("q1", f"d{i}", 9.0 - i, i + 1) for i in range(len(rels)))
    return Input(tuple(("q1", f"d{i}", rel) for i, rel in enumerate(rels)), run), None


def of(value: float) -> Answered:
    return Answered({"q1": value}, None)


def total(ranked_rels: list[int]) -> float:
    return sum(ranked_rels)


@pytest.mark.in_turn
def test_what_was_left_unread_is_no_answer_to_what_is_asked_next() -> None:
    with session_of(total) as session:
        begun = session.twice([call(1), call(2), call(3)])
        assert next(begun) == (of(1.0), None)
        begun.close()
        assert list(session.twice([call(4), call(5)])) == [(of(4.0), None), (of(5.0), None)]
        assert session.anew(call(6)) == of(6.0)


@pytest.mark.in_turn
def test_who_was_asked_briefly_has_all_of_its_time_afterwards() -> None:
    def slow(ranked_rels: list[int]) -> float:
        time.sleep(0.3 * (sum(ranked_rels) > 1))
        return sum(ranked_rels)

    with session_of(slow) as session:
        brief = [said for said, _ in session.briefly([call(1), call(2)], 0.1)]
        assert brief == [of(1.0), LATE]
        assert list(session.twice([call(2), call(1), call(3)])) == [(of(2.0), None), (of(1.0), None), (of(3.0), None)]


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
        asked = [(call(*rels)[0], k) for rels, k in (((0, 1), 1), ((1, 1), 2), ((0, 0), 3))]
        assert [said for said, _ in session.twice(asked)] == [Answered(None, value) for value in (0.0, 1.0, 0.0)]
    assert (given.top_k, given.rows) == (2, [(0, 9.0, 1.0)])
