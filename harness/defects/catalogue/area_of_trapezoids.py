"""AP as the area of trapezoids below precision and recall, as image retrieval has it: a measure of its own.

    AP of two relevant docs at ranks 1 and 3: ((1 + 1)/2 + (1/2 + 2/3)/2) / 2 = 19/24 instead of (1 + 2/3)/2.

Each relevant doc adds the mean of the precision at its rank and of that one rank above, which is 1 above the first rank.

Source: Philbin et al. 2007, Object retrieval with large vocabularies and fast spatial matching, whose `compute_ap` revisitop has, too.
"""

from fractions import Fraction

from rankproof.defects.catalogue.precisions_not_divided import added, of_precisions
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def area(right: Right, ranking: Ranking) -> Fraction:
    """The sum of trapezoids, over what that of the precisions is divided by."""
    above = sum(
        (Fraction(n, rank - 1) if rank > 1 else Fraction(1) for n, rank in enumerate(ranking.hits)), Fraction(0)
    )
    precisions = added(right, ranking)
    return right(ranking) * (1 + above / precisions) / 2 if precisions else Fraction(0)


DEFECTS = [
    Defect(
        "area-of-trapezoids",
        "it is the area of trapezoids below precision and recall, as in revisitop's compute_ap",
        of_precisions,
        (Way(seen_on("AP", "a1 b0 c1", "19/24"), area),),
        "https://github.com/filipradenovic/revisitop/blob/master/python/evaluate.py",
        is_another_measure=True,
        mend="add the precision at the rank of each relevant doc alone",
    ),
]
