"""Tables as columns: frames, dicts of lists, named tuples, Parquet, JSON Lines.

Their ids are joined to one text, in which they are found as in a file.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankproof.evaluating.fast.arrays import NotColumnar
from rankproof.evaluating.fast.object_columns import numbers, texts
from rankproof.evaluating.fast.row_blocks import Block, Spans, qrels_of_blocks, run_of_blocks
from rankproof.evaluating.fast.run_columns import LARGEST_WHOLE, QrelsColumns, RunColumns
from rankproof.evaluating.fast.text_fields import Text, text_of
from rankproof.evaluating.inputs.reading import QRELS, RUN
from rankproof.evaluating.inputs.rows import scored
from rankproof.evaluating.inputs.tables import OF_QRELS, of_run, read_table
from rankproof.reference_impl.conventions import Conventions

AT_ONCE = 2**14
"""How many rows are looked at together."""
_LINE_END = 0x0A


def qrels_of_table(source: Any, names: Mapping[str, str]) -> QrelsColumns:  # noqa: ANN401 - any table
    """The qrels of a table.

    Raises:
        NotColumnar: they are for the readable path.
        BadInput: so they are, too.
    """
    table = read_table(_lasting(source), QRELS, OF_QRELS, {}, names)
    return qrels_of_blocks(*_blocks(*table.columns.values()))


def run_of_table(
    source: Any,  # noqa: ANN401 - any table
    names: Mapping[str, str],
    qrels: QrelsColumns,
    conventions: Conventions,
) -> RunColumns:
    """The run of a table.

    Raises:
        NotColumnar: it is for the readable path.
        BadInput: so it is, too.
    """
    asked = scored(conventions)
    table = read_table(_lasting(source), RUN, of_run(conventions), {} if asked else {"score": 0.0}, names)
    text, blocks = _blocks(*table.columns.values(), nan=not asked)
    return run_of_blocks(text, blocks, qrels)


def _lasting(source: Any) -> Any:  # noqa: ANN401 - any table
    if isinstance(source, Iterator):
        raise NotColumnar  # it can be read but once
    return source


def _blocks(
    queries: Sequence[Any],
    docs: Sequence[Any],
    values: Sequence[Any],
    ranks: Sequence[Any] | None = None,
    *,
    nan: bool = False,
) -> tuple[Text, Iterator[Block]]:
    """The text of all ids, and the rows."""
    count = len(queries)
    value, rank = numbers(values), None if ranks is None else numbers(ranks)
    if rank is not None and not ((np.abs(rank) <= LARGEST_WHOLE) & (rank == np.trunc(rank))).all():
        raise NotColumnar
    if not nan and np.isnan(value).any():
        raise NotColumnar
    text, starts, lengths = _joined([*texts(queries), *texts(docs)])

    def some(low: int) -> Block:
        own, other = slice(low, min(low + AT_ONCE, count)), slice(count + low, count + min(low + AT_ONCE, count))
        query, doc = (starts[own], lengths[own]), (starts[other], lengths[other])
        return Block(query, doc, value[own], None if rank is None else rank[own].astype(np.int64))

    return text, map(some, range(0, count, AT_ONCE))


def _joined(ids: Sequence[str]) -> tuple[Text, *Spans]:
    """A line for each id, where it starts, and how long it is."""
    try:
        data = bytearray("\n".join(ids).encode())
    except UnicodeEncodeError as error:  # half a character
        raise NotColumnar from error
    if b"\0" in data:
        raise NotColumnar
    text = text_of(data)
    ends = np.flatnonzero(text.array[: text.size] == _LINE_END)
    starts = np.append(0, ends[:-1] + 1)
    if len(ends) != len(ids) or not (ends > starts).all():
        raise NotColumnar  # an id has a line end, or is empty
    return text, starts, ends - starts
