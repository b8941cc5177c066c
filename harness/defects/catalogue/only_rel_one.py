"""Only documents of relevance grade 1 count as relevant, and documents of higher grades do not.

    P@2 of documents of grades 2 and 1: 1/2 instead of 1.

`labels == 1` and `flags.count(True)` have this effect. With binary grades there is no difference.

Source: the `hit_score` of recommenders, in deeprec_utils.
"""

from dataclasses import replace
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, seen_on
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Doc, Ranking


def of_grade_1(right: Right, ranking: Ranking) -> Fraction:
    """Return the value if documents of other grades than 1 are not relevant."""

    def changed(doc: Doc) -> Doc:
        return replace(doc, relevant=doc.relevant and doc.rel == 1)

    docs, retrieved = (tuple((rank, changed(doc)) for rank, doc in rows) for rows in (ranking.docs, ranking.all_docs))
    judgments = tuple(map(changed, ranking.judgments))
    R = sum(doc.relevant for doc in judgments)
    return right(replace(ranking, docs=docs, all_docs=retrieved, judgments=judgments, R=R))


def counts_relevant(measure: Measure) -> bool:
    """Return whether a measure depends on binary relevance from grade 1 on."""
    return can_see(measure, "relevant", "first hit") and not can_see(measure, "gains", "rels") and measure.rel == 1


DEFECT = Defect(
    "only-rel-one",
    "it counts only documents of grade 1 as relevant, and none of a higher grade",
    counts_relevant,
    (Way(seen_on("P@2", "a2 b1", "1/2"), of_grade_1),),
    "https://github.com/recommenders-team/recommenders/blob/45e1b21/recommenders/models/deeprec/deeprec_utils.py",
    fix="count documents as relevant from grade 1 on: grade >= 1, not grade == 1",
)
