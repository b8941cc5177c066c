"""One doc more than the cutoff is looked at.

    RR@1 of a ranking whose first relevant doc is at rank 2: 1/2 instead of 0; at rank 3 it is 0.

Source: the results of MISSRec are read at place k of a list whose first place is 0.
"""

from dataclasses import replace
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, seen_on, with_docs
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def one_more(right: Right, ranking: Ranking) -> Fraction:
    """The docs at ranks 1 to k + 1, with all else as at k."""
    k = ranking.n if ranking.k is None else ranking.k
    return right(with_docs(ranking, [(rank, doc) for rank, doc in ranking.given if rank <= k + 1]))


def at_the_next(right: Right, ranking: Ranking) -> Fraction:
    """The measure at k + 1."""
    k = ranking.n if ranking.k is None else ranking.k
    return right(replace(ranking, docs=tuple((rank, doc) for rank, doc in ranking.given if rank <= k + 1), k=k + 1))


def has_cutoff(measure: Measure) -> bool:
    """Whether it is asked at a rank, and looks at ranks."""
    return can_see(measure, "order", "first hit") and measure.k is not None


DEFECTS = [
    Defect(
        "cutoff-too-deep",
        "one doc more than the cutoff is looked at",
        has_cutoff,
        (Way(seen_on("P@1", "a1 b1 c1", "2"), one_more), Way(seen_on("RR@1", "a0 b1", "1/2"), at_the_next)),
        "https://github.com/gimpong/MM23-MISSRec/issues/15",
        mend="look at k docs, not at one more: cut by [:k]",
    ),
]
