"""Tables to rows: dicts of lists, frames, records and separated files, whose columns go by name."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol, TypeGuard

from rankproof.evaluate.inputs.arrow_tables import is_arrow
from rankproof.evaluate.inputs.column_names import ALL_NAMES, OF_LISTS, found_columns, has_ranks_alone, implied_rel
from rankproof.evaluate.inputs.rows import BadInput, Rows, T, id_text, number, score_of, scored, whole
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow

OF_QRELS = ("query_id", "doc_id", "relevance")
"""The columns of qrels."""


def of_run(conventions: Conventions) -> tuple[str, ...]:
    """The columns of a run; its ranks are one where they count."""
    return ("query_id", "doc_id", "score", *(["rank"] if conventions.order == "rank" else []))


@dataclass(frozen=True)
class InputTable:
    """The wanted columns, by ir_measures' words for them, and where each row stood."""

    name: str
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int] = ()
    """The line of each row, of a file; nothing of anything else."""


class File(Protocol):
    """A file whose columns have names; the lines of its rows, or none where rows are counted."""

    path: str
    header: Sequence[str]
    lines: Sequence[int]

    def __len__(self) -> int:
        """How many rows it has."""

    def values(self, field: str, column: str) -> Sequence[Any]:
        """A column, read as what stands in it."""


def is_file(source: Any) -> TypeGuard[File]:  # noqa: ANN401 - anything
    """Whether this is such a file; a frame, which has columns, may have one of any name."""
    return hasattr(source, "header") and not hasattr(source, "columns")


def is_column(value: object) -> bool:
    """Whether a value is a list, an array or a series: something with a length that is neither text nor a mapping."""
    if isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) == 0:
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def as_list(values: Any) -> list[Any]:  # noqa: ANN401 - a list, an array, a series
    """The values of a column as Python's own objects."""
    for own in ("to_list", "tolist"):
        if hasattr(values, own):
            listed: list[Any] = getattr(values, own)()
            return listed
    return list(values)


def is_dict_of_lists(source: Mapping[Any, Any], names: Mapping[str, str], name: str) -> bool:
    """Whether a mapping holds columns, of which one at least has a name that is known.

    Raises:
        BadInput: some of it are columns, and some are not.
    """
    known = {*names.values(), *ALL_NAMES, *OF_LISTS}
    column = next((key for key, value in source.items() if key in known and is_column(value)), None)
    if column is None:
        return False
    for key, value in source.items():
        if not is_column(value):
            what = f"{key!r} is no list, as the column {column!r} is; give a list for each column, one value a row"
            raise BadInput(name, what)
    return True


def qrels_of_table(source: Any, name: str, names: Mapping[str, str]) -> Rows[Judgment]:  # noqa: ANN401 - any table
    """The qrels of a table."""
    table = read_table(source, name, OF_QRELS, implied_rel(columns_in(source), names), names)
    return _rows_of(table, judgment_of)


def judgment_of(where: str, doc: Any, rel: Any) -> Judgment:  # noqa: ANN401 - as the qrels have them
    """A judgment of what stands in a row."""
    return Judgment(id_text(doc, where, "doc"), number(rel, where, "rel"))


def columns_in(source: Any) -> list[Any]:  # noqa: ANN401 - any form
    """What its columns are called; of records, of which each may have its own, and of what is no table, that there is a rel."""
    if isinstance(source, Mapping):
        return list(source)
    if is_file(source):
        return list(source.header)
    names = getattr(source, "column_names" if is_arrow(source) else "columns", None)
    return ["relevance"] if names is None else list(names)


def run_of_table(source: Any, name: str, names: Mapping[str, str], conventions: Conventions) -> Rows[QueryRow]:  # noqa: ANN401
    """The run of a table; what nothing depends on may be missing."""
    needed = scored(conventions)
    if needed and has_ranks_alone(columns_in(source), names):
        return _rows_of(read_table(source, name, ("query_id", "doc_id", "rank"), {}, names), _by_its_rank)
    table = read_table(source, name, of_run(conventions), {} if needed else {"score": 0.0}, names)

    def row(where: str, doc: Any, score: Any, *rank: Any) -> QueryRow:  # noqa: ANN401 - as the table has them
        value = score_of(score, where, nan=not needed)
        return QueryRow(id_text(doc, where, "doc"), value, whole(rank[0], where) if rank else 0)

    return _rows_of(table, row)


def _by_its_rank(where: str, doc: Any, rank: Any) -> QueryRow:  # noqa: ANN401 - as the table has them
    """A row that has a rank and no score: its score is minus the rank."""
    place = whole(rank, where)
    return QueryRow(id_text(doc, where, "doc"), float(-place), place)


