"""Dicts of dicts, frames, tables of Arrow, dicts of lists, named tuples and rows that were read, as columns of rows.

Arrow makes arrays of them all, and says of which type they are: texts and whole numbers are ids, numbers are numbers, and anything else is
for the readable path to refuse, or to take.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from rankproof.evaluate.fast.arrays import Floats, Ints, NotColumnar
from rankproof.evaluate.fast.grouped_columns import LARGEST_WHOLE
from rankproof.evaluate.fast.row_columns import AT_ONCE, Gathered, Ids, RowColumns, as_texts, is_id, joined
from rankproof.evaluate.inputs.arrow_tables import Parquet, is_arrow
from rankproof.evaluate.inputs.column_names import found_columns
from rankproof.evaluate.inputs.tables import is_column, is_file, read_table
from rankproof.reference_impl.ranking import Judgment, QueryRow


def arrays_of(column: Any) -> list[Any]:  # noqa: ANN401 - a list, a series of any library, or a column of Arrow
    """A column as arrays of Arrow, texts as large ones, and no dictionary, which may name what no row has.

    Raises:
        NotColumnar: it is for the readable path.
    """
    try:
        found = column.to_arrow() if hasattr(column, "to_arrow") else column
        if not isinstance(found, pa.Array | pa.ChunkedArray):
            found = pa.array(found, from_pandas=not isinstance(found, list))
        chunks = found.chunks if isinstance(found, pa.ChunkedArray) else [found]
        return [_plain(chunk) for chunk in chunks]
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise NotColumnar from error


def _plain(chunk: Any) -> Any:  # noqa: ANN401 - an array of Arrow
    if isinstance(chunk, pa.DictionaryArray):
        chunk = chunk.dictionary_decode()
    is_text = pa.types.is_string(chunk.type) or str(chunk.type) == "string_view"
    return chunk.cast(pa.large_string()) if is_text else chunk


def floats_of(column: Any) -> Floats:  # noqa: ANN401 - as `arrays_of`
    """Numbers as floats.

    Raises:
        NotColumnar: one is missing, or is of another type.
    """
    chunks = arrays_of(column)
    for chunk in chunks:
        kind = chunk.type
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        if chunk.null_count or not is_number:
            raise NotColumnar
    found = [chunk.to_numpy(zero_copy_only=False).astype(np.float64) for chunk in chunks]
    return np.concatenate(found or [np.zeros(0)])


def _ranks(values: Floats) -> Ints:
    """Ranks.

    Raises:
        NotColumnar: one is no whole number, or none that a float holds exactly.
    """
    if not ((np.abs(values) < LARGEST_WHOLE) & (values == np.trunc(values))).all():
        raise NotColumnar
    return values.astype(np.int64)


# -- query by query ------------------------------------------------------------------------------------------------------


def dict_rows(source: Mapping[Any, Any]) -> RowColumns:
    """The rows of a dict of dicts.

    Raises:
        NotColumnar: they are for the readable path.
    """
    dicts = list(source.values())
    if not set(map(type, dicts)) <= {dict}:
        raise NotColumnar
    sizes = list(map(len, dicts))
    docs = [array for some in _together(dicts, sizes) for array in arrays_of(list(chain.from_iterable(some)))]
    values = [floats_of(list(chain.from_iterable(map(dict.values, some)))) for some in _together(dicts, sizes)]
    if not values:
        raise NotColumnar
    return _grouped(list(source), sizes, docs, np.concatenate(values), distinct=True)


def _together(dicts: Sequence[Any], sizes: Sequence[int]) -> Iterator[Sequence[Any]]:
    """Some dicts at a time, so that not all that is in them is listed at once."""
    low = count = 0
    for high, size in enumerate(sizes, start=1):
        count += size
        if count >= AT_ONCE or high == len(sizes):
            yield dicts[low:high]
            low, count = high, 0


def _grouped(
    queries: Sequence[Any], sizes: Sequence[int], docs: Sequence[Any], values: Floats, *, distinct: bool = False
) -> RowColumns:
    """Rows that stand query by query, of which one may have none; `distinct`: no text stands twice under a query."""
    names = [str(name) for array in arrays_of(queries) if is_id(array) for name in array.to_pylist()]
    if len(set(names)) < len(queries) or not len(values):
        raise NotColumnar
    query = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    if distinct and all(is_id(array) and pa.types.is_large_string(array.type) for array in docs):
        texts = joined([as_texts(array) for array in docs])
        return RowColumns(names, query, Ids(texts, np.arange(len(texts), dtype=np.int32)), (), values)
    gathered = Gathered()
    gathered.add((), docs, values)
    gathered.codes.append(query)
    return replace(gathered.rows(), queries=names)


def judgments_as_read(qrels: Mapping[str, Sequence[Judgment]]) -> RowColumns:
    """Qrels that were read by rows.

    Raises:
        NotColumnar: they are for the readable path.
    """
    rows = list(chain.from_iterable(qrels.values()))
    rels = floats_of([row.rel for row in rows])
    return _grouped(list(qrels), list(map(len, qrels.values())), arrays_of([row.doc for row in rows]), rels)


def rows_as_read(run: Mapping[str, Sequence[QueryRow]], *, has_ranks: bool) -> RowColumns:
    """A run that was read by rows, and its ranks if it has any that can be read.

    Raises:
        NotColumnar: it is for the readable path.
    """
    rows = list(chain.from_iterable(run.values()))
    scores = floats_of([row.score for row in rows])
    if np.isnan(scores).any():
        raise NotColumnar
    found = _grouped(list(run), list(map(len, run.values())), arrays_of([row.doc for row in rows]), scores)
    return replace(found, ranks=_ranks(floats_of([row.rank for row in rows]))) if has_ranks else found


# -- tables ------------------------------------------------------------------------------------------------------------


def table_rows(
    source: Any,  # noqa: ANN401 - any table
    name: str,
    wanted: Sequence[str],
    spare: Mapping[str, float],
    names: Mapping[str, str],
) -> RowColumns:
    """The rows of a table; `wanted` are the columns of its query, its doc, its number, and its rank if that is asked for.

    Raises:
        NotColumnar: they are for the readable path.
        BadInput: so they are, too.
    """
    if not is_column(source) and not isinstance(source, Mapping) and not is_file(source):
        raise NotColumnar  # what can be read but once cannot be checked
    is_parquet, is_frame = isinstance(source, Parquet), hasattr(source, "columns") and not isinstance(source, Mapping)
    if is_parquet or is_frame:
        have = list(source.header if is_parquet else source.column_names if is_arrow(source) else source.columns)
        found = found_columns(name, have, wanted, spare, names)
        if any(have.count(column) > 1 for column in found.values()):
            raise NotColumnar
        column = source.column if is_parquet else source.__getitem__
        columns = [column(own) if own else [spare[field]] * len(source) for field, own in found.items()]
    else:
        columns = list(read_table(source, name, wanted, spare, names).columns.values())
    query, doc, number, *rank = columns
    ranks = _ranks(floats_of(rank[0])) if rank else None
    gathered = Gathered()
    gathered.add(arrays_of(query), arrays_of(doc), floats_of(number), ranks)
    return gathered.rows()
