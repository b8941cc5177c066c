"""What no unit test can: kills, spoilt stores, full disks and hostile strangers; a table of what was lost, invented or left.

    .venv/bin/python benchmarks/attacks                  all of it, in about ten minutes
    .venv/bin/python benchmarks/attacks --quick          a few of each, in some seconds
    .venv/bin/python benchmarks/attacks --only 'store*'  some of it
    .venv/bin/python benchmarks/attacks --planted        how many planted faults it notices; --only takes a part of them, too

Each attack is made on a machine of its own, a home with a store and results, and afterwards the next run must write, row for row, what a
clean machine writes. A run is lost if it ends with no exit code that is documented, with a traceback or not at all, or if what is there
afterwards is neither all of the old results nor all of the new ones. Exit code 1 unless all is zero. It works on Linux. The moments come
from a seed; what a kill meets at its moment, the machine decides.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path
from random import Random

import click
import planted
from ground import Ground, prepared
from kills import NeverHit
from kinds import Attack, attacks
from planted import Fault
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from stores import own_mounts
from tally import Line, Outcome, line_of, table


def made(wanted: Sequence[tuple[Attack, int]], ground: Ground, *, seed: int, at_once: int, bar: Progress) -> list[Line]:
    """Make each attack so many times, a few at once, and sum up."""
    task = bar.add_task("attacking", total=sum(times for _, times in wanted))
    found: dict[str, list[tuple[str, Outcome]]] = {attack.name: [] for attack, _ in wanted}
    with ThreadPoolExecutor(at_once) as pool:
        trials = {
            pool.submit(once, attack, ground, index, seed): (attack, index)
            for attack, times in wanted
            for index in range(times)
        }
        for done in as_completed(trials):
            attack, index = trials[done]
            found[attack.name] += [(f"{attack.name} {index}", one) for one in done.result()]
            bar.update(task, advance=1, description=attack.title)
    return [line_of(attack.title, found[attack.name]) for attack, _ in wanted]


def once(attack: Attack, ground: Ground, index: int, seed: int) -> Sequence[Outcome]:
    """Make an attack once; what it draws depends on nothing but the seed and its number."""
    try:
        found = attack.trial(ground, index, Random(f"{seed} {attack.name} {index}"))
    except NeverHit as error:
        return [Outcome((str(error),))]
    except Exception as error:  # noqa: BLE001 - one that cannot go on holds nothing, and ends no other
        return [Outcome((f"the attack cannot go on: {type(error).__name__}: {error}",))]
    return [found] if isinstance(found, Outcome) else found


TRIES = 40
"""How often an attack is made at most until it notices a planted fault, unless it goes through a list."""
CONTROLS = 6
"""How often it is made where nothing is wrong."""


def notices(ground: Ground, attack: Attack, *, seed: int, most: int) -> str:
    """By what an attack notices a planted fault; nothing if it does not."""
    times = attack.how_often(quick=False, times=None)
    for index in range(times if attack.listed and most == TRIES else min(most, times)):
        line = line_of(attack.title, [(f"{attack.name} {index}", one) for one in once(attack, ground, index, seed)])
        if not line.held:
            return line.faults[0]
    return ""


def share(faults: Sequence[Fault], known: Sequence[Attack], ground: Ground, *, seed: int, at_once: int) -> int:
    """Plant each fault by itself, tell by what it is noticed, and how many are; the exit code."""
    by_name = {attack.name: attack for attack in known}
    controls = [planted.harmless(name) for name in dict.fromkeys(fault.against for fault in faults)]
    with ThreadPoolExecutor(at_once) as pool:
        seen = [
            (
                fault,
                pool.submit(
                    notices, one, by_name[fault.against], seed=seed, most=CONTROLS if fault in controls else TRIES
                ),
            )
            for fault, one in planted.each([*faults, *controls], ground)
        ]
        told = [(fault, by.result()) for fault, by in seen]
    found, of_none = told[: len(faults)], [(fault, by) for fault, by in told[len(faults) :] if by]
    for fault, by in of_none:
        print(f"{fault.against} notices what is no fault: {by[:300]}", file=sys.stderr)
    print("| planted fault | attack | noticed |\n| --- | --- | --- |")
    for fault, by in found:
        print(f"| {fault.name} | {by_name[fault.against].title} | {'yes' if by else '**no**'} |")
        print(f"{fault.name}: {by[:300] or 'not noticed'}", file=sys.stderr)
    noticed = sum(bool(by) for _, by in found)
    print(f"\n{noticed} of {len(found)} planted faults are noticed, {100 * noticed / len(found):.0f} %.")
    print(f"{len(controls) - len(of_none)} of {len(controls)} attacks notice nothing of a change that is no fault.")
    return 0 if noticed >= LEAST * len(found) and not of_none else 1


LEAST = 0.95


def chosen(known: Sequence[Attack], globs: Sequence[str]) -> list[Attack]:
    """The attacks that are wanted.

    Raises:
        click.UsageError: a glob matches none.
    """
    for glob in globs:
        if not any(fnmatch(attack.name, glob) for attack in known):
            raise click.UsageError(f"{glob} is no attack; known are {', '.join(attack.name for attack in known)}")
    return [attack for attack in known if not globs or any(fnmatch(attack.name, glob) for glob in globs)]


@click.command("attacks", help=(__doc__ or "").replace("\n\n    ", "\n\n\b\n    "))
@click.option("--quick", is_flag=True, help="A few of each.")
@click.option("--only", multiple=True, metavar="GLOB", help="These attacks only.")
@click.option(
    "--planted", "plant", is_flag=True, help="Plant faults in the package instead, and say how many are noticed."
)
@click.option("--times", type=click.IntRange(1), help="So often each, where the number is not given by what there is.")
@click.option("--seed", type=int, default=1, show_default=True, help="What the moments and places are drawn from.")
@click.option("--at-once", type=click.IntRange(1), default=2, show_default=True, help="Attacks at the same time.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.option("--folder", type=click.Path(path_type=Path), help="Work there and leave it; else in one that is removed.")
def main(
    only: tuple[str, ...],
    times: int | None,
    seed: int,
    at_once: int,
    folder: Path | None,
    *,
    quick: bool,
    plant: bool,
    as_json: bool,
) -> None:
    """Make the attacks, tell."""
    mounts = own_mounts()
    work = folder or Path(tempfile.mkdtemp(prefix="rankproof-attacks-"))
    work.mkdir(parents=True, exist_ok=True)
    if any(work.iterdir()):
        raise click.UsageError(f"{work} is not empty: name a new folder")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            wanted = chosen(attacks(mounts=mounts, quick=quick), only)
            if plant:
                of = {attack.name for attack in wanted}
                faults = [fault for fault in planted.PLANTED if fault.against in of]
                sys.exit(share(faults, wanted, prepared(work), seed=seed, at_once=at_once))
            numbers = [(attack, attack.how_often(quick=quick, times=times)) for attack in wanted]
            lines = made(numbers, prepared(work), seed=seed, at_once=at_once, bar=bar)
    finally:
        if folder is None:
            shutil.rmtree(work, ignore_errors=True)
    tell(lines, seed=seed, as_json=as_json)
    sys.exit(0 if all(line.held for line in lines) else 1)


def tell(lines: Sequence[Line], *, seed: int, as_json: bool) -> None:
    """Print the table to stdout, and to stderr what is not zero, each with the name of its attack."""
    if as_json:
        print(json.dumps({"seed": seed, "attacks": [line.as_json() for line in lines]}, indent=1))
    else:
        print(table(lines))
    for line in lines:
        for fault in line.faults:
            print(fault, file=sys.stderr)
