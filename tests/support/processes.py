"""The processes of this machine, and programs for it."""

import time
from pathlib import Path

import psutil

ENDED = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


def children(pid: int) -> list[int]:
    """The processes below one, each before those below it."""
    try:
        own = [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:  # it ended while it was looked at
        return []
    return [process for child in own for process in (child, *children(child))]


def is_there(pid: int) -> bool:
    """Whether a process runs: one that ended and that nobody waits for does not."""
    try:
        return psutil.Process(pid).status() not in ENDED
    except psutil.Error:
        return False


def with_environment(part: str) -> list[psutil.Process]:
    """The processes that have some text in a variable of their environment, as `NAME=value`."""
    found = [(one, (one.info["environ"] or {}).items()) for one in psutil.process_iter(["environ"], ad_value=None)]
    return [one for one, environment in found if any(part in f"{name}={value}" for name, value in environment)]


def gone(pids: list[int], seconds: float = 60) -> bool:
    """Whether all of them end in time."""
    until = time.monotonic() + seconds
    while any(map(is_there, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def executable(path: Path, text: str, mode: int = 0o755) -> Path:
    """A program, in a folder that need not be there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path
