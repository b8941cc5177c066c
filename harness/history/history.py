"""The history of a library: the changes between neighbouring environments.

Two environments are neighbours if no observed version lies between them. If the dependencies of the library also
differ, they may be the reason for a change, so a history lists them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from packaging.version import Version

from rankproof.history.answer_changes import AnswerChange, ChangeKind, compared, kind_of_answer
from rankproof.history.causes import Causes, Profiles
from rankproof.history.change_groups import ChangeGroup, groups_of_releases
from rankproof.history.environment_builds import locked
from rankproof.history.plans import Plan
from rankproof.judge.results_file import RunResults, load
from rankproof.judge.verdicts import Row, Verdict
from rankproof.workers.known_libraries import distribution
from rankproof.workers.same_answers import alike
from rankproof.workers.sheets import ObservationPlace, Sheet
from rankproof.workers.subjects import Installation

COUNTED = frozenset({ChangeKind.FAILING, ChangeKind.MOVED, ChangeKind.FIXED, ChangeKind.LOST, ChangeKind.NEW})
"""The kinds of changes in a history: another value, another error, or a new answer."""
NOISE = {"float32": 1e-5, "float64": 1e-9}
"""The largest relative difference that arithmetic alone may cause, by precision of the library."""


@dataclass(frozen=True)
class ObservedVersion:
    """The results of a library in one environment."""

    plan: Plan
    results: RunResults

    @property
    def installation(self) -> Installation:
        """The installation, as the library reports it."""
        return self.results.installations[0]

    @cached_property
    def by_place(self) -> Mapping[ObservationPlace, Row]:
        """The rows by variant, case, measure and query."""
        return {row.place: row for row in self.results.rows}

    @cached_property
    def profiles(self) -> Profiles:
        """The conventions that the library follows."""
        return Profiles(self.results)

    @cached_property
    def stands_on(self) -> dict[str, str]:
        """The versions by package: Python, the packages that the adapter names, then the others in the lock."""
        named = {"Python": self.installation.python, **self.installation.dependencies}
        known = {*map(distribution, named), distribution(self.plan.package)}
        others = {name: version for name, version in locked(self.plan).items() if distribution(name) not in known}
        return {name: v for name, v in named.items() if distribution(name) != distribution(self.plan.package)} | others


@dataclass(frozen=True)
class VersionStep:
    """The difference between two neighbours.

    `noise` counts values that differ only by rounding, `unsteady` those of ties that the library sorts inconsistently.
    """

    old: ObservedVersion
    new: ObservedVersion
    moves: tuple[ChangeGroup, ...]
    noise: int
    unsteady: int

    @property
    def dependencies(self) -> list[tuple[str, str, str]]:
        """The dependencies of the library that differ, as (package, before, after)."""
        before, after = self.old.stands_on, self.new.stands_on
        names = dict.fromkeys([*before, *after])
        versions = [(name, before.get(name, "none"), after.get(name, "none")) for name in names]
        return [package for package in versions if package[1] != package[2]]


@dataclass(frozen=True)
class History:
    """The observed versions of a library in order, and the steps with changes."""

    library: str
    title: str
    observed: tuple[ObservedVersion, ...]
    steps: tuple[VersionStep, ...]

    @property
    def changes(self) -> int:
        """The number of changes."""
        return sum(len(step.moves) for step in self.steps)

    @cached_property
    def witnesses(self) -> tuple[Row, ...]:
        """The rows that show the changes, each once."""
        rows = (move.witness.row for step in self.steps for move in step.moves)
        return tuple({row.place: row for row in rows}.values())

    def across(self, row: Row) -> list[Row | None]:
        """Return the row of each version at the place of a row."""
        return [observed.by_place.get(row.place) for observed in self.observed]


def observed_in(folders: Mapping[Plan, Path]) -> list[ObservedVersion]:
    """Read the results of environments, in the order of the versions."""
    versions = [ObservedVersion(plan, load(folder)) for plan, folder in folders.items()]
    return sorted(versions, key=lambda version: (Version(version.plan.version), version.plan.label))


def histories(folders: Mapping[Plan, Path], sheets: Mapping[str, Sheet]) -> Iterator[History]:
    """Yield the history of each library from the results of its environments."""
    for library in sorted({plan.library for plan in folders}):
        versions = observed_in({plan: folder for plan, folder in folders.items() if plan.library == library})
        steps = [step_between(old, new, sheets[library]) for old, new in pairwise(versions)]
        kept = tuple(step for step in steps if step.moves)
        yield History(library, sheets[library].title or library, tuple(versions), kept)


def step_between(
    old: ObservedVersion, new: ObservedVersion, sheet: Sheet, profiles: tuple[Profiles, Profiles] | None = None
) -> VersionStep:
    """Return the difference between two environments of a library; `profiles` if other results have the conventions."""
    behaviour, noise, unsteady = _parted(old, new, sheet)
    moves = groups_of_releases(behaviour, Causes(*(profiles or (old.profiles, new.profiles))))
    return VersionStep(old, new, tuple(moves), len(noise), len(unsteady))


def differ(old: ObservedVersion, new: ObservedVersion, sheet: Sheet) -> bool:
    """Return whether a library behaves differently in two environments."""
    return bool(_parted(old, new, sheet)[0])


def _parted(old: ObservedVersion, new: ObservedVersion, sheet: Sheet) -> tuple[list[AnswerChange], ...]:
    """Return the changes of behaviour, the changes by rounding, and the unsteady changes."""
    changes = compared(old.results, new.results).changes
    both = {_question(change) for change in changes if change.old is not None and change.new is not None}
    parts: tuple[list[AnswerChange], ...] = ([], [], [])
    for change in changes:
        # The error of a whole measure counts for each query, unless the library has no mean to compare it with.
        is_half = change.old is None or change.new is None
        repeats = is_half and change.row.error is not None and _question(change) in both
        if change.kind in COUNTED and not _is_same(change) and not repeats:
            parts[1 if _is_noise(change, sheet) else 2 if _is_unsteady(change) else 0].append(change)
    return parts


def _question(change: AnswerChange) -> tuple[str, str, str]:
    return change.row.variant, change.row.case, change.row.measure


def _is_same(change: AnswerChange) -> bool:
    """Return whether both sides are errors of the same type, or the same number with different verdicts."""
    before, after = kind_of_answer(change.old), kind_of_answer(change.new)
    if before != after or change.old is None or change.new is None:
        return before == after
    return before != "number" or alike(change.old.value, change.new.value)


def _is_noise(change: AnswerChange, sheet: Sheet) -> bool:
    if change.size is None or change.old is None or change.new is None:
        return False
    values = [abs(row.value) for row in (change.old, change.new) if isinstance(row.value, int | float)]
    return change.size <= NOISE.get(sheet.precision, NOISE["float64"]) * max(1.0, *values)


def _is_unsteady(change: AnswerChange) -> bool:
    rows = (change.old, change.new)
    if any(row is not None and row.error == Verdict.UNSTABLE for row in rows):
        return True
    return all(row is not None and "ties=unspecified" in row.conventions for row in rows)
