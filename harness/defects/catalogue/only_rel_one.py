"""Only docs of rel 1 are relevant, and those judged higher are not.

    P@2 of docs of rel 2 and 1: 1/2 instead of 1.

It is what `labels == 1` and `flags.count(True)` count. On binary rels there is no difference.

Source: the hit_score of recommenders, in deeprec_utils.
"""

from dataclasses import replace
from fractions import Fraction

from rankproof.defects.defect import Defect, Right, Way, can_see, seen_on
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Doc, Ranking


def of_rel_one(right: Right, ranking: Ranking) -> Fraction:
    """The measure of a ranking in which docs of another rel are not relevant."""

    def without(doc: Doc) -> Doc:
        return replace(doc, relevant=doc.relevant and doc.rel == 1)

    docs, given = (tuple((rank, without(doc)) for rank, doc in each) for each in (ranking.docs, ranking.given))
    judgments = tuple(map(without, ranking.judgments))
    return right(
        replace(ranking, docs=docs, given=given, judgments=judgments, R=sum(doc.relevant for doc in judgments))
    )


def counts_relevant(measure: Measure) -> bool:
    """Whether it looks at which docs are relevant, from rel 1 on, and not at how much."""
    return can_see(measure, "relevant", "first hit") and not can_see(measure, "gains", "rels") and measure.rel == 1


DEFECTS = [
    Defect(
        "only-rel-one",
        "only docs of rel 1 count as relevant, and those judged higher do not",
        counts_relevant,
        (Way(seen_on("P@2", "a2 b1", "1/2"), of_rel_one),),
        "https://github.com/recommenders-team/recommenders/blob/45e1b21/recommenders/models/deeprec/deeprec_utils.py",
        mend="count a doc as relevant from rel 1 on: rel >= 1, not rel == 1",
    ),
]
