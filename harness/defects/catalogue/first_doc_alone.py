"""Only the first doc is looked at: the reciprocal rank is 1 where that is relevant, and else 0.

    RR of a relevant doc at rank 2: 0 instead of 1/2.

Source: a loop that ends with the first doc, whatever it is; of its mirror image, a loop that does not end with a hit, the thread tells.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def of_the_first(_right: Right, ranking: Ranking) -> Fraction:
    """Whether the doc at rank 1 is relevant."""
    return Fraction(1 in ranking.hits)


DEFECTS = [
    Defect(
        "first-doc-alone",
        "only the first doc is looked at, so that it is P@1",
        is_reciprocal,
        (Way(seen_on("RR", "a0 b1", "0"), of_the_first),),
        "https://github.com/FoundationAgents/MetaGPT/pull/1228",
        mend="go on to the first doc that is relevant",
    ),
]
