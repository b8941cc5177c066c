"""Kills: of the parent, by signals that end it and by those that ask it to end, and of its workers.

The moments are drawn at random over the whole run, and one in three from when it begins to write: into the store, or the results. Beside
these, each moment at which the parent is about to open a file to write it, to move, to make or to remove one is tried, one after another.
"""

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from foreign_code import MISBEHAVING, TIED
from ground import TOLD, Ground, Machine, difference, parts, rows_of, torn, tree
from running import STEP, Blow, Ended, Limits, Strike, Victim, kill
from tally import Outcome

from rankproof.judge import results_file

POLITE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SOON = 5.0
"""How many seconds a run may take to end when it is asked to; it is to take one, but the machine has more to do."""
TRIES = 8
WAITING, WORKS = 5, 0.5
"""One kill in so many hits a parent whose library does not answer, up to so many seconds after it was started."""
WATCHED = 0.0002
"""How many seconds pass between two looks at a folder."""
AROUND = 0.02
"""How many seconds after a write began the kill may come."""


class NeverHit(Exception):
    """The command always ended before it was attacked."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When to strike: so many seconds after the command began, or so many after something was written into a folder."""

    seconds: float
    folder: Path | None = None

    def come(self, victim: Victim) -> bool:
        """Wait for it; whether the command still runs."""
        if self.folder is None:
            return victim.until(self.seconds)
        before = _written(self.folder)
        while victim.runs and _written(self.folder) == before:
            time.sleep(WATCHED)
        time.sleep(self.seconds)
        return victim.runs


def _written(folder: Path) -> tuple[int, ...]:
    """When a folder, the one above and the one of the results were last written into."""
    return tuple(_changed(path) for path in (folder.parent, folder, folder / "results"))


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def moment(ground: Ground, machine: Machine, index: int, chance: Random, attempt: int) -> Moment:
    """A moment of a run; the more often it came too late, the earlier."""
    if attempt < TRIES // 2 and index % 6 == 4:  # noqa: PLR2004 - one of six, as below
        return Moment(chance.uniform(0, AROUND), machine.store)
    if attempt < TRIES // 2 and index % 6 == 5:  # noqa: PLR2004
        return Moment(chance.uniform(0, AROUND), machine.out)
    return Moment(chance.random() * ground.duration / (1 + attempt))


def struck(
    ground: Ground, name: str, index: int, chance: Random, strike: Callable[[Moment], Strike]
) -> tuple[Machine, Ended]:
    """Run on new machines until an attack hits.

    Raises:
        NeverHit: none does.
    """
    for attempt in range(TRIES):
        machine = ground.machine(f"{name}-{index}-{attempt}", ("empty", "earlier")[index % 2])
        ended = ground.asked(machine, strike=strike(moment(ground, machine, index, chance, attempt)))
        if ended.hit:
            return machine, ended
    raise NeverHit(f"{name} {index}: the command ended before the attack, {TRIES} times")


def next_run(ground: Ground, machine: Machine) -> Outcome:
    """Run again, and hold all that it writes to what a clean machine writes."""
    ended = ground.asked(machine)
    found = tree(machine.out)
    rows = difference(rows_of(found), rows_of(ground.clean))
    faults = [f"the next run: {fault}" for fault in (*ended.faults([0]), *torn(found, ground.clean))]
    return Outcome(tuple(faults), rows.invented, rows.lost, ended.left)


# -- the parent --------------------------------------------------------------------------------------------------------


def parent_killed(ground: Ground, index: int, chance: Random) -> Outcome:
    """SIGKILL, at any moment: no code of ours runs any more; or exit code 0, if all was done before.

    A process that has begun to exit still takes the signal, and keeps its code. One in so many is killed while a library does not
    answer, and would not for a minute.
    """
    if index % WAITING == 0:
        return _killed_while_it_waits(ground, index, chance)
    machine, ended = struck(ground, "killed", index, chance, lambda when: _on_parent(when, signal.SIGKILL))
    return _parent_ended(ground, machine, ended, (-signal.SIGKILL, 0))


def _killed_while_it_waits(ground: Ground, index: int, chance: Random) -> Outcome:
    machine = ground.machine(f"killed-{index}-waiting")
    after = chance.uniform(0, WORKS)

    def strike(victim: Victim) -> bool:
        while victim.runs and len(victim.others()) <= 1:  # the supervisor, and what it watches
            time.sleep(STEP)
        time.sleep(after)
        return victim.runs and kill(victim.process.pid, signal.SIGKILL)

    ended = ground.asked(machine, adapters=MISBEHAVING, cases=TIED, wanted=("hangs",), strike=strike)
    faults = [] if ended.hit else ["it ended before the attack"]
    attacked = Outcome((*ended.faults((-signal.SIGKILL,)), *faults), left=ended.left, seconds=ended.seconds)
    return attacked.and_then(next_run(ground, machine))


