"""Encoding of ids as numbers by Arrow: qrels and a run grouped by query, and the judged rows of the run."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, repeat
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, NotColumnar, begins, inverse, is_repeated
from rankproof.evaluate.inputs.rows import LONGEST, Columns, Values, needs_scores, refuse_size
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.ranking import Judgment, QueryRow

T = TypeVar("T")
Array: TypeAlias = Any
"""An Arrow array of any type."""
LARGEST_WHOLE = 2**53
"""The limit below which whole numbers are exact as floats."""
_AT_ONCE = 2**16
"""The number of rows that share a dictionary of ids; this size fits the cache of a processor."""


class Ids:
    """The ids of rows, as Arrow texts and the place of the text of each row, or as a list.

    Attributes:
        listed: the id of each row, if the ids are a Python list.
    """

    def __init__(self, texts: pa.LargeStringArray | None, at: Ints | None, listed: Sequence[str] = ()) -> None:
        self._texts, self._at, self.listed = texts, at, listed

    @cached_property
    def texts(self) -> pa.LargeStringArray:
        """The texts of the ids, possibly with duplicates."""
        return self._texts if self._texts is not None else _joined([_texts(array) for array in _arrays(self.listed)])

    @cached_property
    def at(self) -> Ints:
        """The place of the id of each row among the texts."""
        return np.arange(len(self.listed), dtype=np.int32) if self._at is None else self._at

    def some(self, rows: Ints | Bools | slice) -> "Ids":
        """Return the ids of some rows."""
        return self if isinstance(rows, slice) else Ids(self.texts, self.at[rows])

    def taken(self, rows: Ints) -> pa.LargeStringArray:
        """Return the ids of these rows as Arrow texts."""
        if self.listed and "texts" not in self.__dict__:
            return _joined([_texts(array) for array in _arrays([self.listed[row] for row in rows.tolist()])])
        return self.texts.take(pa.array(self.at[rows]))

    def byte_order(self, rows: Ints) -> Ints:
        """Return the position of each of these rows in the byte order (UTF-8) of ids; equal ids have equal positions.

        >>> ids = Ids(pa.array(["é", "b", "a"], pa.large_string()), np.array([0, 1, 2, 1]))
        >>> ids.byte_order(np.arange(4)).tolist()
        [2, 1, 0, 1]
        """
        return np.asarray(pc.rank(self.taken(rows), sort_keys="ascending", tiebreaker="dense")).astype(np.int64) - 1


@dataclass(frozen=True)
class Encoded:
    """Rows of qrels or a run in input order, with queries and documents as numbers.

    Attributes:
        queries: the queries in the order of their first rows.
        query: the place of the query of each row.
        docs: the document of each row.
        stretch: the stretch of each row, within which equal ids have equal places; empty if duplicates are impossible.
        values: the grade or the score of each row.
        ranks: the rank of each row.
        dicts: the documents of each query, if all their ids are texts in dicts.
    """

    queries: Sequence[str]
    query: Ints
    docs: Ids
    stretch: Ints
    values: Floats
    ranks: Ints | None = None
    dicts: Sequence[Mapping[str, Any]] = ()


def encode(columns: Columns, conventions: Conventions | None = None) -> Encoded:
    """Return columns with ids as numbers. For a run, `conventions` say whether ranks are needed and NaN is refused.

    Raises:
        NotColumnar: an id or a number needs the exact path.
    """
    values = _floats(columns.value, booleans=not columns.is_text)
    if not len(values) or (conventions is not None and needs_scores(conventions) and np.isnan(values).any()):
        raise NotColumnar
    refuse_size(columns.name, rows=len(values))
    ranks = _ranks(columns.rank) if conventions is not None and conventions.order == "rank" else None
    if columns.sizes is None:
        queries, query = _grouped(_arrays(columns.query))
    else:
        queries = list(chain.from_iterable(_texts(array).to_pylist() for array in _arrays(columns.query)))
        query = np.repeat(np.arange(len(columns.sizes), dtype=np.int32), columns.sizes)
    if len(set(queries)) < len(queries):
        raise NotColumnar
    if columns.dicts and set(map(type, columns.doc)) == {str}:
        return Encoded(
            queries, query, Ids(None, None, columns.doc), np.zeros(0, np.int32), values, ranks, columns.dicts
        )
    parts = [part for array in _arrays(columns.doc) for part in _dictionaries(array)]
    starts = np.cumsum([0, *(len(part.dictionary) for part in parts)]).astype(np.int32)
    at = [np.asarray(part.indices) + start for part, start in zip(parts, starts, strict=False)]
    ids = Ids(_joined([part.dictionary for part in parts]), np.concatenate(at))
    stretch = np.repeat(np.arange(len(parts), dtype=np.int32), list(map(len, parts)))
    return Encoded(queries, query, ids, stretch, values, ranks)


def _grouped(arrays: Sequence[Any]) -> tuple[list[str], Ints]:
    """Return the distinct queries, and the place of the query of each row."""
    places: dict[str, int] = {}
    codes = []
    for part in (part for array in arrays for part in _dictionaries(array)):
        at = np.asarray(part.indices)
        first = np.flatnonzero(begins(at))
        names = part.dictionary.take(pa.array(at[first])).to_pylist()
        own = np.array([places.setdefault(name, len(places)) for name in names], dtype=np.int32)
        codes.append(np.repeat(own, np.diff(np.append(first, len(at)))))
    return list(places), np.concatenate(codes)


# -- arrays of Arrow -----------------------------------------------------------------------------------------------------


def _arrays(column: Values) -> list[Array]:
    """Return a column as Arrow arrays.

    Raises:
        NotColumnar: Arrow has no type for the column.
    """
    try:
        array = column.to_arrow() if hasattr(column, "to_arrow") else column
        if not isinstance(array, pa.Array | pa.ChunkedArray):
            array = pa.array(array, from_pandas=not isinstance(array, list))
        chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
        return [chunk.cast(pa.large_string()) if str(chunk.type) == "string_view" else chunk for chunk in chunks]
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise NotColumnar from error


def _dictionaries(array: Array) -> Iterator[pa.DictionaryArray]:
    """Yield ids as dictionaries of texts, one for each part of the rows."""
    is_coded = isinstance(array, pa.DictionaryArray)
    pieces = [array] if is_coded else (array.slice(low, _AT_ONCE) for low in range(0, len(array), _AT_ONCE))
    for piece in pieces:
        coded = piece if is_coded else piece.dictionary_encode()
        if coded.null_count:
            raise NotColumnar
        yield pa.DictionaryArray.from_arrays(coded.indices, _texts(coded.dictionary))


def _texts(array: Array) -> pa.LargeStringArray:
    """Return ids, texts or whole numbers, as texts.

    Raises:
        NotColumnar: an id is missing, has another type, or is too long.
    """
    kind = array.type
    is_id = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)
    if array.null_count or not (is_id or not len(array)):
        raise NotColumnar
    texts = array.cast(pa.large_string())
    if (pc.max(pc.binary_length(texts)).as_py() or 0) > LONGEST:
        raise NotColumnar
    return texts


def _joined(arrays: Sequence[Any]) -> pa.LargeStringArray:
    return pa.chunked_array(arrays, pa.large_string()).combine_chunks()


def _floats(column: Values, *, booleans: bool) -> Floats:
    """Return numbers as floats.

    Raises:
        NotColumnar: a number is missing, or has another type.
    """
    chunks = _arrays(column)
    for chunk in chunks:
        kind = chunk.type
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or (booleans and pa.types.is_boolean(kind))
        if chunk.null_count or not is_number:
            raise NotColumnar
    return np.concatenate(
        [chunk.to_numpy(zero_copy_only=False).astype(np.float64) for chunk in chunks] or [np.zeros(0)]
    )


def _ranks(column: Values) -> Ints:
    values = _floats(column, booleans=False)
    if not ((np.abs(values) < LARGEST_WHOLE) & (values == np.trunc(values))).all():
        raise NotColumnar
    return values.astype(np.int64)


# -- query by query ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QrelsColumns:
    """The judgments by query, in the order of the first rows of queries, without duplicates.

    Attributes:
        queries: the names of the queries.
        query: the place of the query of each judgment.
        grades: the distinct grades.
        grade: the place of the grade of each judgment.
        docs: the document of each judgment.
        dicts: the documents of each query, if all their ids are texts in dicts.
    """

    queries: Sequence[str]
    query: Ints
    grades: Floats
    grade: Ints
    docs: Ids
    dicts: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def _encoded(self) -> pa.DictionaryArray:
        return self.docs.texts.dictionary_encode()

    @cached_property
    def _keys(self) -> tuple[Ints, Ints]:
        """A number for each judged pair of query and document, ascending, and the grade of each pair."""
        keys = self._key(self.query.astype(np.int64), np.asarray(self._encoded.indices)[self.docs.at])
        order = np.argsort(keys)
        return keys[order], self.grade[order]

    def _key(self, query: Ints, doc: Ints) -> Ints:
        return query * len(self._encoded.dictionary) + doc

    def looked_up(self, judged: Sequence[Mapping[str, Any]], run: Encoded) -> tuple[Ints, Ints]:
        """Return the judged rows of a run and their grades, from the judgments of each of its queries as dicts."""
        grades = (map(own.get, docs, repeat(math.nan)) for own, docs in zip(judged, run.dicts, strict=True))
        of_rows = np.fromiter(chain.from_iterable(grades), np.float64, len(run.values))
        rows = np.flatnonzero(~np.isnan(of_rows))
        return rows, np.searchsorted(self.grades, of_rows[rows])

    def judged(self, query: Ints, docs: Ids) -> tuple[Ints, Ints]:
        """Return the judged rows of a run and their grades; `query` is -1 if the qrels lack the query."""
        places = pc.index_in(docs.texts, value_set=self._encoded.dictionary).fill_null(-1)
        known = np.asarray(places)[docs.at]
        rows = np.flatnonzero(known >= 0)
        rows = rows[query[rows] >= 0]
        wanted = self._key(query[rows].astype(np.int64), known[rows])
        keys, grades = self._keys
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[at] == wanted
        return rows[hit], grades[at[hit]]


@dataclass(frozen=True)
class RunColumns:
    """The rows of a run by query, in the order of the first rows of queries, without duplicates.

    Attributes:
        queries: the names of the queries.
        starts: the place of the first row of each query, and the number of all rows.
        scores: the score of each row.
        ranks: the rank of each row, if ranks are needed.
        docs: the document of each row.
        query: the place of the query of each judged row, in the order of rows.
        grade: the place of the grade of each judged row.
        rows: the place of each judged row among all rows.
        interleaved: the queries whose rows are separated by rows of other queries in the input.
    """

    queries: Sequence[str]
    starts: Ints
    scores: Floats
    ranks: Ints | None
    docs: Ids
    query: Ints
    grade: Ints
    rows: Ints
    interleaved: Sequence[str] = ()

    @property
    def sizes(self) -> Ints:
        """The number of rows of each query."""
        return np.diff(self.starts)

    @cached_property
    def own_docs(self) -> Bools:
        """The rows whose document has the id of its query, as booleans."""
        queries = pa.array(self.queries, pa.large_string())
        of_rows = queries.take(pa.array(np.repeat(np.arange(len(self.sizes)), self.sizes)))
        return np.asarray(pc.equal(self.docs.taken(np.arange(len(self.scores))), of_rows))


def qrels_columns(encoded: Encoded) -> QrelsColumns:
    """Return the judgments by query.

    Raises:
        NotColumnar: a document is judged twice, or a grade is not finite or too large.
    """
    if not (np.abs(encoded.values) < LARGEST_WHOLE).all():
        raise NotColumnar
    _refuse_docs_twice(encoded)
    order = _grouping(encoded.query)
    grades, grade = np.unique(encoded.values[order], return_inverse=True)
    return QrelsColumns(encoded.queries, encoded.query[order], grades, grade, encoded.docs.some(order), encoded.dicts)


def run_columns(encoded: Encoded, qrels: QrelsColumns) -> RunColumns:
    """Return the rows of a run by query.

    Raises:
        NotColumnar: a document is retrieved twice.
    """
    _refuse_docs_twice(encoded)
    place_of = {query: place for place, query in enumerate(qrels.queries)}
    of_qrels = np.array([place_of.get(query, -1) for query in encoded.queries], dtype=np.int32)
    if encoded.dicts and qrels.dicts:
        judged = [qrels.dicts[place] if place >= 0 else {} for place in of_qrels.tolist()]
        rows, grade = qrels.looked_up(judged, encoded)
    else:
        rows, grade = qrels.judged(of_qrels[encoded.query], encoded.docs)
    order = _grouping(encoded.query)
    scores, ranks, docs = encoded.values, encoded.ranks, encoded.docs
    if isinstance(order, np.ndarray):
        scores, ranks, docs = scores[order], None if ranks is None else ranks[order], docs.some(order)
        rows = inverse(order)[rows]
        by_row = np.argsort(rows)
        rows, grade = rows[by_row], grade[by_row]
    starts = np.append(0, np.cumsum(np.bincount(encoded.query, minlength=len(encoded.queries))))
    query = np.searchsorted(starts, rows, side="right") - 1
    stretches = np.bincount(encoded.query[begins(encoded.query)], minlength=len(encoded.queries))
    interleaved = [encoded.queries[place] for place in np.flatnonzero(stretches > 1).tolist()]
    return RunColumns(encoded.queries, starts, scores, ranks, docs, query, grade, rows, interleaved)


def _grouping(query: Ints) -> Ints | slice:
    """Return an order that groups rows by query, or a slice of all rows if they are already grouped."""
    return slice(None) if bool((query[1:] >= query[:-1]).all()) else np.argsort(query, kind="stable")


def _refuse_docs_twice(encoded: Encoded) -> None:
    """Raise `NotColumnar` if a query has a document twice.

    Equal documents have equal places within a stretch. Queries in several stretches have their own dictionary.
    """
    if not len(encoded.stretch):
        return
    query, stretches = encoded.query.astype(np.int64), int(encoded.stretch[-1]) + 1
    if is_repeated(query * len(encoded.docs.texts) + encoded.docs.at):
        raise NotColumnar
    first = begins(query, encoded.stretch)
    places = np.unique(query[first] * stretches + encoded.stretch[first]) // stretches
    rows = np.flatnonzero((np.bincount(places, minlength=len(encoded.queries)) > 1)[query])
    if len(rows):
        docs = encoded.docs.taken(rows).dictionary_encode()
        if is_repeated(query[rows] * len(docs.dictionary) + np.asarray(docs.indices)):
            raise NotColumnar


class RowsOf(Mapping[str, Sequence[T]]):
    """Rows by query, made from columns when they are used."""

    def __init__(self, queries: Sequence[str], rows: Callable[[int], Sequence[T]]) -> None:
        self._places = {query: place for place, query in enumerate(queries)}
        self._rows = cache(rows)

    def __getitem__(self, query: str) -> Sequence[T]:
        return self._rows(self._places[query])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(frozen=True)
class ColumnInputs:
    """Qrels and a run as columns."""

    qrels: QrelsColumns
    run: RunColumns

    @cached_property
    def queries(self) -> dict[str, int]:
        """The place of each query, with those of the qrels first."""
        names = dict.fromkeys(chain(self.qrels.queries, self.run.queries))
        return dict(zip(names, range(len(names)), strict=True))

    @cached_property
    def of_run(self) -> Ints:
        """The place of each query of the run."""
        return np.array([self.queries[name] for name in self.run.queries], dtype=np.int64)

    @cached_property
    def rows(self) -> Collection:
        """The qrels and the run as rows."""

        def judgments(place: int) -> list[Judgment]:
            low, high = np.searchsorted(self.qrels.query, [place, place + 1]).tolist()
            grades = self.qrels.grades[self.qrels.grade[low:high]].tolist()
            return list(map(Judgment, self.qrels.docs.taken(np.arange(low, high)).to_pylist(), grades))

        def ranked(place: int) -> list[QueryRow]:
            run, (low, high) = self.run, self.run.starts[place : place + 2].tolist()
            columns = [column[low:high].tolist() for column in (run.scores, run.ranks) if column is not None]
            return list(map(QueryRow, run.docs.taken(np.arange(low, high)).to_pylist(), *columns))

        return Collection(RowsOf(self.qrels.queries, judgments), RowsOf(self.run.queries, ranked))


def collected_rows(
    qrels: Mapping[str, Sequence[Judgment]], run: Mapping[str, Sequence[QueryRow]], conventions: Conventions
) -> ColumnInputs:
    """Return rows that were read as columns.

    Raises:
        NotColumnar: the rows need the exact path.
    """
    judged, ranked = list(chain.from_iterable(qrels.values())), list(chain.from_iterable(run.values()))
    columns = Columns(
        "", list(qrels), [row.doc for row in judged], [row.rel for row in judged], None, [*map(len, qrels.values())]
    )
    judgments = qrels_columns(encode(columns))
    docs, scores, ranks = ([row[i] for row in ranked] for i in range(3))
    columns = Columns("", list(run), docs, scores, ranks, [*map(len, run.values())])
    return ColumnInputs(judgments, run_columns(encode(columns, conventions), judgments))
