"""The processes of this machine, as Linux tells of them in files."""

import time
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes below one."""
    own: list[int] = []
    with suppress(OSError):  # it ended while it was looked at
        for task in Path(f"/proc/{pid}/task").iterdir():
            own += map(int, (task / "children").read_text(encoding="ascii").split())
    return [process for child in own for process in (child, *children(child))]


def is_there(pid: int) -> bool:
    """Whether a process runs: one that ended and that nobody waits for does not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in {b"Z", b"X"}
    return False


def gone(pids: list[int], seconds: float = 60) -> bool:
    """Whether all of them end in time."""
    until = time.monotonic() + seconds
    while any(map(is_there, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
