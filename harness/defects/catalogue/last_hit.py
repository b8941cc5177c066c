"""The reciprocal rank is that of the last hit: the loop goes on after the first.

    RR of relevant docs at ranks 1 and 2: 1/2 instead of 1.

Source: a loop that does not end with the first hit; there it adds up, here it overwrites.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def of_the_last(_right: Right, ranking: Ranking) -> Fraction:
    """1 over the rank of the last relevant doc within the cutoff."""
    return Fraction(1, ranking.hits[-1]) if ranking.hits else Fraction(0)


DEFECTS = [
    Defect(
        "last-hit",
        "the reciprocal rank is that of the last hit",
        is_reciprocal,
        (Way(seen_on("RR", "a1 b1", "1/2"), of_the_last),),
        "https://github.com/FoundationAgents/MetaGPT/pull/1228",
        mend="stop at the first hit",
    ),
]
