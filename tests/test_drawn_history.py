"""What changed from version to version is what looking at every answer gives: three libraries, drawn by a seed, in up to five versions."""

import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import drawn_drift
import drawn_history
import pytest
from drawn_history import World, beside, drawn_world, step_as_json, step_of, version
from read_markdown import cells, plain

from rankproof.history import history
from rankproof.history.environment_builds import Built
from rankproof.history.history import ObservedVersion, differ, step_between
from rankproof.history.version_runs import VersionRun
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.history_text import step_as_json as told_as_json
from rankproof.text import one_line

SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_differs_between_two_versions(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    world = drawn_world(seed)
    monkeypatch.setattr(history, "locked", lambda plan: world.locks[plan.name])
    for name, versions in world.observed.items():
        sheet = world.libraries[name].sheet
        for old, new in pairwise(versions):
            wanted = step_of(old, new, sheet.precision)
            found = step_between(old, new, sheet)
            assert told_as_json(found) == step_as_json(old, new, wanted, world.locks)
            assert differ(old, new, sheet) == bool(wanted.moves)


def of(seed: int, world: World, folder: Path) -> list[VersionRun]:
    """What became of each environment: of some there are results, others are not there, or failed."""
    c = random.Random(seed)  # noqa: S311 - an example
    runs = []
    for versions in world.observed.values():
        for one in versions:
            counts = {str(verdict): c.choice([1, 20, 4000]) for verdict in c.sample([*Verdict], 9)}
            said = {"python": f"{one.plan.python}.9", "dependencies": {"Numpy": one.plan.version}}
            hello = said if c.random() < 0.7 else {}
            fate = c.choice(["asked", "asked", "asked", "asked", "absent", "failed"])
            there = None if fate == "absent" else folder / one.plan.name
            built = Built(one.plan, there, hello=hello, why="no | wheel" if fate == "absent" else "")
            if fate == "asked":
                runs.append(VersionRun(built, drawn_drift.written(one.results, folder / one.plan.name), "", counts))
            else:
                runs.append(VersionRun(built, None, built.why or "it *fails*"))
    c.shuffle(runs)
    return runs


def place_of(row: Row) -> tuple[str, str, str, str | None]:
    return row.variant, row.case, row.measure, row.query


def _section(section: str, observed: list[ObservedVersion], steps: list, answers: dict, world: World) -> None:  # type: ignore[type-arg]
    lines = [plain(line) for line in section.splitlines() if line.startswith(("- ", "### ", "No answer"))]
    environments = []
    for one in observed:
        (there,) = one.results.asked
        packages = ", ".join(f"{name} {of_it}" for name, of_it in there.dependencies.items())
        environments.append(f"- {there.version} on Python {there.python} ({packages})")
    heads = [f"### {version(old)} → {version(new)}{beside(old, new, world.locks)}" for old, new, _ in steps]
    last = "### The same answers in every version" if steps else "No answer differs between these versions."
    assert lines == [*environments, *heads, last]
    if not steps:
        return
    tables = re.findall(r"(?:^\|.*\n?)+", section, re.MULTILINE)
    *by_step, by_version = ([cells(row) for row in table.splitlines()] for table in tables)
    for (*_, step), (_head, _line, *rows) in zip(steps, by_step, strict=True):
        wanted = [
            (
                move["measure"],
                ", ".join(move["variants"]),
                str(move["answers"]),
                move["behind"],
                move["place"],
                move["before"],
                move["after"],
            )
            for move in map(drawn_history.move_as_json, step.moves)
        ]
        assert rows == [[*map(one_line, row)] for row in wanted]
    head, _line, *rows = by_version
    assert head == ["question", *map(version, observed)]
    wanted_rows = []
    for (variant, case, measure, query), said in answers.items():
        asked = f"{variant}, {case} {measure}" + ("" if query is None else f" {query}")
        wanted_rows.append([asked, said[0], *(b if a != b else "" for a, b in pairwise(said))])
    assert rows == wanted_rows
    assert Counter(map(len, rows)) == {len(observed) + 1: len(rows)}
