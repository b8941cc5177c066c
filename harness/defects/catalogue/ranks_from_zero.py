"""RR counts ranks from 0. The first document scores 0, because 1/0 is undefined, or counts as rank 1.

    RR of a ranking with the first relevant document at rank 3: 1/2 instead of 1/3. With it at rank 1: 0 or 1.

For nDCG without a discount at rank 0 this is a convention, `discount=jk-2`.

Source: the discount log2(i + 1), with i counted from 0 and an exception for 0.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, has_axis, seen_on
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def first_scores_zero(_right: Right, ranking: Ranking) -> Fraction:
    """Return 1 divided by the index of the first relevant document, or 0 at index 0."""
    index = next(iter(ranking.hits), 1) - 1
    return Fraction(1, index) if index else Fraction(0)


def first_as_second(_right: Right, ranking: Ranking) -> Fraction:
    """Return 1 divided by the index of the first relevant document, or 1 at index 0."""
    return Fraction(1, max(ranking.hits[0] - 1, 1)) if ranking.hits else Fraction(0)


def is_reciprocal(measure: Measure) -> bool:
    """Return whether a measure is the reciprocal rank."""
    return has_axis(measure, "rr_hits")


DEFECT = Defect(
    "ranks-from-0",
    "it counts ranks from 0",
    is_reciprocal,
    (Way(seen_on("RR", "a0 b0 c1", "1/2"), first_scores_zero), Way(seen_on("RR", "a0 b0 c1", "1/2"), first_as_second)),
    "https://github.com/OpenAgentHQ/openagent-eval/issues/223",
    fix="count ranks from 1",
)
