"""RR uses the rank of the last relevant document, because its loop does not end at the first.

    RR of relevant documents at ranks 1 and 2: 1/2 instead of 1.

Source: a loop that does not end at the first hit. There it adds up values, here it overwrites them.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def of_last_hit(_right: Right, ranking: Ranking) -> Fraction:
    """Return the reciprocal rank of the last relevant document within the cutoff."""
    return Fraction(1, ranking.hits[-1]) if ranking.hits else Fraction(0)


DEFECT = Defect(
    "last-hit",
    "it takes the reciprocal rank of the last relevant document",
    is_reciprocal,
    (Way(seen_on("RR", "a1 b1", "1/2"), of_last_hit),),
    "https://github.com/FoundationAgents/MetaGPT/pull/1228",
    fix="stop at the first relevant document",
)
