"""The formulas of the measures people ask for daily, for all queries at once, in floats.

Each stands beside the readable formula whose place it takes, and says under which conventions it does. It gives a value for each
query; infinity where the readable formula raises `NoRelevant`; and NaN where that one is to be asked, as floats would lose digits,
which they do only if terms of both signs are added. A property test holds the two equal.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankproof.evaluating.fast.arrays import Bools, Floats, Ints, begins, places_in, spread
from rankproof.evaluating.fast.judged_columns import OF_DOCS, OF_JUDGMENTS, JudgedColumns, Judgments
from rankproof.reference_impl.exact import written
from rankproof.reference_impl.measures import (
    auc,
    average_precision,
    bpref,
    counts,
    cumulated_gain,
    err,
    f_measure,
    inferred_ap,
    interpolated_precision,
    label_ranking,
    precision,
    r_precision,
    rbp,
    recall,
    reciprocal_rank,
    sets,
    success,
)
from rankproof.reference_impl.measures import judged as judged_share
from rankproof.reference_impl.ranking import Doc

Top = JudgedColumns
K = int | None
NO_RELEVANT = math.inf
SMALL, LARGE = 1e-100, 1e100
"""Gains beyond these are left to exact arithmetic."""
DEEP = 4096
"""A power of more than this many factors loses digits."""
DEEPEST = 10**6
"""An ideal ranking of more docs is left to the readable formula."""


# -- what forms share ---------------------------------------------------------------------------------------------------


def _within(top: Top, k: K | Ints) -> Bools:
    """Which docs are within the cutoff; one for all queries, or one for each."""
    if k is None:
        return np.ones(len(top.rank), dtype=np.bool_)
    return np.asarray(top.rank <= (k[top.docs.query] if isinstance(k, np.ndarray) else k))


def _hits(top: Top, k: K | Ints) -> Bools:
    return top.docs.relevant & _within(top, k)


def _up_to(top: Top, which: Bools, of: Bools) -> Ints:
    """For each of these docs, how many of those are at its rank or above, in its query."""
    wide = int(top.rank.max(initial=0)) + 1
    keys = top.docs.query * wide + top.rank
    first, last = (
        np.searchsorted(keys[of], top.docs.query[which] * wide),
        np.searchsorted(keys[of], keys[which], side="right"),
    )
    return np.asarray(last - first)


def _over(numerator: Floats, denominator: Any) -> Floats:  # noqa: ANN401 - a number, or one for each query
    denominator = np.broadcast_to(np.asarray(denominator, dtype=np.float64), numerator.shape)
    return np.asarray(np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator != 0))


def _sum(top: Top, values: Floats, k: K | Ints, weight: Callable[[Ints], Floats] | None = None) -> Floats:
    """The sum over the docs within the cutoff of value times the weight of the rank; in the mean over all orders of tied docs, if so."""
    if top.by_mean and (top.tied > 1).any():
        share = _mean_weights(top, k, weight)
    else:
        within = _within(top, k)
        share = within.astype(np.float64) if weight is None else np.where(within, weight(top.rank), 0.0)
    return top.per_query(top.docs.query, values * share)


def _mean_weights(top: Top, k: K | Ints, weight: Callable[[Ints], Floats] | None) -> Floats:
    """The mean weight of the ranks of each doc's tie group, those beyond the cutoff being worth 0."""
    ranks = spread(top.above + 1, top.tied)
    of = np.repeat(np.arange(len(top.rank)), top.tied)
    worth = np.ones(len(ranks)) if weight is None else weight(ranks)
    if k is not None:
        worth = np.where(ranks <= (k[top.docs.query][of] if isinstance(k, np.ndarray) else k), worth, 0.0)
    return np.asarray(np.bincount(of, worth, minlength=len(top.rank)) / top.tied)


def _relevance(top: Top, **_arguments: object) -> Floats:
    return top.docs.relevant.astype(np.float64)


def _pooled(top: Top, **_arguments: object) -> Floats:
    return np.ones(len(top.rank))


def _inverse(ranks: Ints) -> Floats:
    return np.asarray(1 / ranks)


