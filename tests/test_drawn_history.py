"""What changed from version to version is what looking at every answer gives: three libraries, drawn by a seed, in up to five versions."""

import json
import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import drawn_drift
import drawn_history
import pytest
from drawn_history import World, beside, drawn_world, in_a_cell, step_as_json, step_of, version
from read_markdown import cells, plain

from rankproof.cli import version_runs, waiting
from rankproof.history import history
from rankproof.history.environment_builds import Built
from rankproof.history.history import ObservedVersion, differ, step_between
from rankproof.history.version_runs import VersionRun
from rankproof.judge.results_file import load
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.history_text import line_of_run
from rankproof.report.history_text import step_as_json as told_as_json
from rankproof.text import one_line
from rankproof.workers.rounds import AskingOptions

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


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_all_that_is_written_of_all_environments(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = drawn_world(seed)
    runs = of(seed, world, tmp_path)
    monkeypatch.setattr(history, "locked", lambda plan: world.locks[plan.name])
    asked: list[object] = []
    monkeypatch.setattr(waiting, "built_all", lambda *given: (asked.append(given), [run.built for run in runs])[1])
    monkeypatch.setattr(waiting, "asked_versions", lambda *given, whole: (asked.append((*given, whole)), runs)[1])
    wanted = version_runs.WantedVersions(["all"], (), whole=True, room=7, histories=tmp_path / "h")
    asking, out = AskingOptions(5), tmp_path / "out"
    assert version_runs.run_versions(wanted, world.libraries, asking, out) == runs
    plans = [one.plan for versions in world.observed.values() for one in versions]
    every_build = [run.built for run in runs]
    assert asked == [(plans, world.libraries, 5, 7), (every_build, world.libraries, (), asking, out, True)]

    told = json.loads((tmp_path / "h" / "history.json").read_text(encoding="utf-8"))
    assert told["environments"] == [
        {
            "name": run.plan.name,
            "library": run.plan.library,
            "package": run.plan.package,
            "version": run.plan.version,
            "python": run.built.hello.get("python", run.plan.python),
            "stands_on": run.built.hello.get("dependencies", {}),
            "status": "asked" if run.folder else "failed" if run.built.folder else "absent",
            "why": run.why,
            "verdicts": run.counts or {},
        }
        for run in runs
    ]
    page = (tmp_path / "h" / "history.md").read_text(encoding="utf-8")
    said = capsys.readouterr().out
    there = sorted({run.plan.library for run in runs if run.folder})
    assert [*told["libraries"]] == there
    for name in there:
        sheet = world.libraries[name].sheet
        own = [(run.plan, run.folder) for run in runs if run.folder and run.plan.library == name]
        observed = [ObservedVersion(plan, load(folder, of_any_version=True)) for plan, folder in own]
        observed.sort(key=lambda one: ([int(part) for part in one.plan.version.split(".")], one.plan.label))
        steps = [(old, new, step_of(old, new, sheet.precision)) for old, new in pairwise(observed)]
        steps = [one for one in steps if one[2].moves]
        witnesses = dict.fromkeys(place_of(move.witness.row) for *_, step in steps for move in step.moves)
        by_place = [{place_of(row): row for row in one.results.rows[::-1]} for one in observed]  # the first counts
        answers = {place: [in_a_cell(rows.get(place)) for rows in by_place] for place in witnesses}
        assert told["libraries"][name] == json.loads(
            json.dumps(
                {
                    "title": sheet.title or name,
                    "versions": [version(one) for one in observed],
                    "steps": [step_as_json(old, new, step, world.locks) for old, new, step in steps],
                    "answers": [
                        {"variant": v, "case": case, "measure": measure, "query": query, "by_version": by_version}
                        for (v, case, measure, query), by_version in answers.items()
                    ],
                }
            )
        )
        section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        _section(section, observed, steps, answers, world)
        changes = sum(len(step.moves) for *_, step in steps)
        versions = " ".join(one.plan.version for one in observed)
        heading = f"{name}: {drawn_history.times(changes, 'change')} in {drawn_history.times(len(observed), 'environment')} ({versions})"
        lines = [heading]
        for old, new, step in steps:
            lines.append(f"{version(old)} → {version(new)}{beside(old, new, world.locks)}")
            lines += map(drawn_history.sentence, step.moves)
        assert "".join("".join(lines).split()) in "".join(said.split()), "folded, and nothing else"
    left = [run for run in runs if not run.folder]
    not_asked = plain(page.partition("## Not asked\n\n")[2]).splitlines()
    assert not_asked == [f"- {run.plan.name}: {run.why}" for run in left]
    for run in runs:
        counts = run.counts or {}
        as_claimed = sum(counts.get(one, 0) for one in drawn_drift.HOLD)
        others = sorted(counts.keys() - drawn_drift.HOLD - {"unsupported", "undefined"})
        each = [f"{as_claimed:,} answers as the sheet claims", *(f"{counts[one]:,} {one}" for one in others)]
        told_of = ", ".join(each) if run.folder else f"{run.status}: {run.why}"
        assert one_line(line_of_run(run)) == f"{run.plan.name} Python {run.plan.python} {told_of}"
    *_, last = said.splitlines()
    assert last.startswith(f"{len(runs) - len(left)} of {len(runs)} environments asked; ")
    assert [line.split()[0] for line in said.splitlines()[-1 - len(left) : -1]] == [run.plan.name for run in left]


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
