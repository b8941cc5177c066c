"""Commands in their own processes: start, attack and wait for them; count and end remaining processes.

All processes of a command have a mark in their environment. A process that removes the mark is not found.
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

LAUNCH = Path(__file__).resolve().parent / "launch.py"
MARK = "RANKPROOF_ATTACKED"
FAULT = "rankproof: error in rankproof"
"""Message of an internal error of rankproof, which no attack may cause."""
START, END, GRACE = 60.0, 60.0, 3.0
"""Seconds for a command to start its own code, to end after an attack, and for its child processes to end after it."""
STEP = 0.005
LOOKS = 4
"""Number of successive looks without a process: the environment of a starting process is empty for a moment."""


@dataclass(frozen=True, slots=True)
class Blow:
    """A signal to a command at the nth change of a file of its machine.

    Attributes:
        note: file that counts the changes.
    """

    moment: int
    signum: signal.Signals
    note: Path

    @property
    def hit(self) -> bool:
        """Whether the signal was sent."""
        return self.note.exists() and b"x" in self.note.read_bytes()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a command.

    Attributes:
        largest: maximum bytes of a file.
        memory: maximum bytes of address space.
        obey_modes: whether file modes apply to root as well.
    """

    largest: int | None = None
    memory: int | None = None
    obey_modes: bool = False
    blow: Blow | None = None


FREE = Limits()


@dataclass(frozen=True, slots=True)
class Victim:
    """A running command.

    Attributes:
        began: time when the code of rankproof started, on the monotonic clock.
    """

    process: "subprocess.Popen[bytes]"
    began: float
    mark: str

    @property
    def runs(self) -> bool:
        """Whether the command has not ended."""
        return self.process.poll() is None

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        """Wait until a condition is true; return whether the command still runs."""
        while self.runs and not condition():
            time.sleep(STEP)
        return self.runs

    def wait(self, seconds: float) -> bool:
        """Wait until some seconds after the start; return whether the command still runs."""
        return self.wait_until(lambda: time.monotonic() >= self.began + seconds)

    def children(self) -> list[int]:
        """Return the child processes of the command and all their descendants."""
        return [pid for pid in marked(self.mark) if pid != self.process.pid]


Strike = Callable[[Victim], bool]
"""Function that attacks a running command and returns whether it still ran."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a command.

    Attributes:
        code: the exit code, negative after a signal; None if the command did not end.
        hit: whether the attack came before the end.
        left: number of processes that outlived the command.
        seconds: time from the attack, or from the start, to the end of all processes.
    """

    code: int | None
    stdout: str
    stderr: str
    hit: bool
    left: int
    seconds: float

    def faults(self, codes: Sequence[int]) -> list[str]:
        """Return the faults of the end, for some documented exit codes."""
        last = self.stderr.strip().splitlines()[-1:] or [""]
        faults = [f"no end within {END:g} s"] if self.code is None else []
        if "Traceback (most recent call last)" in self.stdout + self.stderr:
            faults.append("a traceback")
        if FAULT in self.stderr:
            faults.append("a fault of rankproof")
        if self.code is not None and self.code not in codes:
            faults.append(f"exit code {self.code}")
        return [f"{', '.join(faults)}: {last[0][:200]}"] * bool(faults) + (
            [f"{self.left} processes left"] if self.left else []
        )


def run(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    *,
    limits: Limits = FREE,
    strike: Strike | None = None,
) -> Ended:
    """Run a rankproof command in a folder, and attack it after it has installed its signal handlers."""
    mark = uuid.uuid4().hex
    ready, written = os.pipe()
    blow = limits.blow and (limits.blow.moment, int(limits.blow.signum), str(limits.blow.note))
    how = {"largest": limits.largest, "memory": limits.memory, "obey_modes": limits.obey_modes}
    process = subprocess.Popen(
        [sys.executable, str(LAUNCH), json.dumps({"ready": written, "blow": blow, **how}), *arguments],
        cwd=folder,
        env={**environment, MARK: mark},
        pass_fds=(written,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(written)
    assert process.stdout is not None
    assert process.stderr is not None
    outputs = [_Output(process.stdout), _Output(process.stderr)]
    try:
        with open(ready, "rb", buffering=0) as begun:  # noqa: PTH123 - a descriptor
            select.select([begun], [], [], START)
        victim = Victim(process, time.monotonic(), mark)
        hit = strike(victim) if strike is not None else False
        since = time.monotonic() if hit else victim.began
        code = _exit_code(process)
    finally:
        left = _end_all(process, mark)
    until = time.monotonic()
    for output in outputs:
        output.thread.join(GRACE)
    hit = hit or (limits.blow is not None and limits.blow.hit)
    return Ended(code, outputs[0].text, outputs[1].text, hit, left, until - since)


def _exit_code(process: "subprocess.Popen[bytes]") -> int | None:
    try:
        return process.wait(END)
    except subprocess.TimeoutExpired:
        return None


def _end_all(process: "subprocess.Popen[bytes]", mark: str) -> int:
    """End all processes of a command; return how many of them outlived it."""
    hangs = process.poll() is None
    if hangs:
        process.kill()
        process.wait()
    until = time.monotonic() + (0 if hangs else GRACE)
    left, looks = marked(mark), 0
    while looks < LOOKS and (not left or time.monotonic() < until):
        time.sleep(STEP)
        left = marked(mark)
        looks = 0 if left else looks + 1
    for pid in left:
        kill(pid)
    return len(left)


def kill(pid: int, signum: signal.Signals = signal.SIGKILL) -> bool:
    """Send a signal to a process of a command; return whether it still ran."""
    try:
        os.kill(pid, signum)
    except ProcessLookupError:
        return False
    return True


def marked(mark: str) -> list[int]:
    """Return the processes with a mark in their environment."""
    running = psutil.process_iter(["environ"], ad_value=None)  # None for ended or foreign processes
    return [process.pid for process in running if (process.info["environ"] or {}).get(MARK) == mark]


class _Output:
    """The text of a pipe, read by a thread because a remaining process could keep the pipe open forever."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.text = ""
        self.thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self.thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), 65_536):
                self.text += chunk.decode("utf-8", errors="replace")
