"""The precisions at the hits are added up, and divided by nothing.

    AP of two relevant docs: 2 instead of 1.

Source: an average precision that came to 2.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, has_axis, seen_on
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def added(_right: Right, ranking: Ranking) -> Fraction:
    """The sum over the relevant docs within the cutoff of the precision at their ranks."""
    return sum((Fraction(found, rank) for found, rank in enumerate(ranking.hits, start=1)), Fraction(0))


def of_precisions(measure: Measure) -> bool:
    """Whether precisions are added up and divided."""
    return has_axis(measure, "ap_denominator")


DEFECTS = [
    Defect(
        "precisions-not-divided",
        "the precisions are added up, and divided by nothing",
        of_precisions,
        (Way(seen_on("AP", "a1 b1", "2"), added),),
        "https://github.com/future-agi/future-agi/pull/1613",
        mend="divide the sum of precisions by the number of relevant docs",
    ),
]
