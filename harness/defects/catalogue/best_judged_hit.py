"""The reciprocal rank is that of the doc with the highest rel, not of the first relevant one.

    RR of docs of rel 1 and 3: 1/2 instead of 1.

It is what the largest element of a list of grades gives (`argmax`). On binary rels there is no difference.

Source: the mrr of allRank.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, seen_on
from rankproof.reference_impl.ranking import Ranking


def of_the_best_of_all(_right: Right, ranking: Ranking) -> Fraction:
    """1 over the rank of the first doc of the highest rel of all retrieved; 0 if that is beyond the cutoff."""
    hits = [(-(doc.rel or 0), rank) for rank, doc in ranking.given if doc.relevant]
    rank = min(hits)[1] if hits else 0
    return Fraction(1, rank) if rank and (ranking.k is None or rank <= ranking.k) else Fraction(0)


def of_the_best(_right: Right, ranking: Ranking) -> Fraction:
    """1 over the rank of the first doc of the highest rel within the cutoff."""
    hits = [(-(doc.rel or 0), rank) for rank, doc in ranking.docs if doc.relevant]
    return Fraction(1, min(hits)[1]) if hits else Fraction(0)


DEFECTS = [
    Defect(
        "best-judged-hit",
        "the reciprocal rank is that of the doc with the highest rel",
        is_reciprocal,
        (
            Way(seen_on("RR", "a1 b3", "1/2"), of_the_best),
            Way(seen_on("RR@1", "a1 b3", "0"), of_the_best_of_all),
        ),
        "https://github.com/allegro/allRank/blob/c884756/allrank/models/metrics.py",
        mend="take the rank of the first relevant doc, whatever its rel",
    ),
]
