"""Cumulated gain, discounted cumulated gain and its normalisation by the ideal ranking: CG, DCG, nDCG.

    CG@k   = sum over ranks i <= k of  gain(grade_i)
    DCG@k  = sum over ranks i <= k of  gain(grade_i) / discount(i)
    nDCG@k = DCG@k / IDCG@k,   IDCG@k = the DCG@k of the ideal ranking

    gain(grade) = grade
    discount(i) = log2(1 + i)
    ideal ranking: all judged documents by descending gain, cut at k

Range: CG and DCG 0 to infinity, nDCG 0 to 1. Negative gains can make them negative.

Disputed: four choices. In the examples, k = 2, documents of grades 2 and 3 are retrieved in this order, and a document
of grade 1 is judged but not retrieved.

    gain       linear      2/1 + 3/log2(3) = 3.89
               exp         3 + 7/log2(3) = 7.42 (2^grade - 1)
               binary      1 + 1/log2(3)
    discount   jk-2        2 + 3 = 5 (ranks 1 and 2 are not discounted)
               rank        2 + 3/2 (divides by i)
               ln          divides by ln(1 + i)
    ideal      judged      3, 2 (and 1, if it is not cut)
               given       3, 2 (only retrieved documents)
               retrieved   3, 2 (only documents retrieved within the cutoff)
               max-gain    3, 3
    ideal_cut  k           3, 2, 1 at k = 3
               min-k-n     3, 2 at k = 3, because two documents were retrieved (Elasticsearch)
               never       3, 2, 1 at any k

Edge cases: an unjudged document has gain 0. Grades below the relevance threshold keep their gain, unless
`gain_threshold` says otherwise. If the gains of the ideal ranking sum to 0 or less, the convention `norel` sets nDCG.
Ties: the mean over all orders is exact, because tied documents share their mean gain (McSherry & Najork 2008, s. 3.5).

Source: Järvelin & Kekäläinen 2002, "Cumulated Gain-Based Evaluation of IR Techniques", TOIS 20(4), s. 2 (linear gain,
no discount before rank b); Burges et al. 2005, "Learning to Rank Using Gradient Descent", ICML, s. 6 (exponential gain,
log(1 + i)); trec_eval's ndcg and ndcg_cut (linear gain, log2(1 + i)); elastic/elasticsearch pull request 154362 (an
ideal as long as the list of hits).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from operator import itemgetter

from rankproof.reference_impl.all_queries import NO_RELEVANT, AllQueries, Column, Weight, known
from rankproof.reference_impl.conventions import gain_map
from rankproof.reference_impl.definition import (
    JUDGED_ONLY,
    REL,
    ZERO_WITHOUT_MERIT,
    Definition,
    NoRelevant,
    Param,
    Read,
    reads,
)
from rankproof.reference_impl.exact import cut, ln, log, log2, two_to
from rankproof.reference_impl.ranking import Doc, Judged, Ranking


def gain_of(doc: Doc, *, gain: str, gain_threshold: str, **_others: str) -> Fraction:
    """Return the gain of a document.

    >>> two = Doc(Fraction(2), relevant=True, pooled=True)
    >>> [int(gain_of(two, gain=gain, gain_threshold="ignored")) for gain in ("linear", "exp", "binary", "map:2=9")]
    [2, 3, 1, 9]
    """
    if doc.rel is None or (gain_threshold == "applied" and not doc.relevant):
        return Fraction(0)
    if gain == "linear":
        return doc.rel
    if gain == "exp":
        return two_to(doc.rel) - 1
    return Fraction(doc.relevant) if gain == "binary" else gain_map(gain).get(doc.rel, doc.rel)


@lru_cache(maxsize=65_536)
def discount_at(i: int, discount: str) -> Fraction:
    """Return the discount at rank i, the divisor of the gain.

    >>> [discount_at(3, d) for d in ("log2", "rank", "jk-3")]
    [Fraction(2, 1), Fraction(3, 1), Fraction(1, 1)]
    """
    if discount == "log2":
        return log2(1 + i)
    if discount == "ln":
        return ln(1 + i)
    if discount == "rank":
        return Fraction(i)
    base = int(discount.removeprefix("jk-"))
    return log(max(i, base), base)


@lru_cache(maxsize=65_536)
def weight_at(i: int, discount: str) -> Fraction:
    """Return the weight of a gain at rank i: 1 over its discount."""
    return cut(1 / discount_at(i, discount))


def cumulated_gain(ranking: Ranking, *, gain: str = "linear", gain_threshold: str = "ignored") -> Fraction:
    """Compute the sum of the gains.

    >>> from rankproof.reference_impl.examples import ranked
    >>> cumulated_gain(ranked([2, 3, 1], k=2)), cumulated_gain(ranked([2, 3, 1], k=2), gain="exp")
    (Fraction(5, 1), Fraction(10, 1))
    """
    return sum((g for _, g in _gains(ranking, gain, gain_threshold)), Fraction(0))


def discounted_cumulated_gain(
    ranking: Ranking, *, gain: str = "linear", gain_threshold: str = "ignored", discount: str = "log2"
) -> Fraction:
    """Compute the sum of the gains, each divided by the discount of its rank.

    >>> from rankproof.reference_impl.examples import ranked
    >>> [str(discounted_cumulated_gain(ranked([2, 3]), discount=discount)) for discount in ("rank", "jk-2")]
    ['7/2', '5']
    >>> float(discounted_cumulated_gain(ranked([2, 3])))        # 2 + 3 / log2(3)
    3.8927892607143724
    """
    return sum((g * weight_at(i, discount) for i, g in _gains(ranking, gain, gain_threshold) if g), Fraction(0))


def normalised_dcg(
    ranking: Ranking,
    *,
    gain: str = "linear",
    gain_threshold: str = "ignored",
    discount: str = "log2",
    ideal: str = "judged",
    ideal_cut: str = "k",
) -> Fraction:
    """Compute DCG divided by the DCG of the ideal ranking.

    Raises:
        NoRelevant: the DCG of the ideal ranking is 0 or less.

    >>> from rankproof.reference_impl.examples import ranked
    >>> found = ranked([2, 3], judgments=[3, 2, 1], k=2)
    >>> float(normalised_dcg(found)), float(normalised_dcg(found, ideal_cut="never"))
    (0.9134015924715544, 0.8174935137996167)
    """
    idcg = ideal_dcg(
        ranking, gain=gain, gain_threshold=gain_threshold, discount=discount, ideal=ideal, ideal_cut=ideal_cut
    )
    if idcg <= 0:
        raise NoRelevant
    return discounted_cumulated_gain(ranking, gain=gain, gain_threshold=gain_threshold, discount=discount) / idcg


def ideal_dcg(ranking: Ranking, *, discount: str, **axes: str) -> Fraction:
    """Compute the DCG of the ideal ranking.

    >>> from rankproof.reference_impl.examples import ranked
    >>> axes = {"gain": "linear", "gain_threshold": "ignored", "ideal": "judged", "ideal_cut": "k"}
    >>> ideal_dcg(ranked([1], judgments=[1, 4], k=2), discount="rank", **axes)
    Fraction(9, 2)
    """
    gains = ideal_gains(ranking, **axes)
    return sum((g * weight_at(i, discount) for i, g in enumerate(gains, start=1) if g), Fraction(0))


def ideal_gains(ranking: Ranking, *, gain: str, gain_threshold: str, ideal: str, ideal_cut: str) -> list[Fraction]:
    """Return the gains of the ideal ranking, highest first.

    >>> from rankproof.reference_impl.examples import ranked
    >>> [str(g) for g in ideal_gains(ranked([1], judgments=[1, 4]), gain="exp", gain_threshold="ignored", ideal="judged", ideal_cut="k")]
    ['15', '1']
    """
    gains = _falling(_ideal(ranking, ideal), gain, gain_threshold)
    if ideal == "max-gain":
        return [max(gains, default=Fraction(0))] * (ranking.n if ranking.k is None else ranking.k)
    if ideal_cut == "never":
        return gains
    return gains[: ranking.k][: ranking.n if ideal_cut == "min-k-n" else None]


def _gains(ranking: Ranking, gain: str, gain_threshold: str) -> list[tuple[int, Fraction]]:
    return [(i, gain_of(doc, gain=gain, gain_threshold=gain_threshold)) for i, doc in ranking.docs]


def _falling(docs: Sequence[Doc], gain: str, gain_threshold: str) -> list[Fraction]:
    # Sorting the distinct objects is enough, and faster for thousands of documents: equal documents are one object.
    times = Counter(map(id, docs))
    kinds = {id(doc): doc for doc in docs}
    gains = [(gain_of(doc, gain=gain, gain_threshold=gain_threshold), times[key]) for key, doc in kinds.items()]
    return [value for value, count in sorted(gains, key=itemgetter(0), reverse=True) for _ in range(count)]


def _ideal(ranking: Ranking, ideal: str) -> Sequence[Doc]:
    if ideal in {"judged", "max-gain"}:
        return ranking.judgments
    return [doc for _, doc in (ranking.all_docs if ideal == "given" else ranking.docs)]


def _cg_in_floats(top: AllQueries, *, gain: str, gain_threshold: str) -> Column:
    return top.total(top.of_docs(gain_of, gain=gain, gain_threshold=gain_threshold))


def _dcg_in_floats(top: AllQueries, *, gain: str, gain_threshold: str, discount: str) -> Column:
    return top.total(top.of_docs(gain_of, gain=gain, gain_threshold=gain_threshold), _weights(top, discount))


def _weights(top: AllQueries, discount: str) -> Weight:
    """Return `weight_at` as a function of columns of ranks."""
    base = int(discount.removeprefix("jk-")) if discount.startswith("jk-") else 0
    if base:
        return lambda rank: math.log(base) / top.ln(top.most(rank, base))
    weights: dict[str, Weight] = {
        "log2": lambda rank: 1 / top.log2(rank + 1),
        "ln": lambda rank: 1 / top.ln(rank + 1),
        "rank": lambda rank: 1 / rank,
    }
    return known(discount, weights)


def _ndcg_in_floats(
    top: AllQueries, *, gain: str, gain_threshold: str, discount: str, ideal: str, ideal_cut: str
) -> Column:
    gains = top.of_docs(gain_of, gain=gain, gain_threshold=gain_threshold)
    judged = top.of_judgments(gain_of, gain=gain, gain_threshold=gain_threshold)
    weight = _weights(top, discount)
    if ideal == "max-gain":
        best = top.highest(judged) * top.total_of_weights(weight, top.depth)
    else:
        among = known(ideal, {"judged": judged, "given": gains, "retrieved": gains.within(top.k)})
        depth = known(ideal_cut, {"k": top.k, "min-k-n": top.least(top.depth, top.n), "never": None})
        best = top.total_in_best_order(among, weight, depth)
    return top.where(best == 0, NO_RELEVANT, top.over(top.total(gains, weight), best))


_DCG = {
    "log2": {"gain": "linear", "discount": "log2"},
    "exp-log2": {"gain": "exp", "discount": "log2"},
    "rank": {"gain": "linear", "discount": "rank"},
    "exp-rank": {"gain": "exp", "discount": "rank"},
}


def _as_map(gains: Mapping[int, float] | tuple[tuple[int, float], ...]) -> dict[str, str]:
    return {"gain": "map:" + ",".join(f"{rel}={gain}" for rel, gain in sorted(dict(gains).items()))}


def _fixed_ideal(judged: Judged, k: int | None, *, ideal: str, **_others: str) -> bool:
    """Return whether the ideal ranking is the same in every order of tied documents.

    An ideal ranking of the documents within the cutoff is fixed only if no document is below the cutoff.
    """
    return ideal != "retrieved" or k is None or judged.n <= k


def _reads(k: int | None, *, ideal: str, ideal_cut: str, **_others: str) -> frozenset[Read]:
    # In the ideal ranking, a document without a gain pushes one with a negative gain down.
    of_the_ideal: dict[str, frozenset[Read]] = {
        "given": reads("n"),
        "retrieved": reads("n"),
        "max-gain": reads("judgments", "n" if k is None else "k"),
    }
    of_judged = reads("judgments", "n") if ideal_cut == "min-k-n" else reads("judgments")
    return reads("order", "gains") | of_the_ideal.get(ideal, of_judged)


_PARAMS = {
    "rel": REL,
    "judged_only": JUDGED_ONLY,
    "gains": Param(None, lambda value: isinstance(value, tuple), _as_map),
    "dcg": Param(None, _DCG.__contains__, _DCG.__getitem__),
}

_of_gains = partial(Definition, params=_PARAMS, needs_relevant=False, linear=True, monotone=True, merit=gain_of)
"""Facts that all three measures share."""
_sum_of_gains = partial(
    _of_gains, reads=reads("order", "gains"), undefined={}, zero_without=ZERO_WITHOUT_MERIT, bounds=(0, math.inf)
)

DEFINITIONS = [
    _sum_of_gains("CG", cumulated_gain, in_floats=_cg_in_floats),
    _sum_of_gains("DCG", discounted_cumulated_gain, in_floats=_dcg_in_floats),
    _of_gains(
        "nDCG",
        normalised_dcg,
        in_floats=_ndcg_in_floats,
        separable=_fixed_ideal,
        reads=_reads,
        undefined={"norel": "no gain"},
        zero_without=frozenset({"docs", "judgments"}),
        bounds=(0, 1),
        truth="always",
        constant_cancels=True,
    ),
]
