"""Bisection: the releases of a library in which its answers to a case changed.

Answers change and change back, so two ends that agree prove nothing. The search observes the first release of each minor version, or its
last if that one cannot be asked, and halves between two that differ until they are neighbours. It reports the releases between two that
agree as not observed.
"""

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from packaging.version import Version

from rankproof.history.history import ObservedVersion, VersionStep, differ, step_between
from rankproof.history.plans import Plan
from rankproof.history.releases import Release, on_the_same
from rankproof.workers.sheets import Sheet

Ask = Callable[[Sequence[Plan]], dict[Plan, ObservedVersion | str]]
"""Runs the library in environments: its answers in each, or why it cannot run."""
Look = Callable[[Sequence[Release]], dict[Version, ObservedVersion | str]]
"""Asks the library in releases."""


@dataclass(frozen=True)
class Border:
    """Two releases that differ; those between them (`skipped`) could not run.

    `is_of_the_library` tells whether they also differ on the same packages; None if the packages differ and could not be held.
    """

    old: Release
    new: Release
    step: VersionStep
    skipped: tuple[Release, ...] = ()
    is_of_the_library: bool | None = None


@dataclass
class ReleaseSearch:
    """A bisection of releases, from the oldest to the newest: the answers of those `observed`, and why others `failed`."""

    releases: Sequence[Release]
    sheet: Sheet
    look: Look
    observed: dict[Version, ObservedVersion] = field(default_factory=dict)
    failed: dict[Version, str] = field(default_factory=dict)

    def run_between_ends(self) -> None:
        """Observe the oldest and the newest release, and search between them if they differ."""
        self._learn([0, len(self.releases) - 1])
        self._halve()

    def run(self, *, every: bool = False) -> None:
        """Search; `every` observes each release, also between two that agree."""
        minors = [release.version.release[:2] for release in self.releases]
        ends = {0, len(minors) - 1}
        landmarks = [i for i, minor in enumerate(minors) if every or i in ends or minor != minors[i - 1]]
        self._learn(landmarks)
        failed = [minors[i] for i in landmarks if self.releases[i].version in self.failed]
        self._learn([max(i for i, other in enumerate(minors) if other == minor) for minor in failed])
        self._halve()

    def _halve(self) -> None:
        while places := [middle for pair in self._changing() if (middle := self._middle(*pair)) is not None]:
            self._learn(places)

    @property
    def borders(self) -> list[Border]:
        """The neighbours that differ, the oldest first."""
        steps = ((a, b, step_between(self._at(a), self._at(b), self.sheet)) for a, b in self._changing())
        return [
            Border(self.releases[a], self.releases[b], step, tuple(self.releases[a + 1 : b])) for a, b, step in steps
        ]

    @property
    def unseen(self) -> list[tuple[Release, ...]]:
        """Runs of releases that were not observed."""
        known = [place for place, _ in enumerate(self.releases) if self._is_known(place)]
        return [tuple(self.releases[old + 1 : new]) for old, new in pairwise(known) if new - old > 1]

    def is_beside_failed(self, unseen: Sequence[Release]) -> bool:
        """Return whether a release next to these could not run, so that these may differ."""
        known = sorted([*self.observed, *self.failed])
        place = bisect(known, unseen[0].version)
        return not {*known[place - 1 : place + 1]} <= self.observed.keys()

    def _learn(self, places: Sequence[int]) -> None:
        new = [self.releases[place] for place in places if not self._is_known(place)]
        for version, answer in (self.look(new) if new else {}).items():
            if isinstance(answer, str):
                self.failed[version] = answer
            else:
                self.observed[version] = answer

    def _is_known(self, place: int) -> bool:
        return self.releases[place].version in {*self.observed, *self.failed}

    def _middle(self, old: int, new: int) -> int | None:
        open_places = [place for place in range(old + 1, new) if not self._is_known(place)]
        return min(open_places, key=lambda place: abs(2 * place - old - new), default=None)

    def _changing(self) -> Iterator[tuple[int, int]]:
        answered = [place for place, release in enumerate(self.releases) if release.version in self.observed]
        return ((a, b) for a, b in pairwise(answered) if differ(self._at(a), self._at(b), self.sheet))

    def _at(self, place: int) -> ObservedVersion:
        return self.observed[self.releases[place].version]


def held(border: Border, sheet: Sheet, ask: Ask) -> Border:
    """Return the border with whether the releases differ on the same packages.

    The new release runs on the packages of the old release or, if that is impossible, the old release on the packages of the new.
    """
    step = border.step
    if not step.dependencies:
        return replace(border, is_of_the_library=True)
    for moved, base in ((step.new, step.old), (step.old, step.new)):
        plan = on_the_same(moved.plan, base.plan, base.stands_on)
        answer = ask([plan])[plan]
        if not isinstance(answer, str):
            return replace(border, is_of_the_library=differ(base, answer, sheet))
    return border


def with_causes(border: Border, sheet: Sheet, ask_all: Ask) -> Border:
    """Return the border with causes that are inferred from all values of the measures; `ask_all` asks every case for them."""
    old, new = border.step.old, border.step.new
    answers = ask_all([old.plan, new.plan])
    before, after = answers[old.plan], answers[new.plan]
    if isinstance(before, str) or isinstance(after, str):
        return border
    return replace(border, step=step_between(old, new, sheet, (before.profiles, after.profiles)))
