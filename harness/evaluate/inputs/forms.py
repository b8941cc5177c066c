"""Types of qrels, runs and measures as users pass them; they say what a function accepts, and the readers check it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol, TypeAlias, runtime_checkable

Id: TypeAlias = str | int
"""The id of a query or document; 7 and "7" are equal."""
PathLike: TypeAlias = str | os.PathLike[str]
"""A file, or `-` for the standard input."""


@runtime_checkable
class Frame(Protocol):
    """A data frame: pandas, Polars, DuckDB, Spark and others."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


@runtime_checkable
class ArrowTable(Protocol):
    """A table of Arrow, or a Hugging Face dataset."""

    @property
    def column_names(self) -> Any:
        """The names of the columns."""


class Column(Protocol):
    """A column of a frame, or an array."""

    def tolist(self) -> Any:
        """Return the values as a list."""


Table: TypeAlias = (
    Frame | ArrowTable | Mapping[str, Sequence[Any]] | Iterable[tuple[Any, ...]] | Iterable[Mapping[str, Any]]
)
"""A frame, a dict of lists, or rows as named tuples or dicts."""
Listed: TypeAlias = Sequence[float] | Sequence[Sequence[float]]
"""Grades or scores without ids, of one query or of several."""
QrelsLike: TypeAlias = (
    PathLike
    | Mapping[Any, Mapping[Any, float]]
    | Mapping[Any, Sequence[Id] | AbstractSet[Id]]
    | Sequence[Sequence[Id] | AbstractSet[Id]]
    | Table
    | Listed
)
"""Judgments: a file, a dict of grades by document and query, relevant ids by query, a table, or grades in rank order."""
RunLike: TypeAlias = (
    PathLike | Mapping[Any, Mapping[Any, float]] | Mapping[Any, Sequence[Id]] | Sequence[Sequence[Id]] | Table | Listed
)
"""A run: a file, a dict of scores by document and query, ids in rank order by query, a table, or scores."""
RunsLike: TypeAlias = RunLike | Sequence[RunLike] | Mapping[str, RunLike]
"""A run, or several: a list, or a dict by the name of the system."""


@runtime_checkable
class IrMeasure(Protocol):
    """A measure of ir_measures."""

    NAME: str


MeasuresLike: TypeAlias = str | IrMeasure | Iterable[str | IrMeasure]
"""One measure or several, as text or as objects of ir_measures."""


class Query(Protocol):
    """A query that `rankproof.check` passes to a function: its attributes are the ingredients of `rankproof check --help`."""

    def __getattr__(self, name: str) -> Any:
        """Return an ingredient, such as `rels` or `k`."""
