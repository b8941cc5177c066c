"""The document at rank k, or the last document within the cutoff, is skipped. Short rankings distinguish the two defects.

    R@2 of a ranking of two relevant documents: 1/2 instead of 1.
    R@3 of the same ranking: 1 if rank 3 is skipped, 1/2 if the last document is skipped.
    P@3 of relevant documents at ranks 1 and 3, divided by the number of documents used: 1/2 instead of 2/3.

`range(1, k)` and `range(len(docs) - 1)` leave out the last index.

Source: no thread is known. The linked thread is about the opposite error, an index that is one too high in MISSRec.
"""

from dataclasses import replace
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, has_cutoff, seen_on, with_docs
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def without_rank_k(ranking: Ranking) -> Ranking:
    """Remove the document at rank k."""
    return with_docs(ranking, [(rank, doc) for rank, doc in ranking.docs if rank != ranking.k])


def at_previous(right: Right, ranking: Ranking) -> Fraction:
    """Return the value of the measure at k - 1."""
    return right(replace(without_rank_k(ranking), k=(ranking.k or 1) - 1))


def sees_documents(measure: Measure) -> bool:
    """Return whether a measure looks at documents of the run."""
    return can_see(measure, "order", "relevant", "first hit")


SOURCE = "https://github.com/gimpong/MM23-MISSRec/issues/15"
DEFECTS = [
    Defect(
        "rank-k-lost",
        "it skips the document at rank k",
        lambda measure: sees_documents(measure) and has_cutoff(measure),
        (
            Way(seen_on("R@2", "a1 b1", "1/2"), lambda right, ranking: right(without_rank_k(ranking))),
            Way(seen_on("P@3", "a1 b0 c1", "1/2"), at_previous),
        ),
        SOURCE,
        fix="include the document at rank k: slice by [:k]",
    ),
    Defect(
        "last-doc-lost",
        "it skips the last document within the cutoff, whatever its rank",
        sees_documents,
        (Way(seen_on("R@3", "a1 b1", "1/2"), lambda right, ranking: right(with_docs(ranking, ranking.docs[:-1]))),),
        SOURCE,
        fix="include the last document",
    ),
]
