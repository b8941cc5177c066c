"""AP divides the sum of precisions by k or by the number of documents within the cutoff. Short rankings distinguish the two defects.

    AP@3 of one relevant document at rank 1 of two: 1/3 by k, 1/2 by the documents, instead of 1.

Source: an average precision with the number of all documents in the denominator.
"""

from fractions import Fraction

from rankproof.defects.catalogue.precisions_not_divided import has_precisions, sum_of_precisions
from rankproof.defects.defect import Defect, Right, Way, has_cutoff, seen_on
from rankproof.reference_impl.ranking import Ranking


def over_k(right: Right, ranking: Ranking) -> Fraction:
    """Return the sum of precisions divided by k."""
    return sum_of_precisions(right, ranking) / ranking.k if ranking.k else Fraction(0)


def over_documents(right: Right, ranking: Ranking) -> Fraction:
    """Return the sum of precisions divided by the number of documents within the cutoff."""
    return sum_of_precisions(right, ranking) / len(ranking.docs) if ranking.docs else Fraction(0)


SOURCE = "https://github.com/plasma-umass/DataDebug/issues/46"
DEFECTS = [
    Defect(
        "precisions-over-k",
        "it divides the sum of precisions by k",
        lambda measure: has_precisions(measure) and has_cutoff(measure),
        (Way(seen_on("AP@3", "a1 b0", "1/3"), over_k),),
        SOURCE,
        fix="divide the sum of precisions by the number of relevant documents, not by k",
    ),
    Defect(
        "precisions-over-docs",
        "it divides the sum of precisions by the number of documents within the cutoff",
        has_precisions,
        (Way(seen_on("AP@3", "a0 b1", "1/4"), over_documents),),
        SOURCE,
        fix="divide the sum of precisions by the number of relevant documents, not of all documents",
    ),
]
