"""Ranks are counted from 2: one is added twice.

    RR of a ranking that begins with a relevant doc: 1/2 instead of 1.
    DCG of it: 1/log2(3) instead of 1.

Source: a rank that begins at 1, and 1/log(rank + 2).
"""

from fractions import Fraction

from rankproof.defects.catalogue.ideal_of_another_gain import over_ideal
from rankproof.defects.defect import Defect, Right, Way, can_see, has_axis, moved, seen_on
from rankproof.reference_impl.measures.cumulated_gain import ideal_gains, weight_at
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def ranks_moved(right: Right, ranking: Ranking) -> Fraction:
    """Rank i is taken for i + 1."""
    return right(moved(ranking, 1))


def ranks_of_the_ideal_too(right: Right, ranking: Ranking) -> Fraction:
    """As well in the ideal ranking of an nDCG."""
    if "ideal" not in right.arguments:
        return ranks_moved(right, ranking)
    gains = ideal_gains(ranking, **{axis: v for axis, v in right.arguments.items() if axis != "discount"})
    ideal = sum((g * weight_at(i + 1, right.arguments["discount"]) for i, g in enumerate(gains, start=1)), Fraction(0))
    return over_ideal(ideal, right, moved(ranking, 1))


def by_rank(measure: Measure) -> bool:
    """Whether it looks at ranks."""
    return can_see(measure, "first hit") or has_axis(measure, "discount") or has_axis(measure, "ap_denominator")


DEFECTS = [
    Defect(
        "ranks-from-2",
        "ranks are counted from 2",
        by_rank,
        (
            Way(seen_on("RR", "a1 b0", "1/2"), ranks_moved, tied_as_right=True),
            Way(seen_on("nDCG", "a0 b1", "log2(3) / log2(4)"), ranks_of_the_ideal_too, tied_as_right=True),
        ),
        "https://github.com/yihong-chen/neural-collaborative-filtering/issues/2",
        mend="count ranks from 1",
    ),
]
