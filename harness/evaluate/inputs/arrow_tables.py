"""Parquet files, whole or in parts, read a column at a time and within bounds; and the tables of Arrow, as dicts of lists."""

import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankproof.evaluate.inputs.budget import (
    FREE_IN_COLUMNS,
    LARGEST,
    LONGEST_ID,
    RATIO,
    TooMuch,
    refuse_many_columns,
    refuse_many_rows,
)
from rankproof.evaluate.inputs.parted_folders import parts_of, size_of
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.text import as_written

AT_ONCE = 2**16
"""How many rows are read at a time: what they unpack to is counted before more are read."""
OF_NUMBER = 8
"""How many bytes a number takes, and what says where a text begins."""
LEAST = 3
"""How many columns qrels and runs have at least."""


@dataclass(frozen=True)
class Parquet:
    """The columns of a Parquet file, or of one in parts; each is read when it is asked for.

    Attributes:
        path: the file, or the folder of its parts.
        header: the names of the columns.
        count: how many rows there are.
        room: how many bytes a column may unpack to.
        lines: nothing; its rows are counted.
    """

    path: str
    header: Sequence[str]
    count: int
    room: int = 0
    lines: Sequence[int] = ()
    _columns: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.count

    def values(self, _field: str, column: str) -> Sequence[Any]:
        """A column as Python's objects.

        Raises:
            BadInput: as `column`; or a text in it is no UTF-8.
        """
        try:
            values: list[Any] = self.column(column).to_pylist()
        except UnicodeDecodeError as error:
            what = f"the column {as_written(column)} holds a text that is no UTF-8; write it anew"
            raise BadInput(self.path, what) from error
        return values

    def column(self, name: str) -> Any:  # noqa: ANN401 - chunks of Arrow
        """A column as Arrow has it.

        Raises:
            BadInput: a part has no such column, or another kind of it; it unpacks to too much, or is damaged.
        """
        if name not in self._columns:
            arrow = importlib.import_module("pyarrow")
            chunks = [chunk for part in parts_of(self.path) for chunk in _chunks(part, name, self.room)]
            for chunk in chunks:
                if chunk.type != chunks[0].type:
                    what = f"the column {as_written(name)} is {chunks[0].type} in one part and {chunk.type} in another"
                    raise BadInput(self.path, f"{what}; write both alike")
            if sum(map(len, chunks)) != self.count:
                raise BadInput(self.path, f"the column {as_written(name)} has not as many rows as the file says")
            self._columns[name] = arrow.chunked_array(chunks)
        return self._columns[name]

    def some(self, rows: Sequence[int]) -> "Parquet":
        """Some of the rows of what was read, by their places from 0 on."""
        taken = {name: column.take(rows) for name, column in self._columns.items()}
        return Parquet(self.path, self.header, len(rows), self.room, (), taken)


def read_parquet(path: str) -> Parquet:
    """A Parquet file, or a folder of parts, of which nothing but the heads is read yet.

    Raises:
        BadInput: it is none, it has no row, or pyarrow is not installed.
        TooMuch: by what its head says, it has more rows or columns than any input, or is worth much less than what it unpacks to.
    """
    heads = [_head(part) for part in parts_of(path)]
    header, count, size = heads[0][0], sum(rows for _, rows in heads), size_of(path)
    room = min(LARGEST, max(FREE_IN_COLUMNS, RATIO * size))
    refuse_many_rows(path, count)
    if count * OF_NUMBER * LEAST > room:
        raise TooMuch(path, f"its {count:,} rows unpack to {_too_much(room)}")
    if not count:
        raise BadInput(path, "there is no row in it, only the names of columns")
    return Parquet(path, header, count, room)


def _head(part: str) -> tuple[list[str], int]:
    """The names of the columns, and how many rows there are."""
    with _opened(part) as file:
        refuse_many_columns(part, file.metadata.num_columns)
        names = list(file.schema_arrow.names)
        for name, n in Counter(names).items():
            if n > 1:
                raise BadInput(part, f"two columns are called {as_written(name)}; rename or drop one")
        return names, file.metadata.num_rows


