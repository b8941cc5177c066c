"""A doc counts from a higher rel on than 1, and those below it have no gain either.

    P@2 of docs of rel 2 and 1: 1/2 instead of 1.
    nDCG@2 of docs of rel 1 and 2, in this order: 1/log2(3) instead of (1 + 2/log2(3)) / (2 + 1/log2(3)).

It is right where it was meant, as for passages of TREC's deep learning tracks, whose rel 1 says "related"; then the measure is another one:
`P(rel=2)@2`. Where every rel is 0 or 1 it gives 0 to all.

Source: TREC 2019 Deep Learning Track, whose binary measures of passages count rels of 2 and 3 alone.
"""

from fractions import Fraction
from functools import partial

from rankproof.defects.defect import Defect, Way, can_see, seen_on
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment


def can_count_higher(measure: Measure) -> bool:
    """Whether it looks at rels, from 1 on."""
    return can_see(measure, "relevant", "first hit", "gains", "rels") and measure.rel == 1


def without_rels_below(threshold: int, given: Collection) -> Collection:
    """The same run, with a judgment of 0 of each doc that was judged lower."""

    def judged(one: Judgment) -> Judgment:
        return Judgment(one.doc, one.rel if one.rel >= threshold else min(one.rel, Fraction(0)))

    return Collection({query: [*map(judged, own)] for query, own in given.qrels.items()}, given.run)


DEFECTS = [
    Defect(
        f"relevant-from-{threshold}",
        f"a doc counts from a rel of {threshold} on, and has no gain below it",
        can_count_higher,
        (Way(seen_on("P@2", f"a{threshold} b{threshold - 1}", "1/2"), instead=partial(without_rels_below, threshold)),),
        "https://trec.nist.gov/data/deep2019.html",
        mend=f"compare with 1: rel >= 1; or ask for the measure that it is, as P(rel={threshold})@5",
    )
    for threshold in (2, 3)
]
