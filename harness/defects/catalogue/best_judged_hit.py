"""RR uses the rank of the document with the highest relevance grade instead of the first relevant document.

    RR of documents of grades 1 and 3: 1/2 instead of 1.

`argmax` of a list of grades has this effect. With binary grades there is no difference.

Source: the `mrr` of allRank.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def of_best_retrieved(_right: Right, ranking: Ranking) -> Fraction:
    """Return the reciprocal rank of the best of all retrieved documents, or 0 if its rank exceeds the cutoff."""
    hits = [(-(doc.rel or 0), rank) for rank, doc in ranking.all_docs if doc.relevant]
    rank = min(hits)[1] if hits else 0
    return Fraction(1, rank) if rank and (ranking.k is None or rank <= ranking.k) else Fraction(0)


def of_best_within_cutoff(_right: Right, ranking: Ranking) -> Fraction:
    """Return the reciprocal rank of the best document within the cutoff."""
    hits = [(-(doc.rel or 0), rank) for rank, doc in ranking.docs if doc.relevant]
    return Fraction(1, min(hits)[1]) if hits else Fraction(0)


DEFECT = Defect(
    "best-judged-hit",
    "it takes the reciprocal rank of the document with the highest grade",
    is_reciprocal,
    (Way(seen_on("RR", "a1 b3", "1/2"), of_best_within_cutoff), Way(seen_on("RR@1", "a1 b3", "0"), of_best_retrieved)),
    "https://github.com/allegro/allRank/blob/c884756/allrank/models/metrics.py",
    fix="use the rank of the first relevant document, whatever its grade",
)
