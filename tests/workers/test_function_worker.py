"""Workers of user functions: every behaviour of a function is a result, affects no other result, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import called_functions
import pytest
from called_functions import MEASURE, PATIENT, CalledFunctions, data, worker_of
from processes import children, gone

from rankproof.workers.function_worker import Limits, forked_worker
from rankproof.workers.library_worker import Worker
from rankproof.workers.observations import Answered, Failure, read
from rankproof.workers.process import WorkerFailed
from rankproof.workers.subjects import Subject
from rankproof.workers.user_module import namespace_of

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"
STRANGERS = namespace_of(str(FUNCTIONS / "strangers.py"))
SINNERS, NOTES = STRANGERS["SINNERS"], STRANGERS["NOTES"]

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to the supervisor")
BOTH = pytest.mark.parametrize("transport", ["fork", "interpreter"])
QUICK = replace(PATIENT, question=0.3, first=0.3)
LONG, SHORT = data(1, 0, 1, 1, 0, 1), data(1, 0, 1)
"""A long ranking, which makes the functions of `strangers` misbehave, and a short one, which does not."""


def observed(worker: Worker, name: str, ranking: dict[str, Any], *, once: bool = True) -> tuple[Any, Any]:
    """Return the value of a function, and the value of a second call if that differs."""
    raw = worker.observe(name, ranking, [MEASURE], once=once)[MEASURE]
    observation = read("case", Subject("functions", name), MEASURE, raw)
    return observation.answer, observation.again


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the modules of a test, the notes of its functions and all temporary files."""
    for name in ("notes", "temporary"):
        (tmp_path / name).mkdir()
    # This process creates the workers' temporary folders, and other tests create folders at the same time.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


def left_running(folder: Path) -> list[int]:
    """Return the processes that a function recorded."""
    note = folder / "notes" / "left"
    return [int(pid) for pid in note.read_text(encoding="ascii").split()] if note.exists() else []


def left_files(folder: Path) -> list[Path]:
    """Return the temporary files."""
    return list((folder / "temporary").iterdir())


def surroundings() -> tuple[object, ...]:
    """Return the state of this process that a function must not change."""
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGCHLD)]
    return Path.cwd(), dict(os.environ), handlers, children(os.getpid())


SINS = [name for name in SINNERS if name != "changes_its_arguments"]
"""All functions except one: every call gets new lists, so the adapter itself must detect changed arguments."""
IN_INTERPRETER = ("honest", "segfaults", "eats_memory", "loops", "leaves_a_daemon", "prints_everywhere", "moves_away")
"""Functions of each kind; the tests of `check` run all functions in new interpreters."""


@pytest.mark.parametrize(
    ("name", "transport"), [*((name, "fork") for name in SINS), *((name, "interpreter") for name in IN_INTERPRETER)]
)
def test_misbehaving_function_fails_as_its_docstring_says_and_harms_nothing(
    name: str, transport: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kind, _, words = (SINNERS[name].__doc__ or "").partition(": ")
    before = surroundings()
    limits = QUICK if kind == "timeout" else PATIENT
    notes = {NOTES: str(folder / "notes")}
    with worker_of(transport, FUNCTIONS, "strangers", name, limits=limits, **notes) as worker:
        answer, again = observed(worker, name, LONG, once=kind != "unstable")
        assert observed(worker, name, SHORT) == (Answered(None, 0.4), None) or "nothing_but" in name
    if kind == "unstable":
        assert again not in {None, answer}
    elif kind == "agrees":
        assert (answer, again) == (Answered(None, 0.6), None)
    else:
        assert isinstance(answer, Failure)
        assert (answer.kind, again) == ("error" if kind == "unexplained" else kind, None)
        expected = re.search(r"exit code \d|SIG[A-Z]+|raises [A-Z]\w+(: [\w ]+(?= on))?|cannot be shown", words)
        assert kind in {"timeout", "memory", "unexplained"} or expected is None or expected[0] in answer.text
    assert gone(left_running(folder), 5)
    assert (surroundings(), left_files(folder)) == (before, [])
    assert capfd.readouterr() == ("", "")


@BOTH
@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("import os; os._exit(0)", "crash", "exit code 0"),
        ("import ctypes; ctypes.string_at(0)", "crash", "SIGSEGV"),
        ("while True: pass", "timeout", "no answer within 0.5 s"),
        ("raise SystemExit(0)", "crash", "exit code"),
    ],
)
def test_module_that_misbehaves_when_imported_is_a_failure(
    text: str, kind: str, words: str, transport: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "rp_sinner.py").write_text(f"print('noise')\n{text}\n", encoding="utf-8")
    limits = replace(PATIENT, importing=0.5) if kind == "timeout" else PATIENT
    with (
        worker_of(transport, folder, "rp_sinner", "f", limits=limits) as worker,
        pytest.raises(WorkerFailed, match=words) as failed,
    ):
        worker.hello()
    assert failed.value.kind == kind
    assert "rp_sinner" not in sys.modules
    assert capfd.readouterr() == ("", "")


