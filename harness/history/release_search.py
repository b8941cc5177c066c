"""Bisection of releases: the releases between two versions in which the values of a library changed.

The search observes both versions, and halves the range between releases that differ until they are neighbours. A
change that was reverted between two equal releases is not found, as it does not matter to an upgrade from one to the
other.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from packaging.version import Version

from rankproof.history.history import ObservedVersion, VersionStep, differ, step_between
from rankproof.history.releases import Release
from rankproof.workers.sheets import Sheet

Look = Callable[[Sequence[Release]], dict[Version, ObservedVersion | str]]
"""A function that runs a library in releases, and returns its values in each, or why it could not run."""


@dataclass
class ReleaseSearch:
    """A bisection of releases, oldest first, with the values of `observed` releases and why others `failed`."""

    releases: Sequence[Release]
    sheet: Sheet
    look: Look
    observed: dict[Version, ObservedVersion] = field(default_factory=dict)
    failed: dict[Version, str] = field(default_factory=dict)

    def run(self) -> None:
        """Observe the oldest and the newest release, and then releases between two that differ."""
        places: Sequence[int] = list(dict.fromkeys((0, len(self.releases) - 1)))
        while places:
            for version, values in self.look([self.releases[place] for place in places]).items():
                if isinstance(values, str):
                    self.failed[version] = values
                else:
                    self.observed[version] = values
            places = [middle for pair in self._changing() if (middle := self._middle(*pair)) is not None]

    @property
    def steps(self) -> list[VersionStep]:
        """The neighbours that differ, the oldest first."""
        return [step_between(self._at(a), self._at(b), self.sheet) for a, b in self._changing()]

    def _middle(self, old: int, new: int) -> int | None:
        known = {*self.observed, *self.failed}
        unknown = [place for place in range(old + 1, new) if self.releases[place].version not in known]
        return min(unknown, key=lambda place: abs(2 * place - old - new), default=None)

    def _changing(self) -> Iterator[tuple[int, int]]:
        answered = [place for place, release in enumerate(self.releases) if release.version in self.observed]
        return ((a, b) for a, b in pairwise(answered) if differ(self._at(a), self._at(b), self.sheet))

    def _at(self, place: int) -> ObservedVersion:
        return self.observed[self.releases[place].version]
