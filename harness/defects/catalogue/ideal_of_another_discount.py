"""nDCG uses a different discount for the ideal ranking than for the ranking.

    nDCG of documents of grades 1 and 3, with the first two ranks of the ranking undiscounted and an ideal ranking
    discounted by log2(rank + 1): (1 + 3) / (3 + 1/log2(3)) instead of (1 + 3) / (3 + 1).

Source: both discounts are in use, and a project that corrects only one of two places ends up with both. The thread is about log2(i)
with an exception for the first rank, in both places.
"""

from rankproof.defects.catalogue.ideal_of_another_gain import has_ideal, with_another_ideal
from rankproof.defects.defect import Defect, seen_on

DEFECT = Defect(
    "ideal-of-another-discount",
    "its ideal ranking has a different discount than the ranking",
    has_ideal,
    (
        with_another_ideal(seen_on("nDCG", "a1 b3", "4 / (3 + 1/log2(3))", "discount=jk-2"), discount="log2"),
        with_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / 4"), discount="jk-2"),
        with_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / (3 + 1/2)"), discount="rank"),
    ),
    "https://github.com/OpenAgentHQ/openagent-eval/issues/223",
    fix="compute the ranking and the ideal ranking by one function with the same discount",
)