def parent_asked_to_end(ground: Ground, index: int, chance: Random) -> Outcome:
    """SIGTERM, SIGINT or SIGHUP: exit code 3, and no part of a file stays behind; or 0, if all was done before."""
    given = POLITE[index // 2 % len(POLITE)]
    machine, ended = struck(ground, "asked", index, chance, lambda when: _on_parent(when, given))
    stays = parts(tree(machine.home))  # which the next run takes away
    outcome = _parent_ended(ground, machine, ended, (3, 0))
    faults = [f"{given.name}: {fault}" for fault in outcome.lost]
    faults += [f"{given.name}: it took {ended.seconds:.1f} s"] if ended.seconds > SOON else []
    faults += [f"{given.name}: {name} stays behind" for name in stays]
    return Outcome(tuple(faults), outcome.invented, outcome.missing, outcome.left, outcome.seconds)


def _on_parent(when: Moment, given: signal.Signals) -> Strike:
    def strike(victim: Victim) -> bool:
        return when.come(victim) and kill(victim.process.pid, given)

    return strike


def _parent_ended(ground: Ground, machine: Machine, ended: Ended, codes: tuple[int, ...]) -> Outcome:
    """What a run that was ended left behind: once somebody reads it, all of the old results or all of the new; then the next run."""
    if list(machine.out.glob(".all.*.ready")):
        ground.command(machine, "diff", str(machine.out), str(machine.out))
    found = tree(machine.out)
    faults = torn(found, *([ground.clean] if ended.code == 0 else [machine.had, ground.clean]))
    rows = rows_of(found) if faults and taken_for_whole(machine) else rows_of(ground.clean)
    lost = difference(rows, rows_of(ground.clean)).lost
    attacked = Outcome((*ended.faults(codes), *faults), (), lost, ended.left, ended.seconds)
    return attacked.and_then(next_run(ground, machine))


def taken_for_whole(machine: Machine) -> bool:
    """Whether rankproof reads the results that are there as those of a run."""
    try:
        results_file.load(machine.out)
    except (OSError, ValueError):
        return False
    return True


# -- at each write -----------------------------------------------------------------------------------------------------

AT_WRITES = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
LIKE = ("earlier", "empty")
TURNS = 54
"""How many of the moments are tried with each signal and on each kind of machine: all, if there are no more."""
AT_A_WRITE = TURNS * len(AT_WRITES) * len(LIKE)


def at_a_write(ground: Ground, index: int, _chance: Random) -> Outcome:
    """A signal that comes when the parent is about to change a file: all of the old results are there, or all of the new ones."""
    given, like = AT_WRITES[index % len(AT_WRITES)], LIKE[index // len(AT_WRITES) % len(LIKE)]
    moments, turn = writes(ground, like), index // (len(AT_WRITES) * len(LIKE))
    machine = ground.machine(f"write-{index}", like)
    blow = Blow(turn * moments // TURNS + 1, given, machine.home.with_name(f"write-{index}.moments"))
    ended = ground.asked(machine, limits=Limits(blow=blow))
    if not ended.hit:
        raise NeverHit(f"at-write {index}: there was no moment {blow.moment} of {moments}")
    stays = [f"{name} stays behind" for name in parts(tree(machine.home)) if given is not signal.SIGKILL]
    outcome = _parent_ended(ground, machine, ended, (-given, 0) if given is signal.SIGKILL else (3, 0))
    outcome = replace(outcome, lost=(*outcome.lost, *stays))
    lost = tuple(f"{given.name} at moment {blow.moment}: {fault}" for fault in outcome.lost)
    return Outcome(lost, outcome.invented, outcome.missing, outcome.left, outcome.seconds)


_counting = threading.Lock()


def writes(ground: Ground, like: str) -> int:
    """At how many moments a run on such a machine is about to change a file of its own."""
    note = ground.folder / f"{like}.moments"
    with _counting:
        if not note.exists():
            ended = ground.asked(
                ground.machine(f"counted-{like}", like), limits=Limits(blow=Blow(0, signal.SIGKILL, note))
            )
            if ended.code != 0 or not note.read_bytes():
                raise NeverHit(f"at-write: nothing is written by a run that ends with exit code {ended.code}")
    return len(note.read_bytes())


# -- workers -----------------------------------------------------------------------------------------------------------


def worker_killed(ground: Ground, index: int, chance: Random) -> Outcome:
    """SIGKILL to one of the processes that the run started: its rows are those of a clean machine, or told as unstable."""
    machine, ended = struck(ground, "worker", index, chance, lambda when: _on_worker(when, chance))
    rows = difference(rows_of(tree(machine.out)), rows_of(ground.clean), told=TOLD)
    codes = (1,) if rows.told else (0,)
    attacked = Outcome(ended.faults(codes), rows.invented, rows.lost, ended.left, ended.seconds, rows.told)
    return attacked.and_then(next_run(ground, machine))


def _on_worker(when: Moment, chance: Random) -> Strike:
    def strike(victim: Victim) -> bool:
        if not when.come(victim):
            return False
        while victim.runs:
            if others := victim.others():
                return kill(chance.choice(others))
            time.sleep(STEP)
        return False

    return strike
