"""Workers of the user's function: new interpreters for files and modules, forks for lambdas, closures and notebooks."""

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
    """Time and memory limits of a function.

    Attributes:
        question: the time for one call in seconds.
        first: the time for the first call of a process in seconds, as it may import modules.
        importing: the time for loading the function in seconds.
        memory: the memory of a process in bytes; a fork has it in addition to its memory at the start.
    """

    question: float = 5.0
    first: float = 30.0
    importing: float = 120.0
    memory: int = 8 * 10**9

    def within(self, budget: float) -> "Limits":
        """Return the limits for a time budget in seconds for all calls together."""
        return replace(self, question=min(self.question, budget), first=min(self.first, budget))


def interpreter_worker(arguments: Sequence[str], limits: Limits, environment: Mapping[str, str] = NOTHING) -> Worker:
    """Create the worker of a function in a new interpreter.

    Args:
        arguments: the arguments of the interpreter (`-c`, a program and its arguments). The program calls
            `function_process.serve_function`.
        limits: the limits of the function.
        environment: variables of the interpreter, such as PYTHONHASHSEED.
    """
    return _worker(partial(start_program, [sys.executable, *arguments]), limits, environment)


def forked_worker(adapter: object, limits: Limits) -> Worker:
    """Create the worker of a function in forks of this process. The adapter calls the function."""
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
