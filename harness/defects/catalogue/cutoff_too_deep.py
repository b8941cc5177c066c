"""The first document below the cutoff counts.

    RR@1 of a ranking with the first relevant document at rank 2: 1/2 instead of 0. With it at rank 3: 0.

Source: MISSRec reads its results at index k of a list that starts at index 0.
"""

from dataclasses import replace
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, has_cutoff, seen_on, with_docs
from rankproof.reference_impl.ranking import Ranking


def with_next(right: Right, ranking: Ranking) -> Fraction:
    """Return the value of the documents at ranks 1 to k + 1, with the denominator at k."""
    k = ranking.n if ranking.k is None else ranking.k
    return right(with_docs(ranking, [(rank, doc) for rank, doc in ranking.all_docs if rank <= k + 1]))


def at_next(right: Right, ranking: Ranking) -> Fraction:
    """Return the value of the measure at k + 1."""
    k = ranking.n if ranking.k is None else ranking.k
    return right(replace(ranking, docs=tuple((rank, doc) for rank, doc in ranking.all_docs if rank <= k + 1), k=k + 1))


DEFECT = Defect(
    "cutoff-too-deep",
    "it uses one document more than the cutoff",
    lambda measure: can_see(measure, "order", "first hit") and has_cutoff(measure),
    (Way(seen_on("P@1", "a1 b1 c1", "2"), with_next), Way(seen_on("RR@1", "a0 b1", "1/2"), at_next)),
    "https://github.com/gimpong/MM23-MISSRec/issues/15",
    fix="use k documents: slice by [:k]",
)
