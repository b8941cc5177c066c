"""Attacks on tracks, which are several runs with kept results: killed processes and changed results.

After each attack, the same command must print the same values as on an undisturbed machine.
"""

import json
import os
import signal
from collections import Counter

import psutil
from commands import Blow, Ended, Limits, Victim, kill
from damage import other_digit
from interruptions import exit_codes
from machines import Ground, Machine, Rows, Trial, left_behind

RUNS = 4
QRELS = "".join(f"q{q} 0 d{d} {(q + d) % 4}\n" for q in range(5) for d in range(6))
RUN = "".join(f"q{q} Q0 d{d} {d} {10 - d}.5 tag\n" for q in range(5) for d in range(8))
MEASURES = ("-m", "nDCG@5", "-m", "AP", "-m", "RR", "--per-query", "--json")


def write_track(machine: Machine) -> Machine:
    """Write qrels and several different runs."""
    machine.write("qrels", QRELS)
    for i in range(RUNS):
        machine.write(f"runs/r{i}", RUN.replace(f"d{i} {i} {10 - i}.5", f"d{i} {i} 0.25"))
    return machine


def arguments(*more: str, out: str = "kept") -> list[str]:
    """Return the arguments that measure the runs and keep the results."""
    return ["evaluate", "qrels", "runs", *MEASURES, "--out", out, *more]


def expected(ground: Ground) -> Rows:
    """Return the values that an undisturbed machine prints."""

    def measure() -> Rows:
        home = ground.folder / "machines" / "track"
        home.mkdir(parents=True)
        return values(ground.command(write_track(Machine(home)), *arguments()))

    return ground.once("track", measure)


def values(ended: Ended) -> Rows:
    """Return the printed values, one in each row."""
    if not ended.stdout.strip():
        return Counter()
    try:
        runs = json.loads(ended.stdout)["runs"]
    except (ValueError, KeyError):
        return Counter([f"no JSON: {ended.stdout[:100]!r}"])
    return Counter(
        f"{run['system']} {name} {query} {value}"
        for run in runs
        for name, measured in run["measures"].items()
        for query, value in [*measured["per_query"].items(), ("mean", measured["mean"])]
    )


def _holds(trial: Trial, ended: Ended) -> None:
    """Require all values if the command succeeded, and no wrong value."""
    trial.compare(values(ended), expected(trial.ground), partly=ended.code != 0)


def _holds_again(trial: Trial, machine: Machine) -> None:
    """Run the same command again."""
    ended = trial.command(machine, *arguments(), about="the next run")
    trial.compare(values(ended), expected(trial.ground), about="the next run")
    trial.fault(*left_behind(Machine(machine.home / "kept")), about="the next run")


def at_write(trial: Trial) -> None:
    """Send a signal when a result is about to be kept."""
    machine, signum = write_track(trial.machine()), (signal.SIGKILL, signal.SIGTERM)[trial.index % 2]
    blow = Blow(trial.index // 2 + 1, signum, machine.home.with_name(f"{machine.home.name}.moments"))
    ended = trial.command(machine, *arguments(), codes=exit_codes(signum), limits=Limits(blow=blow))
    if signum is not signal.SIGKILL:
        trial.fault(*left_behind(machine), about=signum.name)
    for part in machine.home.rglob(".*.part"):  # left by SIGKILL
        part.unlink()
    _holds(trial, ended)
    _holds_again(trial, machine)


def process_killed(trial: Trial) -> None:
    """Kill a process of `--jobs`: its run is measured again, or reported as missing."""
    machine, moment = write_track(trial.machine()), trial.chance.random() * 0.8

    def strike(victim: Victim) -> bool:
        workers: list[int] = []
        victim.wait(moment)
        victim.wait_until(lambda: bool(workers.extend(filter(_measures, victim.children())) or workers))
        return victim.runs and kill(trial.chance.choice(workers))

    ended = trial.command(machine, *arguments("--jobs", "2"), codes=(0, 3), strike=strike)
    _holds(trial, ended)
    _holds_again(trial, machine)


def _measures(pid: int) -> bool:
    """Return whether a process measures runs; Python's resource tracker does not."""
    try:
        return any("spawn_main" in word for word in psutil.Process(pid).cmdline())
    except psutil.Error:
        return False


def kept_changed(trial: Trial) -> None:
    """Change a digit in a kept result."""
    machine = write_track(trial.machine())
    _holds(trial, trial.command(machine, *arguments()))
    path = trial.chance.choice(sorted((machine.home / "kept").glob("*.json")))
    path.write_bytes(other_digit(path.read_bytes(), trial.chance, after=b'"results"'))
    _holds_again(trial, machine)


def input_changed(trial: Trial) -> None:
    """Change the run or the qrels after results were kept: the values must be those of the new files."""
    machine, fresh = write_track(trial.machine()), write_track(trial.machine(suffix="-fresh"))
    trial.command(machine, *arguments())
    for changed in (machine, fresh):
        place = changed.home / ("qrels" if trial.index % 2 else f"runs/r{trial.index // 2 % RUNS}")
        place.write_bytes(place.read_bytes().replace(b"q3", b"q9").replace(b" d2 ", b" d8 "))
    new = values(trial.command(fresh, *arguments()))
    trial.require(new != expected(trial.ground), "the change has no effect")
    trial.compare(values(trial.command(machine, *arguments())), new)


UNWRITABLE = ("a file", "a folder in a file", "a folder that may not be written", "a folder below it", "no room")


def unwritable(trial: Trial) -> None:
    """Keep results in an unusable place: exit code 2, the error names the place, and no value is wrong."""
    way = UNWRITABLE[trial.index % len(UNWRITABLE)]
    machine = write_track(trial.machine())
    place = machine.home / "kept"
    if way.endswith("file"):
        place.write_text("a file of the user", encoding="utf-8")
    elif way != "no room":
        place.mkdir(mode=0o555)
    limits = Limits(largest=64) if way == "no room" else Limits(obey_modes=os.geteuid() == 0)
    out = "kept/deeper" if "below" in way or "in a file" in way else "kept"
    ended = trial.command(machine, *arguments(out=out), codes=[2], about=way, limits=limits)
    trial.require(machine.home.name in ended.stderr or "kept" in ended.stderr, f"{way}: the place is not named")
    trial.compare(values(ended), expected(trial.ground), about=way, partly=True)
    if place.is_file():
        trial.require(place.read_text(encoding="utf-8") == "a file of the user", f"{way}: the file was changed")
        place.unlink()
    elif place.exists():
        place.chmod(0o755)
    _holds_again(trial, machine)
