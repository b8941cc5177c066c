"""Worker processes: they run under a supervisor, exchange lines of bytes, and end with everything that they started.

A process runs a program, or a function in a fork of this process. All waiting has a time limit. If a process does not
return a usable reply, it has failed, and `WorkerFailed` contains the kind and the end of stderr.
"""

import gc
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from rankproof.text import one_line
from rankproof.workers import supervisor as supervision

SUPERVISOR = Path(__file__).resolve().parent / "supervisor.py"
STEP = 0.2
"""The time in seconds after which an interruption is noticed."""
PATIENCE = 1.0
"""The time in seconds before a process that does not end is killed."""
LONGEST = 32_000_000
"""The longest line in bytes."""
CHUNK = 1 << 20
KEPT, LINES = 2_000, 10
"""The number of bytes of stderr that are kept, and of lines that are reported."""
NO_SUPERVISOR = (
    "rankproof runs libraries and functions in processes that this system cannot start (no fork or poll); use WSL"
)

FAILURES = ("error", "crash", "timeout", "memory", "invalid-output")
"""The kinds of failures: an error of the library, or a process that ended, was too slow or large, or wrote nonsense."""
FROM_OUTSIDE = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT") if hasattr(signal, name)
)
"""Signals from a user, or from a system that shuts down or is out of memory."""


class WorkerFailed(Exception):
    """Error for a worker that does not return a usable reply.

    Attributes:
        kind: one of `FAILURES`.
        stderr: the last lines of its stderr.
        from_outside: whether a signal in `FROM_OUTSIDE` ended it, perhaps for a reason outside the library.
    """

    def __init__(self, kind: str, message: str, stderr: str = "", *, from_outside: bool = False) -> None:
        super().__init__(message)
        self.kind, self.stderr, self.from_outside = kind, stderr, from_outside

    def whole(self) -> str:
        """Return the message with the end of stderr."""
        return "; ".join(filter(None, [str(self), stderr_sentence(self.stderr)]))

    def is_as(self, other: "WorkerFailed") -> bool:
        """Return whether two failures have the same kind and, for crashes, the same signal or exit code."""
        return self.kind == other.kind and (self.kind != "crash" or str(self) == str(other))


def stderr_sentence(stderr: str) -> str:
    """Return a sentence with the end of stderr, or an empty text."""
    return f"its stderr ends: {stderr}" if stderr else ""


class Interrupted(Exception):
    """Error that ends an interrupted run."""


Pipes = tuple[int, int, int]
"""The standard streams of a process."""
Launch = Callable[["WorkerProcess", Pipes, socket.socket], "subprocess.Popen[bytes] | Fork"]
"""A function that starts the supervisor of a process, with its streams and its end of the control socket."""


