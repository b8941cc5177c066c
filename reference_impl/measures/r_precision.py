"""R-precision: precision at rank R.

    Rprec = |relevant documents at ranks 1..R| / R

    R: the number of relevant documents of the query, retrieved or not.

Range: 0 to 1.

Disputed: only ties and the treatment of queries. If R = 1 and the relevant document b is tied with a at the top, Rprec
is 1 by `docid-desc`, 0 by `docid-asc` and 1/2 by `expectation`. The mean over all orders is exact.

Edge cases: without relevant documents the formula is 0/0, and the convention `norel` sets the value.

Source: Buckley & Voorhees 2005, "Retrieval System Evaluation", in TREC, ch. 3; trec_eval's Rprec.
"""

from rankproof.reference_impl.all_queries import AllQueries, Column
from rankproof.reference_impl.definition import JUDGED_ONLY, REL, ZERO_WITHOUT_MERIT, Definition, Ratio, ratio, reads
from rankproof.reference_impl.ranking import Ranking


def r_precision(ranking: Ranking) -> Ratio:
    """Compute the share of the top R documents that are relevant.

    >>> from rankproof.reference_impl.examples import ranked
    >>> r_precision(ranked([1, 0, 1, 1], R=3)).value
    Fraction(2, 3)
    """
    return ratio(sum(rank <= ranking.R for rank in ranking.hits), ranking.R)


def _in_floats(top: AllQueries) -> Column:
    return top.over(top.cut_at(top.R).total(top.relevant), top.R)


DEFINITIONS = [
    Definition(
        "Rprec",
        r_precision,
        {"rel": REL, "judged_only": JUDGED_ONLY},
        in_floats=_in_floats,
        cutoff="none",
        cut_at_R=True,
        linear=True,
        monotone=True,
        reads=reads("order", "relevant", "R"),
        undefined={},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
        truth="always",
    ),
]
