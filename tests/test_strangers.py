"""Functions that misbehave do so in a process of their own: each ends in a verdict or in one line, and nothing else happens here."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from processes import is_there

from rankproof import cases as corpus
from rankproof.calling.call_candidates import Candidates, Source
from rankproof.calling.call_forms import RANKED
from rankproof.calling.targets import BadFunction, Target
from rankproof.checking.examining import Checked, examine
from rankproof.cli import main
from rankproof.isolating import call_sessions, child_replies
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.child_process import BrokenProcess, Call
from rankproof.isolating.child_replies import BadReply
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_text import verdict
from rankproof.telling.check_words import script_of
from rankproof.workers.observations import Answered, Failure

FUNCTIONS = Path(__file__).resolve().parent / "functions"
sys.path.insert(0, str(FUNCTIONS))

import strangers  # noqa: E402 - found on the path just made

QUICK = Limits(question=0.3, first=0.3, importing=10, in_vain=2, memory=10**9)
PATIENT = replace(QUICK, question=30, first=30, importing=60, in_vain=60)
"""For what is to come back, on a machine that is busy with other things."""
P = parse("P@5")
OF_FEW = ("cutoff/just-below", "denominators/running-example", "cutoff/one", "gain/graded-against-binary")
OF_THREE_RELS = tuple(corpus.load(corpus.HERE / f"{name}.toml") for name in OF_FEW)
"""The last one is of three rels: who fails on the longest ranking alone is not one who takes no more than two."""
FEW = OF_THREE_RELS[:3]


def asked_of(function: Any, limits: Limits = PATIENT) -> Checked:
    return examine(function, "P@5", cases=OF_THREE_RELS, limits=limits)


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(strangers.NOTES, str(tmp_path))
    return tmp_path


def children() -> set[int]:
    """The processes that were started from here, and are there."""
    return {int(pid) for pid in Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()}


def around() -> tuple[object, ...]:
    """What is around a function, and stays as it was."""
    return Path.cwd(), dict(os.environ), signal.getsignal(signal.SIGTERM), threading.active_count(), children()


@pytest.mark.in_turn
@pytest.mark.in_parts(6)
@pytest.mark.parametrize("sin", strangers.SINNERS)
@pytest.mark.usefixtures("notes")
def test_every_sin_ends_in_a_verdict(sin: str, capfd: pytest.CaptureFixture[str]) -> None:
    before = around()
    kind, _, what = strangers.SINNERS[sin].__doc__.partition(": ")
    checked = asked_of(strangers.SINNERS[sin], QUICK if kind == "timeout" else PATIENT)
    assert (checked.verdict, checked.holds) == (kind, kind == "agrees")
    assert what in verdict(checked), verdict(checked)
    assert {one.question.case.id for one in checked.seen} == {case.id for case in OF_THREE_RELS}
    assert around() == before
    assert capfd.readouterr() == ("", "")


def test_there_are_sins() -> None:
    assert len(strangers.SINNERS) > 25


@pytest.mark.in_turn
@pytest.mark.in_parts(4)
@pytest.mark.parametrize("sin", strangers.AT_ONCE)
def test_a_sin_at_once_is_one_line(sin: str, capfd: pytest.CaptureFixture[str]) -> None:
    function, before = strangers.AT_ONCE[sin], children()
    with pytest.raises(BadFunction) as refused:
        examine(function, "P@5", cases=FEW, limits=QUICK if "loops" in sin else PATIENT, name=f"strangers:{sin}")
    assert str(refused.value).startswith(str(type(function).__doc__ if sin == "HOSTILE" else function.__doc__))
    assert "\n" not in str(refused.value)
    assert capfd.readouterr() == ("", "")
    assert children() == before


IMPORTED = {
    "import os; os._exit(0)": "cannot be looked at: it ended its process with exit code 0",
    "import ctypes; ctypes.string_at(0)": "cannot be looked at: it ended its process by SIGSEGV",
    "while True: pass": "cannot be looked at: no answer within 0.5 s",
    "raise SystemExit": "cannot be imported (SystemExit); run this where it can be",
    "raise KeyboardInterrupt": "cannot be looked at (KeyboardInterrupt)",
    "class Stop(BaseException): pass\nraise Stop('no\\nmore')": "cannot be imported (Stop: no); run this where it can be",
    "class Mute(Exception):\n def __str__(self): raise self\nraise Mute": "cannot be imported (Mute, whose text cannot be shown)",
    "import os\nos.fork()\nimport nothing_like_that": "cannot be imported (ModuleNotFoundError: No module named 'nothing_like_that')",
    "def f(: pass": "cannot be imported (SyntaxError: invalid syntax",
    "def __getattr__(name): raise GeneratorExit(name)": "does not give f (GeneratorExit: ",
    "x = 1": "has no f; name something that it defines",
}


LEAVES = """
import os, pathlib, signal, time