SLOW = """'''The docstring.'''
import os, time
os.fork()  # both processes return from the import
time.sleep(0.4)
called = []

def slow(rels, k):
    called or time.sleep(0.4)
    called.append(1)
    time.sleep(60 * (rels == [1]))
    return len(rels)
"""


@BOTH
def test_import_and_first_call_may_take_longer_than_other_calls(transport: str, folder: Path) -> None:
    (folder / "rp_slow.py").write_text(SLOW, encoding="utf-8")
    limits = Limits(question=0.3, first=20, importing=20)
    with worker_of(transport, folder, "rp_slow", "slow", limits=limits) as worker:
        assert worker.hello()["about"] == {"doc": "The docstring."}
        for calls in (1, 2):
            assert observed(worker, "slow", data(1, 2, 3)) == (Answered(None, 3.0), None)
            assert worker.report == {"calls": calls}
        began = time.monotonic()
        assert observed(worker, "slow", data(1))[0].kind == "timeout"
        assert time.monotonic() - began < 10, "a new process needs about as long as the first"
        assert worker.report == {}


DAEMON = """
import os, pathlib, signal, tempfile, time

def leave_a_daemon():
    left = pathlib.Path(os.environ["RANKPROOF_STRANGERS_NOTES"], "left")
    tempfile.mkdtemp()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with left.open("a") as note:
                note.write(f"{os.getpid()} ")
            time.sleep(60)
        os._exit(0)
    os.wait()
    while not left.exists() or not left.read_text():
        time.sleep(0.01)

def kills_parent(rels, k):
    leave_a_daemon()
    os.kill(os.getppid(), signal.SIGKILL)
    while True: pass

def hangs(rels, k):
    leave_a_daemon()
    time.sleep(60)
"""


@LINUX
@BOTH
def test_function_that_kills_its_parent_leaves_nothing_behind(transport: str, folder: Path) -> None:
    (folder / "rp_daemon.py").write_text(DAEMON, encoding="utf-8")
    notes = {NOTES: str(folder / "notes")}
    with worker_of(transport, folder, "rp_daemon", "kills_parent", **notes) as worker:
        answer, _ = observed(worker, "kills_parent", LONG)
    assert (answer.kind, answer.text) == ("crash", "the process ended by SIGKILL")
    assert left_running(folder)
    assert gone(left_running(folder), 5)
    assert left_files(folder) == []


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from called_functions import data, worker_of
worker_of(sys.argv[3], Path(sys.argv[2]), "rp_daemon", "hangs").observe("hangs", data(1, 0), ["P@5"])
"""


@LINUX
@BOTH
def test_nothing_is_left_when_rankproof_is_killed(transport: str, folder: Path) -> None:
    (folder / "rp_daemon.py").write_text(DAEMON, encoding="utf-8")
    support = str(Path(called_functions.__file__).parent)
    environment = os.environ | {NOTES: str(folder / "notes"), "TMPDIR": str(folder / "temporary")}
    with subprocess.Popen([sys.executable, "-c", KILLED, support, str(folder), transport], env=environment) as main:
        until = time.monotonic() + 60
        while not left_running(folder) and main.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        below = children(main.pid)
        main.kill()
    assert len(below) >= 2
    assert gone([*below, *left_running(folder)], 10)
    while left_files(folder) and time.monotonic() < until:
        time.sleep(0.01)
    assert left_files(folder) == []


OTHERS = """
import os, pathlib, tempfile
import strangers

