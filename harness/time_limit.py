"""The time limit on a call within this process."""

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType


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