def _depth(top: Top, k: K) -> Floats:
    return top.n.astype(np.float64) if k is None else np.full(top.count, float(k))


# -- sums of relevant docs -----------------------------------------------------------------------------------------------


def precisions(top: Top, k: K, *, p_denominator: str) -> Floats:
    """As `precision`."""
    return _over(_sum(top, _relevance(top), k), _p_denominator(top, k, p_denominator))


def _p_denominator(top: Top, k: K, p_denominator: str) -> Floats:
    depth = _depth(top, k)
    return {"k": depth, "min-k-n": np.minimum(depth, top.n), "min-k-R": np.minimum(depth, top.R)}[p_denominator]


def recalls(top: Top, k: K, *, r_denominator: str) -> Floats:
    """As `recall`."""
    return _over(_sum(top, _relevance(top), k), _r_denominator(top, k, r_denominator))


def _r_denominator(top: Top, k: K, r_denominator: str) -> Floats:
    capped = r_denominator == "min-k-R" and k is not None
    return np.minimum(_depth(top, k), top.R) if capped else top.R.astype(np.float64)


def f_measures(top: Top, k: K, *, beta: float = 1, f_weight: str, p_denominator: str, r_denominator: str) -> Floats:
    """As `f_measure`."""
    weight = float(written(beta) ** (2 if f_weight == "beta-squared" else 1))
    below = weight * _r_denominator(top, k, r_denominator) + _p_denominator(top, k, p_denominator)
    return _over((1 + weight) * _sum(top, _relevance(top), k), below)


def r_precisions(top: Top, _k: K) -> Floats:
    """As `r_precision`."""
    return _over(_sum(top, _relevance(top), top.R), top.R)


def set_precisions(top: Top, k: K) -> Floats:
    """As `set_precision`."""
    return precisions(top, k, p_denominator="k")


def set_recalls(top: Top, k: K) -> Floats:
    """As `set_recall`."""
    return recalls(top, k, r_denominator="R")


def set_fs(top: Top, k: K, *, beta: float = 1, f_weight: str) -> Floats:
    """As `set_f`."""
    return f_measures(top, k, beta=beta, f_weight=f_weight, p_denominator="k", r_denominator="R")


def set_average_precisions(top: Top, k: K) -> Floats:
    """As `set_average_precision`."""
    return set_precisions(top, k) * set_recalls(top, k)


def numbers_retrieved(top: Top, k: K, *, rel: float | None = None) -> Floats:
    """As `number_retrieved`."""
    return top.n.astype(np.float64) if rel is None else top.per_query(top.docs.query[_hits(top, k)])


def numbers_relevant(top: Top, _k: K) -> Floats:
    """As `number_relevant`."""
    return top.R.astype(np.float64)


def numbers_of_queries(top: Top, _k: K) -> Floats:
    """As `number_of_queries`."""
    return np.ones(top.count)


def judged_shares(top: Top, k: K, *, judged_denominator: str) -> Floats:
    """As `judged`."""
    depth = _depth(top, k)
    return _over(_sum(top, _pooled(top), k), depth if judged_denominator == "k" else np.minimum(depth, top.n))


# -- by the ranks of relevant docs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TieGroups:
    """The tie groups with relevant docs: their queries, the docs above, their sizes, the relevant docs in them and above."""

    query: Ints
    above: Ints
    tied: Ints
    relevant: Ints
    relevant_above: Ints

    def ranks(self, k: K) -> tuple[Ints, Ints]:
        """All ranks of these groups within the cutoff, and of which group each is."""
        ranks = spread(self.above + 1, self.tied)
        of = np.repeat(np.arange(len(self.query)), self.tied)
        within = slice(None) if k is None else ranks <= k
        return ranks[within], of[within]


def _tie_groups(top: Top) -> _TieGroups:
    hits = top.docs.relevant
    query, above = top.docs.query[hits], top.above[hits]
    new = begins(query, above)
    sizes = np.bincount(np.cumsum(new) - 1, minlength=int(new.sum()))
    return _TieGroups(query[new], above[new], top.tied[hits][new], sizes, places_in(query, top.count)[new])


