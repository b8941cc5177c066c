"""A way to call a function, and how well its answers to trials are explained."""

from dataclasses import dataclass, field

from rankproof.calling.targets import QUERY, Target
from rankproof.checking import recognition_limits as limits
from rankproof.checking.trials import Fit, Tried
from rankproof.reference_impl.notation import Measure


@dataclass
class TriedWay:
    """A way to call, the trials that were asked, and how well they are explained.

    Attributes:
        other: the measure by another parameter, where its answers are that one's.
        is_of_each: whether it gives for several queries at once what it gives for each, or the mean or sum of that.
    """

    which: int
    target: Target
    rank: int
    tried: list[Tried] = field(default_factory=list)
    fit: Fit = field(default_factory=lambda: Fit(0.0, 0.0))
    fit_of_flags: Fit = field(default_factory=lambda: Fit(0.0, 0.0))
    other: Measure | None = None
    is_of_each: bool = False

    @property
    def is_named(self) -> bool:
        """Whether names say what its arguments are."""
        return self.target.is_named

    @property
    def is_right_of_flags(self) -> bool:
        """Whether all that it answers to rels of 0 and 1 is explained, and that is much: it may sum flags."""
        fit = self.fit_of_flags
        return fit.is_whole and fit.numbers >= limits.MANY_NUMBERS and fit.values >= limits.DIFFERENT

    @property
    def is_plain(self) -> bool:
        """Whether a query is a call, and what that gives is the answer."""
        return self.target.reads == "" and self.target.batch == QUERY

    @property
    def concord(self) -> float:
        """How far its answers go with the measure's, where they are enough to tell."""
        return self.fit.concord if self.fit.numbers >= limits.MANY_NUMBERS else 0.0

    @property
    def is_explained(self) -> bool:
        """Whether everything is explained, and is more than one value, be it by another threshold of relevance."""
        return (self.fit.is_whole and self.fit.values > 1) or self.other is not None

    @property
    def order(self) -> tuple[bool, bool, bool, float, float, float, bool, int]:
        """By which the best is found: what explains all, or all flags, else what goes with the measure, else what explains much."""
        fit = self.fit
        least = limits.CONCORD_NAMED if self.is_named else limits.CONCORD_UNNAMED
        goes_with_it = self.is_plain and self.concord > least
        return (
            self.is_explained,
            self.is_right_of_flags,
            goes_with_it,
            fit.share if fit.share >= limits.SHARE_OF_CHANCE else 0.0,
            0.0 if self.is_explained else max(round(self.concord, 1), limits.CONCORD_NAMED),
            fit.share,
            self.is_plain,
            -self.rank,
        )
