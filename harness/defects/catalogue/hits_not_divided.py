"""The hits are counted: no share is taken of them.

    Success@2 of two relevant docs: 2 instead of 1. P@2 of them: 2 instead of 1.

Source: a hit rate that "computes the average number of correct recommendations per user, so it can be >1".
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, is_share, seen_on
from rankproof.reference_impl.ranking import Ranking


def count(_right: Right, ranking: Ranking) -> Fraction:
    """The number of relevant docs within the cutoff."""
    return Fraction(len(ranking.hits))


DEFECTS = [
    Defect(
        "hits-not-divided",
        "the hits are counted, and divided by nothing",
        is_share,
        (Way(seen_on("Success@2", "a1 b1", "2"), count),),
        "https://github.com/MaurizioFD/RecSys2019_DeepLearning_Evaluation/issues/19",
        mend="divide the hits as the measure does; of a hit rate, give 1 if there is any",
    ),
]
