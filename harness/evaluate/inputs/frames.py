"""Tables of other libraries as named columns: Parquet, Arrow, pandas, Polars and others that narwhals supports."""

import importlib
import importlib.util
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rankproof.bounded import free_memory, open_named
from rankproof.evaluate.inputs.input_files import parts_of, size_of
from rankproof.evaluate.inputs.rows import LONGEST, BadInput, Input, TooLarge, Values, refuse_size
from rankproof.evaluate.inputs.text_files import Table
from rankproof.text import as_written

_RATIO, _FREE = 100, 2**25
"""The largest unpacked size of a column: this many times the size of its file, and at least this many bytes."""
_AT_ONCE = 2**16


def as_table(source: Input, name: str) -> Input:
    """Return a frame, a table or a list of batches as a table with named columns. Return any other value unchanged.

    Raises:
        BadInput: a library is not installed, two columns have the same name, or a dataset has several splits.
    """
    if isinstance(source, list):
        return as_table(_of_parts(importlib.import_module("pyarrow").Table.from_batches, source, name), name)
    library = type(source).__module__.partition(".")[0]
    if library == "datasets":
        return as_table(_of_dataset(source, name), name)
    if library == "pyarrow":
        source = source.read_all() if hasattr(source, "read_all") else source
        return _table(name, source.column_names, source.column) if hasattr(source, "column_names") else source
    if not hasattr(source, "columns"):
        return source
    if library == "pandas":
        return _table(name, list(source.columns), source.__getitem__)
    lacking = [package for package in ("narwhals", "pyarrow") if importlib.util.find_spec(package) is None]
    if lacking:
        what = f"reading a {type(source).__name__} of {library} needs {' and '.join(lacking)}"
        raise BadInput(name, f"{what}: pip install 'rankproof[fast]'")
    narwhals = importlib.import_module("narwhals")
    frame = narwhals.from_native(source, pass_through=True)
    frame = frame.collect(backend="pyarrow") if isinstance(frame, narwhals.LazyFrame) else frame
    return as_table(frame.to_arrow(), name) if isinstance(frame, narwhals.DataFrame) else source


def _table(name: str, columns: Sequence[Any], column: Callable[[Any], Values]) -> Table:
    for column_name, count in Counter(columns).items():
        if count > 1:
            raise BadInput(name, f"two columns are called {column_name}. Rename or drop one.")
    return Table(name, {column_name: column(column_name) for column_name in columns})


def _of_dataset(source: Input, name: str) -> Input:
    if hasattr(source, "keys"):
        splits = ", ".join(map(str, source)) or "none"
        what = f"a {type(source).__name__} has a dataset for each split ({splits})"
        raise BadInput(name, f"{what}. Pass one of them, such as dataset['test'].")
    dataset = source.with_format("arrow")
    if hasattr(source, "__len__"):
        return dataset[:]
    return _of_parts(importlib.import_module("pyarrow").concat_tables, list(dataset.iter(batch_size=_AT_ONCE)), name)


def _of_parts(joined: Callable[[Sequence[Any]], Any], parts: Sequence[Any], name: str) -> Input:
    if not parts:
        raise BadInput(name, "it is empty: it has no rows")
    try:
        return joined(parts)
    except importlib.import_module("pyarrow").ArrowException as error:
        what = f"its parts differ in columns or types: {str(error).splitlines()[0]}"
        raise BadInput(name, f"{what}. Cast them to one schema, or pass several runs as tables.") from error


# -- Parquet ---------------------------------------------------------------------------------------------------------------


