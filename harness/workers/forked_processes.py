"""Forks of this process: started with pipes, waited for and killed as `subprocess` does with programs."""

import gc
import os
import signal
import subprocess
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

STEP = 0.001
"""Seconds between two looks at a process that is about to end."""


@dataclass
class ForkedProcess:
    """A fork of this process, with the part of the interface of `subprocess.Popen` that the process of a worker uses."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    returncode: int | None = None

    def wait(self, timeout: float) -> int:
        """Wait for the end of the process, and return its exit code (0 if other code of this process took it).

        Raises:
            subprocess.TimeoutExpired: it did not end in time.
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
                time.sleep(STEP)
        return self.returncode

    def kill(self) -> None:
        """End the process at once."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def fork(work: Callable[[], object]) -> ForkedProcess:
    """Fork this process. The fork does the work, with pipes as its stdin and stdout, and ends.

    Raises:
        OSError: the system has no more processes or files to give.
    """
    requests, answers = os.pipe(), os.pipe()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the fork does not need the threads of this process
            pid = os.fork()
    except OSError:
        for descriptor in (*requests, *answers):
            os.close(descriptor)
        raise
    if not pid:
        _work_and_exit(work, requests, answers)
    os.close(requests[0])
    os.close(answers[1])
    return ForkedProcess(pid, os.fdopen(requests[1], "wb", buffering=0), os.fdopen(answers[0], "rb", buffering=0))


def _work_and_exit(work: Callable[[], object], requests: tuple[int, int], answers: tuple[int, int]) -> None:
    code = 1
    try:
        gc.freeze()  # the objects of this process are not cleaned up twice
        os.dup2(requests[0], 0)
        os.dup2(answers[1], 1)
        for descriptor in (*requests, *answers):
            os.close(descriptor)
        work()
        code = 0
    finally:
        os._exit(code)