class Number:
    def __init__(self, value): self.value = value
    def __index__(self): return self.value
    def __str__(self): return str(self.value)

def opens_descriptors(rels, k):
    return len(open(Number(rels[0])).read())

def starts_others(rels, k):
    return strangers.starts_others(rels[0])

def writes_files(rels, k):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "file").write_text("text")
    return len(list(folder.parent.glob("*/file")))

def replies_itself(rels, k):
    for descriptor in range(3, 100):
        try:
            os.write(descriptor, b'{"seq": 1}\\n')
        except OSError:
            pass

def seed(rels, k):
    return float(os.environ["PYTHONHASHSEED"])
"""


@BOTH
def test_function_reaches_neither_the_pipes_of_its_process_nor_the_users_temporary_files(
    transport: str, folder: Path
) -> None:
    (folder / "rp_others.py").write_text(OTHERS, encoding="utf-8")
    names = ("opens_descriptors", "starts_others", "writes_files", "replies_itself", "seed")
    environment = {"PYTHONPATH": str(FUNCTIONS), "PYTHONHASHSEED": "7"}
    with worker_of(transport, folder, "rp_others", *names, **environment) as worker:
        for rank in (0, 2, 3, 4):
            answer, _ = observed(worker, "opens_descriptors", data(rank))
            assert answer == Failure("error", f"OSError: {rank} is a number, not the path of a file")
        assert observed(worker, "starts_others", data(2)) == (Answered(None, 0.5), None)
        for files in (1, 2):
            assert observed(worker, "writes_files", data(1)) == (Answered(None, files), None)
        assert len(list(folder.glob("temporary/*/*"))) == 2
        if transport == "interpreter":  # a fork inherits the files of the test run, into which no test should write
            assert observed(worker, "replies_itself", data(1))[0].kind == "invalid-output"
            assert observed(worker, "seed", data(1)) == (Answered(None, 7.0), None)
    assert left_files(folder) == []


def test_fork_may_take_its_memory_in_addition_to_what_this_process_has() -> None:
    held, limits = b"x" * 100_000_000, replace(PATIENT, memory=60_000_000)

    class Needing(CalledFunctions):
        def observe(self, *_: Any) -> tuple[None, Any]:
            time.sleep(0.5)  # the supervisor checks a few times
            return None, len(bytearray(10_000_000)) + len(held)

    with forked_worker(Needing(str(FUNCTIONS), "strangers", ["f"], {}), limits) as worker:
        assert observed(worker, "f", LONG) == (Answered(None, 110_000_000), None)


def test_fork_ends_at_once_though_a_later_fork_has_its_files() -> None:
    with (
        worker_of("fork", FUNCTIONS, "strangers", "honest") as first,
        worker_of("fork", FUNCTIONS, "strangers", "honest") as second,
    ):
        for worker in (first, second):
            assert observed(worker, "honest", SHORT) == (Answered(None, 0.4), None)
        began = time.monotonic()
        first.end()
        assert time.monotonic() - began < 0.9, "it was not killed after a second"
        assert observed(second, "honest", SHORT) == (Answered(None, 0.4), None)


def test_process_of_a_function_imports_little() -> None:
    program = "import sys, rankproof.workers.function_process; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"psutil", "rich", "click", "numpy", "jsonschema_rs", "tempfile", "socket"}.isdisjoint(done.stdout.split())
