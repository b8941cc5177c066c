"""A process of its own for a function: started, sent calls, waited for no longer than it may take, and ended with all that it started."""

import contextlib
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from rankproof.calling.call_candidates import Candidates, Source
from rankproof.cases.inputs import Input
from rankproof.isolating import child_replies, child_side
from rankproof.isolating.limits import Limits
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.supervisor import PR_SET_CHILD_SUBREAPER, ask_kernel

if TYPE_CHECKING:
    import psutil

OTHER_SEEDS = ("1", "2")
"""What Python orders its sets of texts by; one of them is not that of this process."""
PROGRAM = "import sys; from rankproof.isolating import child_side; child_side.serve_alone(*map(int, sys.argv[1:]))"
STEP = 0.05
"""How many seconds it may take until the end of a process is seen whose children hold the socket open."""
CHUNK = 65_536
PATIENCE = 2.0
"""How many seconds a process that is told to end has for it."""
ENDING = 5.0
"""How many seconds a process has to end that closed what it answers by; on a full machine one that exits takes more than one."""
PASSES = 200
"""How often it is looked for processes that are left; who starts more all the while is not waited for."""
EMPTY_PASSES = 3
"""How often in a row none is to be found: one whose parent ends while it is looked for may be overlooked."""

Call: TypeAlias = tuple[Input, int | None]
"""An expressed input, and the cutoff."""


class BrokenProcess(Exception):
    """The process gives no more answers: it ended, took too long or said what is none; `failure` says which."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


def can_fork() -> bool:
    """Whether a process can be forked from any other: macOS' own libraries do not survive it."""
    return hasattr(os, "fork") and sys.platform != "darwin"


