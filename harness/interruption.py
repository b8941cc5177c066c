"""Interruption: whatever tells this process to end, ends it as Ctrl-C does, but never while what belongs together is half done."""

import _thread
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import threading

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What politely tells a process to end; Windows has no SIGHUP."""
INCOMPLETE = 3
"""The exit code of what was interrupted, or could not all be done."""
ONCE_MORE = 0.05
"""After how many seconds what Python dropped is raised once more."""
FAULT = 4
"""The exit code of a fault of rankproof itself."""
INTERRUPTED = "interrupted: nothing was published"
"""What is said where it did, before there was anything to be told."""


class Incomplete(Exception):
    """Not all that was asked could be done, and not by any fault of the input; the message says what is missing, and why."""


def all_as_by_hand() -> None:
    """Take SIGTERM and SIGHUP for Ctrl-C; one that whoever started this process ignores, as nohup does, stays ignored."""
    for number in set(ENDING) - {signal.SIGINT}:
        with suppress(ValueError):  # only the main thread may
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _by_hand)


def none_lost() -> None:
    """See that what interrupts does so, also where it comes while Python drops errors: in what cleans up, or as a process is forked."""
    usual = sys.unraisablehook

    def told(dropped: "sys.UnraisableHookArgs") -> None:
        if not issubclass(dropped.exc_type, KeyboardInterrupt):
            usual(dropped)
            return
        import threading  # noqa: PLC0415 - needed only then

        # Here it would be dropped again, and so somebody else raises it, once this is left.
        is_left = threading.Event()
        threading.Thread(target=_interrupt, args=(is_left,), daemon=True).start()
        is_left.set()

    sys.unraisablehook = told


def _interrupt(is_left: "threading.Event") -> None:
    """Interrupt the main thread, also where it waits for the system, soon after it left a place."""
    is_left.wait()
    time.sleep(ONCE_MORE)
    if hasattr(signal, "pthread_kill"):
        import threading  # noqa: PLC0415 - as above

        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def none_any_more() -> None:
    """Let nothing interrupt the end of this process: all is done, and Python takes its handlers back before it ends."""
    for number in ENDING:
        with suppress(ValueError):  # as above
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let what would interrupt wait until all is done, which is to take no time."""
    import threading  # noqa: PLC0415 - needed only where much is written

    came: list[int] = []
    # No mask of signals would do: it is the mask of one thread, and another takes them in its place.
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


def _by_hand(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
