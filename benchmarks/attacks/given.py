"""What is handed over in memory; and what is asked of a machine that has not room, right or the right program for it."""

import math
import os
from collections import Counter
from pathlib import Path
from random import Random

from doctored import _said
from frames_entry import KINDS, REFUSED
from ground import ROOT, Ground, Machine
from running import HERE, Ended, Limits
from tally import Outcome
from tracks import asked, clean, lines, then_again, track

# -- in memory ---------------------------------------------------------------------------------------------------------

BESIDE = ("q1", "q2", "q3")
RIGHT = Counter(
    f"'{measure} {query} {value:.12f}'"
    for measure, values in (("AP", (23 / 36, 5 / 12, 1 / 4)), ("nDCG@2", (1 / (1 + math.log2(3)), 0.0, 0.0)))
    for query, value in zip(BESIDE, values, strict=True)
)
"""Of q1 the docs at ranks 2 to 4 are relevant, of q2 those at 3 and 4, of q3 the last: AP is (1/2 + 2/3 + 3/4) / 3, and so on."""


def frames(ground: Ground, index: int, _chance: Random) -> Outcome:
    """A frame, a table or a dict, spoilt: values, or one line of why; and never another value for a query that was left as it was."""
    kind, way = KINDS[index]
    machine = ground.machine(f"frames-{index}")
    ended = ground.command(machine, kind, way, limits=Limits(entry="frames_entry:main"), path=HERE)
    faults = [*ended.faults([0, 2]), *(_said(ended.stderr) if ended.code == 2 else [])]  # noqa: PLR2004 - bad input
    found = Counter(ended.stdout.splitlines())
    faults += ["it is measured"] if found and way in REFUSED else []
    if (
        not found and way != "as it is"
    ) or way == "no rows":  # there is nothing to compare, or every query has another value
        return Outcome(tuple(f"{kind}, {way}: {fault}" for fault in faults), (), (), ended.left, ended.seconds)
    wanted = Counter(line for line in RIGHT if way == "as it is" or " q2 " not in line)
    others = Counter(line for line in found.elements() if way == "as it is" or " q1 " in line or " q3 " in line)
    lost, invented = tuple((wanted - others).elements()), tuple((others - wanted).elements())
    return Outcome(tuple(f"{kind}, {way}: {fault}" for fault in faults), invented, lost, ended.left, ended.seconds)


# -- no room, no right -------------------------------------------------------------------------------------------------

UNWRITABLE = (
    "a file",
    "a folder in a file",
    "a folder that may not be written",
    "a folder below it",
    "no room",
    "a folder of that name",
)


def unwritable(ground: Ground, index: int, _chance: Random) -> Outcome:
    """Results that cannot be kept: exit code 2 and the place; and no value that is not a clean machine's."""
    way = UNWRITABLE[index % len(UNWRITABLE)]
    machine = track(ground, f"unwritable-{index}")
    out = _spoilt(ground, machine, way)
    limits = Limits(largest=64) if way == "no room" else Limits(powerless=os.geteuid() == 0)
    ended = asked(ground, machine, out=str(out), limits=limits)
    place = machine.home.name if way == "no room" else "kept"
    found, wanted = lines(ended) if ended.stdout.strip() else Counter(), clean(ground)
    faults = [
        *ended.faults([2]),
        *([] if place in ended.stderr else [f"the place is not named: {ended.stderr[:200]!r}"]),
    ]
    lost = wanted - found if way == "a folder of that name" else Counter()  # what was measured is told all the same
    attacked = Outcome(
        tuple(f"{way}: {fault}" for fault in faults),
        tuple((found - wanted).elements()),
        tuple(lost.elements()),
        ended.left,
        ended.seconds,
    )
    _mended(machine, way)
    return then_again(ground, machine, attacked)


def _spoilt(ground: Ground, machine: Machine, way: str) -> str:
    """Make the place such; what it is called."""
    place = machine.home / "kept"
    if way == "a folder of that name":
        asked(ground, machine)
        for kept in place.iterdir():
            kept.unlink()
            kept.mkdir()
    elif way.endswith("file"):
        place.write_text("a file of somebody's", encoding="utf-8")
    elif way != "no room":
        place.mkdir()
    if "below" in way or "may not" in way:
        place.chmod(0o555)
    return "kept/deeper" if "below" in way or "in a file" in way else "kept"


def _mended(machine: Machine, way: str) -> None:
    place = machine.home / "kept"
    if place.is_file():
        if place.read_text(encoding="utf-8") != "a file of somebody's":
            raise RuntimeError(f"{way}: the file is another one")
        place.unlink()
    elif place.exists():
        place.chmod(0o755)
        for folder in place.glob("*.json"):
            if folder.is_dir():
                folder.rmdir()


# -- another program ---------------------------------------------------------------------------------------------------

LIAR = '#!/bin/sh\ntouch "$HOME/it-ran"\necho "map all 0.5"\n'


def another_program(ground: Ground, index: int, _chance: Random) -> Outcome:
    """What lies in the cache as trec_eval is another program, or none: it is not run, and it is said."""
    machine = ground.machine(f"program-{index}")
    place = machine.store / "programs" / "trec_eval"
    place.parent.mkdir(parents=True)
    place.write_bytes(LIAR.encode() if index % 2 else LIAR.encode() + bytes(1_000_000))
    place.chmod(0o755)
    ended = ground.command(
        machine,
        "run",
        "--library",
        "trec_eval",
        "--case",
        "ties/none-tied",
        "--out",
        str(machine.out),
        adapters=ROOT / "adapters",
        more={"PATH": os.defpath},
    )
    faults = [*ended.faults([2]), *_of_program(ended, machine.home)]
    return Outcome(tuple(faults), (), (), ended.left, ended.seconds)


def _of_program(ended: Ended, home: Path) -> list[str]:
    ran = ["another program was run"] if (home / "it-ran").exists() else []
    told = "another program" in ended.stderr and "trec_eval" in ended.stderr
    return [*ran, *([] if told else [f"nobody says that it is another one: {ended.stderr[:200]!r}"])]
