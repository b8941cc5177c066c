"""infAP: average precision, estimated where only a sample of the pool was judged.

    infAP = (1/R) * sum over retrieved relevant docs at rank i of
            1/i + (i - 1)/i * |pooled above| / (i - 1) * (|rel above| + e) / (|rel above| + |nonrel above| + 2 e)

    pooled above: the docs above that were judged, or pooled and left unjudged (a negative judgment in the qrels);
    rel, nonrel above: the docs above that were judged relevant, not relevant; e: a small constant, 0.00001.

Where every retrieved doc is judged, infAP is AP but for e. Disputed: e (with it, a relevant doc at rank 2 below a
non-relevant one is worth 1/2 + 1/2 * e/(1 + 2 e), a little more than 1/2).
No relevant doc: 0 (convention `norel`).

Source: Yilmaz & Aslam 2006, "Estimating Average Precision with Incomplete and Imperfect Judgments", CIKM, s. 4;
trec_eval's infAP.
"""

from fractions import Fraction

from rankproof.reference_impl.all_queries import AllQueries, Column
from rankproof.reference_impl.definition import REL, ZERO_WITHOUT_MERIT, Definition, reads
from rankproof.reference_impl.ranking import Doc, Ranking


def inferred_ap(ranking: Ranking, *, infap_epsilon: str = "1e-5") -> Fraction:
    """Average precision, estimated from a sampled pool.

    >>> from rankproof.reference_impl.examples import ranked
    >>> inferred_ap(ranked([1, 0, 1], R=2), infap_epsilon="0")   # all judged: AP
    Fraction(5, 6)
    """
    return sum((_precision_at(i, ranking, Fraction(infap_epsilon)) for i in ranking.hits), Fraction(0)) / ranking.R


def _precision_at(i: int, ranking: Ranking, e: Fraction) -> Fraction:
    """The precision expected at rank i of a relevant doc, which is itself not among the docs above."""
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
