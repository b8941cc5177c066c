"""`ColumnQueries` of the reference on numpy: what the formulas in floats compute with."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, begins, places_in, spread
from rankproof.evaluate.fast.judged_columns import JudgedColumns, Judgments
from rankproof.reference_impl.all_queries import NoFloatForm
from rankproof.reference_impl.exact import written
from rankproof.reference_impl.ranking import Doc

Depth: TypeAlias = int | Ints | Floats | None
"""One for all queries, or one for each; None: all docs."""
Weight: TypeAlias = Callable[[Any], Floats]
SMALL, LARGE = 1e-100, 1e100
"""Sums of what is beyond these are left to exact arithmetic."""
DEEP = 4096
"""A power of more than this many factors loses digits."""
DEEPEST = 10**6
"""An ideal ranking of more docs is left to the readable formula."""


@dataclass(frozen=True)
class ColumnWorths:
    """What each of some docs is worth: their queries, and their ranks if they are docs of the run."""

    query: Ints
    value: Floats
    rank: Ints | None = None

    def within(self, k: Depth) -> "ColumnWorths":
        """As `rankproof.reference_impl.all_queries.Worths` says."""
        if self.rank is None or k is None:
            return self
        return replace(self, value=np.where(self.rank <= _each(k, self.query), self.value, 0.0))


def _each(depth: Any, query: Ints) -> Any:  # noqa: ANN401 - a number, or one for each query
    """What a depth is for the query of each row."""
    return depth[query] if isinstance(depth, np.ndarray) else depth


@dataclass(frozen=True)
class ColumnHits:
    """As `rankproof.reference_impl.all_queries.Hits` says."""

    top: JudgedColumns
    which: Ints

    @cached_property
    def query(self) -> Ints:
        """The place of the query of each."""
        return self.top.docs.query[self.which]

    @cached_property
    def rank(self) -> Ints:
        """The rank of each."""
        return self.top.rank[self.which]

    @cached_property
    def nth(self) -> Ints:
        """Which relevant doc of its query each is, from 1 on."""
        return places_in(self.query) + 1

    def of(self, column: Floats | Ints) -> Any:  # noqa: ANN401 - of the kind that the column has
        """What stands in a column of queries, for each."""
        return column[self.query]

    def down_to(self, worths: ColumnWorths) -> Ints:
        """How many docs that are worth something stand at the rank of each, or above."""
        wide = int(self.top.rank.max(initial=0)) + 1
        keys = self.top.docs.query * wide + self.top.rank
        of = keys[np.flatnonzero(worths.value)]
        first = np.searchsorted(of, self.query * wide)
        return np.asarray(np.searchsorted(of, keys[self.which], side="right") - first)

    def total(self, values: Floats) -> Floats:
        """The sum of these values, by query."""
        return self.top.per_query(self.query, values)

    def highest(self, values: Floats) -> Floats:
        """The highest of these values, by query; 0 where there is none."""
        return _highest(self.query, values, self.top.count)


def _highest(query: Ints, values: Floats, count: int) -> Floats:
    found = np.zeros(count)
    np.maximum.at(found, query, values)
    return found


def _is_plain(values: Floats) -> Bools:
    """Whether sums of these keep their digits: each is 0, or positive and of an ordinary size."""
    return np.asarray((values == 0) | ((values >= SMALL) & (values <= LARGE)))


@dataclass(frozen=True)
class _TieGroups:
    """The tie groups with relevant docs: their queries, the docs above, their sizes, the relevant docs in them and above."""

    query: Ints
    above: Ints
    tied: Ints
    relevant: Ints
    relevant_above: Ints


@dataclass(frozen=True)
class ColumnQueries:
    """As `rankproof.reference_impl.all_queries.AllQueries` says.

    Attributes:
        top: the queries, ordered and judged.
        cut: the cutoff.
        by_mean: tied docs stand in all orders.
    """

    top: JudgedColumns
    cut: Depth
    by_mean: bool = False

    @property
    def k(self) -> int | None:
        """The cutoff of all queries."""
        if isinstance(self.cut, np.ndarray):
            raise NoFloatForm
        return None if self.cut is None else int(self.cut)

    @property
    def n(self) -> Ints:
        """How many docs were retrieved."""
        return self.top.n

    @property
    def R(self) -> Ints:  # noqa: N802 - its name
        """How many docs are relevant."""
        return self.top.R

    @property
    def depth(self) -> Floats:
        """The cutoff; without one, how many docs were retrieved."""
        return self.top.n.astype(np.float64) if self.k is None else np.full(self.top.count, float(self.k))

    @cached_property
    def relevant(self) -> ColumnWorths:
        """1 for each relevant doc of the run."""
        return self._of_run(self.top.docs.relevant.astype(np.float64))

    def _of_run(self, values: Floats) -> ColumnWorths:
        return ColumnWorths(self.top.docs.query, values, self.top.rank)

    @cached_property
    def hits(self) -> ColumnHits:
        """The relevant docs of the run, cut or not."""
        if self.by_mean:
            raise NoFloatForm
        return ColumnHits(self.top, np.flatnonzero(self.top.docs.relevant))

    def cut_at(self, k: Depth) -> "ColumnQueries":
        """The same with another cutoff."""
        return replace(self, cut=k)

    # -- what docs are worth ---------------------------------------------------------------------------------------------

    def of_docs(self, worth: Callable[..., Any], **arguments: Any) -> ColumnWorths:  # noqa: ANN401 - as the function takes them
        """`worth(doc, **arguments)` of each doc of the run."""
        return self._of_run(_worths(self.top.docs, worth, arguments))

    def of_judgments(self, worth: Callable[..., Any], **arguments: Any) -> ColumnWorths:  # noqa: ANN401 - as above
        """The same of each judged doc."""
        lines = self.top.judgments
        return ColumnWorths(lines.query, _worths(lines, worth, arguments))

    def beside(
        self, worths: ColumnWorths, column: Floats, worth: Callable[[Fraction, Fraction], Fraction]
    ) -> ColumnWorths:
        """`worth(a, b)` of what a doc is worth, and of what stands in the column for its query."""
        pairs = np.stack([worths.value, column[worths.query]])
        different, at = np.unique(pairs, axis=1, return_inverse=True)
        values = [_float(worth(written(a), written(b))) for a, b in different.T.tolist()]
        return replace(worths, value=np.array(values, dtype=np.float64)[at.reshape(-1)])

    # -- sums ------------------------------------------------------------------------------------------------------------

    def total(self, worths: ColumnWorths, weight: Weight | None = None) -> Floats:
        """The sum within the cutoff of what each doc is worth times the weight of its rank."""
        some = np.flatnonzero(worths.value)
        query, values = worths.query[some], worths.value[some]
        if self.by_mean and (self.top.tied[some] > 1).any():
            share = self._mean_weights(some, weight)
        else:
            rank = self.top.rank[some]
            within = np.ones(len(some), dtype=np.bool_) if self.cut is None else rank <= _each(self.cut, query)
            share = within.astype(np.float64) if weight is None else np.where(within, weight(rank), 0.0)
        sums = self.top.per_query(query, values * share)
        lost = self.top.per_query(query[(share != 0) & ~_is_plain(values)]) > 0
        faint = (self.top.per_query(query[share != 0]) > 0) & (sums < SMALL)
        return np.where(lost | faint, np.nan, sums)

    def _mean_weights(self, docs: Ints, weight: Weight | None) -> Floats:
        """The mean weight of the ranks of each doc's tie group, those beyond the cutoff being worth 0."""
        tied = self.top.tied[docs]
        ranks, of = spread(self.top.above[docs] + 1, tied), np.repeat(np.arange(len(docs)), tied)
        worth = np.ones(len(ranks)) if weight is None else weight(ranks)
        if self.cut is not None:
            worth = np.where(ranks <= _each(self.cut, self.top.docs.query[docs][of]), worth, 0.0)
        return np.asarray(np.bincount(of, worth, minlength=len(docs)) / tied)

    def total_in_best_order(self, worths: ColumnWorths, weight: Weight, depth: Depth) -> Floats:
        """The sum of what the docs are worth, the best first, down to a depth."""
        some = worths.value > 0
        query, values = worths.query[some], worths.value[some]
        order = np.lexsort((-values, query))
        query, values = query[order], values[order]
        rank = places_in(query) + 1
        within = slice(None) if depth is None else rank <= _each(depth, query)
        sums = self.top.per_query(query[within], values[within] * weight(rank[within]))
        lost = self.top.per_query(worths.query[~_is_plain(worths.value)]) > 0
        return np.where(lost, np.nan, sums)

    def total_of_weights(self, weight: Weight, depth: Floats) -> Floats:
        """The sum of the weights of the ranks from 1 to a depth."""
        deepest = int(depth.max(initial=0))
        if deepest > DEEPEST:
            return np.full(self.top.count, np.nan)
        sums = np.append(0.0, np.cumsum(weight(np.arange(1, deepest + 1))))
        return np.asarray(sums[depth.astype(np.int64)])

    def highest(self, worths: ColumnWorths) -> Floats:
        """What the best of these docs is worth; 0 where there is none, NaN where that is no ordinary number."""
        lost = self.top.per_query(worths.query[~_is_plain(worths.value) & (worths.value > 0)]) > 0
        return np.where(lost, np.nan, _highest(worths.query, worths.value, self.top.count))

    def count(self, worths: ColumnWorths) -> Floats:
        """How many of these docs are worth something."""
        return self.top.per_query(worths.query[worths.value != 0])

    # -- by the ranks of relevant docs -----------------------------------------------------------------------------------

    @cached_property
    def _tie_groups(self) -> _TieGroups:
        top, hits = self.top, self.top.docs.relevant
        query, above = top.docs.query[hits], top.above[hits]
        new = begins(query, above)
        sizes = np.bincount(np.cumsum(new) - 1)
        return _TieGroups(query[new], above[new], top.tied[hits][new], sizes, places_in(query)[new])

    def first_hit(self, worth: Weight) -> Floats:
        """What the rank of the first relevant doc within the cutoff is worth."""
        if self.by_mean:
            return self._mean_first_hit(worth)
        found = np.zeros(self.top.count)
        within = self.hits.nth == 1
        if self.k is not None:
            within &= self.hits.rank <= self.k
        found[self.hits.query[within]] = worth(self.hits.rank[within])
        return found

    def _mean_first_hit(self, worth: Weight) -> Floats:
        """The mean, over all orders of tied docs, of what the rank of the first relevant doc is worth.

        With r relevant docs among m tied ones, the first stands at the i-th place with the probability p_i: p_1 is r / m, and p_i+1 is
        p_i (m - i - r + 1) / (m - i).
        """
        groups = self._tie_groups
        some = np.flatnonzero(groups.relevant_above == 0)
        query, above, m, r = (column[some] for column in (groups.query, groups.above, groups.tied, groups.relevant))
        last = m - r + 1 if self.k is None else np.minimum(m - r + 1, self.k - above)
        mean, share = np.zeros(len(some)), r / m
        for i in range(1, min(int(last.max(initial=0)), DEEP) + 1):
            mean += np.where(i <= last, share * worth(above + i), 0.0)
            share = share * np.maximum(m - i - r + 1, 0) / np.maximum(m - i, 1)
        values = np.zeros(self.top.count)
        values[query] = np.where(m > DEEP, np.nan, mean)
        return values

    def total_of_precisions(self) -> Floats:
        """The sum of the precisions at the relevant docs within the cutoff."""
        if not self.by_mean:
            within = slice(None) if self.k is None else self.hits.rank <= self.k
            precisions = self.hits.down_to(self.relevant) / self.hits.rank  # docs may share a rank
            return self.top.per_query(self.hits.query[within], precisions[within])
        groups = self._tie_groups
        ranks, of = spread(groups.above + 1, groups.tied), np.repeat(np.arange(len(groups.query)), groups.tied)
        within = slice(None) if self.k is None else ranks <= self.k
        ranks, of = ranks[within], of[within]
        m, r = groups.tied[of], groups.relevant[of]
        among = groups.relevant_above[of] + 1 + (ranks - groups.above[of] - 1) * (r - 1) / np.maximum(m - 1, 1)
        return self.top.per_query(groups.query[of], r / m * among / ranks)

    def hit_count(self) -> Floats:
        """How many relevant docs stand within the cutoff."""
        if self.by_mean and self.k is not None:
            raise NoFloatForm
        return self.total(self.relevant)

    def pairs(self) -> tuple[Floats, Floats]:
        """How many pairs of a relevant doc and another one are in the wrong order, and how many there are."""
        top = self.top
        count = top.per_query(top.docs.query[top.docs.relevant])
        if self.by_mean:
            groups = self._tie_groups
            below = groups.above - groups.relevant_above + (groups.tied - groups.relevant) / 2
            return top.per_query(groups.query, groups.relevant * below), count * (top.n - count)
        wrong = (self.hits.rank - self.hits.down_to(self.relevant)).astype(np.float64)
        return self.hits.total(wrong), count * (top.n - count)

    def cascade(self, worths: ColumnWorths) -> Floats:
        """The sum over ranks i of worth_i / i times the product of 1 - worth_j over the ranks j above."""
        if self.by_mean or worths.rank is None:
            raise NoFloatForm
        within = worths.value != 0
        if self.k is not None:
            within &= worths.rank <= self.k
        query, rank, share = worths.query[within], worths.rank[within], worths.value[within]
        place = places_in(query)
        values, going_on = np.zeros(self.top.count), np.ones(self.top.count)
        for i in range(int(place.max(initial=-1)) + 1):
            here = place == i
            one = query[here]
            values[one] += going_on[one] * share[here] / rank[here]
            going_on[one] *= 1 - share[here]
        lost = self.top.per_query(worths.query[(worths.value > 1) | ~_is_plain(worths.value)]) > 0
        return np.where(lost, np.nan, values)

    # -- numbers ---------------------------------------------------------------------------------------------------------

    def by_R(self, number: Callable[[int], int]) -> Ints:  # noqa: N802 - R is its name
        """`number(R)` for each query."""
        different, at = np.unique(self.top.R, return_inverse=True)
        return np.array([number(R) for R in different.tolist()], dtype=np.int64)[at]

    def over(self, a: Any, b: Any) -> Floats:  # noqa: ANN401 - a number, or one for each
        """The quotients; 0 where there is nothing to divide by."""
        a, b = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
        return np.asarray(np.divide(a, b, out=np.zeros(a.shape), where=b != 0))

    least, most, where = staticmethod(np.minimum), staticmethod(np.maximum), staticmethod(np.where)
    ln, log2 = staticmethod(np.log), staticmethod(np.log2)

    def power(self, base: float, exponent: Any) -> Floats:  # noqa: ANN401 - as above
        """Powers; NaN where one has too many factors."""
        return np.where(exponent > DEEP, np.nan, np.power(base, np.asarray(exponent, dtype=np.float64)))


def _worths(docs: Judgments, worth: Callable[..., Any], arguments: dict[str, Any]) -> Floats:
    """What each doc is worth, by the readable function for each kind of doc."""
    key = worth, *sorted(arguments.items())
    if key not in docs.kept:
        different, at = np.unique(np.nan_to_num(docs.rel), return_inverse=True)
        kinds, kind = np.unique(at * 4 + docs.is_judged * 2 + docs.relevant, return_inverse=True)
        rels = [written(float(different[one >> 2])) if one & 2 else None for one in kinds.tolist()]
        those = [Doc(rel, relevant=bool(one & 1), pooled=True) for rel, one in zip(rels, kinds.tolist(), strict=True)]
        docs.kept[key] = np.array([_float(worth(doc, **arguments)) for doc in those], dtype=np.float64)[kind]
    return docs.kept[key]


def _float(value: Any) -> float:  # noqa: ANN401 - a number of the reference, or a truth
    """The nearest float; infinity, whose sums are left to exact arithmetic, beyond the greatest."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
