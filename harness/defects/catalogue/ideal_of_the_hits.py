"""The ideal ranking of nDCG has only as many documents as relevant documents were retrieved.

    nDCG@2 of documents of grades 1 and 0, with a document of grade 3 at rank 3: 1/3 instead of 1/(3 + 1/log2(3)).

The ranking is compared with an ideal ranking that is as poor as itself. With binary grades this is the convention `ideal=retrieved`.

Source: an ideal ranking in which only retrieved documents are relevant.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ideal_of_another_gain import has_ideal, over_ideal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.definition import NoRelevant
from rankproof.reference_impl.measures.cumulated_gain import gain_of, ideal_gains, weight_at
from rankproof.reference_impl.ranking import Ranking


def over_ideal_of_hits(right: Right, ranking: Ranking) -> Fraction:
    """Return DCG divided by the DCG of the best documents, as many as have a gain within the cutoff."""
    hits = sum(gain_of(doc, **right.arguments) > 0 for _, doc in ranking.docs)
    gains = ideal_gains(ranking, **{axis: v for axis, v in right.arguments.items() if axis != "discount"})
    if not gains or gains[0] <= 0:
        raise NoRelevant
    if not hits:
        return Fraction(0)
    discount = right.arguments["discount"]
    ideal = sum((g * weight_at(i, discount) for i, g in enumerate(gains[:hits], start=1)), Fraction(0))
    return over_ideal(ideal, right, ranking)


DEFECT = Defect(
    "ideal-of-the-hits",
    "its ideal ranking is cut at the number of retrieved relevant documents",
    has_ideal,
    (Way(seen_on("nDCG@2", "a1 b0 c3", "1/3"), over_ideal_of_hits),),
    "https://github.com/OpenBMB/ToolBench/issues/184",
    fix="cut the ideal ranking at k instead of the number of retrieved relevant documents",
)
