"""Children of `multiprocessing` that end at once, and with their parent."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """In a child: ignore Ctrl-C, which the parent handles, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


def kill_children(but: Iterable[multiprocessing.process.BaseProcess] = ()) -> None:
    """In the parent: kill all children, except some."""
    for child in {*multiprocessing.active_children()} - {*but}:
        child.kill()