def _rows_of(table: InputTable, row: Callable[..., T]) -> Rows[T]:
    """The rows of a table by query; `row(where, doc, …)` makes one of its place and of all columns but the first."""
    of: dict[str, list[T]] = {}
    numbers: dict[str, array[int]] = {}
    for place, (query, *values) in zip(
        table.lines or count(1), zip(*table.columns.values(), strict=True), strict=False
    ):
        where = f"{table.name}:{place}" if table.lines else f"{table.name}, row {place}"
        key = id_text(query, where, "query")
        of.setdefault(key, []).append(row(where, *values))
        numbers.setdefault(key, array("Q")).append(place)
    return Rows(table.name, of, numbers, "line" if table.lines else "row")


def read_table(
    source: Any,  # noqa: ANN401 - any table
    name: str,
    wanted: Sequence[str],
    spare: Mapping[str, Any],
    names: Mapping[str, str],
) -> InputTable:
    """The wanted columns; one that may be missing has its spare value throughout.

    Raises:
        BadInput: it is no table, or a column is missing, or not as long as the others.
    """
    if isinstance(source, Mapping):
        refuse_lengths(source, name)
        found = found_columns(name, list(source), wanted, spare, names)
        n = len(next(iter(source.values())))
        return InputTable(name, {f: as_list(source[c]) if c else [spare[f]] * n for f, c in found.items()})
    if is_file(source):
        return _of_file(source, wanted, spare, names)
    if hasattr(source, "columns"):
        have = list(source.columns)
        found = found_columns(name, have, wanted, spare, names)
        for column in found.values():
            if have.count(column) > 1:
                raise BadInput(name, f"two columns are called {column}; rename or drop one")
        return InputTable(name, {f: source[c].to_list() if c else [spare[f]] * len(source) for f, c in found.items()})
    if not isinstance(source, Iterable):
        what = f"{type(source).__name__} is no path, dict of dict, frame or iterable of named tuples"
        raise BadInput(name, what)
    return _of_records(source, name, wanted, spare, names)


def _of_file(file: File, wanted: Sequence[str], spare: Mapping[str, Any], names: Mapping[str, str]) -> InputTable:
    place = f"{file.path}:1" if file.lines else file.path
    found = found_columns(place, list(file.header), wanted, spare, names, option=True)
    n = len(file)
    return InputTable(file.path, {f: file.values(f, c) if c else [spare[f]] * n for f, c in found.items()}, file.lines)


def _of_records(
    source: Iterable[Any], name: str, wanted: Sequence[str], spare: Mapping[str, Any], names: Mapping[str, str]
) -> InputTable:
    columns: dict[str, list[Any]] = {field: [] for field in wanted}
    by_type: dict[type, Mapping[str, str]] = {}
    for row, record in enumerate(source, start=1):
        kind = type(record)
        if kind not in by_type:
            have = list(getattr(record, "_fields", ()))
            where = f"{name}, row {row}"
            if not have and (isinstance(record, Mapping) or hasattr(record, "columns")):
                raise BadInput(where, f"a {kind.__name__} among rows; give it by itself, or several runs as a list")
            by_type[kind] = found_columns(where, have, wanted, spare, names, of=kind.__name__)
        for field, column in by_type[kind].items():
            columns[field].append(getattr(record, column) if column else spare[field])
    return InputTable(name, columns)


def refuse_lengths(source: Mapping[Any, Any], name: str) -> None:
    """Refuse columns that are not all as long as the first.

    Raises:
        BadInput: one is not; the message names it.
    """
    first, *others = ((column, len(values)) for column, values in source.items())
    for column, n in others:
        if n != first[1]:
            what = f"the column {column!r} is {n} long and {first[0]!r} {first[1]}; a row is one value of each"
            raise BadInput(name, what)


def columns_of_rows(source: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - any form
    """The columns of rows that are objects in a list; what has another form is as it was.

    A row has the name of a column, with one value; or lists of ids under one of their names. Runs in a list are objects, too: of
    these each column is a list, and each query has a dict of its docs. Where a row has no such key as another, its value is None.

    >>> columns_of_rows([{"qid": "1", "docno": "a"}, {"qid": "1", "docno": "b"}], {})
    {'qid': ['1', '1'], 'docno': ['a', 'b']}
    """
    if not isinstance(source, list | tuple) or not source or not isinstance(source[0], Mapping):
        return source
    known = {*names.values(), *ALL_NAMES}
    if not all(isinstance(row, Mapping) and _is_row(row, known) for row in source):
        return source
    keys = dict.fromkeys(key for row in source for key in row)
    return {key: [row.get(key) for row in source] for key in keys}


def _is_row(row: Mapping[Any, Any], known: set[str]) -> bool:
    told = [value for key, value in row.items() if key in known]
    if any(is_column(value) or isinstance(value, Mapping) for value in told):
        return False
    return bool(told) or any(is_column(row[key]) for key in OF_LISTS & row.keys())
