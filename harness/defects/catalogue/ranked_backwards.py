"""Documents are ranked by ascending score, so the worst document comes first.

    RR of a relevant document above another document: 1/2 instead of 1.

Source: a retrieval by distance with documents sorted as if by similarity.
"""

from dataclasses import replace
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, seen_on, with_docs
from rankproof.reference_impl.ranking import Ranking


def backwards(right: Right, ranking: Ranking) -> Fraction:
    """Return the value of the reversed ranking, cut at k."""
    docs = tuple(enumerate((doc for _, doc in reversed(ranking.all_docs)), start=1))
    return right(with_docs(replace(ranking, docs=docs, all_docs=docs), docs[: ranking.k]))


DEFECT = Defect(
    "ranked-backwards",
    "it ranks documents by ascending score",
    lambda measure: can_see(measure, "order"),
    (Way(seen_on("RR", "a1 b0", "1/2"), backwards),),
    "https://github.com/tencentmusic/supersonic/issues/1644",
    fix="rank by descending score, the highest score first",
)