def _first_hits(top: Top, k: K, worth: Callable[[Ints], Floats]) -> Floats:
    """The mean, over all orders of tied docs, of what the rank of the first relevant doc is worth.

    With r relevant docs among m tied ones, the first stands at the i-th place with the probability p_i: p_1 is r / m, and p_i+1 is
    p_i (m - i - r + 1) / (m - i).
    """
    groups = _tie_groups(top)
    some = np.flatnonzero(groups.relevant_above == 0)
    query, above, m, r = (column[some] for column in (groups.query, groups.above, groups.tied, groups.relevant))
    last = m - r + 1 if k is None else np.minimum(m - r + 1, k - above)
    mean, share = np.zeros(len(some)), r / m
    for i in range(1, int(last.max(initial=0)) + 1):
        mean += np.where(i <= last, share * worth(above + i), 0.0)
        share = share * np.maximum(m - i - r + 1, 0) / np.maximum(m - i, 1)
    values = np.zeros(top.count)
    values[query] = np.where(m > DEEP, np.nan, mean)
    return values


def successes(top: Top, k: K) -> Floats:
    """As `success`."""
    if top.by_mean:
        return _first_hits(top, k, lambda ranks: np.ones(len(ranks)))
    return (top.per_query(top.docs.query[_hits(top, k)]) > 0).astype(np.float64)


def reciprocal_ranks(top: Top, k: K, *, rr_hits: str) -> Floats:
    """As `reciprocal_rank`."""
    hits = _hits(top, k)
    if rr_hits != "first":
        over = top.R if rr_hits == "mean-over-R" else top.per_query(top.docs.query[hits])
        return _over(_sum(top, _relevance(top), k, _inverse), over)
    if top.by_mean:
        return _first_hits(top, k, _inverse)
    query, rank = top.docs.query[hits], top.rank[hits]
    found = np.zeros(top.count)
    first = places_in(query, top.count) == 0
    found[query[first]] = 1 / rank[first]
    return found


def _precision_sums(top: Top, k: K) -> Floats:
    """The sum of the precisions at the relevant docs; in the mean over all orders of tied docs, if so."""
    if top.by_mean:
        groups = _tie_groups(top)
        ranks, of = groups.ranks(k)
        m, r = groups.tied[of], groups.relevant[of]
        among = groups.relevant_above[of] + 1 + (ranks - groups.above[of] - 1) * (r - 1) / np.maximum(m - 1, 1)
        return top.per_query(groups.query[of], r / m * among / ranks)
    hits = _hits(top, k)
    return top.per_query(top.docs.query[hits], _up_to(top, hits, hits) / top.rank[hits])


def average_precisions(top: Top, k: K, *, ap_denominator: str) -> Floats:
    """As `average_precision`, but for the mean of P@1 to P@k."""
    n = top.n if k is None else np.minimum(top.n, k)
    denominators = {
        "R": top.R,
        "min-k-R": top.R if k is None else np.minimum(top.R, k),
        "min-k-R-n": np.minimum(top.R, n),
        "hits": top.per_query(top.docs.query[_hits(top, k)]),
    }
    return _over(_precision_sums(top, k), denominators[ap_denominator])


def label_ranking_average_precisions(top: Top, k: K) -> Floats:
    """As `label_ranking_average_precision`."""
    count = top.per_query(top.docs.query[_hits(top, k)])
    return np.where(count > 0, _over(_precision_sums(top, k), count), NO_RELEVANT)


def coverage_errors(top: Top, k: K) -> Floats:
    """As `coverage_error`."""
    hits = _hits(top, k)
    last = np.zeros(top.count)
    np.maximum.at(last, top.docs.query[hits], top.rank[hits])
    return np.where(last > 0, last, NO_RELEVANT)


def aucs(top: Top, _k: K) -> Floats:
    """As `auc`."""
    wrong, pairs = _pairs(top)
    return np.where(pairs > 0, _over(pairs - wrong, pairs), np.nan)


def ranking_losses(top: Top, _k: K) -> Floats:
    """As `ranking_loss`."""
    wrong, pairs = _pairs(top)
    return np.where(pairs > 0, _over(wrong, pairs), np.nan)


