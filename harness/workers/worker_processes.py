"""The process of a worker: started under a supervisor, spoken to in lines of bytes, and ended with all that it started.

Nothing here waits without a limit: neither writing, nor reading, nor the end. What the lines mean is not known here.
"""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rankproof.workers import supervisor as supervision
from rankproof.workers.failures import FROM_OUTSIDE, Interrupted, WorkerFailed
from rankproof.workers.forked_processes import ForkedProcess, fork
from rankproof.workers.stderr_tail import Tail

if TYPE_CHECKING:
    import psutil

SUPERVISOR = Path(__file__).resolve().parent / "supervisor.py"
STEP = 0.2
"""How many seconds it may take until an interruption is noticed."""
PATIENCE = 1.0
"""How many seconds the end of a process is waited for, before it is no more asked to end."""
MARK = "RANKPROOF_WORKER"
"""The variable that holds the mark of a worker."""
LONGEST = 32_000_000
"""How many bytes a line may have."""
CHUNK = 1 << 20
NO_SUPERVISOR = "libraries are asked in processes of a kind that this system has not (it has no fork or no poll); on Windows, ask in WSL"


@dataclass
class WorkerProcess:
    """A worker's process.

    Attributes:
        program: what was started.
        memory: how many bytes it may take; 0 for any.
        mark: what stands in the environment of all its processes, and in no other.
    """

    program: str
    memory: int
    mark: str
    _supervisor: "subprocess.Popen[bytes] | ForkedProcess"
    _control: socket.socket
    _tail: Tail
    _folder: str = ""
    """Of its temporary files, if it has one."""
    _read: bytearray = field(default_factory=bytearray)
    """What it said and nobody took yet."""
    _closed: bool = False
    """Whether its output came to its end."""
    _deaf: bool = False
    """Whether it closed its input."""
    _was_asked: bool = False
    """Whether it was asked anything yet."""

    def __post_init__(self) -> None:
        for pipe in (self._in, self._out):
            os.set_blocking(pipe, False)

    def exchange(self, line: bytes, seconds: float, stop: threading.Event | None = None) -> bytes:
        """Send a line, and give the line that it answers.

        Raises:
            Interrupted: `stop` was set.
            WorkerFailed: it ended, or did not answer in so many seconds, or answered more than a line, or a line too long.
        """
        if self._was_asked:  # else all that it said is of its start, as that of who ends at once
            self._tail.forget()
        self._was_asked = True
        unsent, searched, until, is_late = memoryview(line), 0, time.monotonic() + seconds, False
        while (end := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            if searched > LONGEST:
                raise self.failed("invalid-output", f"the reply is longer than {LONGEST // 1_000_000} MB")
            if self._closed or self._deaf:
                raise self._ended("closed its output" if self._closed else "closed its input")
            if is_late:
                raise self.failed("timeout", f"no answer within {seconds:g} s")
            if stop is not None and stop.is_set():
                raise Interrupted
            left = until - time.monotonic()
            is_late = left <= 0  # and yet the answer may lie there, if this process was stopped for a while
            unsent = unsent[self._turn(unsent, min(left, STEP)) :]
        if unsent:
            raise self.failed("invalid-output", "it replied to what it had not read")
        said = bytes(self._read[:end])
        del self._read[: end + 1]
        return said

    def _turn(self, unsent: memoryview, seconds: float) -> int:
        """Wait so long for something to happen; read, and write. How many bytes were written."""
        ready = self._ready(seconds, writing=bool(unsent))
        if self._out in ready or self._control.fileno() in ready:
            self._take()
            # The worker ended. Whatever else holds its output open, nothing comes that answers.
            self._closed = self._closed or self._control.fileno() in ready
            return 0
        return self._put(unsent) if self._in in ready else 0

    def _ready(self, seconds: float, *, writing: bool = False) -> set[int]:
        """The descriptors to which something happened: there is something to read, or room to write, or nobody at the other end."""
        poll = select.poll()
        poll.register(self._out, select.POLLIN)
        poll.register(self._control, select.POLLIN)
        if writing:
            poll.register(self._in, select.POLLOUT)
        return {descriptor for descriptor, _ in poll.poll(max(seconds, 0) * 1000)}

    def _take(self) -> None:
        """Read what is there, but no more than a line may have."""
        with suppress(BlockingIOError):
            while len(self._read) <= LONGEST:
                chunk = os.read(self._out, CHUNK)
                self._read += chunk
                if not chunk:
                    self._closed = True
                    return

    def _put(self, unsent: memoryview) -> int:
        try:
            return os.write(self._in, unsent[:CHUNK])
        except BlockingIOError:
            return 0
        except OSError:
            self._take()  # it may have answered before
            self._deaf = True
            return 0

    @property
    def _in(self) -> int:
        return _pipe(self._supervisor.stdin)

    @property
    def _out(self) -> int:
        return _pipe(self._supervisor.stdout)

    def said_more(self) -> bool:
        """Whether it says, or said, what nobody asked for."""
        self._take()
        return bool(self._read)

    def is_gone(self) -> bool:
        """Whether it ended, or closed its output."""
        return self._closed or bool(self._ready(0))

    def _ended(self, did: str) -> WorkerFailed:
        """How it ended; or what it did, if it did not."""
        happened, _, how = self._happened().partition(" ")
        if happened == "ended" and int(how) < 0:
            number = -int(how)
            named = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
            return self.failed("crash", f"the process ended by {named}", from_outside=number in FROM_OUTSIDE)
        if happened == "ended":
            return self.failed("crash", f"the process ended with exit code {how}")
        if happened == "memory":
            return self.failed("memory", f"the process took more than {self.memory / 1e9:g} GB of memory")
        if happened == "cannot":
            return self.failed("crash", f"{self.program} cannot be started: {how}")
        return self.failed("crash", f"the process {did}")

    def _happened(self) -> str:
        """What the supervisor says of the end; nothing if it says nothing for a while, or was killed itself."""
        self._control.settimeout(PATIENCE)
        with suppress(OSError):
            if said := self._control.recv(1024).decode().partition("\n")[0]:
                return said
            return f"ended {self._supervisor.wait(PATIENCE)}"
        return ""

    def failed(self, kind: str, message: str, *, from_outside: bool = False) -> WorkerFailed:
        """End it, and say how it failed, with the end of what it wrote to stderr."""
        self.end()
        return WorkerFailed(kind, message, self._tail.text(), from_outside=from_outside)

    def end(self) -> None:
        """End it, and all that it started."""
        with suppress(OSError):
            # The supervisor takes this as its order. To close the socket is not enough, because a later fork of this process also has it.
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        try:
            self._supervisor.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._supervisor.kill()  # with which the worker dies
            with suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(PATIENCE)
        if self._supervisor.returncode:
            _end_marked(self.mark)
        supervision.remove(self._folder)  # the supervisor may have been killed before it did
        for pipe in (self._supervisor.stdin, self._supervisor.stdout):
            if pipe is not None:
                pipe.close()


def can_supervise() -> bool:
    """Whether this system has what a supervisor and its worker are made of."""
    return hasattr(os, "fork") and hasattr(select, "poll")


def _end_marked(mark: str) -> None:
    """Kill all that still bears the mark of a worker whose supervisor was killed; where environments are not told, nothing is found."""
    import psutil  # noqa: PLC0415 - slow, and seldom of use

    until = time.monotonic() + PATIENCE
    while (found := _marked(mark)) and time.monotonic() < until:
        for process in found:
            with suppress(psutil.Error):
                process.kill()


def _marked(mark: str) -> "list[psutil.Process]":
    """The processes that have this mark in their environment."""
    import psutil  # noqa: PLC0415 - as above

    found = psutil.process_iter(["environ"], ad_value=None)
    return [process for process in found if (process.info["environ"] or {}).get(MARK) == mark]


def _pipe(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise ValueError("a worker has pipes")
    return pipe.fileno()


def _place_of(package: str) -> str:
    """The folder that has a package, which is not imported."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise WorkerFailed("crash", f"{package} is not installed, by which a worker is watched")
    return str(Path(found.origin).parent.parent)


def started(command: Sequence[str], memory: int, environment: Mapping[str, str], folder: str = "") -> WorkerProcess:
    """Start a worker; that its program cannot be started is told when it is asked.

    Args:
        command: its program.
        memory: how many bytes it may take; 0 for any.
        environment: variables that it gets.
        folder: where it keeps temporary files; removed at its end.

    Raises:
        WorkerFailed: the system has no more processes or files to give.
    """
    ours, theirs = socket.socketpair()
    mark = os.urandom(8).hex()
    with theirs:
        how = [str(theirs.fileno()), str(memory), _place_of("psutil"), folder]
        try:
            supervisor = subprocess.Popen(  # noqa: S603 - the command of a sheet, or an interpreter and an adapter of ours
                [sys.executable, "-I", "-S", str(SUPERVISOR), *how, *command],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **environment, MARK: mark},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            ours.close()
            raise WorkerFailed("crash", f"no process can be started: {error}") from error
    tail = Tail().read(supervisor.stderr)
    return WorkerProcess(command[0], memory, mark, supervisor, ours, tail, folder)


def forked(work: Callable[[], object], memory: int, environment: Mapping[str, str], folder: str = "") -> WorkerProcess:
    """Start a worker that does this work in a fork of this process; its memory is counted from the fork.

    A process that the fork started and left behind cannot be found by its environment. Therefore a second supervisor, above the first, ends
    it if the work kills its parent.

    Raises:
        WorkerFailed: the system has no more processes or files to give.
    """
    import psutil  # noqa: PLC0415 - slow; the supervisor needs it, and need not import it in each fork

    ours, theirs = socket.socketpair()
    mark, limit = os.urandom(8).hex(), memory and memory + psutil.Process().memory_info().rss

    def work_alone() -> None:
        theirs.close()
        work()

    def supervise() -> None:
        ours.close()
        os.setsid()
        os.environ.update({**environment, MARK: mark})
        control = theirs.fileno()
        supervision.run(lambda: supervision.run(work_alone, control, limit, folder), control, 0, folder)

    with theirs:
        try:
            supervisor = fork(supervise)
        except OSError as error:
            ours.close()
            raise WorkerFailed("crash", f"no process can be started: {error}") from error
    return WorkerProcess("a fork", memory, mark, supervisor, ours, Tail(), folder)
