"""Workers of a user's function: a new interpreter for a function of a file or module, a fork for a lambda, closure or notebook."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from rankproof.workers.function_process import MEMORY, serve_function
from rankproof.workers.library_worker import Worker
from rankproof.workers.process import WorkerProcess, start_fork, start_program

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

    def within(self, budget: float) -> "Limits":
        """Return the limits of a function whose calls have so many seconds together."""
        return replace(self, question=min(self.question, budget), first=min(self.first, budget))


def interpreter_worker(arguments: Sequence[str], limits: Limits, environment: Mapping[str, str] = NOTHING) -> Worker:
    """Return the worker of a function in a new interpreter, whose program calls `function_process.serve_function`.

    Args:
        arguments: of the interpreter, such as `-c`, the program and its arguments.
        limits: of the function.
        environment: variables of the interpreter, such as PYTHONHASHSEED.
    """
    return _worker(partial(start_program, [sys.executable, *arguments]), limits, environment)


def forked_worker(adapter: object, limits: Limits) -> Worker:
    """Return the worker of a function in forks of this process, which has the adapter that calls the function."""
    return _worker(partial(start_fork, partial(serve_function, adapter)), limits, NOTHING)


def _worker(
    start: Callable[[int, Mapping[str, str]], WorkerProcess], limits: Limits, environment: Mapping[str, str]
) -> Worker:
    variables = {MEMORY: str(limits.memory), **environment}
    return Worker(
        start=lambda: start(limits.memory, variables),
        timeout=limits.question,
        first_timeout=limits.first,
        hello_timeout=limits.importing,
    )
