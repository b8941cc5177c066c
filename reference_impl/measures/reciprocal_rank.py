"""Reciprocal rank of the first relevant document.

    RR@k = 1 / i,  i = the rank of the first relevant document, if i <= k
         = 0       if there is none

Range: 0 to 1.

Disputed: whether later hits count. With relevant documents at ranks 1 and 3 and one not retrieved, RR is 1 by `first`.
By `mean-over-hits` it is (1 + 1/3)/2 = 2/3 (llama_index with use_granular_mrr). By `mean-over-R` it is (1 + 1/3)/3 =
4/9 (rexmex, and mrr_score of recommenders and of spotlight). The last two receive every relevant document, so their R
is the number of hits. Otherwise only ties and the treatment of queries are disputed. If the relevant document b is tied
with a at the top, RR is 1 by `docid-desc`, 1/2 by `docid-asc` and 3/4 by `expectation`. (ir_measures breaks ties one
way for RR and another for RR@k.)

Edge cases: queries without relevant documents score 0 (convention `norel`). Ties: the mean over all orders has a closed
form (McSherry & Najork 2008, s. 3.4). The first relevant documents are r of a group of m tied ones after c others. The
first of them is at rank c + i with probability C(m - i, r - 1) / C(m, r).

Source: Kantor & Voorhees 2000, "The TREC-5 Confusion Track", Information Retrieval 2; trec_eval's recip_rank. All hits:
recommenders issue 2141.
"""

from fractions import Fraction
from math import comb

from rankproof.reference_impl.all_queries import AllQueries, Column, known
from rankproof.reference_impl.definition import JUDGED_ONLY, REL, ZERO_WITHOUT_MERIT, Definition, Read, reads
from rankproof.reference_impl.ranking import Judged, Ranking


def reciprocal_rank(ranking: Ranking, *, rr_hits: str = "first") -> Fraction:
    """Compute 1 over the rank of the first hit.

    >>> from rankproof.reference_impl.examples import ranked
    >>> reciprocal_rank(ranked([0, 1, 1])), reciprocal_rank(ranked([0, 1, 1], k=1))
    (Fraction(1, 2), Fraction(0, 1))
    >>> [str(reciprocal_rank(ranked([1, 0, 1], R=3), rr_hits=hits)) for hits in ("mean-over-hits", "mean-over-R")]
    ['2/3', '4/9']
    """
    hits = ranking.hits
    if not hits:
        return Fraction(0)
    if rr_hits == "first":
        return Fraction(1, hits[0])
    return sum(Fraction(1, i) for i in hits) / Fraction(ranking.R if rr_hits == "mean-over-R" else len(hits))


def expected_reciprocal_rank(judged: Judged, k: int | None, *, rr_hits: str = "first") -> Fraction | None:
    """Return the mean of RR@k over all orders of tied documents, or None if the divisor depends on the order."""
    if rr_hits == "first":
        return _expected_of_the_first(judged, k)
    if not _fixed_denominator(judged, k, rr_hits=rr_hits):
        return None
    total = Fraction(0)
    for c, m, r in judged.tied:
        last = c + m if k is None else min(c + m, k)
        total += sum((Fraction(r, m * i) for i in range(c + 1, last + 1)), Fraction(0)) if r else 0
    over = judged.R if rr_hits == "mean-over-R" else len(judged.ranking(k).hits)
    return total / over if over else Fraction(0)


def _expected_of_the_first(judged: Judged, k: int | None) -> Fraction:
    for c, m, r in judged.tied:
        if r:
            last = m - r + 1 if k is None else min(m - r + 1, k - c)
            return sum((Fraction(comb(m - i, r - 1), comb(m, r) * (c + i)) for i in range(1, last + 1)), Fraction(0))
    return Fraction(0)


def _fixed_denominator(_judged: Judged, k: int | None, *, rr_hits: str) -> bool:
    return rr_hits != "mean-over-hits" or k is None


def _in_floats(top: AllQueries, *, rr_hits: str) -> Column:
    if rr_hits == "first":
        return top.first_hit(_of_rank)
    over_hits = known(rr_hits, {"mean-over-hits": True, "mean-over-R": False})
    return top.over(top.total(top.relevant, _of_rank), top.hit_count() if over_hits else top.R)


def _of_rank(rank: Column) -> Column:
    return 1 / rank


def _reads(_k: int | None, *, rr_hits: str) -> frozenset[Read]:
    of_all: dict[str, frozenset[Read]] = {"mean-over-hits": reads("relevant"), "mean-over-R": reads("relevant", "R")}
    return reads("order") | of_all.get(rr_hits, reads("first hit"))


DEFINITIONS = [
    Definition(
        "RR",
        reciprocal_rank,
        {"rel": REL, "judged_only": JUDGED_ONLY},
        in_floats=_in_floats,
        monotone=True,
        separable=_fixed_denominator,
        expectation=expected_reciprocal_rank,
        reads=_reads,
        undefined={},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
        truth="always",
    ),
]
