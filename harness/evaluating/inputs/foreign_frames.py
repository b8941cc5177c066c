"""Frames of other libraries as tables of Arrow: lazy frames, relations of DuckDB, frames of Spark, by narwhals; datasets of Hugging Face.

Batches of records that come one after another, as from a reader of Arrow, are one table.

What can be read as it is (frames of pandas and Polars, tables of Arrow) stays so.
"""

import importlib.util
from typing import Any

from rankproof.evaluating.inputs.rows import BadInput

LIBRARIES = frozenset({"polars", "duckdb", "pyspark", "ibis", "dask", "modin", "cudf", "sqlframe"})
"""What narwhals knows; of any other type it is not asked."""
NEEDED = ("narwhals", "pyarrow")


def as_table(source: Any, name: str) -> Any:  # noqa: ANN401 - any form
    """The same as a table of Arrow, if it is a frame that cannot be read as it is.

    Raises:
        BadInput: what it takes to read it is not installed.
    """
    library = type(source).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(source, "read_all"):
        return source.read_all()
    if library == "datasets" and hasattr(source, "with_format"):
        return source.with_format("arrow")[:]
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
