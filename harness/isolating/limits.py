"""How long a function may take, and how much memory; and the time limit on a call within this process."""

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType


@dataclass(frozen=True, slots=True)
class Limits:
    """What a function may take, and where it runs.

    Attributes:
        question: the seconds for one call.
        first: the seconds for the first call of a process, which may import what the function needs.
        importing: the seconds for importing the function's module.
        in_vain: the seconds that may be lost to questions without an answer; after that, no more are asked.
        budget: the seconds for everything that a function is asked.
        memory: the bytes for a process.
        isolated: whether it runs in a process of its own; None: where one can be forked from any other.
    """

    question: float = 5.0
    first: float = 30.0
    importing: float = 120.0
    in_vain: float = 60.0
    budget: float = 120.0
    memory: int = 8 * 10**9
    isolated: bool | None = None


class TookTooLong(BaseException):
    """A call did not come back in time; no Exception, as functions may catch those."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """A time limit, where there can be one; a longer one of somebody else's (pytest-timeout) is kept and goes on.

    Raises:
        TookTooLong: it is over; also where what was called caught that, and went on without what it was waiting for.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    theirs, interval = signal.getitimer(signal.ITIMER_REAL)
    if 0 < theirs <= seconds:
        yield
        return
    over = []

    def stop(_number: int, _frame: FrameType | None) -> None:
        over.append(seconds)
        raise TookTooLong

    before, started = signal.signal(signal.SIGALRM, stop), time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        left = max(theirs - (time.monotonic() - started), 0.001) if theirs else 0.0
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left, interval)

    if over:
        raise TookTooLong
