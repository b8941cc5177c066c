"""`check`, ended from outside while it asks a function that starts processes; and a function for which there is not time enough."""

import signal
import time
from pathlib import Path
from random import Random

from functions import checked
from ground import Ground
from kills import TRIES, NeverHit
from running import STEP, Strike, Victim, kill
from tally import Outcome

KILLED = ("leaves_a_process", "leaves_a_daemon", "moves_away", "leaves_a_thread", "comes_back_twice")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT)
LASTS = 1.5
"""About how many seconds it takes to ask one of them."""
LEFT = "left"
"""The note of a function that has left a process."""
SLOW = "import time\n\n\ndef precision(rels, k):\n    time.sleep({pause})\n    return sum(rel >= 1 for rel in rels[:k]) / k\n"
PAUSES = (0.02, 0.2, 1.0)
BUDGET, BEYOND = 2.0, 30.0
"""The budget, and how many seconds all of it may take: to start, to end the last question, to look for what explains the answers."""


def killed(ground: Ground, index: int, chance: Random) -> Outcome:
    """Send a signal at any moment, or as soon as the function has left a process. Nothing that the function started may be left.

    Raises:
        NeverHit: it always ended before.
    """
    given, name = SIGNALS[index % len(SIGNALS)], KILLED[index % len(KILLED)]
    for attempt in range(TRIES):
        machine = ground.machine(f"check-{index}-{attempt}")
        moment = chance.random() * LASTS / (1 + attempt)
        by_note = index % 3 and not attempt
        strike = _once_it_left_a_process(machine.home / LEFT, given) if by_note else _at(moment, given)
        ended = checked(ground, machine, name, strike=strike)
        if ended.hit:
            codes = (-given, 0) if given is signal.SIGKILL else (3, 0)
            faults = [f"{given.name}, {name}: {fault}" for fault in ended.faults(codes)]
            return Outcome(tuple(faults), (), (), ended.left, ended.seconds)
    raise NeverHit(f"check-killed {index}: the command ended before the attack, {TRIES} times")


def _at(seconds: float, given: signal.Signals) -> Strike:
    def strike(victim: Victim) -> bool:
        return victim.until(seconds) and kill(victim.process.pid, given)

    return strike


def _once_it_left_a_process(note: Path, given: signal.Signals) -> Strike:
    """Strike as soon as the function notes that it left a process; this never happens if the function leaves no process."""

    def strike(victim: Victim) -> bool:
        while victim.runs and not note.exists():
            time.sleep(STEP)
        return victim.runs and kill(victim.process.pid, given)

    return strike


def out_of_time(ground: Ground, index: int, _chance: Random) -> Outcome:
    """A function that is too slow for its budget: it ends soon, says so, and never that it holds."""
    machine = ground.machine(f"budget-{index}")
    pause = PAUSES[index % len(PAUSES)]
    (machine.home / "slow.py").write_text(SLOW.format(pause=pause), encoding="utf-8")
    ended = ground.command(machine, "check", "slow.py", "precision(rels, k)", "P@5", "--budget", str(BUDGET))
    faults = [*ended.faults([2, 3]), *([f"it took {ended.seconds:.1f} s"] if ended.seconds > BEYOND else [])]
    faults += [] if "--budget" in ended.stdout + ended.stderr else ["nobody says that the time was used up"]
    return Outcome(tuple(f"{pause:g} s a call: {fault}" for fault in faults), (), (), ended.left, ended.seconds)
