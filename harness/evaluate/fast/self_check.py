"""The self-check: on every call, some queries are read and measured again by the exact path.

These are the queries with the longest id, the largest group of tied documents, the highest and the lowest value, one without a value, and
one that a digest of the values picks: three of them in any case, and more while that takes a small part of the time.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from rankproof.evaluate.fast.arrays import Ints
from rankproof.evaluate.fast.column_values import ColumnValues
from rankproof.evaluate.fast.encoding import Encoded
from rankproof.evaluate.inputs.rows import Columns as ReadColumns
from rankproof.evaluate.inputs.rows import Rows, T, qrels_rows, run_rows
from rankproof.evaluate.result import ColumnCheck, FloatValues
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection, put_together
from rankproof.reference_impl.exact import to_float
from rankproof.text import as_written

_LEAST = 3
"""The least number of queries that are measured again."""
_SHARE = 400
"""More are measured again as long as they have one of so many rows."""
_CLOSE = 1e-9
"""The largest difference between floats and exact values."""


class _Differs(Exception):
    """A difference between the two paths."""


@dataclass(frozen=True)
class CheckedSide:
    """Qrels or a run: as read, and with ids as numbers."""

    read: ReadColumns
    encoded: Encoded


@dataclass(frozen=True)
class MeasuredRun:
    """A run that was measured by columns: measure -> signature, and the values."""

    qrels: CheckedSide
    run: CheckedSide
    columns: ColumnValues
    tasks: Mapping[str, Signature]
    values: Mapping[str, FloatValues]


def check(measured: MeasuredRun, strictest: Conventions) -> ColumnCheck:
    """Read and measure a few queries again; `strictest` says what is read and refused."""
    queries = tuple(_chosen(measured))
    try:
        judged = _again(measured.qrels, queries, "judgments", lambda columns: qrels_rows(columns, strictest))
        ranked = _again(measured.run, queries, "docs", lambda columns: run_rows(columns, strictest))
        collection = Collection(judged, ranked)
        for name, found in measured.values.items():
            _compare(collection, name, measured.tasks[name], found, queries)
    except _Differs as difference:
        return ColumnCheck(queries, str(difference))
    except ValueError as refusal:
        return ColumnCheck(queries, f"the slow path refuses what the fast path measured ({refusal})")
    return ColumnCheck(queries)


def _again(
    side: CheckedSide, queries: Sequence[str], what: str, rows: Callable[[ReadColumns], Rows[T]]
) -> dict[str, Sequence[T]]:
    """Return the rows of these queries as the exact path reads them.

    Raises:
        _Differs: there are more or fewer than in the columns.
    """
    came = side.encoded
    which = _rows_of(came, queries, with_neighbours=side.read.sizes is None)
    found: dict[str, Sequence[T]] = dict(rows(side.read.pick(which.tolist())).of) if len(which) else {}
    sizes = dict(zip(came.queries, np.bincount(came.query, minlength=len(came.queries)).tolist(), strict=True))
    for query in queries:
        slow, fast = len(found.get(query, ())), sizes.get(query, 0)
        if slow != fast:
            raise _Differs(f"query {as_written(query)} has {slow} {what} by the slow path and {fast} by the fast one")
    return {query: found.get(query, []) for query in queries if query in sizes}


def _rows_of(came: Encoded, queries: Sequence[str], *, with_neighbours: bool) -> Ints:
    """Return the rows of these queries, with the rows next to them, which may have been given to a wrong query."""
    places = {query: place for place, query in enumerate(came.queries)}
    own = np.isin(came.query, [places[query] for query in queries if query in places])
    if with_neighbours:
        own[:-1] |= own[1:].copy()
        own[1:] |= own[:-1].copy()
    return np.flatnonzero(own)


def _compare(collection: Collection, name: str, task: Signature, values: FloatValues, queries: Sequence[str]) -> None:
    worths = collection.worths(task.measure, task.conventions)
    told = put_together(task.measure, worths, task.conventions).per_query
    for query in queries:
        slow = to_float(told[query]) if query in told else None
        fast = values.per_query.get(query)
        is_same = (
            slow is fast if slow is None or fast is None else np.isclose(slow, fast, _CLOSE, _CLOSE, equal_nan=True)
        )
        if not is_same:
            shown = [("left out" if value is None else f"{value:.6g}") for value in (slow, fast)]
            raise _Differs(
                f"{name} of query {as_written(query)} is {shown[0]} by the slow path and {shown[1]} by the fast one"
            )


# -- which queries -------------------------------------------------------------------------------------------------------


def _chosen(measured: MeasuredRun) -> Iterator[str]:
    given = measured.columns.given
    sizes = measured.columns.judged_docs.copy()
    sizes[given.of_run] += given.run.sizes
    budget = int(sizes.sum()) // _SHARE
    names = list(given.queries)
    for n, place in enumerate(dict.fromkeys(_deciding(measured))):
        budget -= int(sizes[place])
        if n >= _LEAST and budget < 0:
            return
        yield names[place]


def _deciding(measured: MeasuredRun) -> Iterator[int]:
    """Yield the places of queries, in an order that a digest picks, so that other inputs check another kind first."""
    given = measured.columns.given
    name, values = next(iter(measured.values.items()))
    task = measured.tasks[name]
    found = np.array([values.per_query.get(query, math.nan) for query in given.queries])
    digest = int.from_bytes(hashlib.sha256(found.tobytes()).digest()[:8])
    kinds: list[Callable[[], int]] = [
        lambda: digest % len(found),
        lambda: _of_longest_id(measured.columns),
        lambda: _of_most_tied(measured.columns, task),
    ]
    if not np.isnan(found).all():
        kinds += [lambda: int(np.nanargmax(found)), lambda: int(np.nanargmin(found))]
    if np.isnan(found).any():
        kinds.append(lambda: int(np.isnan(found).argmax()))
    turn = digest % len(kinds)
    for kind in [*kinds[turn:], *kinds[:turn]]:
        yield kind()


def _of_longest_id(columns: ColumnValues) -> int:
    given = columns.given
    if given.run.docs.listed or given.qrels.docs.listed:  # texts of Python have no widths to be mixed up
        return 0
    of_run, of_qrels = (np.asarray(pc.binary_length(one.docs.texts)) for one in (given.run, given.qrels))
    if of_run.max() >= of_qrels.max():
        row = int(np.argmax(given.run.docs.at == int(of_run.argmax())))
        return int(given.of_run[int(np.searchsorted(given.run.starts, row, side="right")) - 1])
    return int(given.qrels.query[int(np.argmax(given.qrels.docs.at == int(of_qrels.argmax())))])


def _of_most_tied(columns: ColumnValues, task: Signature) -> int:
    docs = columns.docs(task.measure.conventions(task.conventions))
    return int(columns.given.of_run[int(docs.query[int(docs.tied.argmax())])]) if len(docs.tied) else 0
