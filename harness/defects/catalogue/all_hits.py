"""RR adds up the reciprocal ranks of all relevant documents, and divides by nothing or by the number of documents.

    RR of relevant documents at ranks 1 and 2: 1 + 1/2 instead of 1.
    RR of relevant documents at ranks 1 and 3 of 3: (1 + 1/3)/3 instead of 1.

The mean over the retrieved or over all relevant documents is a convention (`rr_hits`).

Source: a mean reciprocal rank that divides the sum by the number of documents. Other implementations do not divide it.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def reciprocal_ranks(_right: Right, ranking: Ranking) -> Fraction:
    """Return the sum of the reciprocal ranks of the relevant documents within the cutoff."""
    return sum((Fraction(1, rank) for rank in ranking.hits), Fraction(0))


def over_documents(right: Right, ranking: Ranking) -> Fraction:
    """Return the sum divided by the number of documents within the cutoff."""
    return reciprocal_ranks(right, ranking) / len(ranking.docs) if ranking.docs else Fraction(0)


DEFECT = Defect(
    "all-hits",
    "it adds up the reciprocal ranks of all relevant documents",
    is_reciprocal,
    (Way(seen_on("RR", "a1 b1", "3/2"), reciprocal_ranks), Way(seen_on("RR", "a1 b0 c1", "4/9"), over_documents)),
    "https://github.com/recommenders-team/recommenders/issues/2141",
    fix="use only the reciprocal rank of the first relevant document",
)
