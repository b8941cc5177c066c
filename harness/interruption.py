"""Interruption: SIGTERM and SIGHUP end this process as Ctrl-C does, and children of `multiprocessing` end with their parent.

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
"""Signals that ask a process to end."""
INCOMPLETE, FAULT = 3, 4
"""The exit codes of an interrupted or incomplete run, and of a fault of rankproof."""
INTERRUPTED = "interrupted: nothing was published"


class Incomplete(Exception):
    """A run that could not do everything, through no fault of its input; the message says what is missing, and why."""


def handle_signals() -> None:
    """Treat SIGTERM and SIGHUP as Ctrl-C; a signal that is ignored, as by nohup, stays ignored."""
    for number in set(ENDING) - {signal.SIGINT}:
        with suppress(ValueError):  # only the main thread may
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _interrupt)


def ignore_signals() -> None:
    """Ignore these signals from now on, as the process is about to end."""
    for number in ENDING:
        with suppress(ValueError):
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def undisturbed() -> "Iterator[None]":
    """Let signals that would interrupt wait until the end of the block, which takes no time."""
    import threading

    came: list[int] = []
    # A mask of signals holds for one thread, and another would take them.
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
    """In a child: ignore Ctrl-C, which the parent handles, and end when the parent ends."""
    import multiprocessing
    import threading
    from multiprocessing.connection import wait

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


def kill_children(but: "Iterable[BaseProcess]" = ()) -> None:
    """In the parent: kill all children, except some."""
    import multiprocessing

    for child in {*multiprocessing.active_children()} - {*but}:
        child.kill()
