"""Signal handling: SIGTERM and SIGHUP act like Ctrl-C, and `multiprocessing` children end with their parent.

The program's entry imports this module first, so it imports little.
"""

import os
import signal
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.process import BaseProcess

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process."""
INCOMPLETE, FAULT = 3, 4
"""The exit codes of an interrupted or incomplete run, and of an error in rankproof."""
INTERRUPTED = "interrupted: nothing was published"


class Incomplete(Exception):
    """An incomplete run with valid input. The message says what is missing, and why."""


def handle_signals() -> None:
    """Treat SIGTERM and SIGHUP like Ctrl-C. A signal that is ignored, for example under nohup, stays ignored."""
    for number in set(ENDING) - {signal.SIGINT}:
        with suppress(ValueError):  # only the main thread may
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _interrupt)


def ignore_signals() -> None:
    """Ignore interrupting signals from now on, because the process is about to end."""
    for number in ENDING:
        with suppress(ValueError):
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def undisturbed() -> "Iterator[None]":
    """Delay interrupting signals until the end of a short block."""
    import threading

    came: list[int] = []
    # A signal mask holds for one thread, so another thread would receive the signals.
    handlers = {
        number: signal.signal(number, lambda number, _frame: came.append(number))
        for number in ENDING
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(number))
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def end_with_parent() -> None:
    """Make a child process ignore Ctrl-C, which its parent handles, and end with its parent."""
    import multiprocessing
    import threading
    from multiprocessing.connection import wait

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


def kill_children(but: "Iterable[BaseProcess]" = ()) -> None:
    """Kill all child processes except some."""
    import multiprocessing

    for child in {*multiprocessing.active_children()} - {*but}:
        child.kill()
