"""Documents count from a higher relevance grade than 1, and documents below it have no gain.

    P@2 of documents of grades 2 and 1: 1/2 instead of 1.
    nDCG@2 of documents of grades 1 and 2, in this order: 1/log2(3) instead of (1 + 2/log2(3)) / (2 + 1/log2(3)).

This is correct if it is intended: grade 1 of the TREC deep learning passages means "related". The measure is then `P(rel=2)@2`.
With binary grades all rankings score 0.

Source: the TREC 2019 Deep Learning Track, whose binary measures of passages count grades 2 and 3 only.
"""

from fractions import Fraction
from functools import partial

from rankproof.defects.defect import Defect, Way, can_see, seen_on
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.ranking import Judgment


def without_grades_below(threshold: int, data: Collection) -> Collection:
    """Change lower grades than the threshold to 0."""

    def changed(judgment: Judgment) -> Judgment:
        return Judgment(judgment.doc, judgment.rel if judgment.rel >= threshold else min(judgment.rel, Fraction(0)))

    return Collection({query: [*map(changed, rows)] for query, rows in data.qrels.items()}, data.run)


DEFECTS = [
    Defect(
        f"relevant-from-{threshold}",
        f"it gives no credit to documents with a grade below {threshold}",
        lambda measure: can_see(measure, "relevant", "first hit", "gains", "rels") and measure.rel == 1,
        (
            Way(
                seen_on("P@2", f"a{threshold} b{threshold - 1}", "1/2"),
                change_data=partial(without_grades_below, threshold),
            ),
        ),
        "https://trec.nist.gov/data/deep2019.html",
        fix=f"count documents from grade 1 on (grade >= 1), or check it as a measure like P(rel={threshold})@5",
    )
    for threshold in (2, 3)
]