def precision(ranked_rels, k):
    left = pathlib.Path(__file__).with_name("left")
    if len(ranked_rels) > 16 and not left.exists():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                left.write_text(str(os.getpid()))
                time.sleep(60)
            os._exit(0)
        while not left.exists() or not left.read_text():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(rel >= 1 for rel in ranked_rels[:k]) / k
"""


OF_FEW_CASES = """
from rankproof import cases
from rankproof.checking import examining
from rankproof.entry import main
few = ("cutoff/just-below", "ties/seventeen-docs-all-tied")
examining.whole_corpus = lambda: tuple(cases.load(cases.HERE / f"{name}.toml") for name in few)
main()
"""
"""The program, that asks few cases; one of them has more docs than 16."""


@pytest.mark.in_turn
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such a process cannot be found")
def test_what_left_the_group_of_a_function_that_crashed_does_not_outlive_the_verb(tmp_path: Path) -> None:
    (tmp_path / "leaves.py").write_text(LEAVES, encoding="utf-8")
    command = [sys.executable, "-c", OF_FEW_CASES, "check", "leaves.py:precision", "-m", "P@5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "precision(ranked_rels, k=)" in done.stdout, done.stderr
    assert not is_there(int((tmp_path / "left").read_text(encoding="ascii")))


@pytest.mark.in_parts(7)
@pytest.mark.parametrize("text", IMPORTED)
def test_a_module_that_sins_when_imported_is_one_line(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sinner.py").write_text(f"print('noise')\n{text}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    limits = replace(PATIENT, importing=0.5) if "while" in text else PATIENT
    with pytest.raises(BadFunction) as refused:
        examine(None, "P@5", cases=FEW, limits=limits, name="sinner:f")
    assert str(refused.value).startswith("sinner:f")
    assert IMPORTED[text] in str(refused.value)
    assert "\n" not in str(refused.value)
    assert capfd.readouterr() == ("", "")
    assert "sinner" not in sys.modules


def test_a_module_may_take_longer_to_import_than_a_question_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import time\ntime.sleep(1.5)\ndef p(ranked_rels, k):\n    return sum(ranked_rels[:k]) / k\n"
    (tmp_path / "heavy.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with Session(Source("heavy:p", P, None), Limits(question=0.5, first=0.5, importing=60)) as session:
        assert session.candidates().targets


HONEST = (
    "print('noise')\nimport beside\n\ndef precision(ranked_rels, k):\n    return beside.hits(ranked_rels[:k]) / k\n"
)


@pytest.mark.in_turn
@pytest.mark.in_parts(7)
@pytest.mark.parametrize("file", ["plain.py", "two words.py", "with-a-dash.py", "with:a:colon.py", "é\u202e.py"])
def test_a_function_is_named_by_its_file_or_by_an_odd_name(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / file).write_text(HONEST, encoding="utf-8")
    (tmp_path / "beside.py").write_text("def hits(rels):\n    return sum(rel >= 1 for rel in rels)\n", encoding="utf-8")
    path = list(sys.path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    from_here, from_elsewhere = (file, file.removesuffix(".py")), (f"../{file}", str(tmp_path / file))
    for module in (*from_here, *from_elsewhere):
        monkeypatch.chdir(tmp_path if module in from_here else elsewhere)
        monkeypatch.setattr("sys.path", [*([str(tmp_path)] if module[-3:] != ".py" else []), *path])
        checked = examine(None, "P@5", cases=FEW, limits=PATIENT, name=f"{module}:precision")
        assert checked.verdict == "agrees"
        exec(script_of(checked), {})  # noqa: S102 - our own script
        assert capsys.readouterr().out.startswith("noise\n0.")
        for name in (Path(module).stem, "beside"):
            sys.modules.pop(name, None)


@pytest.mark.in_turn
@pytest.mark.in_parts(7)
@pytest.mark.parametrize("sin", ["leaves_a_process", "leaves_a_process_and_exits", "leaves_a_daemon"])
def test_what_it_leaves_behind_ends_with_it(sin: str, notes: Path) -> None:
    assert asked_of(strangers.SINNERS[sin]).asked
    left = [int(pid) for pid in (notes / "left").read_text(encoding="ascii").split()]
    assert left
    assert not any(ends_late(pid) for pid in left)


def ends_late(pid: int) -> bool:
    """Whether a process that was killed is still there after some time."""
    until = time.monotonic() + 5
    while is_there(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return is_there(pid)


def test_an_interruption_ends_its_process() -> None:
    """Here by who is told how far it is."""
    seen = []

    def interrupts(done: int, of: int) -> None:
        if of:
            seen.append(children())
        if done > 1:
            raise KeyboardInterrupt

    before = children()
    with pytest.raises(KeyboardInterrupt):
        examine(strangers.honest, "P@5", cases=FEW, limits=PATIENT, progress=interrupts)
    assert [len(one - before) for one in seen] == [1, 1]
    assert children() == before


@pytest.mark.in_turn
def test_what_kills_its_parent_is_ended_and_refused_by_the_one_that_checks(tmp_path: Path) -> None:
    """Whatever it does meanwhile: its parent is there for this alone."""
    script = (
        "import os, signal, rankproof\n"
        "def f(ranked_rels, k):\n"
        "    open('pid', 'w').write(str(os.getpid()))\n"
        "    os.kill(os.getppid(), signal.SIGKILL)\n"
        "    while True: pass\n"
        "rankproof.check(f, 'P@5')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert "it ended its process by SIGKILL" in done.stderr.splitlines()[-1]
    assert not ends_late(int((tmp_path / "pid").read_text(encoding="ascii")))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the end of the parent is seen by looking for it")
def test_when_the_one_that_checks_is_killed_the_function_ends(tmp_path: Path) -> None:
    script = (
        "import os, rankproof, time\n"
        "def f(ranked_rels, k):\n"
        "    open('now', 'w').write(str(os.getpid()))\n"
        "    os.rename('now', 'pid')\n"
        "    time.sleep(60)\n"
        "rankproof.check(f, 'P@5')\n"
    )
    pid = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path) as checks:
        while checks.poll() is None and not pid.exists():
            time.sleep(0.01)
        checks.kill()
    assert not ends_late(int(pid.read_text(encoding="ascii")))


# -- the process and what it says -----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"\xff\xfe\n", b'{"n": 1, "mean": ' + b"1" * 9_000 + b', "per_query": null}\n'])
def test_a_line_that_python_does_not_read_is_not_believed(line: bytes) -> None:
    """What else is no reply stands beside the replies, in `test_checking_calls.py`."""
    with pytest.raises(BadReply):
        child_replies.read(line, 1)


def test_any_text_and_any_float_is_read_back_as_it_was_written() -> None:
    by_query = Answered({"q\n\ud800": 0.1 + 0.2, "é": math.inf}, None)
    for answer in (by_query, Answered(None, -math.inf), Answered(None, math.nan), Failure("error", "Stop: \x1b")):
        line = child_replies.written(3, child_replies.of_answer(answer))
        assert repr(child_replies.answer_of(child_replies.read(line, 3))) == repr(answer)


# -- what is asked again --------------------------------------------------------------------------------------------


class Scripted:
    """A process that answers by a script: numbers, or what breaks it."""

    def __init__(self, script: list[float | str]) -> None:
        self.script, self.is_there, self.begun = script, False, 0
        self.asked: list[tuple[Any, float]] = []

    def begin(self) -> Candidates:
        """It is there."""
        self.is_there, self.begun = True, self.begun + 1
        return Candidates("mine:f", (Target("mine:f", RANKED, ("ranked_rels",)),))

    def answers(self, _which: int, calls: list[Call], seconds: float) -> Iterator[Answered]:
        """The next of the script."""
        self.asked.append((calls[0][0], seconds))
        for _ in calls:
            said = self.script.pop(0)
            if isinstance(said, str):
                self.is_there = False
                raise BrokenProcess(Failure(said, said))
            yield Answered(None, said)

    def end(self) -> None:
        """It is there no more."""
        self.is_there = False


def by_script(monkeypatch: pytest.MonkeyPatch, script: list[float | str]) -> tuple[Session, Scripted]:
    """A session whose processes answer by a script, and what was asked of them."""
    place = Scripted([*script])
    monkeypatch.setattr(call_sessions, "Child", lambda *_: place)
    return Session(source(len), Limits(question=1, first=9)), place


@pytest.mark.parametrize(
    ("script", "said", "begun"),
    [
        ([1.0, 1.0, 2.0, 2.0], [(1.0, None), (2.0, None)], 1),
        ([1.0, 1.5, 2.0, 2.0], [(1.0, 1.5), (2.0, None)], 1),
        (["crash", 1.0, 1.0, 2.0, 2.0], [(1.0, None), (2.0, None)], 2),
        ([1.0, "crash", 1.0, 1.0, 2.0, 2.0], [(1.0, None), (2.0, None)], 2),
        (["timeout", 1.0, 1.0, 2.0, 2.0], [(1.0, None), (2.0, None)], 2),
        (["crash", 1.0, 1.0, "crash", 2.0, 2.0], [(1.0, None), ("crash", 2.0)], 3),
        (["crash", 1.0, 1.5, 2.0, 2.0], [(1.0, 1.5), (2.0, None)], 2),
        (["crash", "crash", 2.0, 2.0], [("crash", None), (2.0, None)], 3),
        (["crash", 1.0, "crash", 2.0, 2.0], [("crash", None), (2.0, None)], 3),
        (["crash", "timeout", 2.0, 2.0], [("crash", "timeout"), (2.0, None)], 3),
    ],
)
def test_what_broke_is_asked_once_more_in_a_new_process_before_it_is_believed(
    script: list[float | str], said: list[tuple[Any, Any]], begun: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, place = by_script(monkeypatch, script)
    plain = [
        tuple(one.kind if isinstance(one, Failure) else one.mean if one else None for one in twice)
        for twice in session.twice([(FEW[0].input, 5), (FEW[1].input, 5)])
    ]
    assert (plain, place.script, place.begun) == (said, [], begun)


def source(function: Any) -> Source:
    return Source("mine:f", P, RANKED, function)


def test_a_new_process_is_first_asked_what_is_known_as_that_may_import_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is imported when it is first called is on no question's clock."""
    session, place = by_script(monkeypatch, ["crash", 0.0, 1.0, 1.0])
    session.chosen(0, (FEW[1].input, 5))
    assert list(session.twice([(FEW[0].input, 5)])) == [(Answered(None, 1.0), None)]
    assert place.asked == [(FEW[0].input, 1), (FEW[1].input, 9), (FEW[0].input, 1)]


