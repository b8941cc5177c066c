"""Drawn histories: libraries in several versions, and what each does otherwise than the one before, found by looking at all."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import drawn_drift
from drawn_drift import MEASURES, Change, Group, became, change_as_json, cut, place, said, same_value, sides

from rankproof.history.history import ObservedVersion
from rankproof.history.plans import Plan
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row
from rankproof.workers.known_libraries import Library, claiming_nothing
from rankproof.workers.subjects import Installation

LIMIT = {"float32": 1e-5}
Locks = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class World:
    """Libraries, what each version of them says, and all that is installed beside them, by the name of the environment."""

    libraries: Mapping[str, Library]
    observed: Mapping[str, Sequence[ObservedVersion]]
    locks: Locks


def drawn_world(seed: int, names: Sequence[str] = ("zeta", "ada", "mid")) -> World:
    """Libraries in some versions, in an order that is not theirs."""
    c = random.Random(seed)  # noqa: S311 - an example
    locks: dict[str, dict[str, str]] = {}
    libraries, observed = {}, {}
    for name in names:
        labelled = [("1.9", ""), ("1.10", ""), ("1.2", ""), ("1.9", "b"), ("1.9", "a"), ("2.0", "")]
        c.shuffle(labelled)
        some = labelled[: c.randint(1, 5)]
        entries = [{"versions": [v], "python": c.choice(["3.9", "3.10"]), "label": label} for v, label in some]
        sheet = replace(
            claiming_nothing(name, Path(f"{name}.toml")),
            title=c.choice(["", name.title()]),
            package=f"{name.title()}_Rank",
            precision=c.choice(["float32", "float64", "4 decimals"]),
            environments=tuple(entries),
        )
        libraries[name] = Library(name, Path(), sheet)
        plans = [Plan(name, sheet.package, e["versions"][0], e["python"], label=e["label"]) for e in entries]
        runs = drawn_runs(c, name, [plan.version for plan in plans], [plan.python for plan in plans], sheet.package)
        observed[name] = [ObservedVersion(plan, run) for plan, run in zip(plans, runs, strict=True)]
        for plan, run in zip(plans, runs, strict=True):
            (there,) = run.asked
            lock = {one.lower().replace("_", "-"): version for one, version in there.dependencies.items()}
            locks[plan.name] = lock | {c.choice(["six", "pip", "attrs"]): c.choice(["1", "2"]) for _ in range(2)}
    return World(libraries, observed, locks)


def drawn_runs(
    c: random.Random, library: str, versions: Sequence[str], pythons: Sequence[str], package: str
) -> list[RunResults]:
    """What each version says: most of it as the one before."""
    variants = c.sample(drawn_drift.VARIANTS, c.randint(1, 3))
    first = Installation(library, versions[0], pythons[0], variants=dict.fromkeys(variants, "a way"))
    questions = [(case, measure) for case in c.sample(drawn_drift.CASES, 3) for measure in c.sample([*MEASURES], 3)]
    rows = drawn_drift.drawn_rows(c, first, questions)
    runs: list[RunResults] = []
    for version, python in zip(versions, pythons, strict=True):
        stands_on = {package.lower(): version, "Numpy": c.choice(["1.26", "2.0"])}  # not as the registry has it
        stands_on |= {"scipy": "1.1"} if c.random() < 0.7 else {}
        there = replace(first, version=version, python=f"{python}.{c.choice('12')}", dependencies=stands_on)
        if c.random() < 0.2 and len(variants) > 1:
            there = replace(there, variants=dict.fromkeys(variants[1:], "a way"))
        rows = drawn_drift.answered_otherwise(c, rows, there, questions) if runs else rows
        own = tuple(replace(row, subject=there.subject(row.variant)) for row in rows if row.variant in there.variants)
        runs.append(RunResults({"asked": [there.as_json()], "questions": questions}, own, {}))
    return runs


def drawn_how(c: random.Random) -> tuple[list[str], tuple[float, ...]]:
    """Options on how libraries are asked, and what they come to: so many at once, seconds, bytes of memory, bytes of room."""
    usual = {"-j": ("2", 2), "--timeout": ("120", 120.0), "--memory": ("8G", 8e9), "--room": ("15G", 15e9)}
    others = {"-j": ("3", 3), "--timeout": ("7.5", 7.5), "--memory": ("2G", 2e9), "--room": ("500M", 5e8)}
    given = {option: others[option] for option in c.sample([*usual], 2)}
    how = tuple((usual | given)[option][1] for option in usual)
    return [text for option in given for text in (option, given[option][0])], how


# -- working out ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """What differs between two versions."""

    moves: Sequence[Group]
    noise: int
    unsteady: int


def sort(row: Row | None) -> str:
    """What an answer is: a number, nothing, or the type of a refusal."""
    if row is None:
        return "nothing"
    return "number" if row.error is None and row.value is not None else (row.error or str(row.verdict)).split(":")[0]


def sorts(change: Change) -> tuple[str, str]:
    """What both sides are, as far as it tells moves apart."""
    a, b = sort(change.old), sort(change.new)
    if a in {"nothing", "unsupported"}:
        return "absent", "there"
    return (a, "absent") if b in {"nothing", "unsupported"} else (a, b)


def step_of(old: ObservedVersion, new: ObservedVersion, precision: str) -> Step:
    """What differs between two versions: behaviour, and how much of it is arithmetic or chance."""
    behaviour, noise, unsteady = [], 0, 0
    every = became(old.results, new.results)
    compared = {question(change) for change in every if change.old is not None and change.new is not None}
    for change in every:
        a, b = change.old, change.new
        if None in {a, b} and change.row.error is not None and question(change) in compared:
            continue
        if change.kind not in {"newly failing", "moved", "fixed", "lost", "new"} or sort(a) == sort(b) != "number":
            continue
        if a is not None and b is not None and a.value is not None and same_value(a.value, b.value):
            continue
        there = [row for row in (a, b) if row is not None]
        of_any_order = [row for row in there if "ties=unspecified" in row.conventions]
        largest = max([1.0, *(abs(row.value) for row in there if isinstance(row.value, float))])
        if change.size is not None and change.size <= LIMIT.get(precision, 1e-9) * largest:
            noise += 1
        elif any(row.error == "unstable" for row in there) or len(of_any_order) > 1:
            unsteady += 1
        else:
            behaviour.append(change)
    return Step(moves(behaviour), noise, unsteady)


def question(change: Change) -> tuple[str, ...]:
    """The questions by variant."""
    return change.row.variant, change.row.case, change.row.measure


def moves(changes: Sequence[Change]) -> list[Group]:
    """The changes of one measure and one sort together; of what was drawn no conventions can be inferred."""
    found: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        found.setdefault((re.split("[(@]", change.row.measure)[0], *sorts(change)), []).append(change)
    made = [Group("", those[0].row.library, "", "", measure, those) for (measure, *_), those in found.items()]
    return sorted(made, key=lambda move: (-len(move.changes), move.measure))


def variants(move: Group) -> list[str]:
    """The variants that show it, each once."""
    return [*dict.fromkeys(change.row.variant for change in move.changes)]


def behind(move: Group) -> str:
    """The cause of a move, in words."""
    told = {"absent": "new"}.get(sorts(move.witness)[0])
    return told or {"absent": "not there any more"}.get(sorts(move.witness)[1], "cause undetermined")


def times(count: int, noun: str) -> str:
    """So many of them."""
    return f"{count} {noun}{'s' * (count != 1)}"


def sentence(move: Group) -> str:
    """A move in words."""
    a, b = (cut(side, 60) for side in sides(move.witness))
    ways, cause = ", ".join(variants(move)), behind(move)
    return f"{move.measure} of {ways}: {times(len(move.changes), 'answer')}; {cause}; as in {place(move.witness.row)}: {a} → {b}"


def move_as_json(move: Group) -> dict[str, Any]:
    """A move for programs."""
    a, b = (cut(side, 60) for side in sides(move.witness))
    return {
        "library": move.witness.row.library,
        "measure": move.measure,
        "variants": variants(move),
        "answers": len(move.changes),
        "largest": move.largest,
        "cause": [],
        "profiles": [],
        "behind": behind(move),
        "place": place(move.witness.row),
        "before": a,
        "after": b,
        "sentence": sentence(move),
        "witness": change_as_json(move.witness),
    }


def registered(package: str) -> str:
    """A package as the registry calls it."""
    return package.lower().replace("_", "-")


def named_by(one: ObservedVersion) -> dict[str, str]:
    """Python, and what the adapter names."""
    return {"Python": one.results.asked[0].python, **one.results.asked[0].dependencies}


def also_differs(old: ObservedVersion, new: ObservedVersion, locks: Locks) -> list[tuple[str, str, str]]:
    """What else differs: Python, what the adapter names, all else that is installed; never the library itself."""
    sides_ = []
    for one in (old, new):
        known = {registered(name) for name in named_by(one)}
        sides_.append(named_by(one) | {name: v for name, v in locks[one.plan.name].items() if name not in known})
    told = [(name, *(side.get(name, "none") for side in sides_)) for name in sides_[0] | sides_[1]]
    own = registered(old.plan.package)
    return [(name, a, b) for name, a, b in told if a != b and registered(name) != own]


def beside(old: ObservedVersion, new: ObservedVersion, locks: Locks) -> str:
    """The same in words: what an adapter names by its name, all else by its number."""
    differs = also_differs(old, new, locks)
    named = [f"{name} {a} → {b}" for name, a, b in differs if name in named_by(old) | named_by(new)]
    more = len(differs) - len(named)
    if more:
        named.append(f"{times(more, 'package')} more" if named else times(more, "other package"))
    return f" (with {', '.join(named)})" if named else ""


def step_as_json(old: ObservedVersion, new: ObservedVersion, step: Step, locks: Locks) -> dict[str, Any]:
    """A step for programs."""
    return {
        "from": version(old),
        "to": version(new),
        "noise": step.noise,
        "unsteady": step.unsteady,
        "beside": beside(old, new, locks),
        "also_differs": [{"package": n, "before": a, "after": b} for n, a, b in also_differs(old, new, locks)],
        "changes": [move_as_json(move) for move in step.moves],
    }


def version(one: ObservedVersion) -> str:
    """The version, with its label."""
    return f"{one.plan.version}+{one.plan.label}" if one.plan.label else one.plan.version


def in_a_cell(row: Row | None) -> str:
    """An answer in a table of versions."""
    if row is None or row.verdict == "unsupported":
        return "–"
    return said(row) if row.value is not None else sort(row)


WITNESS = {
    "kind": "moved",
    "library": "lib",
    "variant": "v",
    "version": "2",
    "case": "a/b",
    "measure": "AP",
    "query": None,
    "old": None,
    "new": None,
}
MOVE = {
    "library": "lib",
    "measure": "AP",
    "variants": ["v"],
    "answers": 1,
    "largest": 0.5,
    "cause": [],
    "profiles": [],
    "behind": "",
    "place": "a/b AP",
    "before": "0",
    "after": "1",
    "sentence": "AP moves",
    "witness": WITNESS,
}
STEP = {"from": "1", "to": "2", "noise": 0, "unsteady": 0, "beside": "", "also_differs": [], "changes": []}


def document_of(libraries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The file of histories, with all that it has beside what is told of each library."""

    def step(said: Mapping[str, Any]) -> dict[str, Any]:
        return {**STEP, **said, "changes": [move(one) for one in said["changes"]]}

    def move(said: Mapping[str, Any]) -> dict[str, Any]:
        return {**MOVE, **said, "witness": {**WITNESS, **said.get("witness", {})}}

    heads = {name: {"title": name, "answers": [], **one} for name, one in libraries.items()}
    whole = {name: {**one, "steps": [step(said) for said in one["steps"]]} for name, one in heads.items()}
    return {"environments": [], "libraries": whole}
