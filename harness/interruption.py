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


def _by_hand(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