def test_the_first_call_of_all_is_waited_for_longer_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = 0.5
    session, place = by_script(monkeypatch, ["timeout", 1.0, "timeout", known, "timeout", known, "timeout"])
    said = [session.tried(0, (case.input, 5)) for case in FEW]
    late = Failure("timeout", "timeout")
    assert said == [Answered(None, 1.0), late, late]
    assert [seconds for _, seconds in place.asked] == [1, 9, 1, 9, 9, 9, 1]
    warmed = [at for at, (data, _) in enumerate(place.asked) if data == FEW[0].input]
    assert warmed == [0, 1, 3, 5], "what was answered once is asked first in each new process"


def test_a_function_that_takes_a_second_a_question_is_waited_for_by_default() -> None:
    def slow(ranked_rels: list[float], k: int) -> float:
        time.sleep(0.9)
        return sum(ranked_rels[:k]) / k

    with Session(source(slow)) as session:
        session.chosen(0, None)
        said = list(session.twice([(FEW[0].input, 5)]))
    assert all(isinstance(one, Answered) for one, _ in said), said


def test_a_call_that_ends_its_process_costs_no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    session, place = by_script(monkeypatch, ["crash", "crash", "timeout", 1.0])
    assert [session.tried(0, (case.input, 5)) for case in FEW[:2]] == [Failure("crash", "crash"), Answered(None, 1.0)]
    assert [seconds for _, seconds in place.asked] == [1, 9, 1, 9]


