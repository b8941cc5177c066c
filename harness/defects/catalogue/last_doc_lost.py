"""The last doc is never looked at.

    R@2 of a ranking of two relevant docs: 1/2 instead of 1.

It is an end that is left out where it should not be: `range(1, k)`, `range(len(docs) - 1)`.

Source: its mirror image, a place read one too far, is told of MISSRec; of this one no thread is known.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, seen_on, with_docs
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def without_rank_k(right: Right, ranking: Ranking) -> Fraction:
    """The docs at ranks 1 to k - 1."""
    k = ranking.n if ranking.k is None else ranking.k
    return right(with_docs(ranking, [(rank, doc) for rank, doc in ranking.docs if rank < k]))


def without_the_last(right: Right, ranking: Ranking) -> Fraction:
    """All docs within the cutoff but the last."""
    return right(with_docs(ranking, ranking.docs[:-1]))


def of_docs(measure: Measure) -> bool:
    """Whether it looks at docs of the run."""
    return can_see(measure, "order", "relevant", "first hit")


DEFECTS = [
    Defect(
        "last-doc-lost", "the last doc is never looked at", of_docs,
        (Way(seen_on("R@2", "a1 b1", "1/2"), without_rank_k), Way(seen_on("R@3", "a1 b1", "1/2"), without_the_last)),
        "https://github.com/gimpong/MM23-MISSRec/issues/15",
    ),
]  # fmt: skip
