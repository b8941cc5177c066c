"""The ideal ranking has another discount than the ranking.

    nDCG of docs of rel 1 and 3, the first two ranks not discounted, over an ideal discounted by log2(1 + i):
    (1 + 3) / (3 + 1/log2(3)) instead of (1 + 3) / (3 + 1).

Source: both discounts are in use, and who mends one of two places has both; the thread is on a discount of log2(i) with an exception for
the first rank, there in both places.
"""

from rankproof.defects.catalogue.ideal_of_another_gain import has_ideal, of_another_ideal
from rankproof.defects.defect import Defect, seen_on

DEFECTS = [
    Defect(
        "ideal-of-another-discount",
        "the ideal ranking has another discount than the ranking",
        has_ideal,
        (
            of_another_ideal(seen_on("nDCG", "a1 b3", "4 / (3 + 1/log2(3))", "discount=jk-2"), discount="log2"),
            of_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / 4"), discount="jk-2"),
            of_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / (3 + 1/2)"), discount="rank"),
        ),
        "https://github.com/OpenAgentHQ/openagent-eval/issues/223",
        mend="compute the ideal ranking by the function that computes the ranking, with the same discount",
    ),
]
