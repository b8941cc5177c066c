"""Interruption: whatever tells this process to end, ends it as Ctrl-C does."""

import signal
from contextlib import suppress
from types import FrameType
from typing import NoReturn


def all_as_by_hand() -> None:
    """Take SIGTERM and SIGHUP for Ctrl-C; one that whoever started this process ignores, as nohup does, stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        with suppress(ValueError):  # only the main thread may
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _by_hand)


def none_any_more() -> None:
    """Let nothing interrupt the end of this process: all is done, and Python takes its handlers back before it ends."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with suppress(ValueError):  # as above
            signal.signal(number, signal.SIG_IGN)


def _by_hand(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
