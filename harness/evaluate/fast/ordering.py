"""Ranking in columns: the rank of each judged document of a run, and its tie group.

Rows are sorted only if they are not in order, and ids are compared only for tied judged documents. Formulas do not
need the rank of an unjudged document, because all unjudged documents count the same.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, NotColumnar, RefusedColumns, begins, inverse, spread
from rankproof.evaluate.fast.encoding import RunColumns
from rankproof.reference_impl.conventions import Conventions

_TIES = "docid-desc docid-asc input input-reversed last-rank expectation best worst unspecified"
KNOWN = {
    "order": {"score", "rank", "input"},
    "ties": set(_TIES.split()),
    "score": {"f64", "f32"},
    "score_sign": {"any", "positive"},
    "infinite": {"ordered", "rejected"},
    "run_duplicates": {"rejected", "first", "last", "both", "once"},  # columns have no duplicates
    "own_doc": {"kept", "removed"},
    "unretrieved": {"absent"},
    "ids": {"any", "text", "text-docs", "digit-queries"},  # `Collection` refuses ids
}
"""The conventions of order that the columnar path supports."""
_BY_ID = {"docid-asc", "docid-desc"}
_MANY = 64
"""The smallest number of rows of a query that is sorted alone. Smaller queries are sorted together."""


@dataclass(frozen=True)
class DocsInOrder:
    """The judged documents of a run by query and rank.

    Attributes:
        sizes: the number of ranked documents of each query of the run.
        query: the place of the query of each judged document in the run.
        grade: the place of its grade.
        rank: its rank, from 1; tied documents are ordered by the conventions, or in input order.
        above: the number of documents above its tie group.
        tied: the number of documents in its tie group.
    """

    sizes: Ints
    query: Ints
    grade: Ints
    rank: Ints
    above: Ints
    tied: Ints


def in_order(run: RunColumns, conventions: Conventions) -> DocsInOrder:
    """Return the judged documents of a run in the order of these conventions.

    Raises:
        RefusedColumns: a convention refuses the run.
    """
    if conventions.infinite == "rejected" and np.isinf(run.scores).any():
        raise RefusedColumns
    if conventions.own_doc == "removed":
        run = _with_rows(run, ~run.own_docs)
    if conventions.score_sign == "positive":
        run = _with_rows(run, run.scores > 0)
    if conventions.order == "score":
        return _scored(run, conventions)
    place = run.rows if conventions.order == "input" else _by_rank(run)
    rank = place - run.starts[run.query] + 1
    return _by_query(DocsInOrder(run.sizes, run.query, run.grade, rank, rank - 1, np.ones_like(rank)))


def _with_rows(run: RunColumns, kept: Bools) -> RunColumns:
    if kept.all():
        return run
    before, own = np.append(0, np.cumsum(kept)), kept[run.rows]
    ranks, docs = None if run.ranks is None else run.ranks[kept], run.docs.some(kept)
    return replace(
        run,
        starts=before[run.starts],
        scores=run.scores[kept],
        ranks=ranks,
        docs=docs,
        query=run.query[own],
        grade=run.grade[own],
        rows=before[run.rows[own]],
    )


def _by_query(docs: DocsInOrder) -> DocsInOrder:
    """Return the documents sorted by query and rank."""
    step = np.diff(docs.query)
    if ((step > 0) | ((step == 0) & (np.diff(docs.rank) > 0))).all():
        return docs
    order = np.lexsort((docs.rank, docs.query))
    return replace(docs, **{name: getattr(docs, name)[order] for name in ("query", "grade", "rank", "above", "tied")})


def _by_rank(run: RunColumns) -> Ints:
    if run.ranks is None:
        raise NotColumnar
    return inverse(_sorting(run.ranks, run.starts, "stable"))[run.rows]


def _sorting(values: Floats | Ints, starts: Ints, kind: Literal["stable"] | None) -> Ints:
    """Return the rows sorted by ascending value in each query; equal values in input order if `kind` is stable."""
    falls = values[1:] < values[:-1]
    inner = starts[1:-1]
    falls[inner[(inner > 0) & (inner < len(values))] - 1] = False
    queries = np.unique(np.searchsorted(starts, np.flatnonzero(falls), side="right") - 1)
    order = np.arange(len(values), dtype=np.int64)
    sizes = starts[queries + 1] - starts[queries]
    if int(sizes.sum()) < len(queries) * _MANY:
        rows = spread(starts[queries], sizes)
        order[rows] = rows[np.lexsort((values[rows], np.repeat(queries, sizes)))]
        return order
    for low, high in zip(starts[queries].tolist(), starts[queries + 1].tolist(), strict=True):
        order[low:high] = low + np.argsort(values[low:high], kind=kind)
    return order


def _scored(run: RunColumns, conventions: Conventions) -> DocsInOrder:
    with np.errstate(over="ignore"):
        rising = -(run.scores if conventions.score == "f64" else run.scores.astype(np.float32).astype(np.float64))
    order = _sorting(rising, run.starts, None if conventions.ties in _BY_ID else "stable")
    new = np.append(begins(rising[order]), True)  # where tie groups begin, and the end of the last
    new[run.starts] = True
    place, start, groups = inverse(order)[run.rows], run.starts[run.query], np.flatnonzero(new)
    group = np.cumsum(new)[place] - 1
    first, tied = groups[group], np.diff(groups)[group]
    some = np.flatnonzero(tied > 1)
    if len(some):
        place[some] = first[some] + _place_in_group(run, order, first[some], tied[some], place[some], conventions.ties)
    rank, above = place - start + 1, first - start
    return _by_query(DocsInOrder(run.sizes, run.query, run.grade, rank, above, tied))


def _place_in_group(run: RunColumns, order: Ints, first: Ints, tied: Ints, place: Ints, ties: str) -> Ints:
    """Return the place of tied documents within their groups, from 0."""
    within = place - first
    if ties == "input-reversed":
        return tied - 1 - within
    if ties not in _BY_ID:
        return within
    starts, first_rows, group = np.unique(first, return_index=True, return_inverse=True)
    sizes = tied[first_rows]
    by_id = run.docs.byte_order(order[spread(starts, sizes)])
    sorting = np.lexsort((-by_id if ties == "docid-desc" else by_id, np.repeat(np.arange(len(starts)), sizes)))
    before = np.cumsum(sizes) - sizes
    rank = inverse(sorting) - np.repeat(before, sizes)
    return np.asarray(rank[before[group] + within])
