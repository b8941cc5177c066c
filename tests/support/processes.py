"""Processes of this machine, and programs for tests."""

import time
from pathlib import Path

import psutil

ENDED = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


def children(pid: int) -> list[int]:
    """Return the descendants of a process, each before its own descendants."""
    try:
        own = [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:  # it ended in the meantime
        return []
    return [process for child in own for process in (child, *children(child))]


def is_there(pid: int) -> bool:
    """Return whether a process runs; zombies do not count."""
    try:
        return psutil.Process(pid).status() not in ENDED
    except psutil.Error:
        return False


def with_environment(part: str) -> list[psutil.Process]:
    """Return the processes with some text in a variable of their environment, as `NAME=value`."""
    found = [(one, (one.info["environ"] or {}).items()) for one in psutil.process_iter(["environ"], ad_value=None)]
    return [one for one, environment in found if any(part in f"{name}={value}" for name, value in environment)]


def gone(pids: list[int], seconds: float = 60) -> bool:
    """Return whether all of the processes end in time."""
    until = time.monotonic() + seconds
    while any(map(is_there, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def executable(path: Path, text: str, mode: int = 0o755) -> Path:
    """Write an executable file and its folder, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path
