"""R-precision is the precision at the rank of the last retrieved relevant document instead of rank R.

    Rprec of a relevant document at rank 2, R = 1: 1/2 instead of 0.

Source: the `r_precision` of rank_metrics.py, a gist with many copies, and of cute_ranking 0.0.3.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def at_last_hit(_right: Right, ranking: Ranking) -> Fraction:
    """Return the precision at the rank of the last relevant document."""
    return Fraction(len(ranking.hits), max(ranking.hits)) if ranking.hits else Fraction(0)


DEFECT = Defect(
    "precision-at-the-last-hit",
    "it computes precision at the last retrieved relevant document, not at rank R",
    lambda measure: not measure.of_labels and measure.definition.cut_at_R,
    (Way(seen_on("Rprec", "a0 b1", "1/2"), at_last_hit),),
    "https://gist.github.com/bwhite/3726239",
    fix="cut the ranking at R, the number of relevant documents",
)
