"""Rows of qrels and runs: as columns in input order, and by query for the reference, with the place of each row."""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, groupby, islice, repeat
from numbers import Integral, Rational, Real
from typing import Any, Generic, TypeAlias, TypeVar

from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rel
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import as_written

QRELS, RUN = "the qrels", "the run"
"""The names of inputs that are not files."""
ROWS, COLUMNS = 200_000_000, 1_000
"""The largest number of rows and of columns of an input."""
LONGEST = 1_000_000
"""The largest number of bytes of a line, and of an id."""
_LARGEST_NUMBER = int(sys.float_info.max)
_WHOLE = re.compile(r"[-+]?[0-9]{1,308}")
_WITH_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")
_MOST_CHARACTERS = 40
T = TypeVar("T", Judgment, QueryRow)
Input: TypeAlias = Any
"""Qrels or a run in any form that `rankproof.evaluate` reads."""
Values: TypeAlias = Any
"""A list, an array, a series or an Arrow column."""
Value: TypeAlias = Any
"""An item of `Values`."""


class BadInput(Unusable):
    """Qrels or a run that cannot be used; the message is one line with the place, the fault and the remedy."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(where, what)
        self.where, self.what = where, what

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class TooLarge(BadInput):
    """An input above the size limits, which other readers do not try."""


def refuse_size(where: str, *, rows: int = 0, columns: int = 0) -> None:
    """Raise `TooLarge` if an input has too many rows or columns."""
    for count, limit, unit in ((rows, ROWS, "rows"), (columns, COLUMNS, "columns")):
        if count > limit:
            raise TooLarge(
                where, f"more than {limit:,} {unit}, the limit for qrels and runs. Leave out what is not needed."
            )


@dataclass(frozen=True)
class Columns:
    """Qrels or a run as columns: lists, arrays or Arrow columns.

    Attributes:
        name: the path, or `the qrels`, `the run`.
        query: the query of each row; with `sizes`, each query once.
        doc: the document of each row.
        value: the relevance grade or the score of each row.
        rank: the rank of each row, if ranks are read.
        sizes: the number of rows of each query, if the rows are grouped by query.
        lines: the line number of each row of a file.
        is_text: whether numbers are still text.
        dicts: the documents and values of each query of a dict of dicts, which has no duplicates.
    """

    name: str
    query: Values
    doc: Values
    value: Values
    rank: Values = None
    sizes: Sequence[int] | None = None
    lines: Sequence[int] = ()
    is_text: bool = False
    dicts: Sequence[Mapping[Any, Any]] = ()

    def __len__(self) -> int:
        return len(self.doc)

    def pick(self, rows: Sequence[int]) -> "Columns":
        """Return some of the rows by position."""
        queries = self.row_queries() if self.sizes is not None else self.query
        query, doc, value = (_pick(column, rows) for column in (queries, self.doc, self.value))
        rank = None if self.rank is None else _pick(self.rank, rows)
        lines = [self.lines[row] for row in rows] if self.lines else ()
        return replace(self, query=query, doc=doc, value=value, rank=rank, sizes=None, lines=lines, dicts=())

    def row_queries(self) -> list[Any]:
        """Return the query of each row."""
        if self.sizes is None:
            return as_list(self.query)
        return list(chain.from_iterable(map(repeat, self.query, self.sizes)))

    def numbers(self) -> Iterable[int]:
        """Return the line number of each row, its row number, or its number within its query."""
        if self.sizes is not None:
            return chain.from_iterable(range(1, size + 1) for size in self.sizes)
        return self.lines or range(1, len(self) + 1)

    def place(self, number: int) -> str:
        """Return the place of a row for a message, such as `line 3`."""
        return f"{'item' if self.sizes is not None else 'line' if self.lines else 'row'} {number}"

    def where(self, query: Value, number: int) -> str:
        """Return the input and the place of a row, for the start of a message."""
        if self.lines:
            return f"{self.name}:{number}"
        of_query = "" if self.sizes is None else f"query {as_written(str(query))}, "
        return f"{self.name}, {of_query}{self.place(number)}"


def _pick(column: Values, rows: Sequence[int]) -> Values:
    if hasattr(column, "take") and hasattr(column, "combine_chunks"):
        return column.take(rows)
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    return [column[row] for row in rows]


def as_list(values: Values) -> list[Any]:
    """Return a list, an array, a series or an Arrow column as a list of Python objects."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            listed: list[Any] = getattr(values, method)()
            return listed
    return list(values)


@dataclass(frozen=True)
class Rows(Generic[T]):
    """The rows of each query in input order, and the columns that they were made from."""

    columns: Columns
    of: Mapping[str, Sequence[T]]

    def number(self, query: str, index: int) -> int:
        """Return the number of a row of a query, for a message."""
        every = zip(self.columns.row_queries(), self.columns.numbers(), strict=False)
        return next(islice((number for own, number in every if str(own) == query), index, None))

    def refuse_duplicates(self, axis: str) -> None:
        """Refuse a query that has a document twice.

        Raises:
            BadInput: a document occurs twice. The message has both places.
        """
        for query, rows in self.of.items():
            if len({row.doc for row in rows}) == len(rows):
                continue
            seen: dict[str, int] = {}
            for i, row in enumerate(rows):
                if seen.setdefault(row.doc, i) != i:
                    first, second = (self.number(query, at) for at in (seen[row.doc], i))
                    what = f"query {as_written(query)} has document {as_written(row.doc)} twice, first on {self.columns.place(first)}"
                    remedy = f"Remove one, or add {axis}=first or {axis}=last to the profile."
                    raise BadInput(self.columns.where(query, second), f"{what}. {remedy}")