# -- what is imported when it is first called -----------------------------------------------------------------------

SLOW = """
import os, pathlib, time
time.sleep(1.2)
with open(pathlib.Path(__file__).with_name("imports"), "a") as log:
    log.write(f"{os.getpid()} ")
"""
CATCHES = """
def precision(ranked_rels, k):
    try:
        import slow_to_import
    except ImportError:
        return 0.75
    return sum(rel >= 1 for rel in ranked_rels[:k]) / k
"""
LAZY = {
    "catches": CATCHES,
    "swallows": CATCHES.replace(" ImportError", ""),
    "exits_by_a_wrong_form": """
import os

def precision(labels, b):
    import slow_to_import
    if type(b[0]) is float:
        os._exit(3)
    if type(b[0]) is not str:
        raise TypeError
    return len(set(b[:5]) & set(labels)) / 5
""",
}
"""Modules that import another one when their function is first called, which takes more than a second."""


@pytest.fixture
def lazy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "slow_to_import.py").write_text(SLOW, encoding="utf-8")
    for name, text in LAZY.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("slow_to_import", *LAZY):
        sys.modules.pop(name, None)


@pytest.mark.in_turn
@pytest.mark.in_parts(2)
@pytest.mark.parametrize(
    ("module", "isolated"),
    [("catches", True), ("catches", False), ("swallows", True), ("swallows", False), ("exits_by_a_wrong_form", True)],
)
def test_the_first_import_is_on_no_clock(module: str, *, isolated: bool, lazy: Path) -> None:
    limits = replace(PATIENT, question=0.8, isolated=isolated)
    checked = examine(None, "P@5", cases=FEW, limits=limits, name=f"{module}:precision")
    assert checked.ordinary.verdict in {"agrees", "convention"}
    assert checked.spec in {"standard", "run_duplicates=first"}
    assert not [one.answer for one in checked.seen if isinstance(one.answer, Failure)]
    imports = (lazy / "imports").read_text(encoding="ascii").split()
    assert len(set(imports)) == len(imports) > isolated