class ParquetColumns(Mapping[str, Any]):
    """The columns of a Parquet file or of a folder of parts. Each is read, within limits, when it is first used."""

    def __init__(self, path: str) -> None:
        self._path, self._parts = path, parts_of(path)
        self._read: dict[str, Values] = {}
        self._room = min(free_memory() // 4, max(_FREE, _RATIO * size_of(path)))
        self._names: list[str] = []
        self._rows = 0
        for part in self._parts:
            with _opened(part) as file:
                refuse_size(part, columns=file.metadata.num_columns)
                names = list(file.schema_arrow.names)
                _table(part, names, names.index)
                self._names, self._rows = self._names or names, self._rows + file.metadata.num_rows
        refuse_size(path, rows=self._rows)
        if not self._rows:
            raise BadInput(path, "it has column names, but no rows")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, name: str) -> Values:
        if name not in self._read:
            self._refuse(name, 8 * self._rows)
            chunks = [chunk for part in self._parts for chunk in self._chunks(part, name)]
            kinds = dict.fromkeys(str(chunk.type) for chunk in chunks)
            if len(kinds) > 1 or sum(map(len, chunks)) != self._rows:
                what = f"the column {as_written(name)} differs between parts: {', '.join(kinds)}"
                raise BadInput(self._path, f"{what}. Write one file.")
            self._read[name] = importlib.import_module("pyarrow").chunked_array(chunks)
        return self._read[name]

    def _chunks(self, part: str, name: str) -> Iterator[Any]:
        """Yield a column in pieces, within the size limit. Repeated texts are read once."""
        types = importlib.import_module("pyarrow").types
        with _opened(part) as file:
            if name not in file.schema_arrow.names:
                raise BadInput(part, f"the column {as_written(name)} of the first part is missing")
            kind = file.schema_arrow.field(name).type
            item = kind.value_type if types.is_list(kind) or types.is_large_list(kind) else kind
            if types.is_nested(item):
                what = f"the column {as_written(name)} has values of type {kind}"
                raise BadInput(part, f"{what}. A row must have one value in each column.")
            groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
            parts = [group.column(i) for group in groups for i in range(group.num_columns)]
            own = (chunk for chunk in parts if f"{chunk.path_in_schema}.".startswith(f"{name}."))
            self._refuse(name, sum(chunk.total_uncompressed_size for chunk in own))
        coded = [name] if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind) else None
        used = 0
        with _opened(part, read_dictionary=coded) as file:
            for batch in file.iter_batches(_AT_ONCE, columns=[name], use_threads=False):
                used += _size_of(batch.column(0), part, name)
                self._refuse(name, used)
                yield batch.column(0).dictionary_decode() if coded else batch.column(0)

    def _refuse(self, name: str, size: int) -> None:
        if size > self._room:
            what = f"the column {as_written(name)} unpacks to more than {self._room:,} bytes, too much for its file"
            raise TooLarge(self._path, f"{what}. If it is right, write it as a text file.")


def _size_of(chunk: Values, part: str, name: str) -> int:
    """Return the size of some values in bytes, with every repetition of a text."""
    arrow, compute = (importlib.import_module(module) for module in ("pyarrow", "pyarrow.compute"))
    if arrow.types.is_list(chunk.type) or arrow.types.is_large_list(chunk.type):
        return 8 * len(chunk) + _size_of(chunk.flatten(), part, name)
    is_coded = isinstance(chunk, arrow.DictionaryArray)
    texts = chunk.dictionary if is_coded else chunk
    if arrow.types.is_primitive(texts.type) or arrow.types.is_null(texts.type):
        return 8 * len(chunk)
    lengths = compute.binary_length(texts)
    if (compute.max(lengths).as_py() or 0) > LONGEST:
        raise TooLarge(part, f"the column {as_written(name)} has an id of more than {LONGEST:,} bytes")
    return 8 * len(chunk) + (compute.sum(lengths.take(chunk.indices) if is_coded else lengths).as_py() or 0)


@contextmanager
def _opened(part: str, **options: Values) -> Iterator[Any]:
    """Open a Parquet file.

    Raises:
        BadInput: the file is not Parquet, it is damaged, or pyarrow is not installed.
    """
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise BadInput(part, "reading Parquet files needs pyarrow: pip install 'rankproof[parquet]'") from error
    try:
        with open_named(part) as file, parquet.ParquetFile(file, **options) as opened:
            yield opened
    except MemoryError as error:
        raise TooLarge(part, "its unpacked size exceeds the memory") from error
    except OSError as error:
        raise BadInput(part, (error.strerror or str(error).splitlines()[0]).lower()) from error
    except (importlib.import_module("pyarrow").ArrowException, UnicodeDecodeError) as error:
        raise BadInput(part, "this is not a Parquet file, or it is damaged. Copy the file again.") from error
