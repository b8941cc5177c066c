"""Order: which rank each judged doc of a run has, and which docs it is tied with.

    rows ──are they in order already?──► sorted only where not ──► the judged ones ──► their ids compared, only where they are tied

The rank of an unjudged doc is never asked for, as all unjudged docs are alike to every formula.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankproof.evaluating.fast.arrays import Floats, Ints, NotColumnar, spread
from rankproof.evaluating.fast.run_columns import DocIds, RunColumns
from rankproof.reference_impl.conventions import Conventions

KNOWN = {
    "order": {"score", "rank", "input"},
    "ties": {
        "docid-desc", "docid-asc", "input", "input-reversed", "last-rank", "expectation", "best", "worst", "unspecified",
    },
    "score": {"f64", "f32"},
    "score_sign": {"any", "positive"},
    "infinite": {"ordered", "rejected"},
    "run_duplicates": {"rejected", "first", "last", "both", "once"},  # no doc stands twice in columns
    "unretrieved": {"absent"},
    "ids": {"any", "text", "text-docs", "digit-queries"},  # which `Collection` refuses
}  # fmt: skip
"""The conventions of order that are settled here."""


@dataclass(frozen=True)
class DocsInOrder:
    """The judged docs of a run, query by query, in each by rank.

    Attributes:
        sizes: how many docs of each query of the run are ranked.
        query: of each judged doc, the place of its query in the run.
        judgment: which judgment it has.
        rank: its rank, from 1 on; tied docs stand as the conventions say, or as they came where these name no order.
        above: how many docs stand above its tie group.
        tied: how many docs are in its tie group.
        starts: where the rows of each query of the run begin.
        scores: of all rows, in order; None where each doc has a place of its own.
    """

    sizes: Ints
    query: Ints
    judgment: Ints
    rank: Ints
    above: Ints
    tied: Ints
    scores: Floats | None
    starts: Ints

    @cached_property
    def _begins(self) -> Ints:
        """Where tie groups begin, and the number of all rows."""
        return np.array([], dtype=np.int64) if self.scores is None else _group_starts(self.scores, self.starts)

    def group_sizes(self, query: int) -> list[int]:
        """The sizes of the tie groups of a query of the run, best first."""
        if self.scores is None:
            return [1] * int(self.sizes[query])
        low, high = np.searchsorted(self._begins, self.starts[query : query + 2])
        sizes: list[int] = np.diff(self._begins[low : high + 1]).tolist()
        return sizes


def in_order(run: RunColumns, conventions: Conventions) -> DocsInOrder:
    """The judged docs of a run by these conventions.

    Raises:
        NotColumnar: a convention refuses the run.
    """
    if conventions.infinite == "rejected" and np.isinf(run.scores).any():
        raise NotColumnar
    if conventions.score_sign == "positive":
        run = _positive(run)
    query = np.searchsorted(run.starts, run.rows, side="right") - 1
    if conventions.order == "input":
        return _placed(run, query, run.rows)
    if conventions.order == "rank":
        return _placed(run, query, _by_rank(run))
    return _scored(run, query, conventions)


@dataclass(frozen=True)
class _Some:
    """The ids of some of the rows."""

    docs: DocIds
    rows: Ints

    def byte_order(self, rows: Ints) -> Ints:
        return self.docs.byte_order(self.rows[rows])


def _positive(run: RunColumns) -> RunColumns:
    kept = run.scores > 0
    if kept.all():
        return run
    before = np.append(0, np.cumsum(kept))
    found = kept[run.rows]
    return RunColumns(
        run.queries, before[run.starts], run.scores[kept], None if run.ranks is None else run.ranks[kept],
        before[run.rows[found]], run.judgments[found], _Some(run.docs, np.flatnonzero(kept)),
    )  # fmt: skip


def _placed(run: RunColumns, query: Ints, place: Ints) -> DocsInOrder:
    rank = place - run.starts[query] + 1
    return _by_place(
        DocsInOrder(run.sizes, query, run.judgments, rank, rank - 1, np.ones_like(rank), None, run.starts)
    )


def _by_place(docs: DocsInOrder) -> DocsInOrder:
    """The same, by query and rank."""
    ahead = (np.diff(docs.query) > 0) | ((np.diff(docs.query) == 0) & (np.diff(docs.rank) > 0))
    if ahead.all():
        return docs
    order = np.lexsort((docs.rank, docs.query))
    columns = (docs.query, docs.judgment, docs.rank, docs.above, docs.tied)
    return DocsInOrder(docs.sizes, *(column[order] for column in columns), docs.scores, docs.starts)


def _by_rank(run: RunColumns) -> Ints:
    """Where each judged row stands if all are sorted by their ranks."""
    if run.ranks is None:
        raise NotColumnar
    order = _sorted_where_needed(run.ranks, run.starts)
    return run.rows if order is None else _inverse(order)[run.rows]


def _inverse(order: Ints) -> Ints:
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def _sorted_where_needed(values: Floats | Ints, starts: Ints) -> Ints | None:
    """The order of rows in which the values of each query ascend, equal ones as they come; None if they do already."""
    falls = values[1:] < values[:-1]
    falls[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(values))] - 1] = False
    queries = np.unique(np.searchsorted(starts, np.flatnonzero(falls), side="right") - 1)
    if not len(queries):
        return None
    order = np.arange(len(values), dtype=np.int64)
    for low, high in zip(starts[queries].tolist(), starts[queries + 1].tolist(), strict=True):
        order[low:high] = low + np.argsort(values[low:high], kind="stable")
    return order


def _scored(run: RunColumns, query: Ints, conventions: Conventions) -> DocsInOrder:
    scores = run.scores
    if conventions.score == "f32":
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    order = _sorted_where_needed(-scores, run.starts)
    place = run.rows
    if order is not None:
        scores, place = scores[order], _inverse(order)[run.rows]
    start = run.starts[query]
    rank = place - start + 1
    above, tied = rank - 1, np.ones_like(rank)
    several = _is_tied(scores, place, start, run.starts[query + 1])
    if len(several):
        begins = _group_starts(scores, run.starts)
        group = np.searchsorted(begins, place[several], side="right") - 1
        above[several] = begins[group] - start[several]
        tied[several] = begins[group + 1] - begins[group]
        within = _within(run.docs, order, begins, group, place[several], conventions.ties)
        rank[several] = above[several] + 1 + within
    return _by_place(DocsInOrder(run.sizes, query, run.judgments, rank, above, tied, scores, run.starts))


def _is_tied(scores: Floats, place: Ints, start: Ints, end: Ints) -> Ints:
    """Which of these places have a neighbour of the same score."""
    last = len(scores) - 1
    before = (place > start) & (scores[np.maximum(place - 1, 0)] == scores[place])
    behind = (place + 1 < end) & (scores[np.minimum(place + 1, last)] == scores[place])
    return np.flatnonzero(before | behind)


def _group_starts(scores: Floats, starts: Ints) -> Ints:
    """Where tie groups begin, and the number of all rows."""
    new = np.ones(len(scores) + 1, dtype=np.bool_)
    new[1:-1] = scores[1:] != scores[:-1]
    new[starts] = True
    return np.flatnonzero(new)


def _within(docs: DocIds, order: Ints | None, begins: Ints, group: Ints, place: Ints, ties: str) -> Ints:
    """The place of each tied doc within its group, from 0 on."""
    if ties == "input-reversed":
        return begins[group + 1] - 1 - place
    if ties not in {"docid-asc", "docid-desc"}:
        return place - begins[group]
    groups = np.unique(group)
    sizes = begins[groups + 1] - begins[groups]
    places = spread(begins[groups], sizes)
    by_id = docs.byte_order(places if order is None else order[places])
    of = np.repeat(np.arange(len(groups)), sizes)
    sorting = np.lexsort((-by_id if ties == "docid-desc" else by_id, of))
    rank = np.empty(len(places), dtype=np.int64)
    rank[sorting] = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    at = np.searchsorted(groups, group)
    return rank[(np.cumsum(sizes) - sizes)[at] + place - begins[group]]
