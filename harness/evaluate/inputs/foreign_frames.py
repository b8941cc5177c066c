"""Frames of other libraries as tables of Arrow: lazy frames, relations of DuckDB, frames of Spark, by narwhals; datasets of Hugging Face.

Batches of records that come one after another, as from a reader of Arrow or in a list, are one table.

What can be read as it is (frames of pandas and Polars, tables of Arrow) stays so.
"""

import importlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from rankproof.evaluate.inputs.rows import BadInput
from rankproof.text import as_written

LIBRARIES = frozenset({"polars", "duckdb", "pyspark", "ibis", "dask", "modin", "cudf", "sqlframe"})
"""What narwhals knows; of any other type it is not asked."""
NEEDED = ("narwhals", "pyarrow")
AT_ONCE = 10_000
"""How many rows of a dataset that is read as it comes are taken at a time."""


def as_tables(run: Any, name: str) -> Any:  # noqa: ANN401 - any form
    """The same of a run, or of several in a list or by their systems.

    Raises:
        BadInput: as `as_table`.
    """
    if isinstance(run, Mapping) and _is_foreign(next(iter(run.values()), None)):
        return {system: as_table(one, name) for system, one in run.items()}
    if isinstance(run, list | tuple) and _is_foreign(next(iter(run), None)):
        return [as_table(one, name) for one in run]
    return as_table(run, name)


def _is_foreign(value: object) -> bool:
    """Whether it is a frame that cannot be read as it is, or the batches of one."""
    first = next(iter(value), None) if isinstance(value, list | tuple) else None
    return type(value).__module__.partition(".")[0] in {*LIBRARIES, "datasets"} or _is_batch(first)


def as_table(source: Any, name: str) -> Any:  # noqa: ANN401 - any form
    """The same as a table of Arrow, if it is a frame that cannot be read as it is.

    Raises:
        BadInput: what it takes to read it is not installed; or it is several tables, or none yet.
    """
    if isinstance(source, list | tuple | Iterator):
        return _of_batches(source, name)
    library = type(source).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(source, "read_all"):
        return source.read_all()
    if library == "datasets" and hasattr(source, "with_format"):
        return _of_dataset(source, name)
    if library == "_duckdb":
        mend = "give what it selects, as connection.sql('select …')"
        raise BadInput(name, f"a connection of duckdb, and no table; {mend}")
    if library not in LIBRARIES or (library == "polars" and hasattr(source, "to_dict")):
        return source
    lacking = [one for one in NEEDED if importlib.util.find_spec(one) is None]
    if lacking:
        what = f"to read a {type(source).__name__} of {library} takes {' and '.join(lacking)}"
        raise BadInput(name, f"{what}: pip install 'rankproof[fast]'")
    import narwhals  # noqa: PLC0415 - only such frames need it

    frame = narwhals.from_native(source, pass_through=True)
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect(backend="pyarrow")
    return frame.to_arrow() if isinstance(frame, narwhals.DataFrame) else source


def _of_batches(source: Sequence[Any] | Iterator[Any], name: str) -> Any:  # noqa: ANN401 - a table, or what was given
    """A list of batches of Arrow as the table that they are parts of; anything else as it is, from its first item on."""
    empty: Any = object()
    first: Any = next(iter(source), empty)
    if not _is_batch(first):
        return chain([first], source) if isinstance(source, Iterator) and first is not empty else source
    batches = [first, *source] if isinstance(source, Iterator) else list(source)
    other = next((one for one in batches if not _is_batch(one) or one.schema.names != first.schema.names), None)
    if other is not None:
        what = f"the columns {', '.join(other.schema.names)}" if _is_batch(other) else f"a {type(other).__name__}"
        mend = "batches in a list are parts of one table; give several runs as tables"
        raise BadInput(name, f"batches of {', '.join(first.schema.names)}, and {what} among them: {mend}")
    return _joined([importlib.import_module("pyarrow").Table.from_batches([one]) for one in batches], name)


def _is_batch(value: object) -> bool:
    """Whether this is a batch of rows of Arrow, of which a table has several."""
    return type(value).__module__.partition(".")[0] == "pyarrow" and type(value).__name__ == "RecordBatch"


def _of_dataset(source: Any, name: str) -> Any:  # noqa: ANN401 - a dataset of Hugging Face
    if hasattr(source, "keys"):
        splits = list(source)
        which = f"give one, as dataset[{as_written(splits[0])}]" if splits else "it has none"
        what = f"a {type(source).__name__} has a dataset for each split ({', '.join(map(str, splits))})"
        raise BadInput(name, f"{what}; {which}")
    told = source.with_format("arrow")
    return told[:] if hasattr(source, "__len__") else _joined(list(told.iter(batch_size=AT_ONCE)), name)


def _joined(tables: Sequence[Any], name: str) -> Any:  # noqa: ANN401 - tables of Arrow
    """The rows of all of them, in one table.

    Raises:
        BadInput: there is none, or a column is of other types.
    """
    if not tables:
        raise BadInput(name, "it is empty: there is no row in it")
    arrow = importlib.import_module("pyarrow")
    try:
        return arrow.concat_tables(tables, promote_options="permissive")
    except arrow.ArrowException as error:
        raise BadInput(name, f"its parts are of other types: {str(error).splitlines()[0]}; cast them") from error
