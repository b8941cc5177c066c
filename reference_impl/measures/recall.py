"""Recall: the share of the relevant documents that are at the top.

    R@k = |relevant documents at ranks 1..k| / R

    R: the number of relevant documents, retrieved or not.

Range: 0 to 1; R@k reaches 1 only if k >= R.

Disputed: the denominator. With R = 3 relevant documents and k = 1, a perfect ranking has R@1 = 1/3. Dividing by
`min-k-R` makes it 1.

Edge cases: without relevant documents the formula is 0/0, and the convention `norel` sets the value. Ties: the mean
over all orders is exact.

Source: Buckley & Voorhees 2005, "Retrieval System Evaluation", in TREC, ch. 3; trec_eval's recall. min(k, R): Thakur et
al. 2021, BEIR (there "R_cap").
"""

from rankproof.reference_impl.all_queries import AllQueries, Column, known
from rankproof.reference_impl.definition import JUDGED_ONLY, REL, ZERO_WITHOUT_MERIT, Definition, Ratio, ratio, reads
from rankproof.reference_impl.ranking import Ranking


def recall(ranking: Ranking, *, r_denominator: str = "R") -> Ratio:
    """Compute the share of the relevant documents that are among the top k.

    >>> from rankproof.reference_impl.examples import ranked
    >>> recall(ranked([1, 0, 1], R=3, k=1)).value, recall(ranked([1, 0], R=3, k=1), r_denominator="min-k-R").value
    (Fraction(1, 3), Fraction(1, 1))
    """
    capped = r_denominator == "min-k-R" and ranking.k is not None
    return ratio(len(ranking.hits), min(ranking.k, ranking.R) if capped and ranking.k is not None else ranking.R)


def _in_floats(top: AllQueries, *, r_denominator: str) -> Column:
    return top.over(top.total(top.relevant), recall_denominators(top, r_denominator))


def recall_denominators(top: AllQueries, r_denominator: str) -> Column:
    """Return the denominator of R@k for each query."""
    return known(r_denominator, {"R": top.R, "min-k-R": top.R if top.k is None else top.least(top.k, top.R)})


DEFINITIONS = [
    Definition(
        "R",
        recall,
        {"rel": REL, "judged_only": JUDGED_ONLY},
        in_floats=_in_floats,
        linear=True,
        monotone=True,
        reads=reads("order", "relevant", "R"),
        undefined={},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
        truth="k >= R",
    ),
]
