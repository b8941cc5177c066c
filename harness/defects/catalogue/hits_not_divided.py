"""Relevant documents are counted, and the count is not divided.

    Success@2 of two relevant documents: 2 instead of 1. P@2 of them: 2 instead of 1.

Source: a hit rate that "computes the average number of correct recommendations per user, so it can be >1".
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Way, is_share, seen_on

DEFECT = Defect(
    "hits-not-divided",
    "it returns the number of retrieved relevant documents without dividing it",
    is_share,
    (Way(seen_on("Success@2", "a1 b1", "2"), lambda _, ranking: Fraction(len(ranking.hits))),),
    "https://github.com/MaurizioFD/RecSys2019_DeepLearning_Evaluation/issues/19",
    fix="divide by the denominator of the measure, or return 1 for any hit if it is a hit rate",
)
