"""nDCG uses a different gain for the ideal ranking than for the ranking.

    nDCG of documents of grades 1 and 3, with linear gain and an ideal ranking of exponential gain:
    (1 + 3/log2(3)) / (7 + 1/log2(3)) instead of (1 + 3/log2(3)) / (3 + 1/log2(3)).

Source: a DCG of gains 0 and 1 with an ideal ranking of gain 3.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, Witness, has_axis, seen_on
from rankproof.reference_impl.definition import NoRelevant
from rankproof.reference_impl.measures.cumulated_gain import discounted_cumulated_gain, ideal_dcg
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def over_ideal(ideal: Fraction, right: Right, ranking: Ranking) -> Fraction:
    """Return DCG divided by the DCG of an ideal ranking."""
    if ideal <= 0:
        raise NoRelevant
    own = {axis: right.arguments[axis] for axis in ("gain", "gain_threshold", "discount")}
    return discounted_cumulated_gain(ranking, **own) / ideal


def with_another_ideal(witness: Witness, **other: str) -> Way:
    """Return the form of the defect whose ideal ranking has another gain or discount."""

    def formula(right: Right, ranking: Ranking) -> Fraction:
        return over_ideal(ideal_dcg(ranking, **{**right.arguments, **other}), right, ranking)

    return Way(witness, formula, tied_as_right=True)


def has_ideal(measure: Measure) -> bool:
    """Return whether a measure has an ideal ranking."""
    return has_axis(measure, "ideal")


DEFECT = Defect(
    "ideal-of-another-gain",
    "its ideal ranking has a different gain than the ranking",
    has_ideal,
    (
        with_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / (7 + 1/log2(3))"), gain="exp"),
        with_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 3/log2(3)) / (1 + 1/log2(3))"), gain="binary"),
        with_another_ideal(seen_on("nDCG", "a1 b3", "(1 + 7/log2(3)) / (3 + 1/log2(3))", "gain=exp"), gain="linear"),
    ),
    "https://github.com/RapidFireAI/rapidfireai/issues/261",
    fix="compute the ranking and the ideal ranking by one function with the same gain",
)
