"""Ranks are counted from 2, because 1 is added twice.

    RR of a ranking with a relevant document at rank 1: 1/2 instead of 1.
    DCG of the same ranking: 1/log2(3) instead of 1.

Source: a rank that starts at 1, with 1/log(rank + 2).
"""

from fractions import Fraction

from rankproof.defects.catalogue.ideal_of_another_gain import over_ideal
from rankproof.defects.defect import Defect, Right, Way, can_see, has_axis, seen_on, shifted
from rankproof.reference_impl.measures.cumulated_gain import ideal_gains, weight_at
from rankproof.reference_impl.ranking import Ranking


def in_ranking(right: Right, ranking: Ranking) -> Fraction:
    """Return the value with all ranks one higher."""
    return right(shifted(ranking, 1))


def in_both_rankings(right: Right, ranking: Ranking) -> Fraction:
    """Return the value with all ranks one higher, in the ideal ranking as well if there is one."""
    if "ideal" not in right.arguments:
        return in_ranking(right, ranking)
    gains = ideal_gains(ranking, **{axis: v for axis, v in right.arguments.items() if axis != "discount"})
    ideal = sum((g * weight_at(i + 1, right.arguments["discount"]) for i, g in enumerate(gains, start=1)), Fraction(0))
    return over_ideal(ideal, right, shifted(ranking, 1))


RANK_AXES = ("discount", "ap_denominator")
DEFECT = Defect(
    "ranks-from-2",
    "it counts ranks from 2, such as 1/(rank + 1) or log2(rank + 2)",
    lambda measure: can_see(measure, "first hit") or any(has_axis(measure, axis) for axis in RANK_AXES),
    (
        Way(seen_on("RR", "a1 b0", "1/2"), in_ranking, tied_as_right=True),
        Way(seen_on("nDCG", "a0 b1", "log2(3) / log2(4)"), in_both_rankings, tied_as_right=True),
    ),
    "https://github.com/yihong-chen/neural-collaborative-filtering/issues/2",
    fix="count ranks from 1",
)
