"""R-precision: precision at rank R.

    Rprec = |relevant docs at ranks 1..R| / R

    R: the number of relevant docs of the query, retrieved or not.

Disputed: nothing but ties and queries. R = 1, the relevant doc b tied with a at the top: 1 by `docid-desc`, 0 by
`docid-asc`, 1/2 by `expectation`, which is exact.
No relevant doc: 0/0, worth what the convention `norel` says.

Source: Buckley & Voorhees 2005, "Retrieval System Evaluation", in TREC, ch. 3; trec_eval's Rprec.
"""

from rankproof.reference_impl.all_queries import AllQueries, Column
from rankproof.reference_impl.definition import JUDGED_ONLY, REL, ZERO_WITHOUT_MERIT, Definition, Ratio, ratio, reads
from rankproof.reference_impl.ranking import Ranking


def r_precision(ranking: Ranking) -> Ratio:
    """The share of the top R that is relevant.

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
