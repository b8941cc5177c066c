"""Children of `multiprocessing` that end when they should: with their parent, and at once."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """In a child: leave Ctrl-C to the parent, and end when the parent does, in whatever way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def kill_children(but: Iterable[multiprocessing.process.BaseProcess] = ()) -> None:
    """In the parent: end them all, whatever they do, but for some that are none of ours."""
    for child in {*multiprocessing.active_children()} - {*but}:
        child.kill()
