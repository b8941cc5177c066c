"""The ideal ranking is made of docs of rel 1, as many as the rels sum to.

    nDCG of docs of rel 1, 3 and 0, of linear gain: (1 + 3/log2(3)) / (1 + 1/log2(3) + 1/2) instead of (1 + 3/log2(3)) / (3 + 1/log2(3)).

It is what counts relevant docs by summing flags makes of other rels; values are above 1. On rels of 0 and 1 there is no difference.

Source: the ndcg_at_k of rectorch 0.0.9.
"""

import math
from fractions import Fraction

from rankproof.defects.catalogue.ideal_of_another_gain import has_ideal, over_ideal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.measures.cumulated_gain import weight_at
from rankproof.reference_impl.ranking import Ranking


def over_ideal_of_flags(right: Right, ranking: Ranking) -> Fraction:
    """DCG over the DCG of docs of rel 1, as many as the rels sum to, within the cutoff and the docs retrieved."""
    total = math.floor(sum((doc.rel or Fraction(0) for doc in ranking.judgments), Fraction(0)))
    depth = min(total, ranking.n, total if ranking.k is None else ranking.k)
    ideal = sum((weight_at(i, right.arguments["discount"]) for i in range(1, depth + 1)), Fraction(0))
    return over_ideal(ideal, right, ranking)


DEFECTS = [
    Defect(
        "ideal-of-flags",
        "the ideal ranking is made of docs of rel 1, as many as the rels sum to",
        has_ideal,
        (
            Way(
                seen_on("nDCG", "a1 b3 c0", "(1 + 3/log2(3)) / (1 + 1/log2(3) + 1/2)"),
                over_ideal_of_flags,
                tied_as_right=True,
            ),
        ),
        "https://pypi.org/project/rectorch/0.0.9b0/",
        mend="make the ideal ranking of the rels themselves, the highest first",
    ),
]
