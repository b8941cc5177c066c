"""Workers of a user's function: the same as those of libraries, in a new interpreter, in a fork, or in this process.

A new interpreter suits a function that a file or module defines, a fork a lambda, a closure or a function of a notebook. In this process,
which is for systems without processes, a function can be interrupted only while it runs Python code.
"""

import contextlib
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from rankproof.workers.failures import WorkerFailed
from rankproof.workers.function_here import FunctionHere
from rankproof.workers.function_process import MEMORY, serve_function
from rankproof.workers.library_worker import Worker
from rankproof.workers.supervisor import remove
from rankproof.workers.worker_processes import WorkerProcess, can_supervise, forked, started

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a function.

    Attributes:
        question: seconds for one call.
        first: seconds for the first call of a process, which may import what the function needs.
        importing: seconds for loading the function.
        memory: bytes for a process, in addition to what a fork has at its start.
    """

    question: float = 5.0
    first: float = 30.0
    importing: float = 120.0
    memory: int = 8 * 10**9


def can_fork() -> bool:
    """Whether this process can be forked. The libraries of macOS do not survive a fork."""
    return can_supervise() and sys.platform != "darwin"


def interpreter_worker(arguments: Sequence[str], limits: Limits, environment: Mapping[str, str] = NOTHING) -> Worker:
    """Return the worker of a function in a new interpreter, whose program calls `function_process.serve_function`.

    Args:
        arguments: of the interpreter, such as `-c`, the program and its arguments.
        limits: of the function.
        environment: variables of the interpreter, such as PYTHONHASHSEED.
    """
    return _worker(partial(started, [sys.executable, *arguments]), limits, environment)


def forked_worker(adapter: object, limits: Limits) -> Worker:
    """Return the worker of a function in forks of this process, which has the adapter that calls the function."""
    return _worker(partial(forked, partial(serve_function, adapter)), limits, NOTHING)


def worker_here(adapter: object, limits: Limits) -> Worker:
    """Return the worker of a function in this process, which has the adapter that calls the function."""
    here = FunctionHere(adapter)
    return _with_limits(lambda: here, limits)


Start = Callable[[int, Mapping[str, str], str], WorkerProcess]
"""Starts a process, given its memory, its environment and its folder of temporary files."""


def _worker(start: Start, limits: Limits, environment: Mapping[str, str]) -> Worker:
    def started_in_a_folder() -> WorkerProcess:
        folder = ""
        with contextlib.suppress(OSError):  # the function may need no files
            folder = tempfile.mkdtemp(prefix="rankproof-")
        own = {MEMORY: str(limits.memory), **({"TMPDIR": folder} if folder else {})}
        try:
            return start(limits.memory, {**own, **environment}, folder)
        except WorkerFailed:
            remove(folder)
            raise

    return _with_limits(started_in_a_folder, limits)


def _with_limits(start: Callable[[], WorkerProcess | FunctionHere], limits: Limits) -> Worker:
    return Worker(start=start, timeout=limits.question, first_timeout=limits.first, hello_timeout=limits.importing)
