"""R-precision is the precision at the last relevant doc that is retrieved, not at R.

    Rprec of a relevant doc at rank 2, R = 1: 1/2 instead of 0.

Source: the r_precision of rank_metrics.py (a gist), which is copied by many, and in cute_ranking 0.0.3.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def at_the_last_hit(_right: Right, ranking: Ranking) -> Fraction:
    """The share of relevant docs down to the last of them."""
    return Fraction(len(ranking.hits), max(ranking.hits)) if ranking.hits else Fraction(0)


def is_r_precision(measure: Measure) -> bool:
    """Whether it is cut at the number of relevant docs."""
    return not measure.of_labels and measure.definition.cut_at_R


DEFECTS = [
    Defect(
        "precision-at-the-last-hit",
        "it is the precision at the last relevant doc that is retrieved, and not at R",
        is_r_precision,
        (Way(seen_on("Rprec", "a0 b1", "1/2"), at_the_last_hit),),
        "https://gist.github.com/bwhite/3726239",
        mend="cut the ranking at R, the number of relevant docs",
    ),
]
