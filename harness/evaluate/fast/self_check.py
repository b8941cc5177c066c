"""The columns are held to the readable path on every call: a few queries are read and measured again, from the input as it was given.

Chosen are those that decide: the one with the longest id, the one with the largest group of tied docs, those of the highest and of the
lowest value, one that has no value, and one that a digest picks: three of these always, and all where that takes a small part of the time.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from rankproof.evaluate.column_check import ColumnCheck
from rankproof.evaluate.fast.arrays import Ints
from rankproof.evaluate.fast.float_answers import Columns
from rankproof.evaluate.fast.row_columns import RowColumns
from rankproof.evaluate.fast.sources import ReadColumns, ReadQrels, ReadRun
from rankproof.evaluate.float_values import FloatValues
from rankproof.evaluate.inputs.rows import T
from rankproof.evaluate.measurable import Measurable
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection, put_together
from rankproof.reference_impl.exact import to_float
from rankproof.text import as_written

LEAST = 3
"""So many queries are measured again, however large they are."""
SHARE = 400
"""As many more as have one of so many rows: the readable path takes some twenty times as long for a row."""
CLOSE = 1e-9
"""How far floats may be from what is exact."""
Asked = Mapping[str, Mapping[str, Signature]]
"""Profile -> measure -> what was asked."""
Found = Mapping[str, Measurable[FloatValues]]
"""Profile -> what was found of each measure by columns."""


class Differs(Exception):
    """The two paths do not say the same; the text says where."""


@dataclass(frozen=True)
class MeasuredRun:
    """A run that was measured by columns."""

    qrels: ReadQrels
    run: ReadRun
    columns: Columns
    tasks: Asked
    values: Found

    @property
    def first(self) -> tuple[Signature, FloatValues]:
        """What was asked first, and what was found of it."""
        profile, values = next(iter(self.values.items()))
        name, first = next(iter(values.of.items()))
        return self.tasks[profile][name], first


def checked(measured: MeasuredRun, strictest: Conventions) -> ColumnCheck:
    """Read and measure a few queries again; `strictest` is what reading sees to."""
    queries = tuple(_few(measured))
    try:
        _hold(measured, queries, strictest)
    except Differs as difference:
        return ColumnCheck(queries, str(difference))
    return ColumnCheck(queries)


def _hold(measured: MeasuredRun, queries: Sequence[str], strictest: Conventions) -> None:
    """See that both paths say the same of these queries.

    Raises:
        Differs: they do not.
    """
    try:
        judged = _again(measured.qrels, queries, strictest, "judgments")
        collection = Collection(judged, _again(measured.run, queries, strictest, "docs"))
        for profile, values in measured.values.items():
            for name, found in values.of.items():
                _compare(collection, name, measured.tasks[profile][name], found, queries)
    except ValueError as refusal:
        raise Differs(f"the slow path refuses what the fast path measured ({refusal})") from refusal


def _rows_of(came: RowColumns, queries: Sequence[str], *, beside: bool) -> Ints:
    """The rows of these queries, and with them those beside, by which one sees that no row is given to another query."""
    places = {query: place for place, query in enumerate(came.queries)}
    own = np.isin(came.query, [places[query] for query in queries if query in places])
    if beside:
        own[:-1] |= own[1:].copy()
        own[1:] |= own[:-1].copy()
    return np.flatnonzero(own)


def _again(
    read: ReadColumns[Any, T], queries: Sequence[str], strictest: Conventions, what: str
) -> dict[str, Sequence[T]]:
    """The rows of these queries as the readable path reads them, as many as the columns have.

    Raises:
        Differs: they are more, or fewer.
    """
    came = read.source.came
    which = _rows_of(came, queries, beside=read.source.is_in_rows)
    rows = read.rows(which, strictest).of if len(which) else {}
    found = {query: rows[query] for query in queries if query in rows}
    sizes = dict(zip(came.queries, np.bincount(came.query, minlength=len(came.queries)).tolist(), strict=True))
    for query in queries:
        slow, fast = len(found.get(query, ())), sizes.get(query, 0)
        if slow != fast:
            raise Differs(f"query {as_written(query)} has {slow} {what} by the slow path and {fast} by the fast one")
        if query in sizes:
            found.setdefault(query, [])
    return found


def _compare(collection: Collection, name: str, task: Signature, values: FloatValues, queries: Sequence[str]) -> None:
    conventions = task.measure.conventions(task.conventions)
    worths = collection.worths(task.measure, task.conventions)
    told = put_together(task.measure, worths, conventions).per_query
    for query in queries:
        slow = to_float(told[query]) if query in told else None
        fast = values.per_query.get(query)
        if not _is_same(slow, fast):
            msg = f"{name} of query {as_written(query)} is {_said(slow)} by the slow path and {_said(fast)} by the fast one"
            raise Differs(msg)


def _is_same(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return bool(np.isclose(a, b, rtol=CLOSE, atol=CLOSE, equal_nan=True))


def _said(value: float | None) -> str:
    return "left out" if value is None else f"{value:.6g}"


# -- which queries decide ----------------------------------------------------------------------------------------------


def _few(measured: MeasuredRun) -> Iterator[str]:
    """Three queries, and as many more as there is time for."""
    given = measured.columns.given
    sizes = np.zeros(len(given.queries), dtype=np.int64)
    sizes[given.of_run] = given.run.sizes
    sizes += measured.columns.judged_docs
    budget = int(sizes.sum()) // SHARE
    names = list(given.queries)
    for n, place in enumerate(dict.fromkeys(_deciding(measured))):
        budget -= int(sizes[place])
        if n >= LEAST and budget < 0:
            return
        yield names[place]


def _deciding(measured: MeasuredRun) -> Iterator[int]:
    """The places of queries that decide, in an order that a digest picks, so that other inputs try another kind first."""
    given, (task, values) = measured.columns.given, measured.first
    found = np.array([values.per_query.get(query, math.nan) for query in given.queries])
    digest = int.from_bytes(hashlib.sha256(found.tobytes()).digest()[:8])
    kinds: list[Callable[[], int]] = [
        lambda: digest % len(found),
        lambda: _of_longest_id(measured),
        lambda: _of_most_tied(measured, task),
        lambda: int(np.nanargmax(found)) if not np.isnan(found).all() else 0,
        lambda: int(np.nanargmin(found)) if not np.isnan(found).all() else 0,
    ]
    if np.isnan(found).any():
        kinds.append(lambda: int(np.isnan(found).argmax()))
    turn = digest % len(kinds)
    for kind in [*kinds[turn:], *kinds[:turn]]:
        yield kind()


def _of_longest_id(measured: MeasuredRun) -> int:
    """The query of the longest id of a doc, in the run or in the qrels."""
    given = measured.columns.given
    of_run, of_qrels = (np.asarray(pc.binary_length(one.docs.texts)) for one in (given.run, given.qrels))
    if of_run.max() >= of_qrels.max():
        row = int(np.argmax(given.run.docs.at == int(of_run.argmax())))
        return int(given.of_run[int(np.searchsorted(given.run.starts, row, side="right")) - 1])
    return int(given.qrels.query[int(np.argmax(given.qrels.docs.at == int(of_qrels.argmax())))])


def _of_most_tied(measured: MeasuredRun, task: Signature) -> int:
    """The query in which a judged doc is tied with most others."""
    docs = measured.columns.docs(task.measure.conventions(task.conventions))
    return int(measured.columns.given.of_run[int(docs.query[int(docs.tied.argmax())])]) if len(docs.tied) else 0
