"""The precisions at the hits are divided by the number of docs: by k, or by the docs retrieved.

    AP@2 of one relevant doc at rank 1: 1/2 instead of 1.

Source: an average precision whose denominator was the number of all that was looked at.
"""

from fractions import Fraction

from rankproof.defects.catalogue.precisions_not_divided import added, of_precisions
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def over_k(right: Right, ranking: Ranking) -> Fraction:
    """Their sum over k, or without a cutoff over the docs retrieved."""
    k = ranking.n if ranking.k is None else ranking.k
    return added(right, ranking) / k if k else Fraction(0)


def over_docs(right: Right, ranking: Ranking) -> Fraction:
    """Their sum over the docs looked at."""
    return added(right, ranking) / len(ranking.docs) if ranking.docs else Fraction(0)


DEFECTS = [
    Defect(
        "precisions-over-docs", "the precisions are divided by the number of docs looked at", of_precisions,
        (Way(seen_on("AP@3", "a1 b0", "1/3"), over_k), Way(seen_on("AP@3", "a0 b1", "1/4"), over_docs)),
        "https://github.com/plasma-umass/DataDebug/issues/46",
    ),
]  # fmt: skip
