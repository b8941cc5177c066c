"""Precision: the share of the top documents that are relevant.

    P@k = |relevant documents at ranks 1..k| / k

    k: the cutoff; without a cutoff, the number of retrieved documents (P is then SetP).

Range: 0 to 1; P@k reaches 1 only if k <= R.

Disputed: the denominator if fewer than k documents are retrieved. For one retrieved document, which is relevant, P@5 is
1/5 by `k` and 1/1 by `min-k-n`. By `min-k-R`, with R = 2 relevant documents, it is 1/2.

Edge cases: queries without relevant documents score 0 (convention `norel`), and so do empty rankings. Ties: documents
are ordered before the formula applies; the mean over all orders is exact.

Source: Buckley & Voorhees 2005, "Retrieval System Evaluation", in TREC, ch. 3; trec_eval's P. Denominators: Tamm,
Damdinov & Vasilev 2021, "Quality Metrics in Recommender Systems: Do We Calculate Metrics Consistently?", RecSys, s. 3.
"""

from rankproof.reference_impl.all_queries import AllQueries, Column, known
from rankproof.reference_impl.definition import (
    JUDGED_ONLY,
    REL,
    ZERO_WITHOUT_MERIT,
    Definition,
    Ratio,
    Read,
    ratio,
    reads,
)
from rankproof.reference_impl.ranking import Ranking


def precision(ranking: Ranking, *, p_denominator: str = "k") -> Ratio:
    """Compute the share of the top k documents that are relevant.

    >>> from rankproof.reference_impl.examples import ranked
    >>> precision(ranked([1, 0, 1], R=3, k=5)).value, precision(ranked([1, 0, 1], k=5), p_denominator="min-k-n").value
    (Fraction(2, 5), Fraction(2, 3))
    """
    k = ranking.n if ranking.k is None else ranking.k
    denominator = {"k": k, "min-k-n": min(k, ranking.n), "min-k-R": min(k, ranking.R)}[p_denominator]
    return ratio(len(ranking.hits), denominator)


def _in_floats(top: AllQueries, *, p_denominator: str) -> Column:
    return top.over(top.total(top.relevant), precision_denominators(top, p_denominator))


def precision_denominators(top: AllQueries, p_denominator: str) -> Column:
    """Return the denominator of P@k for each query."""
    k = top.depth
    return known(p_denominator, {"k": k, "min-k-n": top.least(k, top.n), "min-k-R": top.least(k, top.R)})


def _reads(k: int | None, *, p_denominator: str) -> frozenset[Read]:
    capped: dict[str, frozenset[Read]] = {"min-k-n": reads("n"), "min-k-R": reads("R")}
    return reads("order", "relevant", "n" if k is None else "k") | capped.get(p_denominator, reads())


DEFINITIONS = [
    Definition(
        "P",
        precision,
        {"rel": REL, "judged_only": JUDGED_ONLY},
        in_floats=_in_floats,
        linear=True,
        monotone=True,
        reads=_reads,
        undefined={},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
        truth="k <= R",
    ),
]