def rows_apart(columns: Columns) -> tuple[str, ...]:
    """Return the queries whose rows are separated by rows of other queries."""
    if columns.sizes is not None:
        return ()
    stretches = Counter(query for query, _ in groupby(map(str, columns.row_queries())))
    return tuple(query for query, count in stretches.items() if count > 1)


# -- from columns to rows ------------------------------------------------------------------------------------------------


def needs_scores(conventions: Conventions) -> bool:
    """Return whether a value depends on the scores, so that NaN is refused."""
    return conventions.order == "score" or conventions.score_sign == "positive"


def qrels_rows(columns: Columns, conventions: Conventions) -> Rows[Judgment]:
    """Return the judgments of each query.

    Raises:
        BadInput: an id or a grade cannot be read, or a document is judged twice and the conventions refuse duplicates.
    """
    rows = _by_query(columns, lambda doc, rel: Judgment(id_text(doc, "", "document"), rel_of(rel, "", columns)))
    if conventions.qrels_duplicates == "rejected":
        rows.refuse_duplicates("qrels_duplicates")
    return rows


def run_rows(columns: Columns, conventions: Conventions) -> Rows[QueryRow]:
    """Return the retrieved documents of each query, with ranks if the conventions need them.

    Raises:
        BadInput: a value cannot be read, or a document is retrieved twice and the conventions refuse duplicates.
    """
    score = partial(score_of, columns=columns, nan=not needs_scores(conventions))
    columns = columns if conventions.order == "rank" else replace(columns, rank=None)
    if conventions.order == "rank" and columns.rank is None:
        raise BadInput(columns.name, "it has no ranks, which order=rank needs. Pass a file or a frame with ranks.")

    def row(doc: Value, value: Value, *rank: Value) -> QueryRow:
        return QueryRow(id_text(doc, "", "document"), score(value, ""), rank_of(rank[0], "", columns) if rank else 0)

    rows = _by_query(columns, row)
    if conventions.run_duplicates == "rejected":
        rows.refuse_duplicates("run_duplicates")
    return rows


def _by_query(columns: Columns, row: Callable[..., T]) -> Rows[T]:
    of: dict[str, list[T]] = {}
    for raw in columns.query if columns.sizes is not None else ():
        query = id_text(raw, columns.name, "query")
        if query in of:
            what = f"query {as_written(query)} occurs twice, as text and as a number. Ids are compared as text."
            raise BadInput(columns.name, what)
        of[query] = []
    cells = zip(*(as_list(c) for c in (columns.doc, columns.value, columns.rank) if c is not None), strict=True)
    for raw, number, own in zip(columns.row_queries(), columns.numbers(), cells, strict=False):
        try:
            query = raw if type(raw) is str else id_text(raw, "", "query")
            of.setdefault(query, []).append(row(*own))
        except BadInput as fault:
            raise BadInput(columns.where(raw, number), fault.what) from fault
    return Rows(columns, of)


def id_text(value: Value, where: str, what: str) -> str:
    """Return an id, a text or a whole number, as text.

    Raises:
        BadInput: the value is neither text nor a whole number.
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(_whole(int(value), where, what))
    raise BadInput(where, f"the {what} is {as_written(value)}, a {type(value).__name__}. Use text or whole numbers.")


def rel_of(value: Value, where: str, columns: Columns) -> Rel:
    """Return a relevance grade, a finite number, exactly as in the input.

    Raises:
        BadInput: the value is not a finite number.
    """
    if columns.is_text and isinstance(value, str):
        text = value.strip()
        value = int(text) if _WHOLE.fullmatch(text) else _float(text, where, "relevance grade")
    return _number(value, where, "relevance grade")


def score_of(value: Value, where: str, columns: Columns, *, nan: bool = False) -> float:
    """Return a score. Infinities are valid, and so is NaN if `nan` is set.

    Raises:
        BadInput: the value is not a number.
    """
    if columns.is_text:
        if isinstance(value, bool):
            raise BadInput(where, f"the score is {str(value).lower()}, not a number")
        value = _float(value.strip(), where, "score") if isinstance(value, str) else value
    if isinstance(value, Real) and not isinstance(value, Rational) and (nan or not math.isnan(value)):
        return float(value)
    return float(_number(value, where, "score"))


def rank_of(value: Value, where: str, columns: Columns) -> int:
    """Return a rank, a whole number.

    Raises:
        BadInput: the value is not a whole number.
    """
    if columns.is_text and isinstance(value, str):
        value = int(value) if _WHOLE.fullmatch(value.strip()) else value
    number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    if not math.isfinite(number) or number % 1:
        raise BadInput(where, f"the rank is {as_written(value)}, not a whole number")
    return int(number) if isinstance(value, float) else int(value)


def _float(text: str, where: str, what: str) -> float:
    if text.isascii() and "_" not in text:  # float() also reads 1_000 and digits of other scripts
        with suppress(ValueError):
            return float(text)
    remedy = ". Write decimal points, or use pandas.read_csv(…, decimal=',')." if _WITH_COMMA.fullmatch(text) else ""
    raise BadInput(where, f"the {what} is {as_written(text[:_MOST_CHARACTERS])}, not a number{remedy}")


def _number(value: Value, where: str, what: str) -> Rel:
    if isinstance(value, Integral):
        return _whole(int(value), where, what)
    if isinstance(value, Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))
        _whole(int(exact), where, what)
        return exact
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    raise BadInput(where, f"the {what} is {as_written(value)}, not a finite number")


def _whole(value: int, where: str, what: str) -> int:
    if abs(value) > _LARGEST_NUMBER:
        raise BadInput(where, f"the {what} is too large for a float")
    return value
