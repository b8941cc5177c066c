"""Searches for conventions: the profile that explains most values, or the fewest changes that fit a few values."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product

from rankproof.defects.defect import BrokenMeasure
from rankproof.inference.deciding_axes import free_axes, possible, values_of
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.evidence import Evidence
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.measure_facts import Profile
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import profile as profile_named

SHARE_IN_ORDER = 0.75
"""The share of rows with ties that an order of tied documents must explain. Below it, the order is unspecified."""
Change = Mapping[str, str]
"""The new choice on each axis that changes."""
OF_ROWS = frozenset({"input", "input-reversed"})
"""The orders that a single other value excludes. Unstable sorts keep most rows in order, so a share proves nothing."""


def plain(conventions: Conventions) -> dict[str, str]:
    """Return the choice on every axis."""
    return {axis: getattr(conventions, axis) for axis in AXES}


def changed(profile: Profile) -> int:
    """Return on how many axes a profile differs from `standard`."""
    return sum(profile[axis] != getattr(STANDARD, axis) for axis in AXES)


@dataclass
class Search:
    """Search for the profile that explains the values of one or several forms of a measure.

    Attributes:
        measures: a measure of each form.
        evidence: the values to explain.
        fixed: the axes that do not vary, with their choices.
        of_numbers: whether all values are numbers. Then no choice that rejects inputs is tried, and the axes on which
            implementations differ most are tried first.
    """

    measures: Sequence[Measure]
    evidence: Sequence[Evidence]
    fixed: Mapping[str, str] = field(default_factory=dict)
    of_numbers: bool = False
    _masks: tuple[Profile, dict[Evidence, int], int] = field(default=({}, {}, 0))
    _touched: dict[tuple[str, ...], Sequence[Evidence]] = field(default_factory=dict)
    _canonical: dict[tuple[str, ...], dict[str, str]] = field(default_factory=dict)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The axes that can matter to at least one of the measures."""
        free = {axis for measure in self.measures for axis in free_axes(measure)}
        in_order = sorted(AXES, key=lambda axis: not AXES[axis].headline) if self.of_numbers else AXES
        return tuple(axis for axis in in_order if axis in free)

    @cached_property
    def values(self) -> dict[str, tuple[str, ...]]:
        """The choices that the search tries on each axis."""
        return {
            axis: tuple(
                value
                for value in values_of(axis)
                if any(possible(m, axis, value) for m in self.measures)
                and not (self.of_numbers and value == "rejected")
            )
            for axis in self.axes
            if axis not in self.fixed
        }

    def canonicalize(self, profile: Profile) -> dict[str, str]:
        """Return the canonical form of a profile; profiles of a measure with a defect stay unchanged."""
        if not self.fixed and any(isinstance(measure, BrokenMeasure) for measure in self.measures):
            return dict(profile)
        chosen = tuple(profile[axis] for axis in AXES)
        canonical = self._canonical.get(chosen)
        if canonical is None:
            canonical = self._canonical[chosen] = self._canonical_profile({**profile, **self.fixed})
        return canonical

    def _canonical_profile(self, profile: Profile) -> dict[str, str]:
        if len(self.measures) == 1:
            return canonical_profile(self.measures[0], profile)
        ways = [canonical_profile(measure, profile) for measure in self.measures]
        return {
            axis: value if any(way[axis] == value for way in ways) else ways[0][axis] for axis, value in profile.items()
        }

    @property
    def size(self) -> int:
        """The number of rows to explain."""
        return sum(piece.size for piece in self.evidence)

    def cost(self, profile: Profile) -> int:
        """Return how many rows the profile does not explain."""
        return sum(piece.mask(profile).bit_count() for piece in self.evidence)

    def masks(self, profile: Profile) -> tuple[dict[Evidence, int], int]:
        """Return the masks of all evidence and the cost, cached for the last profile."""
        if self._masks[0] is not profile:
            masks = {piece: piece.mask(profile) for piece in self.evidence}
            self._masks = (profile, masks, sum(mask.bit_count() for mask in masks.values()))
        return self._masks[1:]

    def touched(self, old: Profile, new: Profile) -> Sequence[Evidence]:
        """Return the evidence whose expected values may differ between two profiles."""
        axes = tuple(axis for axis in self.axes if old[axis] != new[axis])
        if axes not in self._touched:
            self._touched[axes] = [piece for piece in self.evidence if not set(axes).isdisjoint(piece.question.axes)]
        return self._touched[axes]

    def gain(self, old: Profile, new: Profile, floor: float = -math.inf) -> float:
        """Return how many more rows the new profile explains, or minus infinity if there are at most `floor`.

        Rows that the old profile misses come first, because only they can be gained.
        """
        masks, _ = self.masks(old)
        touched = self.touched(old, new)
        missed = [(piece, mask.bit_count()) for piece in touched if (mask := masks[piece])]
        gained, possible = 0, sum(count for _, count in missed)
        for piece, count in missed:
            gained += count - piece.mask(new).bit_count()
            possible -= count
            if gained + possible <= floor:
                return -math.inf
        for piece in touched:
            if not masks[piece] and (lost := piece.mask(new)):
                gained -= lost.bit_count()
                if gained <= floor:
                    return -math.inf
        return gained

    def changes(self, profile: Profile, axes: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield each different profile that changes one of the axes, after that axis."""
        for axis in axes:
            for value in self.values.get(axis, ()):
                if value != profile[axis]:
                    other = self.canonicalize({**profile, axis: value})
                    if other != profile and other[axis] == value:
                        yield axis, other

    # -- one profile against another --------------------------------------------------------------------------------

    def breaks(self, profile: Profile, other: Profile) -> list[Evidence]:
        """Return the evidence that `profile` explains and `other` does not, at least in one row."""
        return list(self.broken(profile, other))

    def broken(self, profile: Profile, other: Profile) -> Iterator[Evidence]:
        """Yield the evidence that `profile` explains and `other` does not, at least in one row."""
        return (piece for piece in self._broken(profile, other) if not piece.unanswered(other))

    def _broken(self, profile: Profile, other: Profile) -> Iterator[Evidence]:
        """Yield the same evidence, and also evidence without a reference value."""
        masks, _ = self.masks(profile)
        return (piece for piece in self.touched(profile, other) if piece.mask(other) & ~masks[piece])

    def no_worse(self, profile: Profile, other: Profile, first: Sequence[Evidence] = ()) -> bool:
        """Return whether `other` explains all rows that `profile` does, or loses no more than it gains.

        `first` is compared first, because it most likely fails. Rows without a reference value do not exclude a
        profile.
        """
        masks, to_gain = self.masks(profile)
        lost = unanswered = gained = 0
        for piece in dict.fromkeys((*first, *self.touched(profile, other))):
            old, new = masks[piece], piece.mask(other)
            broken = (new & ~old).bit_count()
            gained += (old & ~new).bit_count()
            if broken and piece.unanswered(other):
                unanswered += broken
            elif broken:
                lost += broken
                if lost > to_gain:
                    return False  # more than can be gained
        return lost == 0 or gained >= lost + unanswered

    def rescued(self, profile: Profile, other: Profile, axis: str, broken: Sequence[Evidence]) -> dict[str, str] | None:
        """Return `other` with one more change that makes it no worse than `profile`, or None."""
        pivot = min(broken, key=lambda piece: len(piece.question.axes))
        for second_axis, second in self.changes(other, self._fixing_axes(profile, other, pivot, broken)):
            if second_axis == axis or second[axis] != other[axis]:
                continue
            if self.no_worse(profile, second, broken):
                return second
        return None

    def _fixing_axes(self, profile: Profile, other: Profile, pivot: Evidence, broken: Sequence[Evidence]) -> list[str]:
        """Return the axes that can explain enough of the lost rows. As many rows as `profile` misses may stay lost."""
        masks, to_gain = self.masks(profile)
        lost = [(piece.question.axes, (piece.mask(other) & ~masks[piece]).bit_count()) for piece in broken]
        return [axis for axis in pivot.question.axes if sum(n for axes, n in lost if axis not in axes) <= to_gain]

    # -- towards the best -------------------------------------------------------------------------------------------

    def descend(self, start: Profile, *, further: bool = False) -> dict[str, str]:
        """Change one axis at a time while more rows are explained, then undo changes that explain nothing.

        Args:
            start: the first profile.
            further: whether to also try two changes at once, or a change after an equivalent one.
        """
        return self.simplest(self.climb(start, further=further))

    def climb(self, start: Profile, *, further: bool = False) -> dict[str, str]:
        """Change one axis at a time while more rows are explained, and keep changes of `start` that explain nothing."""
        profile = self.canonicalize(start)
        while better := (
            self._one_change(profile) or (further and (self._two_changes(profile) or self._sidestep(profile)))
        ):
            profile = better
        return profile

    def simplest(self, profile: dict[str, str]) -> dict[str, str]:
        """Return the profile without the changes of `standard` that explain nothing."""
        for axis in self.axes:
            if axis not in self.fixed and profile[axis] != getattr(STANDARD, axis):
                back = self.canonicalize({**profile, axis: getattr(STANDARD, axis)})
                if self.gain(profile, back, floor=-1) >= 0:
                    profile = back
        return profile

    def _missed(self, profile: Profile) -> list[Evidence]:
        return [piece for piece in self.evidence if piece.mask(profile)]

    def _one_change(self, profile: dict[str, str]) -> dict[str, str] | None:
        """Return the profile with the first change that gains most rows, or None."""
        missed = {axis for piece in self._missed(profile) for axis in piece.question.axes}
        best, most = None, 0.0
        for _, other in self.changes(profile, (axis for axis in self.axes if axis in missed)):
            gain = self.gain(profile, other, floor=most)
            if gain > most:
                best, most = other, gain
        return best

    def _two_changes(self, profile: dict[str, str]) -> dict[str, str] | None:
        """Return a profile with two changes that explain more together, or None.

        The first change explains more of one piece of evidence, or breaks nothing. The second repairs what the first
        breaks.
        """
        seen: set[tuple[str, ...]] = set()
        for piece in self._missed(profile):
            if piece.failure is not None and piece.question.axes in seen:
                continue
            seen.add(piece.question.axes)
            before = piece.mask(profile).bit_count()
            for axis, first in self.changes(profile, piece.question.axes):
                broken = (lost.question.axes for lost in self._broken(profile, first))
                if piece.mask(first).bit_count() < before:
                    among = min(broken, key=len, default=piece.question.axes)
                elif next(broken, None) is None:
                    among = piece.question.axes
                else:
                    continue
                for other, second in self.changes(first, among):
                    if other == axis or second[axis] != first[axis]:
                        continue
                    if piece.mask(second).bit_count() < before and self.gain(profile, second, floor=0) > 0:
                        return second
        return None

    def _sidestep(self, profile: dict[str, str]) -> dict[str, str] | None:
        """Return a better profile after replacing a choice by an equivalent one, or None.

        An example is `ap_denominator=hits` instead of `known=retrieved`.
        """
        if not self.cost(profile):
            return None
        for axis, other in self.changes(profile, [a for a in self.axes if profile[a] != getattr(STANDARD, a)]):
            broken = self.breaks(profile, other)
            alike = self.rescued(profile, other, axis, broken) if broken else other
            better = None if alike is None else self._one_change(alike)
            if better is not None and self.gain(profile, better, floor=0) > 0:
                return better
        return None


def best(search: Search) -> tuple[Search, dict[str, str]]:
    """Return the profile that explains most, with its search; `ties` is unspecified if no order explains the values."""
    profile = search.descend(plain(STANDARD))
    if search.cost(profile):
        others = [search.descend(start) for start in _starts()]
        profile = min([profile, *others], key=lambda profile: (search.cost(profile), changed(profile)))
        profile = search.descend(profile, further=True)
    return _loosened(search, profile)


def _starts() -> Iterator[Profile]:
    yield plain(profile_named("trec_eval-9"))
    yield plain(STANDARD.replace(known="retrieved", run_duplicates="both", missing="dropped", extra="measured"))
    yield plain(STANDARD.replace(ties="input", relevant="above-zero"))
    yield plain(STANDARD.replace(missing="rejected", extra="rejected", no_judgments="extra", empty="missing"))


def _loosened(search: Search, profile: dict[str, str]) -> tuple[Search, dict[str, str]]:
    evidence = search.evidence
    if "ties" in search.axes and any(piece.mask(profile) & piece.within_ties(profile) for piece in evidence):
        loose = Search(search.measures, evidence, {**search.fixed, "ties": UNSPECIFIED})
        anything = loose.descend({**profile, "ties": UNSPECIFIED})
        ruled = sum(piece.within_ties(anything).bit_count() for piece in evidence)
        tolerated = 0 if profile["ties"] in OF_ROWS else (1 - SHARE_IN_ORDER) * ruled
        if loose.cost(anything) + tolerated < search.cost(profile):
            return loose, anything
    return search, profile


# -- a few changes -----------------------------------------------------------------------------------------------------


def changes_that_fit(
    base: Conventions, choices: Mapping[str, Sequence[str]], fits: Callable[[Conventions], bool], most: int
) -> Iterator[Change]:
    """Yield the smallest changes of a profile that fit: on one axis, otherwise on two together, and so on.

    >>> from rankproof.reference_impl.conventions import STANDARD
    >>> choices = {"gain": ["exp", "binary"], "ties": ["input"]}
    >>> list(changes_that_fit(STANDARD, choices, lambda c: c.gain == "exp" or c.ties == "input", 2))
    [{'gain': 'exp'}, {'ties': 'input'}]

    Args:
        base: the profile to change.
        choices: the choices to try on each axis.
        fits: returns whether a profile gives the wanted values.
        most: the largest number of axes to change together.
    """
    for size in range(1, min(most, len(choices)) + 1):
        any_fits = False
        for change in _of_size(base, choices, size):
            if fits(base.replace(**change)):
                any_fits = True
                yield change
        if any_fits:
            return


def _of_size(base: Conventions, choices: Mapping[str, Sequence[str]], size: int) -> Iterator[dict[str, str]]:
    others = {axis: [v for v in values if v != getattr(base, axis)] for axis, values in choices.items()}
    for axes in combinations(choices, size):
        for values in product(*(others[axis] for axis in axes)):
            yield dict(zip(axes, values, strict=True))
