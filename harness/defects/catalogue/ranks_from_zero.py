"""Ranks are counted from 0: what cannot be divided by 0 is worth 0, or is taken for rank 1.

    RR of a ranking whose first relevant doc is at rank 3: 1/2 instead of 1/3; at rank 1 it is 0, or 1.

An nDCG that counts so, and does not discount rank 0, is `discount=jk-2`: that is a convention.

Source: the discount log2(i + 1), i counted from 0, with an exception for 0.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, has_axis, seen_on
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def first_worth_nothing(_right: Right, ranking: Ranking) -> Fraction:
    """1 over the place of the first relevant doc; 0 at place 0."""
    place = next(iter(ranking.hits), 1) - 1
    return Fraction(1, place) if place else Fraction(0)


def first_as_second(_right: Right, ranking: Ranking) -> Fraction:
    """1 over the place of the first relevant doc; 1 at places 0 and 1."""
    return Fraction(1, max(ranking.hits[0] - 1, 1)) if ranking.hits else Fraction(0)


def is_reciprocal(measure: Measure) -> bool:
    """Whether it is the reciprocal rank."""
    return has_axis(measure, "rr_hits")


DEFECTS = [
    Defect(
        "ranks-from-0",
        "ranks are counted from 0",
        is_reciprocal,
        (
            Way(seen_on("RR", "a0 b0 c1", "1/2"), first_worth_nothing),
            Way(seen_on("RR", "a0 b0 c1", "1/2"), first_as_second),
        ),
        "https://github.com/OpenAgentHQ/openagent-eval/issues/223",
        mend="count ranks from 1",
    ),
]
