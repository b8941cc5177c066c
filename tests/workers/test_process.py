"""Processes of workers: requests and replies of any size and speed, crashes, stderr, and no process that outlives them."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from processes import children, gone

from rankproof.workers.library_worker import TIMEOUT, Worker
from rankproof.workers.process import KEPT, LONGEST, Interrupted, WorkerFailed, start_program

ADAPTER = Path(__file__).resolve().parent.parent / "miniatures" / "miniatures_adapter.py"
TIED = {
    "qrels": [["q1", "a", 1]],
    "run": [["q1", "a", 1.0, 1], ["q1", "b", 1.0, 2]],
    "empty_in_qrels": [],
    "empty_in_run": [],
}
UNTIED = {**TIED, "run": [["q1", "a", 2.0, 1], ["q1", "b", 1.0, 2]]}


def test_worker_is_interrupted_while_it_waits_for_a_reply() -> None:
    stop = threading.Event()
    with Worker(ADAPTER, stop=stop) as worker:
        worker.hello()
        threading.Timer(0.1, stop.set).start()
        started = time.monotonic()
        with pytest.raises(Interrupted):
            worker.observe("hangs_on_ties", TIED, ["P@1", "AP"])
        with pytest.raises(Interrupted):
            worker.observe("honest", UNTIED, ["P@1"])
    assert time.monotonic() - started < TIMEOUT / 2, "it waited, noticed it, and ended the process"


# -- requests and replies ----------------------------------------------------------------------------------------------


def running(tmp_path: Path, body: str) -> Worker:
    """Return a worker whose adapter runs these lines for each `observe`; they may use `request` and `reply`."""
    hello = {"protocol": 1, "library": "tiny", "version": "1", "variants": {"v": ""}, "measures": {"v": ["AP", "RR"]}}
    program = tmp_path / "tiny.py"
    program.write_text(
        "import json, os, sys, time\n"
        "def reply(**content): print(json.dumps(dict(content, seq=request['seq'])), flush=True)\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n    op = request['op']\n"
        f"    if op == 'hello':\n        reply(**{hello!r})\n"
        f"    elif op == 'observe':\n{body}\n"
        "    else:\n        reply()\n",
        encoding="utf-8",
    )
    return Worker(program, timeout=20, command=[sys.executable, str(program)])


ANSWERED = {"per_query": None, "mean": 1}
ONE = "        reply(answers={m: {'per_query': None, 'mean': 1} for m in request['measures']})"


def test_missing_interpreter_is_a_crash() -> None:
    why = r"^/no/python cannot be started: No such file or directory$"
    with Worker(ADAPTER, python="/no/python") as worker, pytest.raises(WorkerFailed, match=why) as caught:
        worker.hello()
    assert caught.value.kind == "crash"


def test_process_that_does_not_read_a_request_times_out(tmp_path: Path) -> None:
    large = {**UNTIED, "run": [["q1", f"doc{n}", 1.0, n] for n in range(20_000)]}
    deaf = tmp_path / "deaf.py"
    deaf.write_text("import time\ntime.sleep(60)\n")
    process = start_program([sys.executable, "-S", str(deaf)], 0, {})
    started = time.monotonic()
    with pytest.raises(WorkerFailed, match=r"no answer within 0.5 s"):
        process.exchange(json.dumps(large).encode() + b"\n", 0.5)
    assert time.monotonic() - started < TIMEOUT / 4


def test_long_request_and_reply_are_exchanged(tmp_path: Path) -> None:
    body = (
        "        ranks = {row[1]: row[3] for row in request['input']['run']}\n"
        "        reply(answers={m: {'per_query': ranks, 'mean': 1} for m in request['measures']})"
    )
    large = {**UNTIED, "run": [["q1", f"doc{n}", 1.0, n] for n in range(20_000)]}
    with running(tmp_path, body) as worker:
        answer = worker.observe("v", large, ["AP"], once=True)["AP"]
    assert answer["per_query"] == {f"doc{n}": n for n in range(20_000)}


@pytest.mark.parametrize("length", [LONGEST - 1_000_000, LONGEST + 1_000_000])
def test_reply_may_be_32_mb_long(length: int, tmp_path: Path) -> None:
    body = f"        print(' ' * {length}, end='')\n{ONE}"
    with running(tmp_path, body) as worker:
        answer = worker.observe("v", UNTIED, ["AP"], once=True)["AP"]
    too_long = {"failed": "invalid-output", "message": "the reply is longer than 32 MB"}
    assert answer == (ANSWERED if length < LONGEST else too_long)


def test_process_that_the_system_cannot_start_is_a_crash() -> None:
    with pytest.raises(WorkerFailed, match=r"^cannot start a process: .*Argument list too long") as failed:
        start_program(["node", "x" * 10_000_000], 0, {})
    assert failed.value.kind == "crash"


def test_reply_to_a_request_that_was_not_read_is_invalid(tmp_path: Path) -> None:
    hasty = tmp_path / "hasty.py"
    hasty.write_text("import time\nprint('{\"seq\": 1}', flush=True)\ntime.sleep(60)\n")
    process = start_program([sys.executable, "-S", str(hasty)], 0, {})
    with pytest.raises(WorkerFailed, match="it replied to what it had not read"):
        process.exchange(b"x" * 1_000_000, 5)


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux hands orphans on")
FAMILY = f"""
        r, w = os.pipe()
        if not os.fork():
            import signal
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.setsid()
            os.fork() or os.write(w, b'.')
            time.sleep(60)
        os.read(r, 1)
{ONE}"""
"""An adapter whose child and grandchild are in their own sessions and ignore SIGTERM."""


@LINUX
@pytest.mark.parametrize("kill", ["nobody", "the worker", "the supervisor"])
def test_no_process_outlives_its_worker(kill: str, tmp_path: Path) -> None:
    others = children(os.getpid())
    with running(tmp_path, FAMILY) as worker:
        worker.observe("v", UNTIED, ["AP"], once=True)
        top, *family = (process for process in children(os.getpid()) if process not in others)
        assert len(family) == 4, "the second supervisor, the worker, its child and grandchild"
        if kill != "nobody":
            os.kill({"the worker": family[1], "the supervisor": family[0]}[kill], signal.SIGKILL)
            assert gone([family[1]]), "a worker does not outlive its supervisor"
        worker.end()
        assert gone([top, *family])


@LINUX
def test_no_process_outlives_rankproof(tmp_path: Path) -> None:
    program = running(tmp_path, FAMILY).adapter
    program.write_text(program.read_text() + "time.sleep(60)\n")  # it ignores the end of its input
    asks = (
        "import sys; from pathlib import Path; from rankproof.workers.library_worker import Worker\n"
        f"worker = Worker(Path('x'), command=[sys.executable, {str(program)!r}])\n"
        f"worker.observe('v', {UNTIED!r}, ['AP'], once=True); print('asked', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", asks], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline() == b"asked\n"
        family = children(parent.pid)
        assert len(family) == 5, "two supervisors, the worker, its child and grandchild"
        parent.kill()
        assert gone(family)


# -- the end of stderr -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("does", "kind"),
    [
        ("os.abort()", "crash"),
        ("time.sleep(60)", "timeout"),
        ("print('nonsense', flush=True)", "invalid-output"),
        ("sys.exit(3)", "crash"),
    ],
)
def test_end_of_stderr_is_separate_from_the_message(does: str, kind: str, tmp_path: Path) -> None:
    body = f"        os.write(2, b'why\\x1b[1m it fails\\n\\xff\\n')\n        {does}"
    with running(tmp_path, body) as worker:
        worker.hello()
        worker.timeout = 0.7 if kind == "timeout" else 60
        answer = worker.observe("v", UNTIED, ["AP"])["AP"]
    assert answer["failed"] == kind
    assert answer["stderr"] == "why\\x1b[1m it fails | \ufffd"
    assert "why" not in answer["message"]


@pytest.mark.parametrize(
    ("ends", "how", "from_outside"),
    [
        ("os._exit(7)", "with exit code 7", False),
        ("os.kill(os.getpid(), 11)", "by SIGSEGV", False),
        ("os.kill(os.getpid(), 15)", "by SIGTERM", True),
        ("os.kill(os.getpid(), 9)", "by SIGKILL", True),
    ],
)
def test_process_that_ends_before_a_request_has_crashed(ends: str, how: str, *, from_outside: bool) -> None:
    process = start_program([sys.executable, "-c", f"import os; os.write(2, b'no licence'); {ends}"], 0, {})
    process.supervisor.wait()
    with pytest.raises(WorkerFailed, match=f"^the process ended {how}$") as caught:
        process.exchange(b"{}\n", 60)
    assert (caught.value.kind, caught.value.stderr) == ("crash", "no licence")
    assert caught.value.from_outside is from_outside


@pytest.mark.parametrize("said", ["", "{}", "{}\\n", "half of a li"])
def test_output_without_a_request_is_noticed(said: str) -> None:
    later = f"time.sleep(0.3); sys.stdout.write('{said}'); sys.stdout.flush(); input()"
    body = f"import sys, time; input(); print('answer', flush=True); {later}"
    process = start_program([sys.executable, "-c", body], 0, {})
    try:
        assert process.exchange(b"x\n", 60) == b"answer"
        until = time.monotonic() + 10
        while said and not process.has_output() and time.monotonic() < until:
            time.sleep(0.01)
        assert process.has_output() == bool(said)
    finally:
        process.end()


def test_stderr_is_bounded_and_belongs_to_one_request(tmp_path: Path) -> None:
    body = (
        "        print('x' * 300_000, file=sys.stderr, flush=True)\n"
        "        print(*range(100), sep='\\n', file=sys.stderr, flush=True)\n"
        "        os.abort() if 'RR' in request['measures'] else " + ONE.strip()
    )
    with running(tmp_path, body) as worker:
        said = worker.observe("v", UNTIED, ["RR"])["RR"]["stderr"]
        assert "mean" in worker.observe("v", UNTIED, ["AP"])["AP"], "a pipe that nobody reads would stop it"
    assert said == " | ".join(str(n) for n in range(90, 100))
    long = "        print('y' * 300_000, file=sys.stderr, flush=True)\n        os.abort()"
    with running(tmp_path, long) as worker:
        assert len(worker.observe("v", UNTIED, ["RR"])["RR"]["stderr"]) <= KEPT
    body = f"        os.write(2, b'old') if 'AP' in request['measures'] else os.abort()\n{ONE}"
    with running(tmp_path, body) as worker:
        worker.observe("v", UNTIED, ["AP"])
        time.sleep(0.2)
        assert "stderr" not in worker.observe("v", UNTIED, ["RR"])["RR"]
