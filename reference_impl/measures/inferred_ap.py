"""infAP: average precision, estimated from judgments of a sample of the pool.

    infAP = (1/R) * sum over retrieved relevant documents at rank i of
            1/i + (i - 1)/i * |pooled above| / (i - 1) * (|rel above| + e) / (|rel above| + |nonrel above| + 2 e)

    R: the number of relevant documents, retrieved or not
    pooled above: the documents above rank i that were judged, or pooled but left unjudged (a negative grade)
    rel above, nonrel above: the documents above rank i judged relevant and non-relevant
    e: a small constant, 0.00001

Range: 0 to 1. If every retrieved document is judged, infAP is AP except for the effect of e.

Disputed: e. With it, a relevant document at rank 2 below a non-relevant one adds 1/2 + 1/2 * e/(1 + 2 e) to the sum,
a little more than 1/2.

Edge cases: queries without relevant documents score 0 (convention `norel`).

Source: Yilmaz & Aslam 2006, "Estimating Average Precision with Incomplete and Imperfect Judgments", CIKM, s. 4;
trec_eval's infAP.
"""

from fractions import Fraction

from rankproof.reference_impl.all_queries import AllQueries, Column
from rankproof.reference_impl.definition import REL, ZERO_WITHOUT_MERIT, Definition, reads
from rankproof.reference_impl.ranking import Doc, Ranking


def inferred_ap(ranking: Ranking, *, infap_epsilon: str = "1e-5") -> Fraction:
    """Estimate average precision from a sampled pool.

    >>> from rankproof.reference_impl.examples import ranked
    >>> inferred_ap(ranked([1, 0, 1], R=2), infap_epsilon="0")   # all judged: AP
    Fraction(5, 6)
    """
    return sum((_precision_at(i, ranking, Fraction(infap_epsilon)) for i in ranking.hits), Fraction(0)) / ranking.R


def _precision_at(i: int, ranking: Ranking, e: Fraction) -> Fraction:
    """Return the expected precision at rank i of a relevant document, which does not count as above itself."""
    down_to = [doc for rank, doc in ranking.docs if rank <= i]
    pooled, rel = sum(doc.pooled for doc in down_to) - 1, sum(doc.relevant for doc in down_to) - 1
    known = rel + sum(doc.non_relevant for doc in down_to) + 2 * e
    return Fraction(1, i) + (Fraction(pooled, i) * (rel + e) / known if known else 0)


def _in_floats(top: AllQueries, *, infap_epsilon: str) -> Column:
    e, hits = float(infap_epsilon), top.hits
    pooled, rel = hits.down_to(top.of_docs(_is_pooled)) - 1, hits.down_to(top.relevant) - 1
    known = rel + hits.down_to(top.of_docs(_is_non_relevant)) + 2 * e
    return top.over(hits.total((1 + top.over(pooled * (rel + e), known)) / hits.rank), top.R)


def _is_pooled(doc: Doc) -> bool:
    return doc.pooled


def _is_non_relevant(doc: Doc) -> bool:
    return doc.non_relevant


DEFINITIONS = [
    Definition(
        "infAP",
        inferred_ap,
        {"rel": REL},
        in_floats=_in_floats,
        cutoff="none",
        reads=reads("order", "relevant", "R", "non-relevant", "pool"),
        undefined={},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
    ),
]