@contextlib.contextmanager
def nothing_left() -> Iterator[None]:
    """End what a function left that left its group and lost its parent, too; who was there before is left alone.

    On Linux alone: there it is handed to this process, and nowhere else can it be found.
    """
    before = frozenset(_all_below(os.getpid()))
    ask_kernel(PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        _kill_all_below(os.getpid(), before)
        ask_kernel(PR_SET_CHILD_SUBREAPER, 0)


@dataclass
class Child:
    """The process; once it is broken, it is ended, and another one is to be begun.

    Attributes:
        is_forked: whether it is forked from this one; else it is started anew, and sets of texts have another order in it.
    """

    source: Source
    limits: Limits
    is_forked: bool = True
    _pid: int = 0
    _link: socket.socket | None = None
    _read: bytearray = field(default_factory=bytearray)
    _due: int = 0
    _code: int | None = None
    _folder: str | None = None

    @property
    def is_there(self) -> bool:
        """Whether it can be asked."""
        return self._link is not None

    def begin(self) -> Candidates:
        """Start it, and hear what the function may be.

        Raises:
            BadFunction: it is none.
            BrokenProcess: it cannot be imported in time, or ends the process.
        """
        with contextlib.suppress(OSError):  # where nothing can be written, the function may need no file
            self._folder = tempfile.mkdtemp(prefix="rankproof-")
        self._fork() if self.is_forked else self._start()
        try:
            return child_replies.candidates_of(self._reply(self.limits.importing))
        except child_replies.BadReply as fault:
            raise self._broken("invalid-output", f"it wrote {fault} to the process that checks it") from None

    def answers(self, which: int, calls: Sequence[Call], seconds: float) -> Iterator[Answered | Failure]:
        """Its answers to calls of one of its candidates, as they come.

        Raises:
            BrokenProcess: there are no more.
        """
        self._send((which, list(calls)))
        answered = 0
        try:
            for _ in calls:
                answer = child_replies.answer_of(self._reply(seconds))
                answered += 1
                yield answer
        except child_replies.BadReply as fault:
            raise self._broken("invalid-output", f"it wrote {fault} to the process that checks it") from None
        finally:
            if answered < len(calls):  # what it has yet to say is the answer to nothing that will be asked
                self.end()

    def end(self) -> None:
        """End it, and all that it started.

        The socket is closed last: the process ends when it sees that, and whoever it started would then be nobody's.
        """
        if self._pid:
            pid, self._pid = self._pid, 0
            if self._code is None and _ended_itself(pid):
                self._code = 0
            if self._code is None:
                _kill_all_below(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            if self._code is None:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)  # it may be too young to have its group
                    os.waitpid(pid, 0)
        if self._link is not None:
            self._link.close()
            self._link = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _fork(self) -> None:
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of other threads, which the child does without
            pid = os.fork()
        if pid == 0:
            try:
                ours.close()
                child_side.supervise(theirs, self.source, self.limits.memory, self._folder, parent)
            finally:
                os._exit(0)
        theirs.close()
        self._pid, self._link, self._read, self._due, self._code = pid, ours, bytearray(), 0, None

    def _start(self) -> None:
        """Start it as a program of its own, that finds the function by its name."""
        ours, theirs = socket.socketpair()
        seed = next(seed for seed in OTHER_SEEDS if seed != os.environ.get("PYTHONHASHSEED"))
        process = subprocess.Popen(  # noqa: S603 - this interpreter, and a line of ours
            [sys.executable, "-c", PROGRAM, str(theirs.fileno()), str(os.getpid())],
            env={**os.environ, "PYTHONHASHSEED": seed},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        theirs.close()
        process.returncode = 0  # its end is waited for here, as that of one that was forked
        self._pid, self._link, self._read, self._due, self._code = process.pid, ours, bytearray(), 0, None
        source = self.source
        form = None if source.form is None else source.form.name
        told = sys.path, source.name, source.measure, form, dict(source.given), source.order
        ours.sendall(pickle.dumps((*told, self.limits.memory, self._folder)))

    def _send(self, request: object) -> None:
        if self._link is None:
            raise self._broken("crash", "it ended its process")
        self._link.settimeout(self.limits.question)
        try:
            self._link.sendall(pickle.dumps(request))
        except TimeoutError:
            raise self._broken("timeout", f"it took no question within {self.limits.question:g} s") from None
        except OSError:
            raise self._crashed() from None

    def _reply(self, seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > child_replies.LONGEST:
                raise child_replies.BadReply("a line without an end")
            self._receive(until, seconds)
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        reply = child_replies.read(line, self._due)
        self._due += 1
        return reply

    def _receive(self, until: float, seconds: float) -> None:
        """Wait for more to read, but no longer than until then."""
        if self._link is None:
            raise self._broken("crash", "it ended its process")
        left = until - time.monotonic()
        if left <= 0:
            raise self._broken("timeout", f"no answer within {seconds:g} s")
        had_ended = self._code is not None
        self._link.settimeout(min(left, STEP))
        try:
            chunk = self._link.recv(CHUNK)
        except TimeoutError:
            if had_ended:  # and what it said last was read
                raise self._crashed() from None
            self._look()
            return
        except OSError:
            chunk = b""
        if not chunk:
            raise self._crashed()
        self._read += chunk

    def _look(self) -> None:
        """See whether the process ended: what it started may hold the socket open."""
        try:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:  # somebody else took its exit code
            pid, status = self._pid, 0
        if pid:
            self._code = os.waitstatus_to_exitcode(status)

    def _crashed(self) -> BrokenProcess:
        until = time.monotonic() + ENDING
        while self._code is None and time.monotonic() < until:
            self._look()
            time.sleep(0.001)
        return self._broken("crash", _how(self._code))

    def _broken(self, kind: str, text: str) -> BrokenProcess:
        self.end()
        return BrokenProcess(Failure(kind, text))


def _ended_itself(pid: int) -> bool:
    """Whether a process that was told to end did so in time, after all that it started."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError, PermissionError):
        os.kill(pid, signal.SIGTERM)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return True
            time.sleep(0.001)
    return False


def _kill_all_below(pid: int, but: frozenset[int] = frozenset()) -> None:
    """Kill what a process started, in its group or not; what moves up meanwhile, as its parent ended, is found by looking again."""
    empty = 0
    for _ in range(PASSES):
        found = [below for below in _all_below(pid) if below not in but]
        empty = 0 if found else empty + 1
        if empty == EMPTY_PASSES:
            break
        for below in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(below, signal.SIGKILL)
        time.sleep(0.001 if found else 0)


def _all_below(pid: int) -> list[int]:
    """The processes that a process started, and those that these started; of those who have ended none."""
    import psutil  # noqa: PLC0415 - slow, and only who checks functions needs it

    with contextlib.suppress(psutil.Error):
        return [below.pid for below in psutil.Process(pid).children(recursive=True) if _lives(below)]
    return []


def _lives(process: "psutil.Process") -> bool:
    import psutil  # noqa: PLC0415 - as above

    with contextlib.suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def _how(code: int | None) -> str:
    """How a process ended, as said of the function."""
    if code is None:
        return "it closed what it answers by"
    if code >= 0:
        return f"it ended its process with exit code {code}"
    names = {number.value: number.name for number in signal.Signals}
    return f"it ended its process by {names.get(-code, f'signal {-code}')}"