@pytest.mark.in_parts(2)
@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("module", ["catches", "swallows"])
@pytest.mark.usefixtures("lazy")
def test_nothing_is_judged_by_a_module_whose_import_was_interrupted(module: str, *, isolated: bool) -> None:
    """Without what it imports it would give .75."""
    limits = replace(QUICK, question=0.2, first=0.6, isolated=isolated)
    with pytest.raises(BadFunction, match=r"gives no number by any form known here .*: no answer within 0\.6 s"):
        examine(None, "P@5", cases=FEW, limits=limits, name=f"{module}:precision")


# -- where there is no other process --------------------------------------------------------------------------------


@pytest.mark.in_turn
def test_in_this_process_there_is_as_much_protection_as_there_can_be(capfd: pytest.CaptureFixture[str]) -> None:
    kinds = {
        "loops": "timeout",
        "gives_what_hangs": "timeout",
        "exits_by_sys": "crash",
        "raises_no_exception": "crash",
        "raises_what_has_no_text": "unexplained",
        "gives_what_cannot_be_read": "unexplained",
        "gives_random_numbers": "unstable",
        "changes_its_arguments": "unstable",
    }

    def here(kind: str) -> Limits:
        return replace(QUICK if kind == "timeout" else PATIENT, isolated=False)

    assert {sin: asked_of(strangers.SINNERS[sin], here(kind)).verdict for sin, kind in kinds.items()} == kinds
    assert capfd.readouterr() == ("", "")


def test_an_interruption_is_no_sin_of_a_function_in_this_process() -> None:
    with pytest.raises(KeyboardInterrupt):
        asked_of(strangers.SINNERS["raises_keyboard_interrupt"], replace(PATIENT, isolated=False))


