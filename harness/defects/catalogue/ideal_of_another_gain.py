"""The ideal ranking has another gain than the ranking.

    nDCG of docs of rel 1 and 3, of linear gain over an ideal of exponential gain:
    (1 + 3/log2(3)) / (7 + 1/log2(3)) instead of (1 + 3/log2(3)) / (3 + 1/log2(3)).

Source: DCG of gains 0 and 1 over an ideal of gain 3.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, Witness, has_axis, seen_on
from rankproof.reference_impl.definition import NoRelevant
from rankproof.reference_impl.measures.cumulated_gain import discounted_cumulated_gain, ideal_dcg
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def over_ideal(ideal: Fraction, right: Right, ranking: Ranking) -> Fraction:
    """DCG over that of another ideal ranking."""
    if ideal <= 0:
        raise NoRelevant
    own = {axis: right.arguments[axis] for axis in ("gain", "gain_threshold", "discount")}
    return discounted_cumulated_gain(ranking, **own) / ideal


def over_ideal_by(right: Right, ranking: Ranking, **other: str) -> Fraction:
    """DCG over an ideal DCG of another gain, or of another discount."""
    return over_ideal(ideal_dcg(ranking, **{**right.arguments, **other}), right, ranking)


def of_another_ideal(witness: Witness, **other: str) -> Way:
    """The way to have an ideal DCG of another gain, or of another discount."""
    return Way(witness, lambda right, ranking: over_ideal_by(right, ranking, **other), tied_as_right=True)


def has_ideal(measure: Measure) -> bool:
    """Whether there is an ideal ranking."""
    return has_axis(measure, "ideal")


DEFECTS = [
    Defect(
        "ideal-of-another-gain",
        "the ideal ranking has another gain than the ranking",
        has_ideal,
        (
            of_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / (7 + 1/log2(3))"), gain="exp"),
            of_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / (1 + 1/log2(3))"), gain="binary"),
            of_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 7/log2(3)) / (3 + 1/log2(3))", "gain=exp"), gain="linear"),
        ),
        "https://github.com/RapidFireAI/rapidfireai/issues/261",
        mend="compute the ideal ranking by the function that computes the ranking, with the same gain",
    ),
]
