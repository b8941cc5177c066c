"""Process of the user's function, which replies to requests like the worker of a library.

The process is a new interpreter or a fork. Its supervisor ends it with everything that the function started. This
module has few imports, because each new interpreter imports it.
"""

import faulthandler
import operator
import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import IO, NoReturn

from rankproof.adapters import worker

MEMORY = "RANKPROOF_FUNCTION_MEMORY"
"""The environment variable with the memory limit in bytes."""
HANDLED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGCHLD", "SIGPIPE")
"""Signals that Python, rankproof or the user's program may handle."""
GUARDED = 256
"""The function cannot open descriptors below this number, such as a rank, grade or cutoff."""


def serve_function(adapter: object) -> NoReturn:
    """Reply to the requests on stdin with an adapter that calls the function, and end the process."""
    code = 1
    try:
        requests, write = protected_pipes()
        prepare_function_process(int(os.environ.get(MEMORY, "0")))
        worker.serve(adapter, requests, write)
        code = 0
    finally:
        os._exit(code)  # do not wait for the function's threads


def protected_pipes() -> tuple[IO[str], Callable[[str], None]]:
    """Hide the pipes of the protocol from the function, and return the requests and a function that writes replies."""
    requests, answers, own = os.fdopen(os.dup(0), encoding="utf-8"), os.dup(1), os.getpid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        os.dup2(nowhere, descriptor)
        setattr(sys, name, os.fdopen(descriptor, "w" if descriptor else "r", encoding="utf-8", errors="replace"))

    def write(line: str) -> None:
        if os.getpid() != own:  # a function that forks returns in both processes
            os._exit(0)
        unsent = line.encode()
        while unsent:
            unsent = unsent[os.write(answers, unsent) :]

    return requests, write


def prepare_function_process(memory: int) -> None:
    """Reset the state that a fork inherits from the user's program, limit memory (0: no limit), and guard the pipes."""
    faulthandler.disable()
    sys.settrace(None)
    signal.set_wakeup_fd(-1)
    for name in HANDLED:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    if "tempfile" in sys.modules:  # it may have cached the folder of the user's program
        sys.modules["tempfile"].tempdir = None  # type: ignore[attr-defined] # any module
    if "torch" in sys.modules:  # otherwise it waits forever for threads that do not survive the fork
        sys.modules["torch"].set_num_threads(1)
    if memory:
        limit_memory(memory)
    refuse_numbers_as_paths()


def limit_memory(memory: int) -> None:
    """Limit the memory that the process allocates from now on."""
    import resource

    held = 0
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as pages:
        held = int(pages.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    for kind, limit in {resource.RLIMIT_DATA: memory + held, resource.RLIMIT_CORE: 0}.items():
        with suppress(ValueError, OSError):  # a lower limit may be set already
            resource.setrlimit(kind, (limit, limit))


def refuse_numbers_as_paths() -> None:
    """Reject numbers as paths, because a function that gets ranks instead of paths would read and close the pipes.

    This does not affect child processes, which may close these descriptors and reuse their numbers.
    """
    own, guarded = os.getpid(), frozenset(filter(is_open, range(GUARDED)))

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or os.getpid() != own:
            return
        with suppress(TypeError):  # not a number of Python, numpy or torch
            if operator.index(arguments[0]) in guarded:  # type: ignore[arg-type] # the function may open anything
                raise OSError(f"{arguments[0]} is a number, not the path of a file")

    sys.addaudithook(refuse)


def is_open(descriptor: int) -> bool:
    """Return whether a descriptor is open."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
