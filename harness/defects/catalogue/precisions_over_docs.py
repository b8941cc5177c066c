"""The precisions at the hits are divided by k, or by the number of docs that were looked at: two defects, told apart by short lists.

    AP@3 of one relevant doc at rank 1 of two: 1/3 by k, 1/2 by the docs, instead of 1.

Source: an average precision whose denominator was the number of all that was looked at.
"""

from fractions import Fraction

from rankproof.defects.catalogue.precisions_not_divided import added, of_precisions
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def over_k(right: Right, ranking: Ranking) -> Fraction:
    """Their sum over k."""
    return added(right, ranking) / ranking.k if ranking.k else Fraction(0)


def over_docs(right: Right, ranking: Ranking) -> Fraction:
    """Their sum over the docs looked at."""
    return added(right, ranking) / len(ranking.docs) if ranking.docs else Fraction(0)


def of_precisions_at_k(measure: Measure) -> bool:
    """Whether they are added up to a cutoff."""
    return of_precisions(measure) and measure.k is not None


SOURCE = "https://github.com/plasma-umass/DataDebug/issues/46"
DEFECTS = [
    Defect(
        "precisions-over-k",
        "the precisions are divided by k",
        of_precisions_at_k,
        (Way(seen_on("AP@3", "a1 b0", "1/3"), over_k),),
        SOURCE,
        mend="divide the sum of precisions by the number of relevant docs, and not by k",
    ),
    Defect(
        "precisions-over-docs",
        "the precisions are divided by the number of docs looked at",
        of_precisions,
        (Way(seen_on("AP@3", "a0 b1", "1/4"), over_docs),),
        SOURCE,
        mend="divide the sum of precisions by the number of relevant docs, and not of those looked at",
    ),
]
