"""What may give a number that somebody printed: the profile from which is searched, a set of its changes, and all that was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction
from math import prod

from rankproof.defects.defect import Defect
from rankproof.explain.attribution import Changed
from rankproof.explain.habits import makers
from rankproof.explain.orders_of_ties import MeanEnds
from rankproof.explain.printed_number import PrintedNumber
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure


class Commonness(IntEnum):
    """How a set of conventions is known, the commonest first."""

    AS_IT_IS = 0
    WITHIN_TIES = 1
    ONE_HABIT = 2
    THE_REST = 3


@dataclass(frozen=True)
class Base:
    """A profile from which is searched.

    Attributes:
        names: all who follow it on this data.
        conventions: what they do, where it can matter here.
        whole: all that each of them does, as what is idle beside a choice may not be so once that is changed; with their names. Where a
            fingerprint is among them, it is what those with a fingerprint do.
        read: whether all who follow it are known by a source alone; then it is changed only where no change of another profile fits.
        single: those of them who compute in float32, so that their numbers are off by as much.
    """

    names: tuple[str, ...]
    conventions: Conventions
    whole: Mapping[Conventions, tuple[str, ...]] = field(default_factory=dict)
    read: bool = False
    single: tuple[str, ...] = ()

    @property
    def each(self) -> list["Base"]:
        """The same, one for all who do the same whether it matters or not."""
        return [
            Base(names, conventions, single=tuple(name for name in names if name in self.single))
            for conventions, names in self.whole.items()
        ] or [self]


@dataclass(frozen=True)
class ValueMatch:
    """A set of changes of a profile, and the mean that it gives; no change is the profile itself.

    Attributes:
        mean: of the rows as they come, where the order of tied docs is open.
        kind: how it is known.
        ends: the least and the greatest mean that tied docs in no order leave open, where the number is one between them.
    """

    base: Base
    changes: Changed
    conventions: Conventions
    mean: Fraction
    kind: Commonness = Commonness.AS_IT_IS
    ends: MeanEnds | None = None

    def known(self, measure: Measure) -> tuple[int, int]:
        """How many follow the profile, times how many make each of the changes: for such a measure, and for any."""
        each = [makers(measure, axis, after) for axis, (_, after) in self.changes.items()]
        here, anywhere = prod(one.here for one in each), prod(one.anywhere for one in each)
        return -len(self.base.names) * here, -len(self.base.names) * anywhere


@dataclass(frozen=True)
class Explained:
    """What gives a number.

    Attributes:
        wanted: the number.
        found: what gives it, the commonest first; of sets by which every query is worth the same, those that are known best.
        more: how many sets do that are known less, and by which every query is worth the same as by one of those.
        nearest: where nothing does, what comes nearest.
        tried: how many sets were tried.
        largest: of how many changes of `standard` the largest sets were that may be tried.
        by_chance: about how many of the sets tried would give a number of so many digits that stands near; None for a whole number.
        defects: where nothing does, the errors that have a name and give it, each with the profile under which.
        defects_tried: how many of those were tried.
        not_tried: what was not tried, or not wholly, as the time was over.
        uncut: where nobody as he is gives it, who as he is gives it of the measure without the cutoff.
    """

    wanted: PrintedNumber
    found: tuple[ValueMatch, ...]
    nearest: tuple[ValueMatch, ...]
    tried: int
    largest: int
    more: int = 0
    by_chance: Fraction | None = None
    defects: tuple[tuple[Defect, Base], ...] = ()
    defects_tried: tuple[str, ...] = ()
    not_tried: tuple[str, ...] = ()
    uncut: tuple[str, ...] = ()

    @property
    def is_as_it_is(self) -> bool:
        """Whether somebody as he is gives it."""
        return any(one.kind is Commonness.AS_IT_IS for one in self.found)
