"""The doc at rank k is never looked at, or the last doc within the cutoff: two defects, told apart by short lists.

    R@2 of a ranking of two relevant docs: 1/2 instead of 1. R@3 of it: 1 where rank 3 is lost, 1/2 where the last doc is.
    P@3 of relevant docs at ranks 1 and 3: 1/2 instead of 2/3, where the docs that are looked at are what is divided by.

It is an end that is left out where it should not be: `range(1, k)`, `range(len(docs) - 1)`.

Source: its mirror image, a place read one too far, is told of MISSRec; of this one no thread is known.
"""

from dataclasses import replace
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, seen_on, with_docs
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def without_rank_k(right: Right, ranking: Ranking) -> Fraction:
    """The docs at ranks 1 to k - 1."""
    return right(_but_rank_k(ranking))


def at_the_one_before(right: Right, ranking: Ranking) -> Fraction:
    """The measure at k - 1."""
    return right(replace(_but_rank_k(ranking), k=(ranking.k or 1) - 1))


def _but_rank_k(ranking: Ranking) -> Ranking:
    return with_docs(ranking, [(rank, doc) for rank, doc in ranking.docs if rank != ranking.k])


def without_the_last(right: Right, ranking: Ranking) -> Fraction:
    """All docs within the cutoff but the last."""
    return right(with_docs(ranking, ranking.docs[:-1]))


def of_docs(measure: Measure) -> bool:
    """Whether it looks at docs of the run."""
    return can_see(measure, "order", "relevant", "first hit")


def of_docs_to_k(measure: Measure) -> bool:
    """Whether it looks at docs of the run up to a cutoff."""
    return of_docs(measure) and measure.k is not None


SOURCE = "https://github.com/gimpong/MM23-MISSRec/issues/15"
DEFECTS = [
    Defect(
        "rank-k-lost",
        "the doc at rank k is never looked at",
        of_docs_to_k,
        (
            Way(seen_on("R@2", "a1 b1", "1/2"), without_rank_k),
            Way(seen_on("P@3", "a1 b0 c1", "1/2"), at_the_one_before),
        ),
        SOURCE,
        mend="look at the doc at rank k, too: cut by [:k]",
    ),
    Defect(
        "last-doc-lost",
        "the last doc within the cutoff is never looked at, whatever its rank",
        of_docs,
        (Way(seen_on("R@3", "a1 b1", "1/2"), without_the_last),),
        SOURCE,
        mend="look at the last doc, too",
    ),
]
