"""AP adds up precisions and does not divide the sum.

    AP of two relevant documents: 2 instead of 1.

Source: an average precision of 2.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, has_axis, seen_on
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def sum_of_precisions(_right: Right, ranking: Ranking) -> Fraction:
    """Return the sum of the precisions at the ranks of the relevant documents within the cutoff."""
    return sum((Fraction(hits, rank) for hits, rank in enumerate(ranking.hits, start=1)), Fraction(0))


def has_precisions(measure: Measure) -> bool:
    """Return whether a measure divides a sum of precisions."""
    return has_axis(measure, "ap_denominator")


DEFECT = Defect(
    "precisions-not-divided",
    "it adds up the precisions and does not divide the sum",
    has_precisions,
    (Way(seen_on("AP", "a1 b1", "2"), sum_of_precisions),),
    "https://github.com/future-agi/future-agi/pull/1613",
    fix="divide the sum of precisions by the number of relevant documents",
)
