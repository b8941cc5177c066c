"""The reciprocal ranks of all hits are added up, not that of the first alone.

    RR of relevant docs at ranks 1 and 2: 1 + 1/2, or a half of it, instead of 1.

Source: a mean reciprocal rank that divides their sum by the number of relevant docs; others divide by the relevant docs found.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, Witness, seen_on
from rankproof.reference_impl.ranking import Ranking


def added(_right: Right, ranking: Ranking) -> Fraction:
    """The sum over the relevant docs within the cutoff of 1 over their ranks."""
    return sum((Fraction(1, rank) for rank in ranking.hits), Fraction(0))


def over_relevant(right: Right, ranking: Ranking) -> Fraction:
    """Their sum, over the number of relevant docs."""
    return added(right, ranking) / ranking.R if ranking.R else Fraction(0)


def over_hits(right: Right, ranking: Ranking) -> Fraction:
    """Their sum, over the number of relevant docs found."""
    return added(right, ranking) / len(ranking.hits) if ranking.hits else Fraction(0)


def over_cutoff(right: Right, ranking: Ranking) -> Fraction:
    """Their sum, over the number of docs looked at."""
    return added(right, ranking) / len(ranking.docs) if ranking.docs else Fraction(0)


DEFECTS = [
    Defect(
        "all-hits", "the reciprocal ranks of all hits are added up", is_reciprocal,
        (
            Way(seen_on("RR", "a1 b1", "3/2"), added),
            Way(seen_on("RR@2", "a1 b0 c1", "1/2"), over_relevant),
            Way(Witness("RR", {"q": {"a": 1, "b": 1, "c": 1}}, {"q": "a b"}, "3/4"), over_hits),
            Way(seen_on("RR", "a1 b0 c1", "4/9"), over_cutoff),
        ),
        "https://github.com/recommenders-team/recommenders/issues/2141",
    ),
]  # fmt: skip
