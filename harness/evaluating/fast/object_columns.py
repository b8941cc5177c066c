"""Dicts of dicts, and rows that were read, as columns: their ids stay objects, and only those that matter are looked at."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from rankproof.evaluating.fast.arrays import Floats, Ints, NotColumnar
from rankproof.evaluating.fast.run_columns import LARGEST_WHOLE, ListedIds, QrelsColumns, RunColumns
from rankproof.evaluating.inputs.rows import scored
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, Row

_IDS = frozenset({str, int})
_NUMBERS = frozenset({
    int, float, bool, np.float64, np.float32, np.float16, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32,
    np.uint64,
})  # fmt: skip
"""Types whose values the readable path takes as they are."""


@dataclass(frozen=True)
class _Rows:
    """Rows by query, no doc of a query twice.

    Attributes:
        docs: query -> doc -> what stands beside it, or the place of its row within the query.
        values: what stands beside the docs, of all rows, query by query.
        places: whether `docs` has places.
        ranks: of all rows, if they are asked for.
    """

    docs: Mapping[str, Mapping[str, Any]]
    values: Floats
    places: bool = False
    ranks: Ints | None = None

    @property
    def starts(self) -> Ints:
        """Where the rows of each query begin, and the number of all."""
        sizes = np.fromiter(map(len, self.docs.values()), np.int64, len(self.docs))
        return np.append(0, np.cumsum(sizes))


def _rows_of(source: Mapping[Any, Any]) -> _Rows:
    if not set(map(type, source.values())) <= {dict}:
        raise NotColumnar
    docs = dict(zip(texts(source), _with_texts(list(source.values())), strict=True))
    if len(docs) < len(source):
        raise NotColumnar
    return _Rows(docs, numbers(_Chained(list(docs.values()))))


@dataclass(frozen=True)
class _Chained:
    """The values of dicts, one after the other, without a list of them all."""

    dicts: Sequence[dict[Any, Any]]

    def __len__(self) -> int:
        return sum(map(len, self.dicts))

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(map(dict.values, self.dicts))


def _with_texts(each: list[dict[Any, Any]]) -> list[dict[str, Any]]:
    """The same with ids that are numbers as their text."""
    kinds = set(map(type, chain.from_iterable(each)))
    if kinds <= {str}:
        return each
    told = [dict(zip(texts(own), own.values(), strict=True)) for own in each]
    if sum(map(len, told)) < sum(map(len, each)):
        raise NotColumnar
    return told


def texts(ids: Iterable[Any]) -> list[str]:
    """Ids as texts.

    Raises:
        NotColumnar: those of other types are for the readable path to refuse, or to take.
    """
    ids = list(ids)
    kinds = set(map(type, ids))
    if not kinds <= _IDS:
        raise NotColumnar
    try:
        return list(map(str, ids)) if int in kinds else ids
    except ValueError as error:  # a whole number of thousands of digits
        raise NotColumnar from error


def numbers(values: Sequence[Any] | _Chained) -> Floats:
    """Numbers as floats.

    Raises:
        NotColumnar: those of other types are for the readable path to refuse, or to take.
    """
    if not set(map(type, values)) <= _NUMBERS:
        raise NotColumnar
    try:
        return np.fromiter(iter(values), np.float64, len(values))
    except OverflowError as error:
        raise NotColumnar from error


def qrels_of_dict(source: Mapping[Any, Any]) -> QrelsColumns:
    """The qrels of a dict of dicts.

    Raises:
        NotColumnar: they are for the readable path.
    """
    return _qrels_of(_rows_of(source))


def qrels_as_read(qrels: Mapping[str, Sequence[Judgment]]) -> QrelsColumns:
    """Qrels that were read by rows.

    Raises:
        NotColumnar: they are for the readable path.
    """
    places = _once({query: [row.doc for row in rows] for query, rows in qrels.items()})
    return _qrels_of(_Rows(places, numbers([row.rel for rows in qrels.values() for row in rows]), places=True))


def _qrels_of(rows: _Rows) -> QrelsColumns:
    if not (np.abs(rows.values) <= LARGEST_WHOLE).all():
        raise NotColumnar
    starts = rows.starts
    query = np.repeat(np.arange(len(rows.docs)), np.diff(starts))
    return QrelsColumns(list(rows.docs), query, rows.values, ListedIds(list(rows.docs.values()), starts))


def run_of_dict(source: Mapping[Any, Any], qrels: QrelsColumns, conventions: Conventions) -> RunColumns:
    """The run of a dict of dicts.

    Raises:
        NotColumnar: it is for the readable path.
    """
    if conventions.order == "rank":
        raise NotColumnar
    rows = _rows_of(source)
    if scored(conventions) and np.isnan(rows.values).any():
        raise NotColumnar
    return _run_of(rows, qrels)


def run_as_read(run: Mapping[str, Sequence[Row]], qrels: QrelsColumns, *, has_ranks: bool) -> RunColumns:
    """A run that was read by rows, and its ranks if it has any that can be read.

    Raises:
        NotColumnar: it is for the readable path.
    """
    places = _once({query: [row.doc for row in rows] for query, rows in run.items()})
    rows = [row for of_query in run.values() for row in of_query]
    scores = numbers([row.score for row in rows])
    if np.isnan(scores).any():
        raise NotColumnar
    ranks = np.array([row.rank for row in rows], dtype=np.int64) if has_ranks else None
    return _run_of(_Rows(places, scores, places=True, ranks=ranks), qrels)


def _once(docs: Mapping[str, Sequence[str]]) -> dict[str, dict[str, int]]:
    """The place of each doc under its query, where none stands twice."""
    places = {query: {doc: place for place, doc in enumerate(own)} for query, own in docs.items()}
    if any(len(places[query]) < len(own) for query, own in docs.items()):
        raise NotColumnar
    return places


def _run_of(rows: _Rows, qrels: QrelsColumns) -> RunColumns:
    has_nan = not rows.places and bool(np.isnan(rows.values).any())
    docs, starts = list(rows.docs.values()), rows.starts
    of_qrels = [rows.docs.get(query, _NO_DOCS) for query in qrels.queries]
    # What stands beside a doc is a number, so that None says that the doc is not there; as a float it is NaN.
    beside = list(
        chain.from_iterable(map(own.get, judged) for own, judged in zip(of_qrels, qrels.by_query, strict=True))
    )
    found = np.array(beside, dtype=np.float64)
    there = ~np.isnan(found) if not has_nan else np.fromiter((one is not None for one in beside), np.bool_, len(beside))
    judgments = np.flatnonzero(there)
    place_of = dict(zip(rows.docs, range(len(docs)), strict=True))
    places = np.array([place_of.get(query, -1) for query in qrels.queries], dtype=np.int64)
    query = places[qrels.query[judgments]]
    if (np.diff(query) < 0).any():
        order = np.argsort(query, kind="stable")
        query, judgments = query[order], judgments[order]
    at = starts[query] + found[judgments].astype(np.int64) if rows.places else None

    def rows_of(which: Ints) -> Ints:
        return _found(docs, starts, query[which], qrels, judgments[which]) if at is None else at[which]

    scores = found[judgments] if at is None else rows.values[at]
    ids = ListedIds(docs, starts)
    return RunColumns(list(rows.docs), starts, rows.values, rows.ranks, query, judgments, scores, rows_of, ids)


_NO_DOCS: Mapping[str, Any] = {}


def _found(docs: Sequence[Mapping[str, Any]], starts: Ints, query: Ints, qrels: QrelsColumns, judgments: Ints) -> Ints:
    """Where the docs of these judgments stand among all rows."""
    first = np.searchsorted(qrels.query, np.arange(len(qrels.queries)))
    rows = np.empty(len(query), dtype=np.int64)
    for one in np.unique(query).tolist():
        places = {doc: place for place, doc in enumerate(docs[one], start=int(starts[one]))}
        own = np.flatnonzero(query == one)
        of_query = int(qrels.query[judgments[own[0]]])
        judged = list(qrels.by_query[of_query])
        rows[own] = [places[judged[i]] for i in (judgments[own] - first[of_query]).tolist()]
    return rows
