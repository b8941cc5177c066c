"""Order: which rank each judged doc of a run has, and which docs it is tied with.

    rows ──are they in order already?──► sorted only where not ──► the judged ones ──► their ids compared, only where they are tied

The rank of an unjudged doc is never asked for, as all unjudged docs are alike to every formula.
"""

from dataclasses import dataclass, replace

import numpy as np

from rankproof.evaluating.fast.arrays import Floats, Ints, NotColumnar, inverse, spread
from rankproof.evaluating.fast.grouped_columns import RunColumns
from rankproof.evaluating.fast.row_columns import Ids
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
MANY = 64
"""Queries of so many rows are sorted one by one, smaller ones together."""
AT_ONCE = 2**14
"""How many docs are compared with all of their query at once."""


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
        scores: of all rows, in any order; None where each doc has a place of its own.
    """

    sizes: Ints
    query: Ints
    judgment: Ints
    rank: Ints
    above: Ints
    tied: Ints
    scores: Floats | None
    starts: Ints

    def group_sizes(self, query: int) -> list[int]:
        """The sizes of the tie groups of a query of the run, best first."""
        if self.scores is None:
            return [1] * int(self.sizes[query])
        scores = np.sort(self.scores[self.starts[query] : self.starts[query + 1]])
        ends = np.append(np.flatnonzero(scores[1:] != scores[:-1]) + 1, len(scores))
        sizes: list[int] = np.diff(np.append(0, ends)).tolist()[::-1] if len(scores) else []
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
    if conventions.order == "input":
        return _placed(run, run.rows)
    return _placed(run, _by_rank(run)) if conventions.order == "rank" else _scored(run, conventions)


def _positive(run: RunColumns) -> RunColumns:
    kept = run.scores > 0
    if kept.all():
        return run
    before = np.append(0, np.cumsum(kept))
    own = kept[run.rows]
    return replace(
        run, starts=before[run.starts], scores=run.scores[kept], ranks=None if run.ranks is None else run.ranks[kept],
        docs=Ids(run.docs.texts, run.docs.at[kept]), query=run.query[own], judgments=run.judgments[own],
        rows=before[run.rows[own]],
    )  # fmt: skip


def _placed(run: RunColumns, place: Ints) -> DocsInOrder:
    rank = place - run.starts[run.query] + 1
    alone = np.ones_like(rank)
    return _by_place(DocsInOrder(run.sizes, run.query, run.judgments, rank, rank - 1, alone, None, run.starts))


def _by_place(docs: DocsInOrder) -> DocsInOrder:
    """The same, by query and rank."""
    ahead = (np.diff(docs.query) > 0) | ((np.diff(docs.query) == 0) & (np.diff(docs.rank) > 0))
    if ahead.all():
        return docs
    order = np.lexsort((docs.rank, docs.query))
    query, judgment, rank, above, tied = (
        column[order] for column in (docs.query, docs.judgment, docs.rank, docs.above, docs.tied)
    )
    return DocsInOrder(docs.sizes, query, judgment, rank, above, tied, docs.scores, docs.starts)


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


def _sorting(values: Floats | Ints, starts: Ints, queries: Ints) -> Ints:
    """The order of rows in which the values of these queries ascend, equal ones as they come."""
    order = np.arange(len(values), dtype=np.int64)
    sizes = starts[queries + 1] - starts[queries]
    if int(sizes.sum()) < len(queries) * MANY:
        rows = spread(starts[queries], sizes)
        order[rows] = rows[np.lexsort((values[rows], np.repeat(queries, sizes)))]
        return order
    for low, high in zip(starts[queries].tolist(), starts[queries + 1].tolist(), strict=True):
        order[low:high] = low + np.argsort(values[low:high], kind="stable")
    return order


def _scored(run: RunColumns, conventions: Conventions) -> DocsInOrder:
    falling = _precision(run.scores, conventions)
    above, tied = _counted(-falling, -falling[run.rows], run)
    rank = above + 1
    several = np.flatnonzero(tied > 1)
    if len(several):
        rank[several] += _within(run, -falling, several, above[several], tied[several], conventions.ties)
    return _by_place(DocsInOrder(run.sizes, run.query, run.judgments, rank, above, tied, falling, run.starts))


def _precision(scores: Floats, conventions: Conventions) -> Floats:
    if conventions.score == "f64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _counted(rising: Floats, own: Floats, run: RunColumns) -> tuple[Ints, Ints]:
    """How many docs stand above each judged doc, and how many are of its score, which is itself among them."""
    above, tied = np.zeros(len(own), dtype=np.int64), np.ones(len(own), dtype=np.int64)
    bounds = np.searchsorted(run.query, np.arange(len(run.queries) + 1))
    some = np.diff(bounds) > 0
    small = some & (run.sizes < MANY)
    _compare(rising, own, run, np.flatnonzero(small[run.query]), above, tied)
    large = np.flatnonzero(some & ~small)
    sort = np.isin(large, _not_in_order(rising, run.starts))
    spans = (run.starts[large], run.starts[large + 1], bounds[large], bounds[large + 1], sort)
    for start, end, low, high, unsorted in zip(*(span.tolist() for span in spans), strict=True):
        values = np.sort(rising[start:end]) if unsorted else rising[start:end]
        found = values.searchsorted(own[low:high])
        above[low:high] = found
        tied[low:high] = values.searchsorted(own[low:high], "right") - found
    return above, tied


def _compare(rising: Floats, own: Floats, run: RunColumns, which: Ints, above: Ints, tied: Ints) -> None:
    """The same for judged docs of small queries: each is compared with every row of its query."""
    for some in np.array_split(which, len(which) // AT_ONCE + 1):
        query = run.query[some]
        sizes = run.sizes[query]
        values = rising[spread(run.starts[query], sizes)]
        each = np.repeat(own[some], sizes)
        ends = np.cumsum(sizes)
        for counts, hold in ((above, values < each), (tied, values == each)):
            sums = np.append(0, np.cumsum(hold))
            counts[some] = sums[ends] - sums[ends - sizes]


def _within(run: RunColumns, rising: Floats, which: Ints, above: Ints, tied: Ints, ties: str) -> Ints:
    """The place of each of these tied docs within its group, from 0 on."""
    queries, query = np.unique(run.query[which]), run.query[which]
    order = _sorting(rising, run.starts, queries)
    place = inverse(order)[run.rows[which]] - run.starts[query] - above
    if ties == "input-reversed":
        return tied - 1 - place
    if ties not in {"docid-asc", "docid-desc"}:
        return place
    starts, first, group = np.unique(run.starts[query] + above, return_index=True, return_inverse=True)
    sizes = tied[first]
    by_id = run.docs.byte_order(order[spread(starts, sizes)])
    of = np.repeat(np.arange(len(starts)), sizes)
    sorting = np.lexsort((-by_id if ties == "docid-desc" else by_id, of))
    begins = np.cumsum(sizes) - sizes
    rank = inverse(sorting) - np.repeat(begins, sizes)
    return np.asarray(rank[begins[group] + place])
