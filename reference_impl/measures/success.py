"""Success: whether a relevant document is at the top (also called hit rate).

    Success@k = 1 if a relevant document is at rank <= k, else 0

Range: 0 or 1 for a query. Some recommender libraries call recall "hit rate"; that is R@k here.

Disputed: only ties and the treatment of queries. If the relevant document b is tied with a at the top, Success@1 is 1
by `docid-desc`, 0 by `docid-asc` and 1/2 by `expectation`.

Edge cases: queries without relevant documents score 0 (convention `norel`). Ties: the cutoff keeps j of m tied
documents, r of them relevant, and no relevant document ranks above them. The mean over all orders is then
1 - C(m - r, j) / C(m, j).

Source: Craswell & Hawking 2004, "Overview of the TREC-2004 Web Track" (S@k); trec_eval's success.
"""

from fractions import Fraction
from math import comb

from rankproof.reference_impl.all_queries import AllQueries, Column
from rankproof.reference_impl.definition import JUDGED_ONLY, REL, ZERO_WITHOUT_MERIT, Definition, reads
from rankproof.reference_impl.ranking import Judged, Ranking


def success(ranking: Ranking) -> Fraction:
    """Return 1 if there is a hit, else 0.

    >>> from rankproof.reference_impl.examples import ranked
    >>> success(ranked([0, 1], k=1)), success(ranked([0, 1], k=2))
    (Fraction(0, 1), Fraction(1, 1))
    """
    return Fraction(1 if ranking.hits else 0)


def expected_success(judged: Judged, k: int | None) -> Fraction:
    """Return the probability of a hit over all orders of tied documents."""
    for c, m, r in judged.tied:
        j = m if k is None else max(min(m, k - c), 0)
        if r:
            return 1 - Fraction(comb(m - r, j), comb(m, j))
    return Fraction(0)


def _in_floats(top: AllQueries) -> Column:
    return top.first_hit(lambda rank: rank / rank)


DEFINITIONS = [
    Definition(
        "Success",
        success,
        {"rel": REL, "judged_only": JUDGED_ONLY},
        in_floats=_in_floats,
        monotone=True,
        expectation=expected_success,
        reads=reads("order", "first hit"),
        undefined={},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
        truth="always",
    ),
]
