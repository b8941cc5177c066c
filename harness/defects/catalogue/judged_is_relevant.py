"""Every judged doc is relevant, also one that was judged 0.

    RR of a doc judged 0 above one of rel 1: 1 instead of 1/2.

It is what `doc in qrels[query]` and `len(qrels[query])` count. Where the judgments list relevant docs alone there is no difference.

Source: the mrr_at_k, recall_at_k and map_at_k of hydrag-benchmark 0.9.1, whose nDCG takes the rels.
"""

from fractions import Fraction

from rankproof.defects.catalogue.only_rel_one import counts_relevant
from rankproof.defects.defect import Defect, Way, seen_on
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.ranking import Judgment


def with_all_relevant(given: Collection) -> Collection:
    """The same run, with a judgment of at least 1 of each judged doc."""
    qrels = {query: [Judgment(one.doc, max(one.rel, Fraction(1))) for one in own] for query, own in given.qrels.items()}
    return Collection(qrels, given.run)


DEFECTS = [
    Defect(
        "judged-is-relevant",
        "every judged doc counts as relevant, those that were judged 0, too",
        counts_relevant,
        (Way(seen_on("RR", "a0 b1", "1"), instead=with_all_relevant),),
        "https://pypi.org/project/hydrag-benchmark/0.9.1/",
        mend="count a doc as relevant by its rel, not by its being in the judgments: qrels.get(doc, 0) > 0",
    ),
]
