"""What changed from version to version, and by what, of three versions or releases that all differ; nothing is installed or asked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.version import Version

from rankproof.asking.known_libraries import claiming_nothing
from rankproof.asking.subjects import Installation, Subject
from rankproof.drift import history
from rankproof.drift.guessing import Guess
from rankproof.drift.held_fixed import held
from rankproof.drift.history import History, ObservedVersion, differ, observed_in, step_between
from rankproof.drift.moves import conventions_of
from rankproof.drift.release_search import Border, search
from rankproof.drift.version_runs import VersionRun
from rankproof.environments.environment_builds import Built
from rankproof.environments.plans import Plan
from rankproof.environments.releases import Release
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.telling.bisect_text import search_as_json
from rankproof.telling.history_text import as_json, as_markdown, beside, line_of_run, lines_of_history

SHEET = replace(claiming_nothing("lib", Path("lib.toml")), title="Lib", package="lib-rank")
CASES = ("ties/a", "ties/b", "gain/c")


def row(case: str, value: float, version: str = "1", *conventions: str, query: str | None = None) -> Row:
    verdict = Verdict.CONVENTION if conventions else Verdict.AGREES
    return Row(case, Subject("lib", "v", version), "nDCG@5", query, verdict, value, None, 0.5, conventions)


def seen(
    version: str, *values: float, stands_on: Mapping[str, str] | None = None, ties: Sequence[str] = ()
) -> ObservedVersion:
    """What a version answers to the three cases."""
    rows = tuple(
        row(case, value, version, *((f"ties={ties[i]}",) if ties and ties[i] else ()))
        for i, (case, value) in enumerate(zip(CASES, values, strict=False))
    )
    asked = Installation("lib", version, "3.11.1", variants={"v": ""}, dependencies=stands_on or {})
    return ObservedVersion(Plan("lib", "lib-rank", version, "3.11"), RunResults({"asked": [asked.as_json()]}, rows, {}))


# -- two neighbours ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("precision", "limit"), [("float32", 1e-5), ("float64", 1e-9), ("6 decimals", 1e-9)])
def test_what_arithmetic_explains_is_noise_by_the_precision_of_the_library(precision: str, limit: float) -> None:
    sheet = replace(SHEET, precision=precision)
    old, new = (800.0, 0.5, 0.5), (800.0 * (1 + limit / 2), 0.5 + limit / 2, 0.5 + limit * 2)
    step = step_between(seen("1", *old), seen("2", *new), sheet)
    assert [change.row.case for move in step.moves for change in move.changes] == ["gain/c"]
    assert (step.noise, step.unsteady) == (2, 0)


def test_only_where_both_keep_no_order_of_tied_docs_a_change_says_nothing() -> None:
    open_ones, none_open = ("unspecified", "unspecified", "input"), ("unspecified", "docid-asc", "unspecified")
    step = step_between(seen("1", 0.1, 0.2, 0.3, ties=open_ones), seen("2", 0.2, 0.3, 0.4, ties=none_open), SHEET)
    assert step.unsteady == 1
    assert {change.row.case for move in step.moves for change in move.changes} == {"ties/b", "gain/c"}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_convention_is_behind_several_answers_and_not_behind_one(count: int) -> None:
    old, new = seen("1", *[0.5] * count), seen("2", *[0.6] * count, ties=["input"] * count)
    (move,) = step_between(old, new, SHEET).moves
    assert move.conventions == (("ties=input",) if count > 1 else ()), "one answer fits many by chance"


def test_the_largest_of_what_moved_is_shown_of_all_ways_to_ask() -> None:
    moved = {"u": 0.6, "v": 0.9, "w": 0.7}
    old, new = (
        replace(
            one,
            results=replace(one.results, rows=tuple(of_variant(row, way) for way in moved for row in one.results.rows)),
        )
        for one in (seen("1", 0.5, 0.5), seen("2", 0.5, 0.5, ties=["input", "input"]))
    )
    first = Subject("lib", "v", "2"), CASES[0]  # the way that moves most is the one of fewest answers
    rows = tuple(
        replace(row, verdict=Verdict.AGREES, conventions=())
        if (row.subject, row.case) == first
        else replace(row, value=moved[row.variant])
        for row in new.results.rows
    )
    (move,) = step_between(old, replace(new, results=replace(new.results, rows=rows)), SHEET).moves
    assert sorted(move.variants) == ["u", "v", "w"]
    assert (move.witness.row.variant, move.largest) == ("v", pytest.approx(0.4))


def test_a_measure_that_is_gone_is_one_move_whatever_was_behind_its_answers() -> None:
    old, new = seen("1", 0.1, 0.2, 0.3, ties=("", "input", "worst")), seen("2", 0.1, 0.2, 0.3)
    rows = tuple(replace(row, verdict=Verdict.UNSUPPORTED, value=None) for row in new.results.rows)
    (move,) = step_between(old, replace(new, results=replace(new.results, rows=rows)), SHEET).moves
    assert (move.is_gone, move.conventions, len(move.changes)) == (True, (), 3)


def of_variant(answer: Row, way: str) -> Row:
    return replace(answer, subject=replace(answer.subject, variant=way))


def test_what_else_differs_is_told_without_the_library_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    locks = {"1": {"lib-rank": "1", "six": "1.1"}, "2": {"lib-rank": "2", "six": "1.2"}}
    monkeypatch.setattr(history, "locked", lambda plan: locks[plan.version])
    old = seen("1", 0.1, 0.2, 0.3, stands_on={"lib-rank": "1", "numpy": "1.24", "scipy": "1.0"})
    new = seen("2", 0.1, 0.2, 0.4, stands_on={"lib-rank": "2", "numpy": "2.0", "scipy": "1.0"})
    step = step_between(old, new, SHEET)
    assert step.dependencies == (("numpy", "1.24", "2.0"), ("six", "1.1", "1.2"))
    assert beside(step) == " (with numpy 1.24 → 2.0, 1 package more)"


# -- several ----------------------------------------------------------------------------------------------------------


def test_versions_stand_in_their_order_with_what_each_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """1.9 and 1.11 answer as 1.2 does to the first case; what stays as it was is not written again."""
    every = {
        "1.9": seen("1.9", 0.5, 0.7, 0.5), "1.11": seen("1.11", 0.5, 0.7, 0.8),
        "1.2": seen("1.2", 0.5, 0.5, 0.5), "1.10": seen("1.10", 0.6, 0.7, 0.5),
        "1.12": seen("1.12", 0.9, 0.7, 0.8),
    }  # fmt: skip
    monkeypatch.setattr(history, "load", lambda folder, **_: every[folder.name].results)
    observed = observed_in({one.plan: Path(version) for version, one in every.items()})
    assert [one.plan.version for one in observed] == ["1.2", "1.9", "1.10", "1.11", "1.12"]
    steps = tuple(step_between(*pair, SHEET) for pair in pairwise(observed))
    told = History("lib", "Lib", tuple(observed), steps)
    assert next(iter(lines_of_history(told))) == "lib: 4 changes in 5 environments (1.2 1.9 1.10 1.11 1.12)"
    said = as_json([told], [])["libraries"]["lib"]
    assert [step["to"] for step in said["steps"]] == ["1.9", "1.10", "1.11", "1.12"]
    assert [step["from"] for step in said["steps"]] == ["1.2", "1.9", "1.10", "1.11"]
    answers = {answer["case"]: answer["by_version"] for answer in said["answers"]}
    assert len(said["answers"]) == len(answers), "what moved twice stands once"
    assert answers == {
        "ties/b": [".5", ".7", ".7", ".7", ".7"],
        "ties/a": [".5", ".5", ".6", ".5", ".9"],
        "gain/c": [".5", ".5", ".5", ".8", ".8"],
    }
    table = [line for line in as_markdown([told], []).splitlines() if line.startswith("| v, ")]
    cells = {line.split()[2].replace("\\", ""): [cell.strip() for cell in line.split("|")[2:-1]] for line in table}
    assert cells == {
        "ties/b": [".5", ".7", "", "", ""],
        "ties/a": [".5", "", ".6", ".5", ".9"],
        "gain/c": [".5", "", "", ".8", ""],
    }


def releases(*versions: str) -> list[Release]:
    return [Release(Version(version), f"2024-0{i}-01", ("3.11",)) for i, version in enumerate(versions, start=1)]


def test_the_newest_release_is_looked_at_and_what_failed_was_looked_at() -> None:
    every = releases("1.0", "1.0.1", "1.1", "1.1.1", "1.2", "1.2.1", "1.2.2")
    answers: dict[str, ObservedVersion | str] = {
        str(one.version): seen(str(one.version), 0.5, 0.5, 0.9 if str(one.version) == "1.2.2" else 0.5) for one in every
    }
    answers["1.1"] = "it does not load"
    asked: list[str] = []

    def look(some: Sequence[Release]) -> dict[Version, ObservedVersion | str]:
        asked.extend(str(one.version) for one in some)
        return {one.version: answers[str(one.version)] for one in some}

    said = search_as_json(search(every, SHEET, look), SHEET)
    assert [(one["from"], one["to"], one["released"]) for one in said["changes"]] == [("1.2.1", "1.2.2", "2024-07-01")]
    assert said["not_looked_at"] == [["1.0.1"]]
    assert said["could_not_be_asked"] == {"1.1": "it does not load"}
    assert asked == ["1.0", "1.1", "1.2", "1.2.2", "1.1.1", "1.2.1"], (
        "of a minor version whose first release fails, the last"
    )


@pytest.mark.parametrize("first_can_be_had", [True, False])
def test_what_is_held_fixed_is_compared_with_the_other_release(first_can_be_had: bool) -> None:  # noqa: FBT001
    """The new release on what the old one stands on; where that cannot be had, the old one on what the new one stands on."""
    old = seen("1", 0.1, 0.2, 0.3, stands_on={"numpy": "1.24"})
    new = seen("2", 0.1, 0.2, 0.9, stands_on={"numpy": "2.0"})
    between = {"2": seen("2", 0.1, 0.2, 0.3), "1": seen("1", 0.1, 0.2, 0.3)}
    border = Border(*releases("1", "2"), step_between(old, new, SHEET))

    def ask(plans: Sequence[Plan]) -> dict[Plan, ObservedVersion | str]:
        return {
            plan: between[plan.version] if first_can_be_had or plan.version == "1" else "no wheel" for plan in plans
        }

    step = held(border, SHEET, ask).held
    assert step is not None
    assert [one.by_place[("v", "gain/c", "nDCG@5", None)].value for one in (step.old, step.new)] == (
        [0.3, 0.3] if first_can_be_had else [0.3, 0.9]
    )
    assert differ(step.old, step.new, SHEET) is not first_can_be_had


def test_each_of_several_guesses_is_one_convention() -> None:
    (group,) = step_between(seen("1", 0.1, 0.2, 0.3), seen("2", 0.4, 0.5, 0.6), SHEET).groups
    guesses = (Guess(("ties=input", "gain=exp"), 3, 3), Guess(("gain=exp",), 2, 3), Guess())
    assert [conventions_of(replace(group, guess=guess)) for guess in guesses] == [
        ["ties=input", "gain=exp"],
        ["gain=exp"],
        [],
    ]


def test_an_exception_that_a_sheet_pins_is_as_it_claims() -> None:
    plan, folder = Plan("lib", "lib-rank", "1.0", "3.11"), Path("out")
    counts = {
        "unexplained": 4000,
        "known": 300,
        "agrees": 1,
        "unsupported": 5,
        "convention": 20,
        "crash": 6,
        "undefined": 7,
    }
    line = line_of_run(VersionRun(Built(plan, folder), folder, "", counts))
    assert line.endswith("Python 3.11  321 answers as the sheet claims, 6 crash, 4,000 unexplained")
