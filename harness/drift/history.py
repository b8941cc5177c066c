"""History: what changed in a library from one version to the next, as its answers in the environments show it.

Two environments are neighbours if no version of the library that was asked lies between them. What differs between neighbours is held
apart by what may have caused it: the library alone where they stand on the same, else the library or what it stands on.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

from packaging.version import Version

from rankproof.asking.sheets import Sheet
from rankproof.asking.subjects import Installation
from rankproof.drift.answer_changes import AnswerChange, ChangeKind, Drift, compared
from rankproof.drift.change_groups import ChangeGroup, grouped
from rankproof.environments.plans import Plan
from rankproof.judging.results_file import RunResults, load

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


@dataclass(frozen=True)
class VersionStep:
    """What differs between two neighbours.

    Attributes:
        groups: changes of one cause together, those first that matter most.
        noise: how many answers differ by no more than arithmetic explains.
        unsteady: how many differ where the library's sort keeps no order of tied docs.
        dependencies: what the library stands on that differs too, as (package, before, after).
    """

    old: ObservedVersion
    new: ObservedVersion
    groups: tuple[ChangeGroup, ...]
    noise: int
    unsteady: int
    dependencies: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class History:
    """The versions of a library that were asked, in their order, and the steps at which something changed."""

    library: str
    observed: tuple[ObservedVersion, ...]
    steps: tuple[VersionStep, ...]

    @property
    def changes(self) -> int:
        """How many changes of behaviour were seen."""
        return sum(len(step.groups) for step in self.steps)


def observed_in(folders: Mapping[Plan, Path]) -> list[ObservedVersion]:
    """What was written of each environment, in the order of the versions."""
    found = [ObservedVersion(plan, load(folder, of_any_version=True)) for plan, folder in folders.items()]
    return sorted(found, key=lambda one: (one.plan.library, Version(one.plan.version), one.plan.label))


def histories(observed: Iterable[ObservedVersion], sheets: Mapping[str, Sheet]) -> Iterator[History]:
    """The history of each library."""
    for library, those in groupby(observed, key=lambda one: one.plan.library):
        versions = tuple(those)
        steps = [step_between(old, new, sheets[library]) for old, new in pairwise(versions)]
        yield History(library, versions, tuple(step for step in steps if step.groups))


def step_between(old: ObservedVersion, new: ObservedVersion, sheet: Sheet) -> VersionStep:
    """What differs between two environments of a library."""
    drift = compared(old.results, new.results)
    counted = [change for change in drift.changes if change.kind in COUNTED]
    noise = [change for change in counted if _is_noise(change, sheet)]
    unsteady = [change for change in counted if change not in noise and _is_unsteady(change)]
    left = tuple(change for change in counted if change not in noise and change not in unsteady)
    groups = tuple(grouped(Drift(drift.old, drift.new, left)))
    return VersionStep(old, new, groups, len(noise), len(unsteady), _other_dependencies(old, new))


def _is_noise(change: AnswerChange, sheet: Sheet) -> bool:
    """Whether two numbers differ by no more than the arithmetic of such a library does."""
    if change.size is None or change.old is None or change.new is None:
        return False
    values = [abs(row.value) for row in (change.old, change.new) if isinstance(row.value, int | float)]
    limit = NOISE.get(sheet.precision, NOISE["float64"])
    return change.size <= limit * max(1.0, *values)


def _is_unsteady(change: AnswerChange) -> bool:
    """Whether both sides are what some order of tied docs gives, and the library promises none."""
    unspecified = "ties=unspecified"
    return all(row is not None and unspecified in row.conventions for row in (change.old, change.new))


def _other_dependencies(old: ObservedVersion, new: ObservedVersion) -> tuple[tuple[str, str, str], ...]:
    before, after = old.installation.dependencies, new.installation.dependencies
    package = old.plan.package
    others = [
        (name, before.get(name, "none"), after.get(name, "none"))
        for name in dict.fromkeys([*before, *after])
        if name != package
    ]
    pythons = ("Python", old.installation.python, new.installation.python)
    return tuple(item for item in [pythons, *others] if item[1] != item[2])
