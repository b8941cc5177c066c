"""F is the plain mean of precision and recall, not the harmonic one.

    F@2 of one relevant doc of two retrieved, R = 1: (1/2 + 1) / 2 instead of 2 (1/2) 1 / (1/2 + 1).

Source: half of precision and recall added up, called F. Why the plain mean is not taken: who retrieves everything has at least 1/2 (van
Rijsbergen 1979, ch. 7).
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.measures.precision import precision
from rankproof.reference_impl.measures.recall import recall
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def plain_mean(right: Right, ranking: Ranking) -> Fraction:
    """The mean of precision and recall."""
    of_p = precision(ranking, p_denominator=right.arguments["p_denominator"])
    of_r = recall(ranking, r_denominator=right.arguments["r_denominator"])
    return (of_p.value + of_r.value) / 2


def is_f(measure: Measure) -> bool:
    """Whether it is made of precision and recall."""
    return not measure.of_labels and measure.name == "F"


DEFECTS = [
    Defect(
        "not-harmonic",
        "it is the plain mean of precision and recall, not the harmonic one",
        is_f,
        (Way(seen_on("F@2", "a1 b0", "(1/2 + 1) / 2"), plain_mean),),
        "https://github.com/usc-isi-i2/rltk/issues/30",
        mend="take the harmonic mean, 2PR / (P + R)",
    ),
]