def _pairs(top: Top) -> tuple[Floats, Floats]:
    """How many pairs of a relevant and another doc are not in the right order, and how many there are."""
    hits = _hits(top, None)
    query = top.docs.query[hits]
    count = top.per_query(query)
    if top.by_mean:
        groups = _tie_groups(top)
        below = groups.above - groups.relevant_above + (groups.tied - groups.relevant) / 2
        return top.per_query(groups.query, groups.relevant * below), count * (top.n - count)
    wrong = top.per_query(query, (top.rank[hits] - _up_to(top, hits, hits)).astype(np.float64))
    return wrong, count * (top.n - count)


def interpolated_precisions(top: Top, _k: K, *, recall: float, recall_points: str, **_empty: str) -> Floats:
    """As `interpolated_precision`; of a query without docs the readable formula is asked, so nothing here is about these."""
    hits = _hits(top, None)
    query, rank = top.docs.query[hits], top.rank[hits]
    count = places_in(query, top.count) + 1
    different, at = np.unique(top.R, return_inverse=True)
    needs = [interpolated_precision.needed(recall, R, recall_points) for R in different.tolist()]
    need = np.array(needs, dtype=np.int64)[at]
    enough = count >= np.maximum(need, 1)[query]
    highest = np.zeros(top.count)
    np.maximum.at(highest, query[enough], count[enough] / rank[enough])
    return np.where(top.R == 0, NO_RELEVANT, highest)


def eleven_point_averages(top: Top, k: K, *, recall_points: str, **_empty: str) -> Floats:
    """As `eleven_point_average`."""
    levels = [level / 10 for level in range(11)]
    values = [interpolated_precisions(top, k, recall=level, recall_points=recall_points) for level in levels]
    return np.asarray(np.sum(values, axis=0) / len(levels))


def bprefs(top: Top, _k: K, *, bpref_no_nonrel: str) -> Floats:
    """As `bpref`."""
    hits = _hits(top, None)
    query = top.docs.query[hits]
    others = top.per_query(top.judgments.query) - top.R
    below = np.minimum(others, top.R)[query]
    above = np.minimum(_up_to(top, hits, top.docs.is_judged & ~top.docs.relevant), top.R[query])
    good = np.divide(below - above, below, out=np.ones(len(query)), where=above > 0)
    values = _over(top.per_query(query, good), top.R)
    return values if bpref_no_nonrel == "full" else np.where(others > 0, values, np.nan)


def inferred_aps(top: Top, _k: K, *, infap_epsilon: str) -> Floats:
    """As `inferred_ap`."""
    hits, e = _hits(top, None), float(infap_epsilon)
    rank = top.rank[hits]
    pooled = _up_to(top, hits, np.ones(len(top.rank), dtype=np.bool_)) - 1
    relevant = _up_to(top, hits, top.docs.relevant) - 1
    known = relevant + _up_to(top, hits, top.docs.is_judged & ~top.docs.relevant) + 2 * e
    share = np.divide(pooled * (relevant + e), known, out=np.zeros(len(rank)), where=known > 0)
    return _over(top.per_query(top.docs.query[hits], (1 + share) / rank), top.R)


# -- gains -------------------------------------------------------------------------------------------------------------------


def _gains(judgments: Judgments, gain: str, gain_threshold: str) -> Floats:
    """The gain of each doc, by the readable formula for each kind of doc."""
    different, at = np.unique(np.nan_to_num(judgments.rel), return_inverse=True)
    kinds, kind = np.unique(at * 4 + judgments.is_judged * 2 + judgments.relevant, return_inverse=True)
    values = [
        float(
            cumulated_gain.gain_of(
                Doc(written(float(different[kind >> 2])) if kind & 2 else None, relevant=bool(kind & 1), pooled=True),
                gain=gain, gain_threshold=gain_threshold,
            )
        )
        for kind in kinds.tolist()
    ]  # fmt: skip
    return np.array(values, dtype=np.float64)[kind]


def _doc_gains(top: Top, *, gain: str, gain_threshold: str, **_others: object) -> Floats:
    return np.asarray(_kept(top, (OF_DOCS, gain, gain_threshold), lambda: _gains(top.docs, gain, gain_threshold)))


