"""The ideal ranking of nDCG has documents of grade 1, as many as the relevance grades sum to.

    nDCG of documents of grades 1, 3 and 0, with linear gain:
    (1 + 3/log2(3)) / (1 + 1/log2(3) + 1/2) instead of (1 + 3/log2(3)) / (3 + 1/log2(3)).

A function that counts relevant documents by `sum(grades)` has this effect, and values exceed 1. With binary grades there is no difference.

Source: the `ndcg_at_k` of rectorch 0.0.9.
"""

import math
from fractions import Fraction

from rankproof.defects.catalogue.ideal_of_another_gain import has_ideal, over_ideal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.measures.cumulated_gain import weight_at
from rankproof.reference_impl.ranking import Ranking


def over_ideal_of_flags(right: Right, ranking: Ranking) -> Fraction:
    """Return DCG divided by the DCG of documents of grade 1, up to the cutoff and the number of retrieved documents."""
    total = math.floor(sum((doc.rel or Fraction(0) for doc in ranking.judgments), Fraction(0)))
    depth = min(total, ranking.n, total if ranking.k is None else ranking.k)
    ideal = sum((weight_at(i, right.arguments["discount"]) for i in range(1, depth + 1)), Fraction(0))
    return over_ideal(ideal, right, ranking)


WITNESS = seen_on("nDCG", "a1 b3 c0", "(1 + 3/log2(3)) / (1 + 1/log2(3) + 1/2)")
DEFECT = Defect(
    "ideal-of-flags",
    "its ideal ranking has as many documents of grade 1 as the relevance grades sum to",
    has_ideal,
    (Way(WITNESS, over_ideal_of_flags, tied_as_right=True),),
    "https://pypi.org/project/rectorch/0.0.9b0/",
    fix="sort the relevance grades themselves for the ideal ranking, the highest grade first",
)
