"""The ideal ranking has as many docs as were retrieved, where those are fewer than k.

    nDCG@5 of one doc of rel 1, with a doc of rel 3 not retrieved: 1/3 instead of 1/(3 + 1/log2(3)).

So who retrieves fewer docs is compared with a poorer ideal.

Source: Elasticsearch, whose ideal is as long as the list of hits that came back; llama_index has min(retrieved, relevant).
"""

from fractions import Fraction

from rankproof.defects.catalogue.ideal_of_the_hits import has_ideal
from rankproof.defects.defect import Defect, Right, Way, Witness
from rankproof.reference_impl.definition import NoRelevant
from rankproof.reference_impl.measures.cumulated_gain import discounted_cumulated_gain, ideal_gains, weight_at
from rankproof.reference_impl.ranking import Ranking

_OF_DCG = ("gain", "gain_threshold", "discount")


def over_ideal_as_long(right: Right, ranking: Ranking) -> Fraction:
    """DCG over the DCG of the best docs, as many as docs are within the cutoff."""
    own = {axis: right.arguments[axis] for axis in _OF_DCG}
    gains = ideal_gains(ranking, **{axis: v for axis, v in right.arguments.items() if axis != "discount"})
    if not gains or gains[0] <= 0:
        raise NoRelevant
    best = enumerate(gains[: len(ranking.docs)], start=1)
    ideal = sum((g * weight_at(i, own["discount"]) for i, g in best), Fraction(0))
    return discounted_cumulated_gain(ranking, **own) / ideal if ideal else Fraction(0)


DEFECTS = [
    Defect(
        "ideal-of-the-retrieved", "the ideal ranking is cut at the number of docs retrieved", has_ideal,
        (Way(Witness("nDCG@5", {"q": {"a": 1, "b": 3}}, {"q": "a"}, "1/3"), over_ideal_as_long),),
        "https://github.com/elastic/elasticsearch/pull/154362",
    ),
]  # fmt: skip
