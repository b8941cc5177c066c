"""The reciprocal ranks of all hits are added up, and not divided by the number of relevant docs, found or to be found.

    RR of relevant docs at ranks 1 and 2: 1 + 1/2 instead of 1; of relevant docs at ranks 1 and 3 of 3: (1 + 1/3)/3 instead of 1.

Their mean over the hits, or over the relevant docs, is a convention (`rr_hits`).

Source: a mean reciprocal rank that divides their sum by the number of docs; others divide it by nothing.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def added(_right: Right, ranking: Ranking) -> Fraction:
    """The sum over the relevant docs within the cutoff of 1 over their ranks."""
    return sum((Fraction(1, rank) for rank in ranking.hits), Fraction(0))


def over_docs(right: Right, ranking: Ranking) -> Fraction:
    """Their sum, over the number of docs looked at."""
    return added(right, ranking) / len(ranking.docs) if ranking.docs else Fraction(0)


DEFECTS = [
    Defect(
        "all-hits",
        "the reciprocal ranks of all hits are added up",
        is_reciprocal,
        (Way(seen_on("RR", "a1 b1", "3/2"), added), Way(seen_on("RR", "a1 b0 c1", "4/9"), over_docs)),
        "https://github.com/recommenders-team/recommenders/issues/2141",
        mend="take the reciprocal rank of the first hit alone",
    ),
]
