"""What `evaluate` was given, as columns, whatever form it has; and some of its rows again, as the readable path takes them.

path of a TREC file, of a separated file        Arrow's CSV reader
path of Parquet, a table of Arrow, a frame      its columns
JSON Lines, dicts, lists, named tuples          Python's objects, a column at a time
"""

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from rankproof.evaluate.fast.arrays import Ints, NotColumnar
from rankproof.evaluate.fast.grouped_columns import QrelsColumns, RunColumns, qrels_columns, run_columns
from rankproof.evaluate.fast.object_tables import dict_rows, table_rows
from rankproof.evaluate.fast.row_columns import RowColumns
from rankproof.evaluate.fast.text_tables import Text, separated, separated_rows, trec_rows
from rankproof.evaluate.inputs.arrow_tables import Parquet, is_arrow
from rankproof.evaluate.inputs.bounded_files import whole
from rankproof.evaluate.inputs.budget import TooMuch
from rankproof.evaluate.inputs.column_names import implied_rel
from rankproof.evaluate.inputs.json_lines import JsonLines
from rankproof.evaluate.inputs.parted_folders import is_parted
from rankproof.evaluate.inputs.reading import opened, read_qrels, read_run, separator_of_file
from rankproof.evaluate.inputs.rows import QRELS, RUN, BadInput, Rows, T, scored
from rankproof.evaluate.inputs.standard_input import Held
from rankproof.evaluate.inputs.tables import OF_QRELS, as_list, columns_in, is_dict_of_lists, of_run
from rankproof.evaluate.inputs.trec_files import QRELS_LINE, RUN_LINE
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow

C = TypeVar("C", QrelsColumns, RunColumns)


@dataclass(frozen=True)
class ColumnFormat:
    """How a source is asked: what the columns are called, and what separates fields."""

    names: Mapping[str, str]
    separator: str | None = None


@dataclass(frozen=True)
class ColumnSource:
    """Something that was read by columns, and that the readable path can be asked of some rows.

    Attributes:
        came: its rows, as they came.
        some: `some(rows)`: these rows as the readable path takes them.
        form: how it is asked.
        is_in_rows: whether a row says itself of which query it is; in a dict of dicts the query says it.
    """

    came: RowColumns
    some: Callable[[Ints], Any]
    form: ColumnFormat
    is_in_rows: bool = True


@dataclass(frozen=True)
class ReadColumns(Generic[C, T]):
    """Qrels or a run, what they were read from, and how rows read them."""

    columns: C
    source: ColumnSource
    read_rows: Callable[..., Rows[T]]

    def rows(self, which: Ints, conventions: Conventions) -> Rows[T]:
        """These rows, read again by the readable path.

        Raises:
            BadInput: they do not read.
        """
        form = self.source.form
        return self.read_rows(self.source.some(which), form.names, conventions, separator=form.separator)


ReadQrels: TypeAlias = ReadColumns[QrelsColumns, Judgment]
ReadRun: TypeAlias = ReadColumns[RunColumns, QueryRow]


def qrels_of(source: Any, form: ColumnFormat) -> ReadQrels:  # noqa: ANN401 - any form
    """Qrels in any form that columns are made of.

    Raises:
        NotColumnar: these are for the readable path.
    """
    with _left_to_rows():
        read = _source(source, form, QRELS, OF_QRELS, implied_rel(columns_in(source), form.names))
        return ReadColumns(qrels_columns(read.came), read, read_qrels)


def run_of(source: Any, form: ColumnFormat, qrels: QrelsColumns, conventions: Conventions) -> ReadRun:  # noqa: ANN401 - any form
    """A run in any form that columns are made of.

    Raises:
        NotColumnar: it is for the readable path.
    """
    with _left_to_rows():
        asked = scored(conventions)
        read = _source(source, form, RUN, of_run(conventions), {} if asked else {"score": 0.0})
        if asked and np.isnan(read.came.values).any():
            raise NotColumnar
        return ReadColumns(run_columns(read.came, qrels), read, read_run)


@contextmanager
def _left_to_rows() -> Iterator[None]:
    """What cannot be read here, the readable path reads, or refuses with its place; what is too much for any way is too much."""
    try:
        yield
    except TooMuch:
        raise
    except (BadInput, OSError, EOFError, zlib.error) as error:
        raise NotColumnar from error


def _source(
    source: Any,  # noqa: ANN401 - any form
    form: ColumnFormat,
    name: str,
    wanted: Sequence[str],
    spare: Mapping[str, float],
) -> ColumnSource:
    if isinstance(source, str | os.PathLike):
        return _of_file(source, form, name, wanted, spare)
    if isinstance(source, Mapping) and not is_dict_of_lists(source, form.names, name):
        if "rank" in wanted:
            raise NotColumnar
        return _of_dict(source, form)
    return ColumnSource(table_rows(source, name, wanted, spare, form.names), lambda rows: _picked(source, rows), form)


def _of_dict(source: Mapping[Any, Any], form: ColumnFormat) -> ColumnSource:
    came = dict_rows(source)
    keys = list(source)

    def some(rows: Ints) -> dict[Any, Any]:
        return {keys[i]: source[keys[i]] for i in np.unique(came.query[rows]).tolist()}

    return ColumnSource(came, some, form, is_in_rows=False)


def _of_file(
    source: str | os.PathLike[str], form: ColumnFormat, name: str, wanted: Sequence[str], spare: Mapping[str, float]
) -> ColumnSource:
    """What can be read but once, as a pipe, is for the readable path."""
    path = source if isinstance(source, Held) else os.fspath(source)
    if not isinstance(path, Held) and not Path(path).is_file() and not is_parted(path):
        raise NotColumnar
    separator = separator_of_file(path, form.separator)
    if separator is not None:
        read = separated_rows(separated(whole(path), separator), wanted, form.names)
        return ColumnSource(read.rows, read.lines, ColumnFormat(form.names, separator))
    found = opened(path, form.separator)
    if isinstance(found, JsonLines | Parquet):
        came, some = table_rows(found, path, wanted, spare, form.names), found.some
        return ColumnSource(came, lambda rows: some(rows.tolist()), form)
    if not isinstance(found, str):
        raise NotColumnar
    text = Text(whole(path))
    read = trec_rows(text, QRELS_LINE if name == QRELS else RUN_LINE, ranks="rank" in wanted)
    return ColumnSource(read.rows, read.lines, form)


def _picked(table: Any, rows: Ints) -> Any:  # noqa: ANN401 - any table
    """Some rows of a table, in the form that it has."""
    if is_arrow(table):
        return table.take(rows)
    if isinstance(table, Mapping):
        columns = {name: as_list(values) for name, values in table.items()}
        return {name: [values[row] for row in rows.tolist()] for name, values in columns.items()}
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return table[rows] if hasattr(table, "columns") else [table[row] for row in rows.tolist()]
