"""AP as the area of trapezoids below precision and recall, which is the AP of image retrieval.

    AP of two relevant documents at ranks 1 and 3: ((1 + 1)/2 + (1/2 + 2/3)/2) / 2 = 19/24 instead of (1 + 2/3)/2.

Each relevant document adds the mean of the precision at its rank and the precision one rank higher. Above rank 1 the precision is 1.

Source: Philbin et al. 2007, Object retrieval with large vocabularies and fast spatial matching, and `compute_ap` of revisitop.
"""

from fractions import Fraction

from rankproof.defects.catalogue.precisions_not_divided import has_precisions, sum_of_precisions
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def area(right: Right, ranking: Ranking) -> Fraction:
    """Return the sum of the trapezoids, with the denominator of the correct formula."""
    above = sum((Fraction(n, r - 1) if r > 1 else Fraction(1) for n, r in enumerate(ranking.hits)), Fraction(0))
    precisions = sum_of_precisions(right, ranking)
    return right(ranking) * (1 + above / precisions) / 2 if precisions else Fraction(0)


DEFECT = Defect(
    "area-of-trapezoids",
    "it computes AP by trapezoids below precision and recall, as compute_ap of revisitop",
    has_precisions,
    (Way(seen_on("AP", "a1 b0 c1", "19/24"), area),),
    "https://github.com/filipradenovic/revisitop/blob/master/python/evaluate.py",
    is_another_measure=True,
    fix="add up only the precision at the rank of each relevant document",
)
