"""`AllQueries` of the reference, implemented with NumPy for its formulas in floats."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, places_in, spread
from rankproof.evaluate.fast.judging import JudgedColumns, Judgments
from rankproof.reference_impl.all_queries import NoFloatForm
from rankproof.reference_impl.exact import written

Depth: TypeAlias = int | Ints | Floats | None
"""A depth for all queries, or one for each; None: all documents."""
Weight: TypeAlias = Callable[[Any], Floats]
Number: TypeAlias = Any
"""A number, or one for each query."""
_SMALL, _LARGE = 1e-100, 1e100
"""The range of numbers that are summed in floats; others are left to exact arithmetic."""
_MOST_FACTORS = 4096
"""The largest exponent; larger powers lose digits."""
_DEEPEST = 10**6
"""The largest ideal ranking that is computed in floats."""


@dataclass(frozen=True)
class ColumnWorths:
    """The values of some documents, with their queries, and with their ranks if they are retrieved."""

    query: Ints
    value: Floats
    rank: Ints | None = None

    def within(self, k: Depth) -> "ColumnWorths":
        """Return the values, with 0 below rank k."""
        if self.rank is None or k is None:
            return self
        return replace(self, value=np.where(self.rank <= _depth_of(k, self.query), self.value, 0.0))


def _depth_of(depth: Number, query: Ints) -> Number:
    return depth[query] if isinstance(depth, np.ndarray) else depth


def _is_plain(values: Floats) -> Bools:
    """Return, for each value, whether sums keep its digits: it is 0, or positive and of ordinary size."""
    return np.asarray((values == 0) | ((values >= _SMALL) & (values <= _LARGE)))


def _highest(query: Ints, values: Floats, count: int) -> Floats:
    highest = np.zeros(count)
    np.maximum.at(highest, query, values)
    return highest


@dataclass(frozen=True)
class ColumnHits:
    """The relevant documents of a run; see `rankproof.reference_impl.all_queries.Hits`."""

    top: JudgedColumns
    query: Ints
    rank: Ints

    @cached_property
    def nth(self) -> Ints:
        """The number of relevant documents down to each hit, within its query."""
        return places_in(self.query) + 1

    def of(self, column: Number) -> Number:
        """Return the value that a column of queries has for each hit."""
        return column[self.query]

    def down_to(self, worths: ColumnWorths) -> Ints:
        """Return the number of documents with a value at or above the rank of each hit."""
        wide = int(self.top.rank.max(initial=0)) + 1
        of = (self.top.docs.query * wide + self.top.rank)[np.flatnonzero(worths.value)]
        first = np.searchsorted(of, self.query * wide)
        return np.asarray(np.searchsorted(of, self.query * wide + self.rank, side="right") - first)

    def total(self, values: Floats) -> Floats:
        """Return the sum of the values of the hits of each query."""
        return self.top.per_query(self.query, values)

    def highest(self, values: Floats) -> Floats:
        """Return the highest value of the hits of each query; 0 if there are none."""
        return _highest(self.query, values, self.top.count)


@dataclass(frozen=True)
class ColumnQueries:
    """The ordered and judged documents of all queries; see `rankproof.reference_impl.all_queries.AllQueries`.

    Attributes:
        top: the documents by query.
        cut: the cutoff.
        by_mean: whether values are means over the orders of tied documents.
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
        """The number of retrieved documents."""
        return self.top.n

    @property
    def R(self) -> Ints:  # noqa: N802 - its name
        """The number of relevant documents."""
        return self.top.R

    @property
    def depth(self) -> Floats:
        """The cutoff, or the number of retrieved documents if there is none."""
        return self.top.n.astype(np.float64) if self.k is None else np.full(self.top.count, float(self.k))

    @cached_property
    def relevant(self) -> ColumnWorths:
        """The documents of the run, with value 1 if they are relevant."""
        return ColumnWorths(self.top.docs.query, self.top.docs.relevant.astype(np.float64), self.top.rank)

    @cached_property
    def hits(self) -> ColumnHits:
        """The relevant documents of the run."""
        if self.by_mean:
            raise NoFloatForm
        which = np.flatnonzero(self.top.docs.relevant)
        return ColumnHits(self.top, self.top.docs.query[which], self.top.rank[which])

    def cut_at(self, k: Depth) -> "ColumnQueries":
        """Return the queries with another cutoff."""
        return replace(self, cut=k)

    # -- values of documents -------------------------------------------------------------------------------------------

    def of_docs(self, worth: Callable[..., Any], **arguments: object) -> ColumnWorths:
        """Return the value of a function for each document of the run."""
        return ColumnWorths(self.top.docs.query, _worths(self.top.docs, worth, arguments), self.top.rank)

    def of_judgments(self, worth: Callable[..., Any], **arguments: object) -> ColumnWorths:
        """Return the value of a function for each judged document."""
        return ColumnWorths(self.top.judgments.query, _worths(self.top.judgments, worth, arguments))

    def combined_with_column(
        self, worths: ColumnWorths, column: Floats, worth: Callable[[Fraction, Fraction], Fraction]
    ) -> ColumnWorths:
        """Return a function of the value of each document and the value of its query in a column."""
        pairs = np.stack([worths.value, column[worths.query]])
        different, at = np.unique(pairs, axis=1, return_inverse=True)
        values = [_float(worth(written(a), written(b))) for a, b in different.T.tolist()]
        return replace(worths, value=np.array(values, dtype=np.float64)[at.reshape(-1)])

    # -- sums ----------------------------------------------------------------------------------------------------------

    def total(self, worths: ColumnWorths, weight: Weight | None = None) -> Floats:
        """Return the sum, within the cutoff, of the values of documents times the weights of their ranks."""
        some = np.flatnonzero(worths.value)
        query, values = worths.query[some], worths.value[some]
        if self.by_mean and (self.top.tied[some] > 1).any():
            tied = self.top.tied[some]
            ranks, of = spread(self.top.above[some] + 1, tied), np.repeat(np.arange(len(some)), tied)
            share = np.bincount(of, self._weights(ranks, query[of], weight), minlength=len(some)) / tied
        else:
            share = self._weights(self.top.rank[some], query, weight)
        sums = self.top.per_query(query, values * share)
        lost = self.top.per_query(query[(share != 0) & ~_is_plain(values)]) > 0
        faint = (self.top.per_query(query[share != 0]) > 0) & (sums < _SMALL)
        return np.where(lost | faint, np.nan, sums)

    def _weights(self, ranks: Ints, query: Ints, weight: Weight | None) -> Floats:
        """Return the weight of each rank; 0 beyond the cutoff."""
        weights = np.ones(len(ranks)) if weight is None else weight(ranks)
        return weights if self.cut is None else np.where(ranks <= _depth_of(self.cut, query), weights, 0.0)

    def total_in_best_order(self, worths: ColumnWorths, weight: Weight, depth: Depth) -> Floats:
        """Return the sum of values times weights in descending order of values, down to a depth."""
        some = worths.value > 0
        query, values = worths.query[some], worths.value[some]
        order = np.lexsort((-values, query))
        query, values = query[order], values[order]
        rank = places_in(query) + 1
        within = slice(None) if depth is None else rank <= _depth_of(depth, query)
        sums = self.top.per_query(query[within], values[within] * weight(rank[within]))
        lost = self.top.per_query(worths.query[~_is_plain(worths.value)]) > 0
        return np.where(lost, np.nan, sums)

    def total_of_weights(self, weight: Weight, depth: Floats) -> Floats:
        """Return the sum of the weights of the ranks from 1 to a depth."""
        deepest = int(depth.max(initial=0))
        if deepest > _DEEPEST:
            return np.full(self.top.count, np.nan)
        sums = np.append(0.0, np.cumsum(weight(np.arange(1, deepest + 1))))
        return np.asarray(sums[depth.astype(np.int64)])

    def highest(self, worths: ColumnWorths) -> Floats:
        """Return the highest value of each query; 0 if there is none, NaN if it is not of ordinary size."""
        lost = self.top.per_query(worths.query[~_is_plain(worths.value) & (worths.value > 0)]) > 0
        return np.where(lost, np.nan, _highest(worths.query, worths.value, self.top.count))

    def count(self, worths: ColumnWorths) -> Floats:
        """Return the number of documents of each query whose value is not 0."""
        return self.top.per_query(worths.query[worths.value != 0])

    # -- ranks of relevant documents -----------------------------------------------------------------------------------

    def first_hit(self, worth: Weight) -> Floats:
        """Return a function of the rank of the first relevant document within the cutoff; 0 if there is none."""
        values = np.zeros(self.top.count)
        within = (self.hits.nth == 1) & (self.k is None or self.hits.rank <= self.k)
        values[self.hits.query[within]] = worth(self.hits.rank[within])
        return values

    def total_of_precisions(self) -> Floats:
        """Return the sum of the precisions at the relevant documents within the cutoff."""
        within = slice(None) if self.k is None else self.hits.rank <= self.k
        precisions = self.hits.down_to(self.relevant) / self.hits.rank  # documents may share a rank
        return self.top.per_query(self.hits.query[within], precisions[within])

    def hit_count(self) -> Floats:
        """Return the number of relevant documents within the cutoff."""
        if self.by_mean and self.k is not None:
            raise NoFloatForm
        return self.total(self.relevant)

    def pairs(self) -> tuple[Floats, Floats]:
        """Return the number of pairs of a relevant and another document: in the wrong order, and in total."""
        count = self.hits.total(np.ones(len(self.hits.rank)))
        wrong = (self.hits.rank - self.hits.down_to(self.relevant)).astype(np.float64)
        return self.hits.total(wrong), count * (self.top.n - count)

    def cascade(self, worths: ColumnWorths) -> Floats:
        """Return the sum over ranks i of value_i / i times the product of 1 - value_j over the ranks j above."""
        if self.by_mean or worths.rank is None:
            raise NoFloatForm
        within = (worths.value != 0) & (self.k is None or worths.rank <= self.k)
        query, rank, share = worths.query[within], worths.rank[within], worths.value[within]
        place = places_in(query)
        values, remaining = np.zeros(self.top.count), np.ones(self.top.count)
        for i in range(int(place.max(initial=-1)) + 1):
            here = place == i
            own = query[here]
            values[own] += remaining[own] * share[here] / rank[here]
            remaining[own] *= 1 - share[here]
        lost = self.top.per_query(worths.query[(worths.value > 1) | ~_is_plain(worths.value)]) > 0
        return np.where(lost, np.nan, values)

    # -- numbers -------------------------------------------------------------------------------------------------------

    def by_relevant_count(self, number: Callable[[int], int]) -> Ints:
        """Return `number(R)` for each query."""
        different, at = np.unique(self.top.R, return_inverse=True)
        return np.array([number(R) for R in different.tolist()], dtype=np.int64)[at]

    def over(self, a: Number, b: Number) -> Floats:
        """Return a / b; 0 if b is 0."""
        a, b = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
        return np.asarray(np.divide(a, b, out=np.zeros(a.shape), where=b != 0))

    least, most, where = staticmethod(np.minimum), staticmethod(np.maximum), staticmethod(np.where)
    ln, log2 = staticmethod(np.log), staticmethod(np.log2)

    def power(self, base: float, exponent: Number) -> Floats:
        """Return powers; NaN if an exponent is too large."""
        return np.where(exponent > _MOST_FACTORS, np.nan, np.power(base, np.asarray(exponent, dtype=np.float64)))


def _worths(docs: Judgments, worth: Callable[..., Any], arguments: dict[str, object]) -> Floats:
    """Return the value of each document by the readable function, called once per kind of document."""
    return np.array([_float(worth(doc, **arguments)) for doc in docs.kinds.docs], dtype=np.float64)[docs.kind]


def _float(value: Number) -> float:
    """Return the nearest float, or infinity (whose sums are left to exact arithmetic) if the value is too large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
