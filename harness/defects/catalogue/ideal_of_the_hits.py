"""The ideal ranking has as many docs as hits were found.

    nDCG@2 of docs of rel 1 and 0, with a doc of rel 3 at rank 3: 1/3 instead of 1/(3 + 1/log2(3)).

So a ranking is compared with an ideal that is as poor as itself. On rels of 0 and 1 it is the convention `ideal=retrieved`.

Source: an ideal in which a doc is relevant only if it was found.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ideal_of_another_gain import has_ideal, over_ideal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.definition import NoRelevant
from rankproof.reference_impl.measures.cumulated_gain import gain_of, ideal_gains, weight_at
from rankproof.reference_impl.ranking import Ranking


def over_ideal_of_hits(right: Right, ranking: Ranking) -> Fraction:
    """DCG over the DCG of the best docs, as many as docs with a gain are within the cutoff."""
    hits = sum(gain_of(doc, **right.arguments) > 0 for _, doc in ranking.docs)
    gains = ideal_gains(ranking, **{axis: v for axis, v in right.arguments.items() if axis != "discount"})
    if not gains or gains[0] <= 0:
        raise NoRelevant
    if not hits:
        return Fraction(0)
    discount = right.arguments["discount"]
    ideal = sum((g * weight_at(i, discount) for i, g in enumerate(gains[:hits], start=1)), Fraction(0))
    return over_ideal(ideal, right, ranking)


DEFECTS = [
    Defect(
        "ideal-of-the-hits",
        "the ideal ranking is cut at the number of hits",
        has_ideal,
        (Way(seen_on("nDCG@2", "a1 b0 c3", "1/3"), over_ideal_of_hits),),
        "https://github.com/OpenBMB/ToolBench/issues/184",
        mend="cut the ideal ranking at k, and not at the number of hits",
    ),
]
