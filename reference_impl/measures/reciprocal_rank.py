"""Reciprocal rank of the first relevant doc.

    RR@k = 1 / i,  i = the rank of the first relevant doc, if i <= k
         = 0       if there is none

Disputed: nothing but ties and queries. The relevant doc b tied with a at the top: 1 by `docid-desc`, 1/2 by
`docid-asc`, 3/4 by `expectation` (ir_measures breaks ties one way for RR and another for RR@k).
No relevant doc: 0 (convention `norel`). Expectation over tied orders, McSherry & Najork 2008, s. 3.4: if the first
relevant docs are r of a group of m tied ones after c others, rank c + i comes with probability C(m - i, r - 1) / C(m,
r).

Source: Kantor & Voorhees 2000, "The TREC-5 Confusion Track", Information Retrieval 2; trec_eval's recip_rank.
"""

from fractions import Fraction
from math import comb

from rankproof.reference_impl.definition import JUDGED_ONLY, REL, ZERO_WITHOUT_MERIT, Definition, reads
from rankproof.reference_impl.ranking import Judged, Ranking


def reciprocal_rank(ranking: Ranking) -> Fraction:
    """1 over the rank of the first hit.

    >>> from rankproof.reference_impl.examples import ranked
    >>> reciprocal_rank(ranked([0, 1, 1])), reciprocal_rank(ranked([0, 1, 1], k=1))
    (Fraction(1, 2), Fraction(0, 1))
    """
    return Fraction(1, ranking.hits[0]) if ranking.hits else Fraction(0)


def expected_reciprocal_rank(judged: Judged, k: int | None) -> Fraction:
    """The mean of RR@k over all orders of tied docs."""
    c = 0
    for group in judged.groups:
        m, r = len(group), sum(doc.relevant for doc in group)
        if r:
            last = m - r + 1 if k is None else min(m - r + 1, k - c)
            return sum((Fraction(comb(m - i, r - 1), comb(m, r) * (c + i)) for i in range(1, last + 1)), Fraction(0))
        c += m
    return Fraction(0)


DEFINITIONS = [
    Definition(
        "RR", reciprocal_rank, {"rel": REL, "judged_only": JUDGED_ONLY},
        monotone=True, expectation=expected_reciprocal_rank,
        reads=reads("order", "first hit"), undefined={}, zero_without=ZERO_WITHOUT_MERIT, bounds=(0, 1), truth="always",
    ),
]  # fmt: skip
