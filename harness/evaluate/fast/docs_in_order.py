"""Order: which rank each judged doc of a run has, and which docs it is tied with.

    rows ──are they in order already?──► sorted only where not ──► the judged ones ──► their ids compared, only where they are tied

The rank of an unjudged doc is never asked for, as all unjudged docs are alike to every formula.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, NotColumnar, RefusedColumns, begins, inverse, spread
from rankproof.evaluate.fast.grouped_columns import RunColumns
from rankproof.evaluate.fast.row_columns import Ids
from rankproof.reference_impl.conventions import Conventions

KNOWN = {
    "order": {"score", "rank", "input"},
    "ties": {
        "docid-desc",
        "docid-asc",
        "input",
        "input-reversed",
        "last-rank",
        "expectation",
        "best",
        "worst",
        "unspecified",
    },
    "score": {"f64", "f32"},
    "score_sign": {"any", "positive"},
    "infinite": {"ordered", "rejected"},
    "run_duplicates": {"rejected", "first", "last", "both", "once"},  # no doc stands twice in columns
    "own_doc": {"kept", "removed"},
    "unretrieved": {"absent"},
    "ids": {"any", "text", "text-docs", "digit-queries"},  # which `Collection` refuses
}
"""The conventions of order that are settled here."""
BY_ID = {"docid-asc", "docid-desc"}
MANY = 64
"""Queries of so many rows are sorted one by one, smaller ones together."""


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
        groups: where each tie group begins if all rows are in order, and behind them the number of all rows.
        starts: where the rows of each query of the run begin.
    """

    sizes: Ints
    query: Ints
    judgment: Ints
    rank: Ints
    above: Ints
    tied: Ints
    groups: Ints
    starts: Ints

    def group_sizes(self, query: int) -> list[int]:
        """The sizes of the tie groups of a query of the run, best first."""
        low, high = np.searchsorted(self.groups, self.starts[query : query + 2]).tolist()
        sizes: list[int] = np.diff(self.groups[low : high + 1]).tolist()
        return sizes


def in_order(run: RunColumns, conventions: Conventions) -> DocsInOrder:
    """The judged docs of a run by these conventions.

    Raises:
        RefusedColumns: a convention refuses the run.
    """
    if conventions.infinite == "rejected" and np.isinf(run.scores).any():
        raise RefusedColumns
    if conventions.own_doc == "removed":
        run = _only(run, ~run.own_docs)
    if conventions.score_sign == "positive":
        run = _only(run, run.scores > 0)
    if conventions.order == "input":
        return _placed(run, run.rows)
    return _placed(run, _by_rank(run)) if conventions.order == "rank" else _scored(run, conventions)


def _only(run: RunColumns, kept: Bools) -> RunColumns:
    if kept.all():
        return run
    before = np.append(0, np.cumsum(kept))
    own = kept[run.rows]
    return replace(
        run,
        starts=before[run.starts],
        scores=run.scores[kept],
        ranks=None if run.ranks is None else run.ranks[kept],
        docs=Ids(run.docs.texts, run.docs.at[kept]),
        query=run.query[own],
        judgments=run.judgments[own],
        rows=before[run.rows[own]],
    )


def _placed(run: RunColumns, place: Ints) -> DocsInOrder:
    rank = place - run.starts[run.query] + 1
    alone, groups = np.ones_like(rank), np.arange(len(run.scores) + 1)
    return _by_place(DocsInOrder(run.sizes, run.query, run.judgments, rank, rank - 1, alone, groups, run.starts))


def _by_place(docs: DocsInOrder) -> DocsInOrder:
    """The same, by query and rank."""
    ahead = (np.diff(docs.query) > 0) | ((np.diff(docs.query) == 0) & (np.diff(docs.rank) > 0))
    if ahead.all():
        return docs
    order = np.lexsort((docs.rank, docs.query))
    columns = ("query", "judgment", "rank", "above", "tied")
    return replace(docs, **{column: getattr(docs, column)[order] for column in columns})


def _by_rank(run: RunColumns) -> Ints:
    """Where each judged row stands if all are sorted by their ranks."""
    if run.ranks is None:
        raise NotColumnar
    order = _sorting(run.ranks, run.starts, _not_in_order(run.ranks, run.starts))
    return inverse(order)[run.rows]


def _not_in_order(values: Floats | Ints, starts: Ints) -> Ints:
    """The queries whose values do not ascend."""
    falls = values[1:] < values[:-1]
    falls[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(values))] - 1] = False
    return np.unique(np.searchsorted(starts, np.flatnonzero(falls), side="right") - 1)


def _sorting(values: Floats | Ints, starts: Ints, queries: Ints, kind: Literal["stable"] | None = "stable") -> Ints:
    """The order of rows in which the values of these queries ascend, equal ones as they come, or in any order, which is faster."""
    order = np.arange(len(values), dtype=np.int64)
    sizes = starts[queries + 1] - starts[queries]
    if int(sizes.sum()) < len(queries) * MANY:
        rows = spread(starts[queries], sizes)
        order[rows] = rows[np.lexsort((values[rows], np.repeat(queries, sizes)))]
        return order
    for low, high in zip(starts[queries].tolist(), starts[queries + 1].tolist(), strict=True):
        order[low:high] = low + np.argsort(values[low:high], kind=kind)
    return order


def _scored(run: RunColumns, conventions: Conventions) -> DocsInOrder:
    rising = -_precision(run.scores, conventions)
    unsorted = _not_in_order(rising, run.starts)
    order = _sorting(rising, run.starts, unsorted, None if conventions.ties in BY_ID else "stable")
    new = np.append(begins(rising[order]), True)  # where a tie group begins, or would begin behind the last row
    new[run.starts] = True
    place, start, groups = inverse(order)[run.rows], run.starts[run.query], np.flatnonzero(new)
    group = np.cumsum(new)[place] - 1
    first, tied = groups[group], np.diff(groups)[group]
    some = np.flatnonzero(tied > 1)
    if len(some):
        place[some] = first[some] + _within(run, order, first[some], tied[some], place[some], conventions.ties)
    rank, above = place - start + 1, first - start
    return _by_place(DocsInOrder(run.sizes, run.query, run.judgments, rank, above, tied, groups, run.starts))


def _precision(scores: Floats, conventions: Conventions) -> Floats:
    if conventions.score == "f64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _within(run: RunColumns, order: Ints, first: Ints, tied: Ints, place: Ints, ties: str) -> Ints:
    """The place of each of these tied docs within its group, from 0 on, where the groups of some begin and what they hold."""
    within = place - first
    if ties == "input-reversed":
        return tied - 1 - within
    if ties not in BY_ID:
        return within
    starts, one, group = np.unique(first, return_index=True, return_inverse=True)
    sizes = tied[one]
    by_id = run.docs.byte_order(order[spread(starts, sizes)])
    of = np.repeat(np.arange(len(starts)), sizes)
    sorting = np.lexsort((-by_id if ties == "docid-desc" else by_id, of))
    before = np.cumsum(sizes) - sizes
    rank = inverse(sorting) - np.repeat(before, sizes)
    return np.asarray(rank[before[group] + within])
