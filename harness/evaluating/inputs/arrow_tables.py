"""Parquet files and the tables of Arrow, as dicts of lists."""

import importlib
from pathlib import Path
from typing import Any

from rankproof.evaluating.inputs.rows import BadInput

ENDING = ".parquet"


def read_parquet(path: str) -> dict[str, list[Any]]:
    """The columns of a Parquet file.

    Raises:
        BadInput: it is none, or pyarrow is not installed.
    """
    return lists_of(parquet_table(path))


def parquet_table(path: str) -> Any:  # noqa: ANN401 - a table of Arrow
    """A Parquet file as a table of Arrow.

    Raises:
        BadInput: it is none, or pyarrow is not installed.
    """
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise BadInput(path, "a Parquet file is read by pyarrow: pip install rankproof[parquet]") from error
    try:
        with Path(path).open("rb") as file:
            return parquet.read_table(file)
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error).splitlines()[0]).lower()) from error
    except ValueError as error:  # of which all errors of pyarrow are, that are none of the system
        raise BadInput(path, "this is no Parquet file, or a damaged one; copy the file again") from error


def is_arrow(source: Any) -> bool:  # noqa: ANN401 - anything
    """Whether this is a table, or a batch of rows, of Arrow."""
    return hasattr(source, "column_names") and hasattr(source, "to_pydict")


def lists_of(table: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - a table of Arrow
    """Its columns."""
    columns: dict[str, list[Any]] = table.to_pydict()
    return columns
