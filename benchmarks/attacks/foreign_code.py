"""Strangers' code: each misbehaving adapter beside a sound one, and each misbehaving function that `check` is given.

The title of a misbehaving adapter's sheet begins with the verdict that it is to get on tied scores; elsewhere it is honest, unless its
sin is how it greets.
"""

import json
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from ground import ROOT, Difference, Ground, Machine, Rows, Tree, difference, rows_of, tree
from tally import Outcome

MISBEHAVING = ROOT / "tests" / "misbehaving"
TIED, UNTIED = "ties/two-docs-all-tied", "ties/none-tied"
FEW = ("--case", UNTIED, "--measure", "RR")
"""What they are asked, besides what is tied; the misbehaving ones answer RR alone, and none of them RR@2."""
BOUNDS = ("--timeout", "2", "--memory", "200M")


def adapters() -> list[str]:
    """The misbehaving libraries, by the names of their sheets."""
    return sorted(path.stem for path in MISBEHAVING.glob("*.toml"))


@cache
def _bounds_of(ground_folder: Path) -> tuple[str, ...]:
    """The bounds that `run` knows."""
    source = (ground_folder / "source" / "rankproof" / "cli").glob("*.py")
    return BOUNDS if any('"--memory"' in path.read_text(encoding="utf-8") for path in source) else BOUNDS[:2]


def adapter(ground: Ground, index: int, _chance: Random) -> Outcome:
    """One of them beside a sound library, which must not notice; then the sound library alone."""
    name = adapters()[index]
    machine = ground.machine(f"adapter-{name}")
    folder = machine.home / "adapters"
    shutil.copytree(MISBEHAVING, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ground.adapters.glob("sound*"):
        shutil.copy(path, folder)
    asked = (*FEW, *_bounds_of(ground.folder))
    ended = ground.asked(machine, *asked, cases=TIED, adapters=folder, wanted=(name, "sound"))
    found = tree(machine.out)
    sound = difference(_of(found, "sound"), _few(ground))
    own, wrong = judged(_of(found, name), _few(ground), verdict_of(name), tied_only=not sins_in_greeting(name))
    attacked = Outcome(
        (*ended.faults([0] if verdict_of(name) == "agrees" else [0, 1]), *wrong),
        sound.invented + own.invented,
        sound.lost + own.lost,
        ended.left,
        ended.seconds,
    )
    return _named(attacked.and_then(_alone(ground, machine)), name)


def _named(outcome: Outcome, name: str) -> Outcome:
    lost = tuple(f"{name}: {fault}" for fault in outcome.lost)
    return Outcome(lost, outcome.invented, outcome.missing, outcome.left, outcome.seconds)


def _alone(ground: Ground, machine: Machine) -> Outcome:
    ended = ground.asked(machine, *FEW, cases=TIED, wanted=("sound",))
    found = rows_of(tree(machine.out))
    rows = difference(found, _few(ground))
    return Outcome(tuple(f"the next run: {fault}" for fault in ended.faults([0])), rows.invented, rows.lost, ended.left)


def verdict_of(name: str) -> str:
    """The verdict that a misbehaving library is to get on tied scores."""
    sheet = tomllib.loads((MISBEHAVING / f"{name}.toml").read_text(encoding="utf-8"))
    return str(sheet["title"]).partition(":")[0]


def sins_in_greeting(name: str) -> bool:
    """Whether it sins before it is asked anything, so that nothing it is asked is answered."""
    return "greet=" in (MISBEHAVING / f"{name}_adapter.py").read_text(encoding="utf-8")


def _of(found: Tree, library: str) -> Rows:
    return rows_of({name: text for name, text in found.items() if name == f"results/{library}.jsonl"})


def _few(ground: Ground) -> Rows:
    """The rows of a sound library to these questions, on a clean machine."""
    sound = _of(ground.clean, "sound")
    asked = {(TIED, "RR"), (UNTIED, "RR"), (UNTIED, "RR@2")}
    return Rows({line: n for line, n in sound.items() if (_read(line)["case"], _read(line)["measure"]) in asked})


def _read(line: str) -> dict[str, object]:
    record = json.loads(line)
    return {name: record.get(name) for name in ("case", "measure", "verdict", "value", "query")}


def judged(own: Rows, sound: Rows, verdict: str, *, tied_only: bool = True) -> tuple[Difference, tuple[str, ...]]:
    """The rows of a misbehaving library: honest where nothing is tied, of its verdict where something is, or one row that says all."""
    rows = [row for row in map(_read, own.elements()) if row["verdict"] is not None]  # what is unsupported has none
    if any(not row["case"] for row in rows):
        return Difference((), ()), _other_verdicts(rows, verdict)
    wanted = [row for row in map(_read, sound.elements()) if row["measure"] == "RR"]
    if verdict != "agrees":
        wanted = [row for row in wanted if row["case"] == UNTIED and tied_only]
    sinful = [row for row in rows if verdict != "agrees" and (row["case"] == TIED or not tied_only)]
    invented = [row for row in rows if row not in sinful and row not in wanted]
    lost = [row for row in wanted if row not in rows]
    wrong = () if verdict == "agrees" else _other_verdicts(sinful, verdict)
    return Difference(tuple(map(str, invented)), tuple(map(str, lost))), wrong


def _other_verdicts(rows: Sequence[Mapping[str, object]], verdict: str) -> tuple[str, ...]:
    """That rows, of which there must be one, do not all have a verdict."""
    told = sorted({str(row["verdict"]) for row in rows})
    return () if told == [verdict] else (f"told as {', '.join(told) or 'nothing'}, not {verdict}",)
