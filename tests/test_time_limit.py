"""The time limit of a call in this process."""

import contextlib
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rankproof.time_limit import TookTooLong, limited


def test_a_call_that_takes_too_long_is_interrupted_even_if_it_catches_everything() -> None:
    started = time.monotonic()
    with pytest.raises(TookTooLong), limited(0.02):
        time.sleep(300)
    with pytest.raises(TookTooLong), limited(0.02), contextlib.suppress(BaseException):
        time.sleep(300)
    assert time.monotonic() - started < 100
    outside = signal.getitimer(signal.ITIMER_REAL)[0]  # that of the test, if it has one
    with limited(5):
        pass
    assert (signal.getitimer(signal.ITIMER_REAL)[0] > 5) is (outside > 5)


def test_the_limit_of_another_program_is_kept() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
    theirs, interval = signal.setitimer(signal.ITIMER_REAL, 60.0, 7.0)
    try:
        with limited(5):
            assert signal.getitimer(signal.ITIMER_REAL)[0] <= 5
            time.sleep(0.02)
        left, again = signal.getitimer(signal.ITIMER_REAL)
        assert 50 < left <= 60 - 0.015, "it continues"
        assert again == 7.0
        with limited(100):
            assert 5 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60, "the shorter limit holds"
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        with limited(5), contextlib.suppress(TookTooLong):
            signal.raise_signal(signal.SIGALRM)
    except TookTooLong:
        rung.append(0)
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, theirs, interval)
    assert rung == [0], "the signal is that of the limit, which raises although the call caught it"


def test_a_call_outside_the_main_thread_is_not_limited() -> None:
    def call() -> str:
        with limited(0.001):
            time.sleep(0.02)
            return "ended"

    with ThreadPoolExecutor() as threads:
        assert threads.submit(call).result() == "ended"