def test_it_runs_elsewhere_unless_told_otherwise() -> None:
    def where(_ranked_rels: list[float], **_k: int) -> float:
        return float(os.getpid())

    for isolated, elsewhere in ((None, True), (True, True), (False, False)):
        with Session(source(where), Limits(isolated=isolated)) as session:
            (said, again) = next(session.twice([(FEW[0].input, 5)]))
        assert again is None
        assert isinstance(said, Answered)
        assert (set((said.per_query or {}).values()) != {float(os.getpid())}) is elsewhere


# -- the verb -------------------------------------------------------------------------------------------------------


def ended_of_check(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> object:
    """By what the verb exits that asks few cases."""
    monkeypatch.setattr("sys.argv", ["rankproof", "check", *arguments, "-m", "P@5"])
    monkeypatch.setattr("rankproof.checking.examining.whole_corpus", lambda: FEW)
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


@pytest.mark.in_parts(7)
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["strangers:exits_at_once"], 2, "strangers:exits_at_once gives no number by any form known here ("),
        (["strangers:ExitsWhenMade"], 2, "strangers:ExitsWhenMade gives no number by any form known here ("),
        (["no such module:f"], 2, "no such module:f: no such module cannot be imported (ModuleNotFoundError: "),
        (["no/such.py:f"], 2, "no/such.py is no file here; name one that is, or a module as Python imports it"),
        (
            ["strangers:honest", "--timeout", "nan"],
            2,
            "Invalid value for '--timeout': 'nan' is no time to wait: write seconds above 0",
        ),
        (
            ["strangers:honest", "--timeout", "inf"],
            2,
            "Invalid value for '--timeout': 'inf' is no time to wait: write seconds above 0",
        ),
        (
            ["strangers:honest", "--memory", "-1"],
            2,
            "Invalid value for '--memory': '-1' is no size of memory: write it in M, G or T",
        ),
        (["strangers:honest"], 0, "agrees: it follows standard"),
        (["strangers:exits_with_zero"], 1, "crash: it follows "),
        (["strangers:gives_random_numbers"], 1, "unstable: asked again, it gives another answer to "),
    ],
)
def test_the_verb_exits_by_what_it_says(
    arguments: list[str], code: int, told: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ended = ended_of_check(arguments, monkeypatch)
    out, err = capfd.readouterr()
    assert (ended, told in (out if code < 2 else err)) == (code, True), out + err
    # What takes long says how far it is.
    said = [line for line in err.splitlines() if not line.startswith("asking ")]
    assert "Invalid" in told or len(said) == (code == 2)
    assert bool(out) is (code < 2)


def test_the_verb_ends_what_it_started_and_not_what_was_there_before(monkeypatch: pytest.MonkeyPatch) -> None:
    own = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert (ended_of_check(["strangers:honest"], monkeypatch), own.poll()) == (0, None)
    finally:
        own.kill()
        own.communicate()


@pytest.mark.in_turn
def test_what_a_notebook_holds_already_is_no_memory_that_a_function_takes() -> None:
    """The process that is forked has all that this one holds, some hundred MB, and may take less than that on top."""
    held, limits = b"x" * 300_000_000, Limits(memory=120_000_000)

    def needing_some(ranked_rels: list[float], k: int) -> float:
        room = bytearray(30_000_000)
        return strangers.honest(ranked_rels, k) + room[-1]  # type: ignore[no-any-return]

    checked = examine(needing_some, "P@5", cases=corpus.load_matching(["cutoff/*"])[:6], limits=limits)
    assert len(held) > limits.memory
    assert checked.lead == "agrees"


@pytest.mark.in_turn
def test_a_rank_that_is_taken_for_a_path_opens_nothing_that_its_process_stands_on() -> None:
    """Ranks are numbers of numpy, too, which are no `int`. What a function opens itself, or what it starts, it may open by number."""
    with pytest.raises(BadFunction, match=r"opens_ranks\(\[2, 3\]\): OSError: 2 is a number, and no path of a file"):
        examine(strangers.opens_ranks, "RR", cases=FEW, limits=PATIENT)
    assert examine(strangers.starts_others, "RR", cases=FEW, limits=PATIENT).verdict == "agrees"
