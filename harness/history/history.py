"""History: what changed in a library from one version to the next, as its answers in the environments show it.

Two environments are neighbours if no version of the library that was asked lies between them. What differs between neighbours is held
apart by what may have caused it: the library alone where they stand on the same, else the library or what it stands on.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from packaging.version import Version

from rankproof.history.answer_changes import AnswerChange, ChangeKind, Drift, compared
from rankproof.history.change_groups import ChangeGroup, grouped
from rankproof.history.environment_builds import locked
from rankproof.history.moves import Move, kind_of_answer, moves
from rankproof.history.plans import Plan
from rankproof.judge.results_file import RunResults, load
from rankproof.judge.verdicts import Row, Verdict
from rankproof.workers.known_libraries import distribution
from rankproof.workers.same_answers import alike
from rankproof.workers.sheets import ObservationPlace, Sheet
from rankproof.workers.subjects import Installation

COUNTED = frozenset({ChangeKind.FAILING, ChangeKind.MOVED, ChangeKind.FIXED, ChangeKind.LOST, ChangeKind.NEW})
"""The kinds that are history: another value, another error, or an answer where there was none."""
NOISE = {"float32": 1e-5, "float64": 1e-9}
"""Below this, relative to the values, the arithmetic may have moved, and not the behaviour; by precision of the library."""


@dataclass(frozen=True)
class ObservedVersion:
    """A library in one of its environments, and what it answered there."""

    plan: Plan
    results: RunResults

    @property
    def installation(self) -> Installation:
        """The library, as it described itself there."""
        return self.results.asked[0]

    @cached_property
    def by_place(self) -> Mapping[ObservationPlace, Row]:
        """Its answers by variant, case, measure and query."""
        return {row.place: row for row in self.results.rows}


@dataclass(frozen=True)
class VersionStep:
    """What differs between two neighbours.

    Attributes:
        groups: changes of one cause together, those first that matter most.
        moves: the same, each decision of the library once.
        noise: how many answers differ by no more than arithmetic explains.
        unsteady: how many differ where the library's sort keeps no order of tied docs, or where an answer changes each time.
        dependencies: what the library stands on that differs too, as (package, before, after).
    """

    old: ObservedVersion
    new: ObservedVersion
    groups: tuple[ChangeGroup, ...]
    moves: tuple[Move, ...]
    noise: int
    unsteady: int
    dependencies: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class History:
    """The versions of a library that were asked, in their order, and the steps at which something changed."""

    library: str
    title: str
    observed: tuple[ObservedVersion, ...]
    steps: tuple[VersionStep, ...]

    @property
    def changes(self) -> int:
        """How many changes of behaviour were seen."""
        return sum(len(step.moves) for step in self.steps)

    @cached_property
    def witnesses(self) -> tuple[Row, ...]:
        """The answers that show the moves best, each once."""
        rows = (move.witness.row for step in self.steps for move in step.moves)
        return tuple({row.place: row for row in rows}.values())

    def across(self, row: Row) -> list[Row | None]:
        """What each version says in the place of an answer."""
        return [observed.by_place.get(row.place) for observed in self.observed]


def observed_in(folders: Mapping[Plan, Path]) -> list[ObservedVersion]:
    """What was written of each environment, in the order of the versions."""
    found = [ObservedVersion(plan, load(folder, of_any_version=True)) for plan, folder in folders.items()]
    return sorted(found, key=lambda one: (Version(one.plan.version), one.plan.label))


def histories(folders: Mapping[Plan, Path], sheets: Mapping[str, Sheet]) -> Iterator[History]:
    """The history of each library, of what was written of its environments."""
    for library in sorted({plan.library for plan in folders}):
        versions = observed_in({plan: folder for plan, folder in folders.items() if plan.library == library})
        steps = [step_between(old, new, sheets[library]) for old, new in pairwise(versions)]
        kept = tuple(step for step in steps if step.moves)
        yield History(library, sheets[library].title or library, tuple(versions), kept)


def step_between(old: ObservedVersion, new: ObservedVersion, sheet: Sheet) -> VersionStep:
    """What differs between two environments of a library."""
    behaviour, noise, unsteady = _parted(old, new, sheet)
    groups = tuple(grouped(Drift(old.results, new.results, tuple(behaviour))))
    return VersionStep(old, new, groups, tuple(moves(groups)), len(noise), len(unsteady), _other_dependencies(old, new))


def differ(old: ObservedVersion, new: ObservedVersion, sheet: Sheet) -> bool:
    """Whether the library behaves otherwise in the one than in the other."""
    return bool(_parted(old, new, sheet)[0])


def _parted(old: ObservedVersion, new: ObservedVersion, sheet: Sheet) -> tuple[list[AnswerChange], ...]:
    """The changes, held apart by what they are: of behaviour, noise, and unsteady."""
    behaviour: list[AnswerChange] = []
    noise: list[AnswerChange] = []
    unsteady: list[AnswerChange] = []
    for change in compared(old.results, new.results).changes:
        if change.kind in COUNTED and not _is_refused_as_before(change) and not _is_judged_alone(change):
            part = noise if _is_noise(change, sheet) else unsteady if _is_unsteady(change) else behaviour
            part.append(change)
    return behaviour, noise, unsteady


def _is_refused_as_before(change: AnswerChange) -> bool:
    """Whether both sides are refusals of one type, in other words perhaps."""
    before, after = kind_of_answer(change.old), kind_of_answer(change.new)
    return before == after != "number"


def _is_judged_alone(change: AnswerChange) -> bool:
    """Whether both sides are the same number, of which the sheet claims another thing."""
    old, new = change.old, change.new
    return old is not None and new is not None and old.value is not None and alike(old.value, new.value)


def _is_noise(change: AnswerChange, sheet: Sheet) -> bool:
    """Whether two numbers differ by no more than the arithmetic of such a library does."""
    if change.size is None or change.old is None or change.new is None:
        return False
    values = [abs(row.value) for row in (change.old, change.new) if isinstance(row.value, int | float)]
    limit = NOISE.get(sheet.precision, NOISE["float64"])
    return change.size <= limit * max(1.0, *values)


def _is_unsteady(change: AnswerChange) -> bool:
    """Whether both sides are what some order of tied docs gives, and the library promises none; or one side changes by itself."""
    if any(row is not None and row.error == Verdict.UNSTABLE for row in (change.old, change.new)):
        return True
    unspecified = "ties=unspecified"
    return all(row is not None and unspecified in row.conventions for row in (change.old, change.new))


def _stands_on(observed: ObservedVersion) -> dict[str, str]:
    """Package -> version: what the adapter names, as it names it, then whatever else the lock has."""
    named = observed.installation.dependencies
    known, others = set(map(distribution, named)), locked(observed.plan).items()
    return {**named, **{name: version for name, version in others if distribution(name) not in known}}


def _other_dependencies(old: ObservedVersion, new: ObservedVersion) -> tuple[tuple[str, str, str], ...]:
    """What else differs: the interpreter, what the adapter names, then whatever else the locks have."""
    before, after = _stands_on(old), _stands_on(new)
    others = [
        (name, before.get(name, "none"), after.get(name, "none"))
        for name in dict.fromkeys([*before, *after])
        if distribution(name) != distribution(old.plan.package)
    ]
    pythons = ("Python", old.installation.python, new.installation.python)
    return tuple(item for item in [pythons, *others] if item[1] != item[2])
