"""Average precision: the mean of the precisions at the ranks of the relevant documents.

    AP@k = (1/R) * sum over relevant documents at rank i <= k of  |relevant documents at ranks 1..i| / i

    R: the number of relevant documents, retrieved or not; without k the whole ranking counts.

Range: 0 to 1; AP@k reaches 1 only if k >= R.

Disputed: the divisor. With relevant documents at ranks 1 and 3 of 3, R = 5 and k = 3, the sum is 1 + 2/3 = 5/3. AP@3 is
1/3 by `R`, 5/9 by `min-k-R` and 5/6 by `hits`. By `mean-p`, the mean of P@1 to P@3, it is (1 + 1/2 + 2/3)/3 = 13/18.
By `ties=last-rank`, each tied document has the last rank of its tie group (scikit-learn's average_precision_score). A
precision-recall curve with a point for each distinct score has the same effect.

Edge cases: queries without relevant documents score 0 (convention `norel`), and so do queries without a hit. Ties: the
mean over all orders has a closed form (McSherry & Najork 2008, s. 3.3).

Source: Buckley & Voorhees 2005, "Retrieval System Evaluation", in TREC, ch. 3; trec_eval's map and map_cut.
Denominators: Tamm et al. 2021, RecSys, s. 3.
"""

from fractions import Fraction

from rankproof.reference_impl.all_queries import AllQueries, Column, known
from rankproof.reference_impl.definition import JUDGED_ONLY, REL, ZERO_WITHOUT_MERIT, Definition, Read, reads
from rankproof.reference_impl.ranking import Judged, Ranking


def average_precision(ranking: Ranking, *, ap_denominator: str = "R") -> Fraction:
    """Compute the mean of the precisions at the ranks of the relevant documents.

    >>> from rankproof.reference_impl.examples import ranked
    >>> top = ranked([1, 0, 1], R=5, k=3)
    >>> [str(average_precision(top, ap_denominator=d)) for d in ("R", "min-k-R", "hits", "mean-p")]
    ['1/3', '5/9', '5/6', '13/18']
    """
    hits = ranking.hits
    if ap_denominator == "mean-p":
        depth = ranking.n if ranking.k is None else ranking.k
        return _over(sum(Fraction(_up_to(i, hits), i) for i in range(1, depth + 1)), depth)
    hits_so_far = [_up_to(rank, hits) for rank in hits] if ranking.together else range(1, len(hits) + 1)
    return _over(sum(map(Fraction, hits_so_far, hits), Fraction(0)), _denominator(ranking, ap_denominator))


def _up_to(rank: int, hits: tuple[int, ...]) -> int:
    return sum(hit <= rank for hit in hits)


def _over(total: Fraction | int, denominator: int) -> Fraction:
    return Fraction(total) / denominator if denominator else Fraction(0)


def _denominator(ranking: Ranking, ap_denominator: str) -> int:
    k = ranking.R if ranking.k is None else ranking.k
    n = ranking.n if ranking.k is None else min(ranking.n, ranking.k)
    return {"R": ranking.R, "min-k-R": min(k, ranking.R), "min-k-R-n": min(ranking.R, n), "hits": len(ranking.hits)}[
        ap_denominator
    ]


def expected_average_precision(judged: Judged, k: int | None, *, ap_denominator: str = "R") -> Fraction | None:
    """Return the mean of AP@k over all orders of tied documents, or None if it has no closed form.

    A tie group has m documents, r of them relevant. It follows c documents, t of them relevant. The document at rank
    c + i is relevant with probability r/m. The expected number of relevant documents down to it is then
    t + 1 + (i - 1)(r - 1)/(m - 1). There is no closed form if the divisor depends on the order, or for `mean-p`.
    """
    if ap_denominator == "mean-p" or not _fixed_denominator(judged, k, ap_denominator=ap_denominator):
        return None
    total, t = Fraction(0), 0
    for c, m, r in judged.tied:
        for i in range(1, m + 1):
            if r and (k is None or c + i <= k):
                among = t + 1 + (Fraction((i - 1) * (r - 1), m - 1) if m > 1 else 0)
                total += Fraction(r, m) * among / (c + i)
        t += r
    return _over(total, _denominator(judged.ranking(k), ap_denominator))


def _fixed_denominator(_judged: Judged, k: int | None, *, ap_denominator: str) -> bool:
    return ap_denominator != "hits" or k is None


def average_precision_in_floats(top: AllQueries, *, ap_denominator: str) -> Column:
    """Compute average precision for all queries in floats, by every divisor except `mean-p`."""
    if ap_denominator == "hits":
        return top.over(top.total_of_precisions(), top.hit_count())
    k, n = (top.R, top.n) if top.k is None else (top.k, top.least(top.n, top.k))
    denominators = {"R": top.R, "min-k-R": top.least(k, top.R), "min-k-R-n": top.least(top.R, n)}
    return top.over(top.total_of_precisions(), known(ap_denominator, denominators))


def _reads(k: int | None, *, ap_denominator: str) -> frozenset[Read]:
    of_the_top: dict[str, frozenset[Read]] = {
        "hits": reads(),
        "mean-p": reads("n" if k is None else "k"),
        "min-k-R-n": reads("R", "n"),
    }
    return reads("order", "relevant") | of_the_top.get(ap_denominator, reads("R"))


DEFINITIONS = [
    Definition(
        "AP",
        average_precision,
        {"rel": REL, "judged_only": JUDGED_ONLY},
        in_floats=average_precision_in_floats,
        monotone=True,
        separable=_fixed_denominator,
        expectation=expected_average_precision,
        reads=_reads,
        undefined={},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
        truth="k >= R",
    ),
]