class WorkerProcess:
    """A worker process.

    Attributes:
        program: the name of the program.
        memory: the memory limit in bytes; 0 for none.
        folder: the folder of its temporary files, removed at the end; empty if none can be created.
        supervisor: its parent process, which supervises it.
    """

    def __init__(self, program: str, memory: int, launch: "Launch") -> None:
        """Start the process.

        Raises:
            WorkerFailed: the system cannot start a process.
        """
        self.program, self.memory = program, memory
        self._received, self._stderr, self.folder = bytearray(), b"", ""
        self._closed = self._deaf = self._used = False
        try:
            requests, replies, errors = os.pipe(), os.pipe(), os.pipe()
            self._control, control = socket.socketpair()
        except OSError as error:
            raise WorkerFailed("crash", f"cannot start a process: {error}") from error
        with suppress(OSError):  # many workers run without a folder
            self.folder = tempfile.mkdtemp(prefix="rankproof-")
        streams = requests[0], replies[1], errors[1]
        self._in, self._out, self._err = requests[1], replies[0], errors[0]
        self._pipes: tuple[int, ...] = (self._in, self._out, self._err)
        self._readable = [self._out, self._err, self._control.fileno()]
        for pipe in self._pipes:
            os.set_blocking(pipe, False)
        try:
            self.supervisor = launch(self, streams, control)
        except (OSError, ValueError) as error:
            self.close()
            supervision.remove(self.folder)
            raise WorkerFailed("crash", f"cannot start a process: {error}") from error
        finally:
            control.close()
            for stream in streams:
                os.close(stream)

    def exchange(self, line: bytes, seconds: float, stop: threading.Event | None = None) -> bytes:
        """Send a line, and return the reply, which is also a line.

        Raises:
            Interrupted: `stop` was set.
            WorkerFailed: the process ended, was too slow, or replied too much.
        """
        if self._used:  # before the first request, stderr can explain why a process ended at its start
            self._read_stderr()
            self._stderr = b""
        self._used = True
        unsent, searched, until, is_late = memoryview(line), 0, time.monotonic() + seconds, False
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if searched > LONGEST:
                raise self.failed("invalid-output", f"the reply is longer than {LONGEST // 1_000_000} MB")
            if self._closed or self._deaf:
                raise self._ended("closed its output" if self._closed else "closed its input")
            if is_late:
                raise self.failed("timeout", f"no answer within {seconds:g} s")
            if stop is not None and stop.is_set():
                raise Interrupted
            left = until - time.monotonic()
            is_late = left <= 0  # read once more: the reply may have arrived while this process was stopped
            unsent = unsent[self._turn(unsent, min(left, STEP)) :]
        if unsent:
            raise self.failed("invalid-output", "it replied to what it had not read")
        reply = bytes(self._received[:end])
        del self._received[: end + 1]
        return reply

    def _turn(self, unsent: memoryview, seconds: float) -> int:
        """Wait for an event, read and write, and return the number of written bytes."""
        ready = self._ready(seconds, writing=bool(unsent))
        if self._err in ready:
            self._read_stderr()
        control = self._control.fileno()
        if self._out in ready or control in ready:
            self._read_replies()
            self._closed = self._closed or control in ready  # the worker ended, even if a child keeps its output open
            return 0
        return self._write(unsent) if self._in in ready else 0

    def _ready(self, seconds: float, *, writing: bool = False) -> set[int]:
        """Return the descriptors that are ready to read or write, or closed at their other end."""
        poll = select.poll()
        for descriptor in self._readable:
            poll.register(descriptor, select.POLLIN)
        if writing:
            poll.register(self._in, select.POLLOUT)
        return {descriptor for descriptor, _ in poll.poll(max(seconds, 0) * 1000)}

    def _read_replies(self) -> None:
        with suppress(BlockingIOError):
            while len(self._received) <= LONGEST:
                chunk = os.read(self._out, CHUNK)
                self._received += chunk
                if not chunk:
                    self._closed = True
                    return

    def _read_stderr(self) -> bool:
        """Read stderr and keep its end. Return whether there was new output."""
        chunk = b""
        with suppress(BlockingIOError):
            if self._err in self._readable and not (chunk := os.read(self._err, CHUNK)):
                self._readable.remove(self._err)
        self._stderr = (self._stderr + chunk)[-KEPT:]
        return bool(chunk)

    def _write(self, unsent: memoryview) -> int:
        try:
            return os.write(self._in, unsent[:CHUNK])
        except BlockingIOError:
            return 0
        except OSError:
            self._read_replies()  # a reply may have arrived before
            self._deaf = True
            return 0

    def has_output(self) -> bool:
        """Return whether the process wrote something without a request."""
        self._read_replies()
        return bool(self._received)

    def is_gone(self) -> bool:
        """Return whether the process ended, or closed its output."""
        return self._closed or bool(self._ready(0) - {self._err})

    def _ended(self, did: str) -> WorkerFailed:
        """Return the end of the process as a failure, or what it did if the supervisor does not report the end."""
        event, _, detail = self._event().partition(" ")
        if event == "ended" and int(detail) < 0:
            number = -int(detail)
            name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
            return self.failed("crash", f"the process ended by {name}", from_outside=number in FROM_OUTSIDE)
        if event == "ended":
            return self.failed("crash", f"the process ended with exit code {detail}")
        if event == "memory":
            return self.failed("memory", f"the process took more than {self.memory / 1e9:g} GB of memory")
        if event == "cannot":
            return self.failed("crash", f"{self.program} cannot be started: {detail}")
        return self.failed("crash", f"the process {did}")

    def _event(self) -> str:
        self._control.settimeout(PATIENCE)
        with suppress(OSError, subprocess.TimeoutExpired):
            if event := self._control.recv(1024).decode().partition("\n")[0]:
                return event
            return f"ended {self.supervisor.wait(PATIENCE)}"
        return ""

    def failed(self, kind: str, message: str, *, from_outside: bool = False) -> WorkerFailed:
        """End the process, and return its failure with the end of its stderr."""
        self._end_processes()
        for _ in range(KEPT):  # a surviving child process may write forever
            if not self._read_stderr():
                break
        self.close()
        return WorkerFailed(kind, message, last_lines(self._stderr), from_outside=from_outside)

    def end(self) -> None:
        """End the process and everything that it started."""
        self._end_processes()
        self.close()

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that the process gets in addition to those of this process."""
        return {**({"TMPDIR": self.folder} if self.folder else {}), **environment}

    def close(self) -> None:
        """Close this end of the pipes."""
        self._control.close()
        for pipe in self._pipes:
            os.close(pipe)
        self._pipes = ()

    def _end_processes(self) -> None:
        with suppress(OSError):  # closing does not notify the supervisor, because a later fork also has the socket
            self._control.shutdown(socket.SHUT_RDWR)
        try:
            self.supervisor.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.supervisor.kill()  # the worker ends with it
            with suppress(subprocess.TimeoutExpired):
                self.supervisor.wait(PATIENCE)
        supervision.remove(self.folder)  # a killed supervisor did not remove it


def last_lines(stderr: bytes) -> str:
    """Return the last lines of stderr as one line, with control characters escaped."""
    whole = stderr if len(stderr) < KEPT else stderr.partition(b"\n")[2] or stderr  # the first line is incomplete
    lines = [line for line in whole.decode("utf-8", errors="replace").splitlines() if line.strip(" \t^~")]
    return " | ".join(one_line(line) for line in lines[-LINES:])


def can_supervise() -> bool:
    """Return whether this system can start a supervisor and its worker."""
    return hasattr(os, "fork") and hasattr(select, "poll")


def start_program(command: Sequence[str], memory: int, environment: Mapping[str, str]) -> WorkerProcess:
    """Start a program. If it cannot run, the first exchange fails.

    Args:
        command: the program and its arguments.
        memory: the memory limit in bytes; 0 for none.
        environment: additional variables.

    Raises:
        WorkerFailed: the system cannot start a process.
    """
    psutil = find_spec("psutil")
    if psutil is None or psutil.origin is None:
        raise WorkerFailed("crash", "psutil is not installed, which rankproof needs to supervise processes")
    packages = str(Path(psutil.origin).parent.parent)

    def launch(process: WorkerProcess, streams: Pipes, control: socket.socket) -> "subprocess.Popen[bytes]":
        arguments = [str(control.fileno()), str(memory), packages, process.folder]
        return subprocess.Popen(  # noqa: S603 - the command of a sheet, or an interpreter and an adapter of ours
            [sys.executable, "-I", "-S", str(SUPERVISOR), *arguments, *command],
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            env={**os.environ, **process.variables(environment)},
            pass_fds=[control.fileno()],
            start_new_session=True,
        )

    return WorkerProcess(command[0], memory, launch)


def start_fork(work: Callable[[], object], memory: int, environment: Mapping[str, str]) -> WorkerProcess:
    """Start a fork of this process that does some work; its limit counts memory allocated after the fork.

    Raises:
        WorkerFailed: the system cannot start a process.
    """
    import psutil

    limit = memory and memory + psutil.Process().memory_info().rss

    def launch(process: WorkerProcess, streams: Pipes, control: socket.socket) -> Fork:
        number = control.fileno()

        def supervise() -> None:
            process.close()
            os.setsid()
            os.environ.update(process.variables(environment))

            def work_alone() -> None:
                os.close(number)
                work()

            supervision.supervise(work_alone, number, limit, process.folder)

        return Fork(supervise, streams)

    return WorkerProcess("a fork", memory, launch)


class Fork:
    """A fork of this process, with the methods of `subprocess.Popen` that `WorkerProcess` needs."""

    def __init__(self, work: Callable[[], object], streams: Pipes) -> None:
        """Fork this process. The fork does the work with these standard streams, and ends.

        Raises:
            OSError: the system has no more processes.
        """
        self.returncode: int | None = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the fork does not need the threads of this process
            self.pid = os.fork()
        if not self.pid:
            _work_and_exit(work, streams)

    def wait(self, timeout: float) -> int:
        """Wait for the end of the process, and return its exit code (0 if other code already collected it).

        Raises:
            subprocess.TimeoutExpired: the process did not end in time.
        """
        until = time.monotonic() + timeout
        while self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = self.pid, 0
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > until:
                raise subprocess.TimeoutExpired(f"fork {self.pid}", timeout)
            else:
                time.sleep(0.001)
        return self.returncode

    def kill(self) -> None:
        """Kill the process."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


def _work_and_exit(work: Callable[[], object], streams: Pipes) -> NoReturn:
    code = 1
    try:
        gc.freeze()  # the objects of this process are not cleaned up twice
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        work()
        code = 0
    finally:
        os._exit(code)
