"""Qrels and runs query by query, and which rows of a run are judged.

    rows as they come ──► grouped by query, no doc twice ──► the rows of the run whose doc is judged for their query

Ids are looked up by Arrow; what is compared here are the places it gives them, whole numbers that are the same only if the ids are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, NotColumnar, begins, inverse, is_repeated
from rankproof.evaluate.fast.row_columns import Ids, RowColumns

LARGEST_WHOLE = 2**53
"""Whole numbers below this are floats, and no other one is read as one of them; a larger rel is for exact arithmetic."""


@dataclass(frozen=True)
class QrelsColumns:
    """The judgments, query by query in the order in which the queries first come, no doc twice.

    Attributes:
        queries: their names.
        query: the place of its query among them, of each judgment.
        rels: of each judgment.
        docs: of each judgment.
    """

    queries: Sequence[str]
    query: Ints
    rels: Floats
    docs: Ids

    @cached_property
    def _encoded(self) -> pa.DictionaryArray:
        return self.docs.texts.dictionary_encode()

    @property
    def known(self) -> pa.LargeStringArray:
        """The ids of all judged docs, each once."""
        return self._encoded.dictionary

    @cached_property
    def _keys(self) -> tuple[Ints, Ints]:
        """A number for each pair of a query and a doc that is judged, ascending; and the judgment of each."""
        keys = self.key(self.query.astype(np.int64), np.asarray(self._encoded.indices)[self.docs.at])
        order = np.argsort(keys)
        return keys[order], order

    def key(self, query: Ints, known: Ints) -> Ints:
        """The number of a query, by its place, and of a judged doc, by its place among those known."""
        return query * len(self.known) + known

    def judgments_of(self, query: Ints, known: Ints) -> tuple[Ints, Ints]:
        """Which of these rows are judged, and of each of those the judgment.

        Args:
            query: of each row, the place of its query among those of the qrels; -1 where it is not among them.
            known: of each row, the place of its doc among all that are judged; -1 where it is not among them.
        """
        rows = np.flatnonzero(known >= 0)
        rows = rows[query[rows] >= 0]
        wanted = self.key(query[rows].astype(np.int64), known[rows])
        keys, order = self._keys
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[at] == wanted
        return rows[hit], order[at[hit]]


@dataclass(frozen=True)
class RunColumns:
    """The rows of a run, query by query in the order in which the queries first come, no doc twice.

    Attributes:
        queries: their names.
        starts: where the rows of each begin, and behind them the number of all rows.
        scores: of each row.
        ranks: of each row, where they are asked for.
        docs: of each row.
        query: of each row whose doc is judged, the place of its query among `queries`; these rows stand query by query.
        judgments: of each of those, which judgment it is.
        rows: where each of those stands among all rows.
    """

    queries: Sequence[str]
    starts: Ints
    scores: Floats
    ranks: Ints | None
    docs: Ids
    query: Ints
    judgments: Ints
    rows: Ints

    @property
    def sizes(self) -> Ints:
        """How many rows each query has."""
        return np.diff(self.starts)

    @cached_property
    def own_docs(self) -> Bools:
        """Of each row, whether its doc has the id of its query."""
        queries = pa.array(self.queries, pa.large_string()).take(
            pa.array(np.repeat(np.arange(len(self.sizes)), self.sizes))
        )
        return np.asarray(pc.equal(self.docs.taken(np.arange(len(self.scores))), queries))


def places_of(docs: Ids, known: pa.LargeStringArray) -> Ints:
    """Of each row the place of its doc among these; -1 where it is not among them."""
    places = pc.index_in(docs.texts, value_set=known).fill_null(-1)
    return np.asarray(np.asarray(places)[docs.at])


def qrels_columns(came: RowColumns) -> QrelsColumns:
    """The qrels that have these rows.

    Raises:
        NotColumnar: they are for the readable path: a doc is judged twice, or a rel is not finite or too large.
    """
    if not (np.abs(came.values) < LARGEST_WHOLE).all():
        raise NotColumnar
    refuse_docs_twice(came)
    order = _grouping(came.query)
    return QrelsColumns(came.queries, came.query[order], came.values[order], _some(came.docs, order))


def run_columns(came: RowColumns, qrels: QrelsColumns) -> RunColumns:
    """The run that has these rows.

    Raises:
        NotColumnar: it is for the readable path: a doc is retrieved twice.
    """
    refuse_docs_twice(came)
    place_of = {query: place for place, query in enumerate(qrels.queries)}
    of_qrels = np.array([place_of.get(query, -1) for query in came.queries], dtype=np.int32)
    rows, judgments = qrels.judgments_of(of_qrels[came.query], places_of(came.docs, qrels.known))
    order = _grouping(came.query)
    scores, ranks, docs = came.values, came.ranks, came.docs
    if isinstance(order, np.ndarray):
        scores, ranks, docs = scores[order], None if ranks is None else ranks[order], _some(docs, order)
        rows = inverse(order)[rows]
        by_row = np.argsort(rows)
        rows, judgments = rows[by_row], judgments[by_row]
    starts = np.append(0, np.cumsum(np.bincount(came.query, minlength=len(came.queries))))
    query = np.searchsorted(starts, rows, side="right") - 1
    return RunColumns(came.queries, starts, scores, ranks, docs, query, judgments, rows)


def _grouping(query: Ints) -> Ints | slice:
    """The order of rows in which those of a query stand together, the queries as they first come; all as it is where they do."""
    return slice(None) if bool((np.diff(query) >= 0).all()) else np.argsort(query, kind="stable")


def _some(docs: Ids, rows: Ints | slice) -> Ids:
    return Ids(docs.texts, docs.at[rows])


def refuse_docs_twice(came: RowColumns) -> None:
    """See that no doc stands twice under a query.

    Within a stretch the same doc has the same place. The docs of a query that goes on in another stretch get one dictionary for all.

    Raises:
        NotColumnar: one does.
    """
    if not len(came.stretches):
        return
    ends = np.cumsum(came.stretches)
    for low, high in zip((ends - came.stretches).tolist(), ends.tolist(), strict=True):
        if is_repeated(came.query[low:high].astype(np.int64) * len(came.docs.texts) + came.docs.at[low:high]):
            raise NotColumnar
    stretch = np.repeat(np.arange(len(ends), dtype=np.int32), came.stretches)
    first = begins(came.query, stretch)
    pairs = np.unique(np.stack([came.query[first], stretch[first]]), axis=1)
    torn = np.bincount(pairs[0], minlength=len(came.queries)) > 1
    rows = np.flatnonzero(torn[came.query])
    if len(rows):
        docs = came.docs.taken(rows).dictionary_encode()
        if is_repeated(came.query[rows].astype(np.int64) * len(docs.dictionary) + np.asarray(docs.indices)):
            raise NotColumnar
