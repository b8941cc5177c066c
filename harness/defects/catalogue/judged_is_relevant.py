"""Judged documents all count as relevant, even a document of grade 0.

    RR of a document of grade 0 above a document of grade 1: 1 instead of 1/2.

`doc in qrels[query]` and `len(qrels[query])` have this effect. If the qrels list relevant documents only, there is no difference.

Source: `mrr_at_k`, `recall_at_k` and `map_at_k` of hydrag-benchmark 0.9.1. Its nDCG uses the grades.
"""

from fractions import Fraction

from rankproof.defects.catalogue.only_rel_one import counts_relevant
from rankproof.defects.defect import Defect, Way, seen_on
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.ranking import Judgment


def with_all_relevant(data: Collection) -> Collection:
    """Raise the grade of each judged document to at least 1."""
    qrels = {query: [Judgment(doc, max(rel, Fraction(1))) for doc, rel in rows] for query, rows in data.qrels.items()}
    return Collection(qrels, data.run)


DEFECT = Defect(
    "judged-is-relevant",
    "it counts every judged document as relevant, even documents of grade 0",
    counts_relevant,
    (Way(seen_on("RR", "a0 b1", "1"), change_data=with_all_relevant),),
    "https://pypi.org/project/hydrag-benchmark/0.9.1/",
    fix="test the grade of a document, not whether it is judged: qrels.get(doc, 0) > 0",
)
