"""One command in processes of its own: begun, attacked at a moment, awaited; then what is left of it is counted and ended.

The processes of a run, its workers and all that these start are known by a mark in their environment. A process that takes the mark out
of its own environment is not seen.
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import tomllib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

HERE = Path(__file__).resolve().parent
LAUNCH = HERE / "launch.py"
ENTRY = tomllib.loads((HERE.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"][
    "rankproof"
]
MARK = "RANKPROOF_ATTACKED"
FAULT = "this is a fault of rankproof"
"""How a fault of its own is told, with an exit code of its own, with which no attack may end."""
BEGINNING = 60.0
"""How many seconds a command may take until its own code begins, on a full machine."""
PATIENCE = 60.0
"""How many seconds a command may take after it was attacked; then it hangs."""
GRACE = 3.0
"""How many seconds the processes of a command may take to end after it."""
STEP = 0.005
LOOKS = 4
"""So many times in a row nothing is to be seen: the environment of a process that is just being started is empty for a moment."""


@dataclass(frozen=True, slots=True)
class Blow:
    """A signal that a command gives itself at the nth moment at which it is about to change a file of its machine.

    Attributes:
        note: the file in which it says how many moments there were, and that it was struck.
    """

    moment: int
    given: signal.Signals
    note: Path

    @property
    def moments(self) -> int:
        """How many moments there were."""
        return len(self.note.read_bytes())

    @property
    def hit(self) -> bool:
        """Whether it was struck."""
        return self.note.exists() and b"x" in self.note.read_bytes()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may not do: write a file larger than `largest`, or where modes forbid it, though it is root; take more `memory`.

    Attributes:
        entry: what is called in the place of the command line.
    """

    largest: int | None = None
    powerless: bool = False
    memory: int | None = None
    blow: Blow | None = None
    entry: str = ""


FREE = Limits()


@dataclass(frozen=True, slots=True)
class Victim:
    """A command that runs.

    Attributes:
        began: when its own code began, by the monotonic clock.
        mark: what its processes are known by.
    """

    process: "subprocess.Popen[bytes]"
    began: float
    mark: str

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def until(self, moment: float) -> bool:
        """Wait until so many seconds after it began; whether it still runs."""
        while self.runs and (left := self.began + moment - time.monotonic()) > 0:
            time.sleep(min(left, STEP))
        return self.runs

    def others(self) -> list[int]:
        """The processes that it started, and those that they started."""
        return [pid for pid in marked(self.mark) if pid != self.process.pid]


Strike = Callable[[Victim], bool]
"""Attack a command that runs; whether it was hit."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a command.

    Attributes:
        code: its exit code, negative where a signal ended it; None where it hung.
        hit: whether the attack came before its end.
        left: how many of its processes outlived it.
        seconds: from the attack, or from its beginning without one, until it and all its processes had ended.
    """

    code: int | None
    stdout: str
    stderr: str
    hit: bool
    left: int
    seconds: float

    def faults(self, codes: Sequence[int]) -> tuple[str, ...]:
        """Why the run counts as lost; nothing if it ended with one of these codes, in time and in words."""
        told = self.stdout + self.stderr
        last = self.stderr.strip().splitlines()[-1:] or [""]
        found = [f"no end within {PATIENCE:g} s"] if self.code is None else []
        found += ["a traceback"] if "Traceback (most recent call last)" in told else []
        wrong = self.code is not None and self.code not in codes
        found += ["a fault of rankproof, though it does not end as one"] if FAULT in self.stderr and not wrong else []
        return (*found, *([f"exit code {self.code}"] if wrong else []), *([last[0][:200]] if wrong or found else []))


def run(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    *,
    limits: Limits = FREE,
    strike: Strike | None = None,
) -> Ended:
    """Run a command of rankproof in a folder, and attack it once its own code began."""
    mark = uuid.uuid4().hex
    ready, told = os.pipe()
    blow = None if limits.blow is None else (limits.blow.moment, int(limits.blow.given), str(limits.blow.note))
    bounds = {"largest": limits.largest, "powerless": limits.powerless, "memory": limits.memory, "blow": blow}
    how = json.dumps({"ready": told, "entry": limits.entry or ENTRY, **bounds})
    process = subprocess.Popen(
        [sys.executable, str(LAUNCH), how, *arguments],
        cwd=folder,
        env={**environment, MARK: mark},
        pass_fds=(told,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(told)
    said = [_read(pipe) for pipe in (process.stdout, process.stderr)]
    try:
        with open(ready, "rb", buffering=0) as begun:  # noqa: PTH123 - a descriptor
            select.select([begun], [], [], BEGINNING)
        victim = Victim(process, time.monotonic(), mark)
        hit = strike(victim) if strike is not None else False
        since = time.monotonic() if hit else victim.began
        code = _awaited(process)
        hit = hit or (limits.blow is not None and limits.blow.hit)
    finally:
        left = _ended(process, mark)
    until = time.monotonic()
    for words in said:
        words.thread.join(GRACE)
    return Ended(code, said[0].text, said[1].text, hit, left, until - since)


def _awaited(process: "subprocess.Popen[bytes]") -> int | None:
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return None


def _ended(process: "subprocess.Popen[bytes]", mark: str) -> int:
    """End all that is left; how many of its processes outlived it."""
    hung = process.poll() is None
    if hung:
        process.kill()
        process.wait()
    until = time.monotonic() + (0 if hung else GRACE)
    left, empty = marked(mark), 0
    while empty < LOOKS and (not left or time.monotonic() < until):
        time.sleep(STEP)
        left = marked(mark)
        empty = 0 if left else empty + 1
    for pid in left:
        kill(pid)
    return len(left)


def kill(pid: int, given: signal.Signals = signal.SIGKILL) -> bool:
    """Send a signal to a process of ours; whether it was still there."""
    try:
        os.kill(pid, given)
    except ProcessLookupError:
        return False
    return True


def marked(mark: str) -> list[int]:
    """The processes whose environment has a mark."""
    found = psutil.process_iter(["environ"], ad_value=None)  # none of one that ended, or is another user's
    return [process.pid for process in found if (process.info["environ"] or {}).get(MARK) == mark]


class _Words:
    """What comes out of a pipe, read in a thread: a process that stays behind may hold it open for ever."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.text = ""
        self.thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self.thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), 65_536):
                self.text += chunk.decode("utf-8", errors="replace")


def _read(pipe: IO[bytes] | None) -> _Words:
    if pipe is None:
        raise TypeError("a command whose words nobody reads")
    return _Words(pipe)
