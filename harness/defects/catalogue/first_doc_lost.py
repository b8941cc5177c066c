"""The doc at rank 1 is never looked at: the others keep their ranks, or each stands one rank higher.

    R@2 of a ranking of two relevant docs: 1/2 instead of 1. RR of relevant docs at ranks 1 and 3: 1/3 where all keep their ranks, else 1/2.

It is a list that begins with 0 and is read from 1 on: `range(1, k)`, `docs[1:k]`; or a first doc that is taken for the query itself.

Source: its mirror image, a place read one too far, is told of MISSRec; of this one no thread is known.
"""

from fractions import Fraction

from rankproof.defects.catalogue.last_doc_lost import SOURCE, of_docs
from rankproof.defects.defect import Defect, Right, Way, moved, seen_on, with_docs
from rankproof.reference_impl.ranking import Ranking


def without_rank_1(right: Right, ranking: Ranking) -> Fraction:
    """The docs at ranks 2 to k."""
    return right(_from_rank_2(ranking, ranking.k))


def one_rank_higher(right: Right, ranking: Ranking) -> Fraction:
    """The same, from rank 1 on."""
    return right(moved(_from_rank_2(ranking, ranking.k), -1))


def with_the_next(right: Right, ranking: Ranking) -> Fraction:
    """The docs at ranks 2 to k + 1, from rank 1 on."""
    return right(moved(_from_rank_2(ranking, None if ranking.k is None else ranking.k + 1), -1))


def _from_rank_2(ranking: Ranking, last: int | None) -> Ranking:
    return with_docs(
        ranking, [(rank, doc) for rank, doc in ranking.given if rank > 1 and (last is None or rank <= last)]
    )


DEFECTS = [
    Defect(
        "first-doc-lost",
        "the first doc is never looked at",
        of_docs,
        (
            Way(seen_on("R@2", "a1 b1", "1/2"), without_rank_1),
            Way(seen_on("RR@3", "a1 b0 c1", "1/2"), one_rank_higher),
            Way(seen_on("P@2", "a1 b0 c0", "0"), with_the_next),
        ),
        SOURCE,
        is_rare=True,
        mend="look at the first doc, too",
    ),
]
