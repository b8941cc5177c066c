"""The document at rank 1 is skipped. The other documents keep their ranks or move up one rank.

    R@2 of a ranking of two relevant documents: 1/2 instead of 1.
    RR of relevant documents at ranks 1 and 3: 1/3 with unchanged ranks, otherwise 1/2, instead of 1.

`range(1, k)` and `docs[1:k]` skip index 0. Some functions drop the first document because they take it for the query.

Source: no thread is known. The linked thread is about the opposite error, an index that is one too high in MISSRec.
"""

from rankproof.defects.catalogue.last_doc_lost import SOURCE, sees_documents
from rankproof.defects.defect import Defect, Way, seen_on, shifted, with_docs
from rankproof.reference_impl.ranking import Ranking


def from_rank_2(ranking: Ranking, more: int = 0) -> Ranking:
    """Return the documents at ranks 2 to k + `more`."""
    last = ranking.n if ranking.k is None else ranking.k + more
    return with_docs(ranking, [(rank, doc) for rank, doc in ranking.all_docs if 1 < rank <= last])


DEFECT = Defect(
    "first-doc-lost",
    "it skips the first document",
    sees_documents,
    (
        Way(seen_on("R@2", "a1 b1", "1/2"), lambda right, ranking: right(from_rank_2(ranking))),
        Way(seen_on("RR@3", "a1 b0 c1", "1/2"), lambda right, ranking: right(shifted(from_rank_2(ranking), -1))),
        Way(seen_on("P@2", "a1 b0 c0", "0"), lambda right, ranking: right(shifted(from_rank_2(ranking, 1), -1))),
    ),
    SOURCE,
    is_rare=True,
    fix="include the first document",
)
