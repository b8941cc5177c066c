"""Attacks that interrupt commands, workers and functions, at random moments and at each write."""

import shutil
import signal
from collections import Counter
from random import Random

from commands import Blow, Ended, Limits, Strike, Victim, kill
from machines import Ground, Machine, Rows, Trial, files_of, left_behind, mixed, record_of, rows_of, run_arguments
from misbehaviour import MISBEHAVING, TIED, check_arguments, stranger_environment

POLITE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
AT_WRITES = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
SOON = 10.0
"""Maximum seconds until a run ends after a signal."""
TRIES = 8
"""Maximum number of attempts if attacks come too late; each attempt is earlier."""
WRITES = 54
"""Number of writes of a run to attack with each signal; all writes if there are fewer."""


def exit_codes(signum: signal.Signals) -> tuple[int, ...]:
    """Return the documented exit codes after a signal; 0 if everything was done before."""
    return (-signum, 0) if signum is signal.SIGKILL else (3, 0)


def send(signum: signal.Signals, moment: float) -> Strike:
    """Send a signal to the command itself, some seconds after its start."""
    return lambda victim: victim.wait(moment) and kill(victim.process.pid, signum)


def send_to_child(chance: Random, moment: float) -> Strike:
    """Kill one of the child processes of the command."""

    def strike(victim: Victim) -> bool:
        children: list[int] = []
        victim.wait(moment)
        victim.wait_until(lambda: bool(children.extend(victim.children()) or children))
        return victim.runs and kill(chance.choice(children))

    return strike


# -- a run -------------------------------------------------------------------------------------------------------------


def parent_killed(trial: Trial) -> None:
    """Send SIGKILL at a random moment."""
    _parent_ended(trial, signal.SIGKILL)


