"""Bisecting: in which releases of a library the answers to a case changed.

Answers go there and back, so that two ends that answer alike prove nothing of what lies between them. So the first release of each minor
version is looked at, or its last where that one cannot be asked, and between two of those that answer otherwise one is halved further,
until the releases are neighbours. Where two answer alike, what lies between them is not looked at, and is told.
"""

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from packaging.version import Version

from rankproof.history.history import ObservedVersion, VersionStep, differ, step_between
from rankproof.history.releases import Release
from rankproof.workers.sheets import Sheet

Look = Callable[[Sequence[Release]], dict[Version, ObservedVersion | str]]
"""Asks the library in these releases: what it answered in each, or why it could not be asked."""


@dataclass(frozen=True)
class Border:
    """Two releases that answer otherwise, with none between them that could be asked.

    Attributes:
        old: the last release that was seen to answer as before.
        new: the first that was seen to answer otherwise.
        step: what differs.
        skipped: the releases between them, which could not be asked.
        held: what differs where both stand on the same; None where they do anyway, or cannot.
    """

    old: Release
    new: Release
    step: VersionStep
    skipped: tuple[Release, ...] = ()
    held: VersionStep | None = None

    @property
    def is_of_the_library(self) -> bool | None:
        """Whether the release itself changed its answers; None where what it stands on differs, too, and could not be held."""
        if not self.step.dependencies:
            return True
        return None if self.held is None else bool(self.held.groups)


@dataclass(frozen=True)
class ReleaseSearch:
    """What came of bisecting.

    Attributes:
        borders: where the answers changed, the oldest first.
        observed: the releases that were asked.
        failed: those that could not be asked, and why.
        unseen: runs of releases that were not looked at, as those around them answer alike, or one of these could not be asked.
    """

    borders: tuple[Border, ...]
    observed: dict[Version, ObservedVersion]
    failed: dict[Version, str]
    unseen: tuple[tuple[Release, ...], ...]

    @property
    def asked_around(self) -> tuple[tuple[Release, ...], ...]:
        """Those of them that lie between releases that were asked, and answered alike."""
        return tuple(unseen for unseen in self.unseen if unseen not in self.beside_failed)

    @property
    def beside_failed(self) -> tuple[tuple[Release, ...], ...]:
        """Those of them beside which a release could not be asked, so that they may answer otherwise."""
        known = sorted([*self.observed, *self.failed])
        above = ((unseen, bisect(known, unseen[0].version)) for unseen in self.unseen)
        return tuple(unseen for unseen, place in above if not {*known[place - 1 : place + 1]} <= self.observed.keys())


@dataclass
class _Seen:
    """What is known of each release, and how more is learnt."""

    releases: Sequence[Release]
    sheet: Sheet
    look: Look
    observed: dict[Version, ObservedVersion] = field(default_factory=dict)
    failed: dict[Version, str] = field(default_factory=dict)

    def learn(self, places: Sequence[int]) -> None:
        new = [self.releases[place] for place in places if not self._is_known(place)]
        for version, answer in (self.look(new) if new else {}).items():
            if isinstance(answer, str):
                self.failed[version] = answer
            else:
                self.observed[version] = answer

    def _is_known(self, place: int) -> bool:
        version = self.releases[place].version
        return version in self.observed or version in self.failed

    def answered(self) -> list[int]:
        """The places of the releases that answered."""
        return [place for place, release in enumerate(self.releases) if release.version in self.observed]

    def at(self, place: int) -> ObservedVersion:
        """What was answered there."""
        return self.observed[self.releases[place].version]

    def middle(self, old: int, new: int) -> int | None:
        """The place nearest to the middle of two that is not known yet."""
        open_places = [place for place in range(old + 1, new) if not self._is_known(place)]
        return min(open_places, key=lambda place: abs(2 * place - old - new), default=None)


def search(releases: Sequence[Release], sheet: Sheet, look: Look, *, every: bool = False) -> ReleaseSearch:
    """Find the releases in which the answers changed.

    Args:
        releases: from the oldest to the newest.
        sheet: what is claimed of the library.
        look: asks it in several releases.
        every: whether each release is looked at, also between two that answer alike.
    """
    seen = _Seen(releases, sheet, look)
    landmarks = range(len(releases)) if every else _landmarks(releases)
    seen.learn(landmarks)
    seen.learn([_last_of_minor(releases, place) for place in landmarks if releases[place].version in seen.failed])
    # Where to look next: half way between two that answer otherwise.
    while places := [middle for pair in _changing(seen) if (middle := seen.middle(*pair)) is not None]:
        seen.learn(places)
    borders = tuple(_border(seen, old, new) for old, new in _changing(seen))
    return ReleaseSearch(borders, seen.observed, seen.failed, tuple(_unseen(seen)))


def _landmarks(releases: Sequence[Release]) -> list[int]:
    """Both ends, and the first release of each minor version."""
    minors = [release.version.release[:2] for release in releases]
    ends = {0, len(releases) - 1}
    return [place for place, minor in enumerate(minors) if place in ends or minor != minors[place - 1]]


def _last_of_minor(releases: Sequence[Release], place: int) -> int:
    """The last release of the minor version to which a release belongs."""
    minor = releases[place].version.release[:2]
    return max(i for i, release in enumerate(releases) if release.version.release[:2] == minor)


def _changing(seen: _Seen) -> Iterator[tuple[int, int]]:
    """Neighbours, among those that answered, that answer otherwise."""
    return ((old, new) for old, new in pairwise(seen.answered()) if differ(seen.at(old), seen.at(new), seen.sheet))


def _border(seen: _Seen, old: int, new: int) -> Border:
    skipped = tuple(seen.releases[old + 1 : new])
    return Border(seen.releases[old], seen.releases[new], step_between(seen.at(old), seen.at(new), seen.sheet), skipped)


def _unseen(seen: _Seen) -> Iterator[tuple[Release, ...]]:
    """The releases between neighbours at which nobody looked."""
    known = [place for place, release in enumerate(seen.releases) if release.version in {*seen.observed, *seen.failed}]
    for old, new in pairwise(known):
        if new - old > 1:
            yield tuple(seen.releases[old + 1 : new])
