"""The worst doc comes first: the docs are ranked by ascending score.

    RR of a ranking that begins with the only relevant doc, of two: 1/2 instead of 1.

Source: a retrieval by distance that was sorted as if it were a similarity.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, seen_on, with_docs
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Ranking


def backwards(right: Right, ranking: Ranking) -> Fraction:
    """The docs in reverse order, cut at k."""
    docs = tuple(enumerate((doc for _, doc in reversed(ranking.given)), start=1))
    return right(with_docs(Ranking(docs, docs, ranking.judgments, ranking.R, ranking.k), docs[: ranking.k]))


def by_rank(measure: Measure) -> bool:
    """Whether the order of docs matters to it."""
    return can_see(measure, "order")


DEFECTS = [
    Defect(
        "ranked-backwards",
        "the docs are ranked by ascending score",
        by_rank,
        (Way(seen_on("RR", "a1 b0", "1/2"), backwards),),
        "https://github.com/tencentmusic/supersonic/issues/1644",
        mend="rank by descending score: the highest first",
    ),
]