def parent_asked(trial: Trial) -> None:
    """Send SIGTERM, SIGINT or SIGHUP at a random moment."""
    _parent_ended(trial, POLITE[trial.index // 2 % len(POLITE)])


def _parent_ended(trial: Trial, signum: signal.Signals) -> None:
    for attempt in range(TRIES):
        machine = trial.machine(("empty", "earlier")[trial.index % 2], f"-{attempt}")
        moment = trial.chance.random() * trial.ground.duration / (1 + attempt)
        ended = trial.command(machine, *run_arguments(machine.out), codes=None, strike=send(signum, moment))
        if ended.hit:
            _left_whole(trial, machine, ended, signum)
            return
    trial.fault(f"the command ended before the attack, {TRIES} times")


def _left_whole(trial: Trial, machine: Machine, ended: Ended, signum: signal.Signals) -> None:
    """Require complete old or complete new results after a signal, and a complete next run."""
    trial.fault(*ended.faults(exit_codes(signum)), about=signum.name)
    if signum is not signal.SIGKILL:
        trial.require(ended.seconds < SOON, f"{signum.name}: it took {ended.seconds:.1f} s")
        trial.fault(*left_behind(machine), about=signum.name)
    if list(machine.out.glob(".all.*.ready")):  # the next reader moves complete results to their place
        trial.ground.command(machine, "diff", str(machine.out), str(machine.out))
    whole = [trial.ground.clean] if ended.code == 0 else [machine.had, trial.ground.clean]
    trial.fault(*mixed(files_of(machine.out), *whole), about=signum.name)
    trial.holds(machine, about="the next run")


def parent_killed_waiting(trial: Trial) -> None:
    """Send SIGKILL while a library does not return: its process must end as well."""
    machine = trial.machine()

    def strike(victim: Victim) -> bool:
        victim.wait_until(lambda: len(victim.children()) > 1)  # the supervisor and the library
        return victim.runs and kill(victim.process.pid)

    arguments = run_arguments(machine.out, TIED, ["hangs"])
    ended = trial.command(machine, *arguments, codes=(-signal.SIGKILL,), adapters=MISBEHAVING, strike=strike)
    trial.require(ended.hit, "it ended before the attack")
    trial.holds(machine, about="the next run")


def at_write(trial: Trial) -> None:
    """Send a signal when the command is about to change a file."""
    signum, like = AT_WRITES[trial.index % 3], ("earlier", "empty")[trial.index // 3 % 2]
    moments, turn = _writes(trial.ground, like), trial.index // 6
    machine = trial.machine(like)
    blow = Blow(turn * moments // WRITES + 1, signum, machine.home.with_name(f"{machine.home.name}.moments"))
    ended = trial.command(machine, *run_arguments(machine.out), codes=None, limits=Limits(blow=blow))
    trial.require(ended.hit, f"there was no write {blow.moment} of {moments}")
    _left_whole(trial, machine, ended, signum)


def _writes(ground: Ground, like: str) -> int:
    """Return the number of file changes of a run on such a machine."""

    def count() -> Rows:
        machine = Machine(ground.folder / "machines" / f"count-{like}")
        if like == "empty":
            machine.home.mkdir(parents=True)
        else:
            shutil.copytree(ground.folder / like, machine.home)
        note = ground.folder / f"{like}.moments"
        ground.command(machine, *run_arguments(machine.out), limits=Limits(blow=Blow(0, signal.SIGKILL, note)))
        return Counter({"writes": len(note.read_bytes())})

    return ground.once(f"writes {like}", count)["writes"]


def worker_killed(trial: Trial) -> None:
    """Kill a process of a library: its values are measured again, or reported as unstable."""
    for attempt in range(TRIES):
        machine = trial.machine(("empty", "earlier")[trial.index % 2], f"-{attempt}")
        moment = trial.chance.random() * trial.ground.duration / (1 + attempt)
        arguments = run_arguments(machine.out)
        ended = trial.command(machine, *arguments, codes=None, strike=send_to_child(trial.chance, moment))
        if ended.hit:
            break
    else:
        trial.fault(f"the command ended before the attack, {TRIES} times")
        return
    rows, clean = rows_of(files_of(machine.out)), rows_of(trial.ground.clean)
    unstable = {_question(line) for line in rows if record_of(line).get("verdict") == "unstable"}
    trial.fault(*ended.faults([1 if unstable else 0]))
    kept, expected = (
        Counter({line: n for line, n in all_of.items() if _question(line) not in unstable}) for all_of in (rows, clean)
    )
    trial.compare(kept, expected)
    trial.holds(machine, about="the next run")


def _question(line: str) -> tuple[object, ...]:
    return tuple(record_of(line).get(name) for name in ("subject", "case", "measure"))


# -- check -------------------------------------------------------------------------------------------------------------

FUNCTIONS = ("leaves_a_process", "leaves_a_daemon", "moves_away", "leaves_a_thread", "comes_back_twice")
CHECK_SECONDS = 1.5
"""Seconds that checking one function takes."""


def check_killed(trial: Trial) -> None:
    """Send a signal to `check` at a random moment, or when its function has started a process, which must also end."""
    signum = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT)[trial.index % 4]
    name = FUNCTIONS[trial.index % len(FUNCTIONS)]
    for attempt in range(TRIES):
        machine = trial.machine(suffix=f"-{attempt}")
        moment = trial.chance.random() * CHECK_SECONDS / (1 + attempt)
        after_start = trial.index % 3 and not attempt
        ended = trial.command(
            machine,
            *check_arguments(name),
            codes=None,
            strike=_when_left(machine, signum) if after_start else send(signum, moment),
            more=stranger_environment(machine),
        )
        if ended.hit:
            trial.fault(*ended.faults(exit_codes(signum)), about=f"{signum.name}, {name}")
            return
    trial.fault(f"the command ended before the attack, {TRIES} times")


def _when_left(machine: Machine, signum: signal.Signals) -> Strike:
    """Return a strike at the moment when the function notes that it left a process."""
    note = machine.home / "left"
    return lambda victim: victim.wait_until(note.exists) and kill(victim.process.pid, signum)