def _kept(top: Top, key: Any, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is computed once
    if key not in top.kept:
        top.kept[key] = make()
    return top.kept[key]


def _is_plain(gains: Floats) -> Bools:
    """Whether sums of a gain keep their digits: it is 0, or positive and of an ordinary size."""
    return np.asarray((gains == 0) | ((gains >= SMALL) & (gains <= LARGE)))


def _unless_odd(top: Top, values: Floats, *columns: tuple[Judgments, Floats]) -> Floats:
    """The values, but for queries with a gain whose sums would lose digits."""
    odd = np.zeros(top.count, dtype=np.bool_)
    for judgments, gains in columns:
        odd[judgments.query[~_is_plain(gains)]] = True
    return np.where(odd, np.nan, values)


def cumulated_gains(top: Top, k: K, *, gain: str, gain_threshold: str) -> Floats:
    """As `cumulated_gain`."""
    gains = _doc_gains(top, gain=gain, gain_threshold=gain_threshold)
    return _unless_odd(top, _sum(top, gains, k), (top.docs, gains))


def discounted_cumulated_gains(top: Top, k: K, *, gain: str, gain_threshold: str, discount: str) -> Floats:
    """As `discounted_cumulated_gain`."""
    gains = _doc_gains(top, gain=gain, gain_threshold=gain_threshold)
    return _unless_odd(top, _sum(top, gains, k, _weights(discount)), (top.docs, gains))


def _weights(discount: str) -> Callable[[Ints], Floats]:
    """1 over the discount of each rank, as `weight_at`."""
    if discount in {"log2", "ln"}:
        log = np.log2 if discount == "log2" else np.log
        return lambda ranks: np.asarray(1 / log(ranks + 1.0))
    if discount == "rank":
        return _inverse
    base = int(discount.removeprefix("jk-"))
    return lambda ranks: np.asarray(math.log(base) / np.log(np.maximum(ranks, base)))


def normalised_dcgs(
    top: Top, k: K, *, gain: str, gain_threshold: str, discount: str, ideal: str, ideal_cut: str
) -> Floats:
    """As `normalised_dcg`."""
    gains = _doc_gains(top, gain=gain, gain_threshold=gain_threshold)
    given = ideal in {"given", "retrieved"}
    source = top.docs if given else top.judgments
    among = (
        gains
        if given
        else _kept(top, (OF_JUDGMENTS, gain, gain_threshold), lambda: _gains(source, gain, gain_threshold))
    )
    within = _within(top, k) if ideal == "retrieved" else np.ones(len(among), dtype=np.bool_)
    depth = {"k": k, "min-k-n": np.minimum(_depth(top, k), top.n), "never": None}[ideal_cut]
    weights = _weights(discount)
    if ideal == "max-gain":
        best = _of_highest_gain(top, k, source.query, among, weights)
    else:
        best = _of_ideal_order(top, depth, source.query[within], among[within], weights)
    values = np.divide(_sum(top, gains, k, weights), best, out=np.full(top.count, NO_RELEVANT), where=best > 0)
    values = np.where(np.isnan(best), np.nan, values)
    return _unless_odd(top, values, (top.docs, gains), (source, among))


def _of_ideal_order(
    top: Top, depth: K | Floats, query: Ints, gains: Floats, weights: Callable[[Ints], Floats]
) -> Floats:
    """The DCG of the docs by descending gain."""
    some = gains > 0
    query, gains = query[some], gains[some]
    order = np.lexsort((-gains, query))
    query, gains = query[order], gains[order]
    rank = places_in(query, top.count) + 1
    within = slice(None) if depth is None else rank <= (depth[query] if isinstance(depth, np.ndarray) else depth)
    return top.per_query(query[within], gains[within] * weights(rank[within]))


def _of_highest_gain(top: Top, k: K, query: Ints, gains: Floats, weights: Callable[[Ints], Floats]) -> Floats:
    """The DCG of as many docs as the cutoff says, all of the highest gain."""
    highest = np.zeros(top.count)
    np.maximum.at(highest, query, gains)
    depth = top.n if k is None else np.full(top.count, min(k, DEEPEST + 1))
    deepest = int(depth.max(initial=0))
    if deepest > DEEPEST:
        return np.full(top.count, np.nan)
    sums = np.append(0.0, np.cumsum(weights(np.arange(1, deepest + 1))))
    return np.asarray(highest * sums[depth])


def rank_biased_precisions(top: Top, k: K, *, p: float = 0.8, rbp_gain: str) -> Floats:
    """As `rbp`."""
    gains, among = (_rbp_gains(judgments, rbp_gain) for judgments in (top.docs, top.judgments))
    highest = np.zeros(top.count)
    np.maximum.at(highest, top.judgments.query, among)
    going_on = float(p)
    total = float(1 - written(p)) * _sum(top, gains, k, lambda ranks: np.power(going_on, ranks - 1.0))
    values = _over(total, highest) if rbp_gain == "normalised" else total
    gained = (gains > 0) & _within(top, k)
    deep = top.per_query(top.docs.query[gained & (top.above + top.tied > DEEP)]) > 0
    faint = (top.per_query(top.docs.query[gained]) > 0) & (values < SMALL)
    values = np.where(highest > 0, np.where(deep | faint, np.nan, values), NO_RELEVANT)
    return _unless_odd(top, values, (top.docs, gains), (top.judgments, among))


def _rbp_gains(judgments: Judgments, rbp_gain: str) -> Floats:
    return judgments.relevant.astype(np.float64) if rbp_gain == "binary" else np.nan_to_num(judgments.rel)


def _rbp_merit(top: Top, *, rbp_gain: str, **_others: object) -> Floats:
    return _rbp_gains(top.docs, rbp_gain)


def expected_reciprocal_ranks(top: Top, k: K, *, err_max: str) -> Floats:
    """As `err`."""
    highest = np.zeros(top.count)
    np.maximum.at(highest, top.judgments.query, top.judgments.rel)
    satisfied = _satisfactions(np.nan_to_num(top.docs.rel), highest[top.docs.query], err_max)
    within = _within(top, k)
    query, rank, share = top.docs.query[within], top.rank[within], satisfied[within]
    place = places_in(query, top.count)
    values, going_on = np.zeros(top.count), np.ones(top.count)
    for i in range(int(place.max(initial=-1)) + 1):
        here = place == i
        one = query[here]
        values[one] += going_on[one] * share[here] / rank[here]
        going_on[one] *= 1 - share[here]
    odd = _satisfactions(highest, highest, err_max) > 1
    odd[top.docs.query[(satisfied > 1) | ~_is_plain(satisfied)]] = True
    return np.where(odd, np.nan, np.where(highest > 0, values, NO_RELEVANT))


def _satisfactions(rels: Floats, highest: Floats, err_max: str) -> Floats:
    """The probability that each doc satisfies, by the readable formula for each pair of its rel and the query's highest."""
    different, at = np.unique(np.stack([rels, highest]), axis=1, return_inverse=True)
    values = [float(err.satisfaction(written(rel), err_max, written(top))) for rel, top in different.T.tolist()]
    return np.array(values, dtype=np.float64)[at.reshape(-1)]


def _rel_merit(top: Top, **_arguments: object) -> Floats:
    return np.nan_to_num(top.docs.rel)


# -- which form stands for which formula -----------------------------------------------------------------------------------


def _always(_k: K, **_arguments: object) -> bool:
    return True


@dataclass(frozen=True)
class Form:
    """A formula in floats.

    Attributes:
        values: `values(top, k, **arguments)`, a value for each query, NaN where the readable formula is to be asked.
        knows: the conventions that it takes, each with the values it knows, as they begin; what is not here it does not know.
        params: the parameters of the notation that it takes.
        merit: as the definition's, for each retrieved doc; by it the best and the worst order are found.
        means: it takes the mean over all orders of tied docs, where `by_mean` says so.
        separable: `separable(k, **arguments)`: whether `merit` and `means` serve, as the definition's for any query that this form
            gives a value for.
    """

    values: Callable[..., Floats]
    knows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    params: frozenset[str] = frozenset()
    merit: Callable[..., Floats] = _relevance
    means: bool = False
    separable: Callable[..., bool] = _always


Axes = Mapping[str, tuple[str, ...]]
_GAIN: Axes = {"gain": ("linear", "exp", "binary", "map:"), "gain_threshold": ("ignored", "applied")}
_DISCOUNT: Axes = {"discount": ("log2", "ln", "rank", "jk-")}
_IDEAL: Axes = {"ideal": ("judged", "given", "retrieved", "max-gain"), "ideal_cut": ("k", "min-k-n", "never")}
_P: Axes = {"p_denominator": ("k", "min-k-n", "min-k-R")}
_R: Axes = {"r_denominator": ("R", "min-k-R")}
_F: Axes = {"f_weight": ("beta-squared", "beta")}
_POINTS: Axes = {"recall_points": ("ceil", "trunc-09", "round"), "iprec_empty": ("0", "nan")}
_AP: Axes = {"ap_denominator": ("R", "min-k-R", "min-k-R-n", "hits")}

FORMS: Mapping[Callable[..., Any], Form] = {
    precision.precision: Form(precisions, _P, means=True),
    recall.recall: Form(recalls, _R, means=True),
    f_measure.f_measure: Form(f_measures, {**_F, **_P, **_R}, frozenset({"beta"}), means=True),
    r_precision.r_precision: Form(r_precisions, means=True),
    sets.set_precision: Form(set_precisions, means=True),
    sets.set_recall: Form(set_recalls, means=True),
    sets.set_f: Form(set_fs, _F, frozenset({"beta"}), means=True),
    sets.set_average_precision: Form(set_average_precisions, means=True),
    counts.number_retrieved: Form(numbers_retrieved, {}, frozenset({"rel"}), means=True),
    counts.number_relevant: Form(numbers_relevant, means=True),
    counts.number_of_queries: Form(numbers_of_queries, means=True),
    judged_share.judged: Form(judged_shares, {"judged_denominator": ("min-k-n", "k")}, merit=_pooled, means=True),
    success.success: Form(successes, means=True),
    reciprocal_rank.reciprocal_rank: Form(
        reciprocal_ranks, {"rr_hits": ("first", "mean-over-hits", "mean-over-R")}, means=True,
        separable=lambda k, *, rr_hits: rr_hits != "mean-over-hits" or k is None,
    ),
    average_precision.average_precision: Form(
        average_precisions, _AP, means=True, separable=lambda k, *, ap_denominator: ap_denominator != "hits" or k is None
    ),
    label_ranking.label_ranking_average_precision: Form(label_ranking_average_precisions, means=True),
    label_ranking.coverage_error: Form(coverage_errors),
    auc.auc: Form(aucs, means=True),
    auc.ranking_loss: Form(ranking_losses, means=True),
    interpolated_precision.interpolated_precision: Form(interpolated_precisions, _POINTS, frozenset({"recall"})),
    interpolated_precision.eleven_point_average: Form(eleven_point_averages, _POINTS),
    bpref.bpref: Form(bprefs, {"bpref_no_nonrel": ("full", "0", "nan")}),
    inferred_ap.inferred_ap: Form(inferred_aps, {"infap_epsilon": ("0", "1e-5")}),
    cumulated_gain.cumulated_gain: Form(cumulated_gains, _GAIN, merit=_doc_gains, means=True),
    cumulated_gain.discounted_cumulated_gain: Form(
        discounted_cumulated_gains, {**_GAIN, **_DISCOUNT}, merit=_doc_gains, means=True
    ),
    cumulated_gain.normalised_dcg: Form(
        normalised_dcgs, {**_GAIN, **_DISCOUNT, **_IDEAL}, merit=_doc_gains, means=True,
        separable=lambda k, *, ideal, **_others: ideal != "retrieved" or k is None,
    ),
    rbp.rbp: Form(
        rank_biased_precisions, {"rbp_gain": ("binary", "grade", "normalised")}, frozenset({"p"}), merit=_rbp_merit, means=True
    ),
    err.err: Form(expected_reciprocal_ranks, {"err_max": ("",)}, merit=_rel_merit),
}  # fmt: skip
"""By the readable formula itself: a measure whose formula is another has no form here."""
