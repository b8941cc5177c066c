"""The ideal ranking is made of docs of rel 1, as many as the rels sum to.

    nDCG of docs of rel 1, 3 and 0, of linear gain: (1 + 3/log2(3)) / (1 + 1/log2(3) + 1/2) instead of (1 + 3/log2(3)) / (3 + 1/log2(3)).

It is what counts relevant docs by summing flags makes of other rels; values are above 1. On rels of 0 and 1 there is no difference.

Source: the ndcg_at_k of rectorch 0.0.9.
"""

import math
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, has_axis, seen_on
from rankproof.reference_impl.definition import NoRelevant
from rankproof.reference_impl.measures.cumulated_gain import discounted_cumulated_gain, weight_at
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking

_OF_DCG = ("gain", "gain_threshold", "discount")


def over_ideal_of_flags(right: Right, ranking: Ranking) -> Fraction:
    """DCG over the DCG of docs of rel 1, as many as the rels sum to, within the cutoff and the docs retrieved."""
    total = math.floor(sum((doc.rel or Fraction(0) for doc in ranking.judgments), Fraction(0)))
    depth = min(total, ranking.n, total if ranking.k is None else ranking.k)
    ideal = sum((weight_at(i, right.arguments["discount"]) for i in range(1, depth + 1)), Fraction(0))
    if ideal <= 0:
        raise NoRelevant
    return discounted_cumulated_gain(ranking, **{axis: right.arguments[axis] for axis in _OF_DCG}) / ideal


def has_ideal(measure: Measure) -> bool:
    """Whether there is an ideal ranking."""
    return has_axis(measure, "ideal")


DEFECTS = [
    Defect(
        "ideal-of-flags", "the ideal ranking is made of docs of rel 1, as many as the rels sum to", has_ideal,
        (Way(seen_on("nDCG", "a1 b3 c0", "(1 + 3/log2(3)) / (1 + 1/log2(3) + 1/2)"), over_ideal_of_flags),),
        "https://pypi.org/project/rectorch/0.0.9b0/",
        mend="make the ideal ranking of the rels themselves, the highest first",
    ),
]  # fmt: skip
