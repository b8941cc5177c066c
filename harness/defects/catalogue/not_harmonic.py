"""F is the arithmetic mean of precision and recall instead of the harmonic mean.

    F@2 of one relevant document among two retrieved documents, R = 1: (1/2 + 1) / 2 instead of 2 (1/2) 1 / (1/2 + 1).

Source: an F that was half the sum of precision and recall. With the arithmetic mean, a run that retrieves everything scores at least 1/2
(van Rijsbergen 1979, ch. 7).
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.measures.precision import precision
from rankproof.reference_impl.measures.recall import recall
from rankproof.reference_impl.ranking import Ranking


def arithmetic_mean(right: Right, ranking: Ranking) -> Fraction:
    """Return the arithmetic mean of precision and recall."""
    of_p = precision(ranking, p_denominator=right.arguments["p_denominator"])
    of_r = recall(ranking, r_denominator=right.arguments["r_denominator"])
    return (of_p.value + of_r.value) / 2


DEFECT = Defect(
    "not-harmonic",
    "it takes the arithmetic mean of precision and recall, not the harmonic mean",
    lambda measure: not measure.of_labels and measure.name == "F",
    (Way(seen_on("F@2", "a1 b0", "(1/2 + 1) / 2"), arithmetic_mean),),
    "https://github.com/usc-isi-i2/rltk/issues/30",
    fix="take the harmonic mean, 2PR / (P + R)",
)