def _chunks(part: str, name: str, room: int) -> Iterator[Any]:
    """A column, some rows at a time, as long as all that was read unpacks to no more than there is room for."""
    arrow = importlib.import_module("pyarrow")
    with _opened(part) as file:
        if name not in file.schema_arrow.names:
            raise BadInput(part, f"no column {as_written(name)}, which the first part has")
        kind = file.schema_arrow.field(name).type
        if arrow.types.is_nested(kind) and not _is_list(kind):
            told = as_written(str(kind)).strip("'")
            what = f"the column {as_written(name)} holds {told}; a row has one value of each column"
            raise BadInput(part, what)
        is_text = arrow.types.is_string(kind) or arrow.types.is_large_string(kind) or arrow.types.is_binary(kind)
        if _says(file.metadata, name) > room:
            raise TooMuch(part, f"the column {as_written(name)} unpacks to {_too_much(room)}")
    used = 0
    # A text that stands there often is read once, and a page of such texts may still stand for more than any memory holds.
    with _opened(part, **({"read_dictionary": [name]} if is_text else {})) as file:
        for batch in file.iter_batches(AT_ONCE, columns=[name], use_threads=False):
            chunk = batch.column(0)
            used += _bytes_of(chunk, part, name)
            if used > room:
                raise TooMuch(part, f"the column {as_written(name)} unpacks to {_too_much(room)}")
            yield chunk.dictionary_decode() if isinstance(chunk, arrow.DictionaryArray) else chunk


def _is_list(kind: Any) -> bool:  # noqa: ANN401 - pyarrow's
    """Whether each row holds a list, of ids as it may be."""
    types = importlib.import_module("pyarrow").types
    return bool(types.is_list(kind) or types.is_large_list(kind)) and not types.is_nested(kind.value_type)


def _says(metadata: Any, name: str) -> int:  # noqa: ANN401 - pyarrow's
    """How many bytes a column unpacks to, by what the file says of itself."""
    groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
    chunks = (group.column(i) for group in groups for i in range(group.num_columns))
    return sum(chunk.total_uncompressed_size for chunk in chunks if f"{chunk.path_in_schema}.".startswith(f"{name}."))


def _bytes_of(chunk: Any, part: str, name: str) -> int:  # noqa: ANN401 - an array of Arrow
    """How many bytes the values of some rows take, each written out."""
    arrow, compute = (importlib.import_module(module) for module in ("pyarrow", "pyarrow.compute"))
    numbers = OF_NUMBER * len(chunk)
    if _is_list(chunk.type):
        return numbers + _bytes_of(chunk.flatten(), part, name)
    is_coded = isinstance(chunk, arrow.DictionaryArray)
    texts = chunk.dictionary if is_coded else chunk
    if arrow.types.is_primitive(texts.type) or arrow.types.is_null(texts.type):
        return numbers
    lengths = compute.binary_length(texts)
    if (compute.max(lengths).as_py() or 0) > LONGEST_ID:
        what = f"the column {as_written(name)} holds an id of more than {LONGEST_ID:,} bytes; no id is so long"
        raise TooMuch(part, what)
    return numbers + (compute.sum(lengths.take(chunk.indices) if is_coded else lengths).as_py() or 0)


def _too_much(room: int) -> str:
    return f"more than {room:,} bytes, as no run and no qrels of its size do; if it is right, write it as a text file"


@contextmanager
def _opened(part: str, **options: Any) -> Iterator[Any]:  # noqa: ANN401 - pyarrow's
    """A Parquet file, whose faults are said in a line.

    Raises:
        BadInput: it is none, is damaged, or pyarrow is not installed.
    """
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise BadInput(part, "a Parquet file is read by pyarrow: pip install rankproof[parquet]") from error
    try:
        with Path(part).open("rb") as file, parquet.ParquetFile(file, **options) as opened:
            yield opened
    except MemoryError as error:
        raise TooMuch(part, "it unpacks to more than there is memory for") from error
    except OSError as error:
        raise BadInput(part, (error.strerror or str(error).splitlines()[0]).lower()) from error
    except (importlib.import_module("pyarrow").ArrowException, UnicodeDecodeError) as error:
        raise BadInput(part, "this is no Parquet file, or a damaged one; copy the file again") from error


def is_arrow(source: Any) -> bool:  # noqa: ANN401 - anything
    """Whether this is a table, or a batch of rows, of Arrow; its class says so, as a frame may have columns of any name."""
    return hasattr(type(source), "column_names") and hasattr(type(source), "to_pydict")


def dict_of_arrow(table: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - a table, or a batch of rows
    """A table of Arrow as a dict of lists.

    Raises:
        BadInput: two columns have one name, of which a dict would hold the last.
    """
    for name, count in Counter(table.column_names).items():
        if count > 1:
            raise BadInput("the table", f"two columns are called {name}; rename or drop one")
    columns: dict[str, list[Any]] = table.to_pydict()
    return columns
