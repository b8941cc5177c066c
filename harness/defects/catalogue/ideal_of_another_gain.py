"""The ideal ranking has another gain than the ranking.

    nDCG of docs of rel 1 and 3, of linear gain over an ideal of exponential gain:
    (1 + 3/log2(3)) / (7 + 1/log2(3)) instead of (1 + 3/log2(3)) / (3 + 1/log2(3)).

Source: DCG of gains 0 and 1 over an ideal of gain 3.
"""

from fractions import Fraction
from functools import partial

from rankproof.defects.defect import Defect, Right, Way, has_axis, seen_on
from rankproof.reference_impl.definition import NoRelevant
from rankproof.reference_impl.measures.cumulated_gain import discounted_cumulated_gain, ideal_dcg
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking

_OF_DCG = ("gain", "gain_threshold", "discount")


def over_ideal_of(gain: str, right: Right, ranking: Ranking) -> Fraction:
    """DCG over an ideal DCG of that gain."""
    ideal = ideal_dcg(ranking, **{**right.arguments, "gain": gain})
    if ideal <= 0:
        raise NoRelevant
    return discounted_cumulated_gain(ranking, **{axis: right.arguments[axis] for axis in _OF_DCG}) / ideal


def has_ideal(measure: Measure) -> bool:
    """Whether there is an ideal ranking."""
    return has_axis(measure, "ideal")


DEFECTS = [
    Defect(
        "ideal-of-another-gain", "the ideal ranking has another gain than the ranking", has_ideal,
        (
            Way(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / (7 + 1/log2(3))"), partial(over_ideal_of, "exp")),
            Way(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / (1 + 1/log2(3))"), partial(over_ideal_of, "binary")),
            Way(seen_on("nDCG", "a1 b3", "(1 + 7/log2(3)) / (3 + 1/log2(3))", "gain=exp"), partial(over_ideal_of, "linear")),
        ),
        "https://github.com/RapidFireAI/rapidfireai/issues/261",
        mend="compute the ideal ranking by the function that computes the ranking, with the same gain",
    ),
]  # fmt: skip
