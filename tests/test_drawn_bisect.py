"""Bisecting drawn releases: which are looked at, where the answers changed and by what, as a search by hand finds it."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typed
from drawn_history import Step, also_differs, beside, drawn_how, move_as_json, step_of, times
from packaging.version import Version

from rankproof.cli.waiting import Observer
from rankproof.history import history, releases
from rankproof.history.history import ObservedVersion
from rankproof.history.plans import Plan
from rankproof.history.releases import Release
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.text import one_line
from rankproof.workers import known_libraries
from rankproof.workers.known_libraries import Library, claiming_nothing
from rankproof.workers.sheets import Sheet
from rankproof.workers.subjects import Installation, Subject

SEEDS = range(24)
EVERY = (
    "1.0",
    "1.0.1",
    "1.0.2",
    "1.1",
    "1.1.1",
    "1.1.2",
    "1.2",
    "1.2.1",
    "1.10",
    "1.10.1",
    "2.0",
    "2.0.1",
    "2.0.2",
    "2.1",
)
ANSWERS = {
    "a": (0.5, 0.25, 1.0),
    "b": (0.5, 0.75, 1.0),
    "c": (0.125, 0.25, 0.0),
    "a, but for noise": (0.5 + 1e-11, 0.25, 1.0),
}
PACKAGE = "Zeta_Rank"


@dataclass(frozen=True)
class World:
    """A library's releases, the oldest first: what each answers, or that it cannot be asked, and what it stands on.

    Attributes:
        sorts: the releases whose answers hang on base.
        scarce: the releases that cannot be had on what another stands on.
    """

    releases: Sequence[Release]
    answers: Mapping[str, str | None]
    base: Mapping[str, str]
    sorts: frozenset[str]
    scarce: frozenset[str]
    options: Sequence[str]
    how: tuple[float, ...]

    def observed(self, plan: Plan, base: str) -> ObservedVersion | str:
        """What a release answers on such a base."""
        answer = self.answers[plan.version]
        if answer is None or (plan.label.startswith("on-") and plan.version in self.scarce):
            return f"no {plan.version} for {plan.label or 'us'}"
        stands_on = {PACKAGE: plan.version, "Base": base}
        there = Installation("zeta", plan.version, "3.11.1", variants={"v": ""}, dependencies=stands_on)
        moved = 0.125 * (int(base) - 1) * (plan.version in self.sorts)
        who, values = Subject("zeta", "v", plan.version, there.environment), enumerate(ANSWERS[answer])
        rows = (Row(f"odd/{i}", who, "AP", None, Verdict.AGREES, value + moved) for i, value in values)
        return ObservedVersion(plan, RunResults({"asked": [there.as_json()]}, tuple(rows), {}))

    def here(self, version: str) -> ObservedVersion:
        """What a release answers on what it stands on."""
        found = self.observed(Plan("zeta", PACKAGE, version, "3.11", label="release"), self.base[version])
        assert isinstance(found, ObservedVersion)
        return found


def drawn(seed: int) -> World:
    c = random.Random(seed)  # noqa: S311 - an example
    chosen = [one for one in EVERY if c.random() < 0.75]
    answers, base = {}, {}
    answer, stands_on = "a", "1"
    for version in chosen:
        answer = c.choice([*ANSWERS]) if c.random() < 0.3 else answer
        stands_on = c.choice("123") if c.random() < 0.3 else stands_on
        cannot = seed % 8 == 7 or c.random() < 0.25  # of some worlds no release can be asked
        answers[version], base[version] = None if cannot else answer, stands_on
    days = [c.choice([f"2024-01-{i + 1:02}", ""]) for i, _ in enumerate(chosen)]
    made = [Release(Version(one), day, ("3.11", "3.9")) for one, day in zip(chosen, days, strict=True)]
    some = [frozenset(one for one in chosen if c.random() < 0.5) for _ in range(2)]
    options = [*(["--every"] if c.random() < 0.2 else [])]
    options += ["--since", c.choice(EVERY[:5])] if c.random() < 0.4 else []
    options += ["--until", c.choice(EVERY[-5:])] if c.random() < 0.4 else []
    more, how = drawn_how(c)
    return World(made, answers, base, *some, [*options, *more], how)


# -- by hand ----------------------------------------------------------------------------------------------------------


def by_hand(world: World, names: Sequence[str], *, every: bool) -> set[str]:
    """The releases that are looked at."""

    def minor(name: str) -> list[str]:
        return name.split(".")[:2]

    ends = {names[0], names[-1]}
    known = {b for a, b in pairwise(names) if minor(a) != minor(b)} | ends if not every else {*names}
    known |= {[n for n in names if minor(n) == minor(one)][-1] for one in known if world.answers[one] is None}
    while True:
        there = [names.index(one) for one in names if one in known and world.answers[one] is not None]
        more = set()
        for old, new in pairwise(there):
            between = [i for i in range(old + 1, new) if names[i] not in known]
            if between and differs(world, names[old], names[new]):
                more.add(names[min(between, key=lambda i: (abs(i - (old + new) / 2), i))])
        if not more:
            return known
        known |= more


def differs(world: World, old: str, new: str) -> Step | None:
    step = step_of(world.here(old), world.here(new), "float64")
    return step if step.moves else None


def locks(world: World) -> Mapping[str, Mapping[str, str]]:
    """All that is installed beside each release: what has no other name than in the registry, the library itself included."""
    return {f"zeta@{name}+release": {"zeta-rank": name, **beside_on(base)} for name, base in world.base.items()}


def beside_on(base: str) -> dict[str, str]:
    return {"base": base, "six": f"1.{base}", "python-six": base}


def by_the_release(world: World, old: str, new: str) -> bool | None:
    """Whether answers differ where both stand on the same: the new one on what the old one does, else the other way round."""
    if world.base[old] == world.base[new]:
        return True
    for moved, still in ((new, old), (old, new)):
        if moved not in world.scarce:
            held = world.observed(Plan("zeta", PACKAGE, moved, "3.11"), world.base[still])
            assert isinstance(held, ObservedVersion)
            return bool(step_of(world.here(still), held, "float64").moves)
    return None


def cause(world: World, old: str, new: str) -> str:
    others = beside(world.here(old), world.here(new), locks(world))
    if (told := by_the_release(world, old, new)) is None:
        return f"; what it stands on differs, too, and could not be held:{others}"
    if world.base[old] == world.base[new]:
        return ""
    if told:
        return ", also where both stand on the same"
    return f"; not by the release: where both stand on the same they answer alike{others}"


def run_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]} ({len(names)} releases)"


def unseen(names: Sequence[str], known: set[str]) -> list[list[str]]:
    """The runs of releases that were not looked at."""
    text = "".join("x" if name in known else "." for name in names)
    return [[*names[found.start() : found.end()]] for found in re.finditer(r"\.+", text)]


# -- as it is told ----------------------------------------------------------------------------------------------------


def wanted_json(world: World, names: Sequence[str], known: set[str]) -> dict[str, Any]:
    observed = [name for name in names if name in known and world.answers[name] is not None]
    day = {str(one.version): one.uploaded for one in world.releases}
    every = locks(world)
    return {
        "library": "zeta",
        "asked": observed,
        "not_looked_at": unseen(names, known),
        "could_not_be_asked": {
            name: f"no {name} for release" for name in names if name in known and world.answers[name] is None
        },
        "changes": [
            {
                "from": old,
                "to": new,
                "released": day[new],
                "skipped": names[names.index(old) + 1 : names.index(new)],
                "by_the_release": by_the_release(world, old, new),
                "also_differs": [
                    {"package": n, "before": a, "after": b}
                    for n, a, b in also_differs(world.here(old), world.here(new), every)
                ],
                "changes": [move_as_json(move) for move in step.moves],
            }
            for old, new in pairwise(observed)
            if (step := differs(world, old, new))
        ],
    }


def wanted_lines(world: World, names: Sequence[str], said: Mapping[str, Any]) -> list[str]:
    observed, failed = said["asked"] or ["-"], said["could_not_be_asked"]
    changes = times(len(said["changes"]), "change") if said["changes"] else "no change"
    asked = f"{changes} in the {times(len(observed), 'release')} asked, {observed[0]} to {observed[-1]}"
    lines = [f"Zeta Rank: {asked if said['asked'] else 'no release could be asked'}"]
    for one in said["changes"]:
        or_one_of = f", or one of {run_of(one['skipped'])}, which could not be asked" if one["skipped"] else ""
        released = f" ({one['released']})" if one["released"] else ""
        why = cause(world, one["from"], one["to"])
        lines.append(f"{one['to']}{released}{or_one_of}; until {one['from']} it was otherwise{why}")
        lines += [move["sentence"] for move in one["changes"]]
    for why, fail in (("the releases around answer alike", False), ("a release beside them could not be asked", True)):
        runs = [
            run
            for run in said["not_looked_at"]
            if any(names[i] in failed for i in (names.index(run[0]) - 1, names.index(run[-1]) + 1)) == fail
        ]
        if runs:
            lines.append(f"not looked at, as {why}: {', '.join(map(run_of, runs))}")
    return lines + [f"could not be asked: {name}: {why}" for name, why in failed.items()]


@dataclass
class Asked:
    """Who asks, which releases are looked at, and what a release is held on beside what it should be."""

    world: World
    observers: list[Observer] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)
    held: list[tuple[dict[str, str], dict[str, str]]] = field(default_factory=list)

    def ask(self, observer: Observer, plans: Sequence[Plan]) -> dict[Plan, ObservedVersion | str]:
        """In another order than was asked."""
        self.observers.append(observer)
        return {plan: self._answer(plan, is_of_a_case=len(observer.cases) == 1) for plan in plans[::-1]}

    def _answer(self, plan: Plan, *, is_of_a_case: bool) -> ObservedVersion | str:
        if plan.label == "release":
            self.looked += [plan.version] if is_of_a_case else []
            return self.world.observed(plan, self.world.base[plan.version])
        # Every other package as it is where the other release was asked, and the library as it is.
        base = self.world.base[plan.label.removeprefix("on-")]
        pins = {one.partition("==")[0].lower(): one.partition("==")[2] for one in plan.beside}
        self.held.append((pins, beside_on(base)))
        return self.world.observed(plan, base)


@pytest.mark.parametrize("seed", SEEDS)
def test_bisecting_finds_what_a_search_by_hand_finds(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    world, registry = drawn(seed), []
    sheet = replace(claiming_nothing("zeta", tmp_path / "zeta.toml"), title="Zeta Rank", package=PACKAGE)
    libraries = [Library(name, Path(), replace(sheet, library=name)) for name in ("ada", "zeta", "kim")]
    asked, every_lock = Asked(world), locks(world)
    monkeypatch.setattr(history, "locked", lambda plan: every_lock.get(plan.name, {}))
    monkeypatch.setattr(known_libraries, "with_own", lambda _: libraries)

    def releases_of(sheet: Sheet) -> Sequence[Release]:
        registry.append(sheet.package)
        return world.releases

    monkeypatch.setattr(releases, "releases_of", releases_of)
    monkeypatch.setattr(Observer, "ask", lambda *given: asked.ask(*given))  # noqa: PLW0108 - a method of one is none of the other
    bounds = {a: Version(b) for a, b in pairwise(world.options) if a in {"--since", "--until"}}
    since, until = bounds.get("--since", Version("0")), bounds.get("--until", Version("9"))
    within = [one.version for one in world.releases if since <= one.version <= until]
    names = [str(version) for version in within]
    line = ("bisect", "zeta", "ties/renamed-doc", "-m", "nDCG", "-m", "AP", *world.options)
    done = typed.rankproof(*line, "--json", cwd=tmp_path)
    assert registry == [PACKAGE]
    if len(names) < 2:
        assert done.code == 2
        assert f"{times(len(names), 'release')} of {PACKAGE} within these bounds, and a change takes two" in done.err
        return
    known = by_hand(world, names, every="--every" in world.options)
    assert sorted(asked.looked) == sorted(known), "each once"
    assert [pins for pins, _ in asked.held] == [wanted for _, wanted in asked.held]
    (case,) = asked.observers[0].cases
    assert {one.partition("@")[0] for one in case.measures} == {"nDCG", "AP"}
    for one in asked.observers:
        assert (one.library.name, one.whole) == ("zeta", False)
        assert (one.asking.at_once, one.asking.timeout, one.asking.memory, one.room) == world.how

    said = typed.read("bisect", done.out)
    assert said == wanted_json(world, names, known)
    skipped = any(one["skipped"] for one in said["changes"])
    assert done.code == (3 if skipped or not said["asked"] else 0)
    text = typed.rankproof(*line, cwd=tmp_path)
    assert (text.code, one_line(text.out)) == (done.code, one_line(" ".join(wanted_lines(world, names, said))))


OF_NODE = {"command": ("node", "{here}/zeta.js")}
FROM_SOURCE = {"environments": ({"versions": ["1.0"], "python": "3.11", "from_source": [PACKAGE]},)}


@pytest.mark.parametrize(
    ("sheet", "since", "why"),
    [
        (OF_NODE, "1.0", "zeta is no Python package, so that the registry has no releases of it"),
        ({}, "1.1", f"1 release of {PACKAGE} within these bounds, and a change takes two"),
        (FROM_SOURCE, "1.0", f"0 releases of {PACKAGE} within these bounds, and a change takes two"),
    ],
)
def test_without_two_releases_nothing_is_searched(
    sheet: dict[str, Any], since: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The releases that this registry has are wheels."""
    zeta = replace(claiming_nothing("zeta", tmp_path / "zeta.toml"), package=PACKAGE, **sheet)
    monkeypatch.setattr(known_libraries, "with_own", lambda _: [Library("zeta", Path(), zeta)])
    both = [Release(Version(version), "", ("3.11",)) for version in ("1.0", "1.1")]
    monkeypatch.setattr(releases, "releases_of", lambda sheet: [] if sheet.environments else both)
    monkeypatch.setattr(Observer, "ask", lambda *_: {})
    done = typed.rankproof("bisect", "zeta", "ties/renamed-doc", "--since", since, cwd=tmp_path)
    assert (done.code, done.err) == (2, f"rankproof: {why}\n")
