"""Tracks: several runs that are measured and kept; killed where they are kept, in processes, and what is kept spoilt.

After each the same command must print, line for line, what it prints on a clean machine.
"""

import json
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random

import psutil
from doctored import QRELS, RUN
from ground import Ground, Machine, parts, tree
from kills import NeverHit
from running import FREE, STEP, Blow, Ended, Limits, Strike, Victim, kill
from stores import another_digit
from tally import Outcome

RUNS = 4
ASKED = ("-m", "nDCG@5", "-m", "AP", "-m", "RR", "--per-query", "--json")
SIGNALS = (signal.SIGKILL, signal.SIGTERM)


def track(ground: Ground, name: str) -> Machine:
    """A machine with qrels and some runs that differ."""
    machine = ground.machine(name)
    (machine.home / "qrels").write_text(QRELS, encoding="utf-8")
    (machine.home / "runs").mkdir()
    for i in range(RUNS):
        text = RUN.replace(f"d{i} {i} {10 - i}.5", f"d{i} {i} 0.25")
        (machine.home / "runs" / f"r{i}").write_text(text, encoding="utf-8")
    return machine


def asked(
    ground: Ground, machine: Machine, *more: str, out: str = "kept", limits: Limits = FREE, strike: Strike | None = None
) -> Ended:
    """Measure the runs, and keep that."""
    options = (*ASKED, "--out", out, *more)
    return ground.command(machine, "evaluate", "qrels", "runs", *options, limits=limits, strike=strike)


_clean: dict[Path, Counter[str]] = {}
_asking = threading.Lock()


def clean(ground: Ground) -> Counter[str]:
    """The lines that a clean machine prints, each beside its query, measure and run."""
    with _asking:
        if ground.folder not in _clean:
            _clean[ground.folder] = lines(asked(ground, track(ground, "track-clean")))
    return _clean[ground.folder]


def lines(ended: Ended) -> Counter[str]:
    """The values that were printed, a line each."""
    try:
        said = json.loads(ended.stdout)
    except ValueError:
        return Counter([f"no JSON: {ended.stdout[:100]!r}"])
    return Counter(
        f"{run['system']} {name} {query} {value}"
        for run in said["runs"]
        if "runs" in said
        for name, found in run["measures"].items()
        for query, value in [*found["per_query"].items(), ("mean", found["mean"])]
    )


def then_again(ground: Ground, machine: Machine, attacked: Outcome) -> Outcome:
    """The same is asked once more, of what is kept."""
    ended = asked(ground, machine)
    found, wanted = lines(ended), clean(ground)
    faults = [f"the next run: {fault}" for fault in ended.faults([0])]
    faults += [
        f"the next run: {name} stays behind" for name in parts(tree(machine.home / "kept")) if "SIGKILL" not in name
    ]
    more, less = tuple((found - wanted).elements()), tuple((wanted - found).elements())
    return attacked.and_then(Outcome(tuple(faults), more, less, ended.left))


def told(ended: Ended, wanted: Counter[str], codes: tuple[int, ...]) -> Outcome:
    """What an attacked track came to: all values if it says that it holds, and never another value."""
    found = lines(ended) if ended.stdout.strip() else Counter()
    lost = tuple((wanted - found).elements()) if ended.code == 0 else ()
    return Outcome(ended.faults(codes), tuple((found - wanted).elements()), lost, ended.left, ended.seconds)


def at_a_write(ground: Ground, index: int, _chance: Random) -> Outcome:
    """Killed, or asked to end, where a result is about to be kept."""
    machine, given = track(ground, f"track-write-{index}"), SIGNALS[index % 2]
    blow = Blow(index // 2 + 1, given, machine.home.with_name(f"track-write-{index}.moments"))
    ended = asked(ground, machine, limits=Limits(blow=blow))
    if not ended.hit and ended.code:
        raise NeverHit(f"track-write {index}: exit code {ended.code}")
    attacked = told(ended, clean(ground), (-given, 0) if given is signal.SIGKILL else (3, 0))
    stays = parts(tree(machine.home)) if given is not signal.SIGKILL else []
    for part in machine.home.rglob(".*.part"):  # nobody can remove what SIGKILL leaves at once
        part.unlink()
    stayed = Outcome(tuple(f"{given.name}: {name} stays behind" for name in stays))
    return then_again(ground, machine, attacked.and_then(stayed))


def process_killed(ground: Ground, index: int, chance: Random) -> Outcome:
    """One of the processes of `--jobs` is killed: its run is measured again, or said to be missing."""
    machine, wait = track(ground, f"track-jobs-{index}"), chance.random() * 0.8

    def strike(victim: Victim) -> bool:
        while victim.runs:
            if victim.until(wait) and (others := [pid for pid in victim.others() if _measures(pid)]):
                return kill(chance.choice(others))
            time.sleep(STEP)
        return False

    ended = asked(ground, machine, "--jobs", "2", strike=strike)
    return then_again(ground, machine, told(ended, clean(ground), (0, 3)))


def _measures(pid: int) -> bool:
    """Whether a process is one that measures, and not Python's own that looks after what processes share."""
    try:
        return any("spawn_main" in word for word in psutil.Process(pid).cmdline())
    except psutil.Error:
        return False


def kept_flipped(ground: Ground, index: int, chance: Random) -> Outcome:
    """A digit of a result that is kept is another one."""
    machine = track(ground, f"track-kept-{index}")
    first = told(asked(ground, machine), clean(ground), (0,))
    path = chance.choice(sorted((machine.home / "kept").glob("*.json")))
    text = bytearray(path.read_bytes())
    at, digit = another_digit(bytes(text), chance, b'"results"')
    text[at] = digit
    path.write_bytes(text)
    return then_again(ground, machine, first)


def run_changed(ground: Ground, index: int, _chance: Random) -> Outcome:
    """A run, or all qrels, are others than when results were kept: what is told is what a clean machine tells of these."""
    machine, fresh = track(ground, f"track-changed-{index}"), track(ground, f"track-fresh-{index}")
    first = told(asked(ground, machine), clean(ground), (0,))
    for one in (machine, fresh):
        place = one.home / ("qrels" if index % 2 else f"runs/r{index // 2 % RUNS}")
        place.write_bytes(place.read_bytes().replace(b"q3", b"q9").replace(b" d2 ", b" d8 "))
    ended, wanted = asked(ground, machine), lines(asked(ground, fresh))
    found = lines(ended)
    faults = [*ended.faults([0]), *(["it has changed nothing"] if wanted == clean(ground) else [])]
    changed = Outcome(tuple(faults), tuple((found - wanted).elements()), tuple((wanted - found).elements()), ended.left)
    return first.and_then(changed)
