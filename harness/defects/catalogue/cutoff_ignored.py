"""The cutoff is ignored: docs below rank k are credited.

    RR@1 of a ranking whose first relevant doc is at rank 2: 1/2 instead of 0.
    P@1 of two relevant docs, where k still divides: 2/1 instead of 1.

Source: MRR of TF-Ranking took no cutoff, and gave 1/4 at 3.
"""

from dataclasses import replace
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, seen_on, with_docs
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def as_without(right: Right, ranking: Ranking) -> Fraction:
    """The measure as it is without a cutoff."""
    return right(replace(ranking, docs=ranking.given, k=None))


def docs_not_cut(right: Right, ranking: Ranking) -> Fraction:
    """All docs are credited; what they are divided by is cut."""
    return right(with_docs(ranking, ranking.given))


def has_cutoff(measure: Measure) -> bool:
    """Whether it is asked at a rank."""
    return not measure.of_labels and measure.k is not None


DEFECTS = [
    Defect(
        "cutoff-ignored",
        "the cutoff is ignored",
        has_cutoff,
        (Way(seen_on("RR@1", "a0 b1", "1/2"), as_without), Way(seen_on("P@1", "a1 b1", "2"), docs_not_cut)),
        "https://github.com/tensorflow/ranking/issues/115",
        mend="look at the first k docs alone",
    ),
]
