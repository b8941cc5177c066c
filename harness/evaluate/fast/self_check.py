"""The self-check of the columnar path: some queries of every call are read and measured again by the exact path.

The queries are those with the largest tie group, the highest and the lowest value, and no value. A digest of the values
picks others. At least three are checked, and more if that takes a small part of the time.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count

import numpy as np

from rankproof.evaluate.fast.column_values import ColumnValues
from rankproof.evaluate.fast.encoding import Encoded
from rankproof.evaluate.inputs.rows import Columns, Rows, T, qrels_rows, run_rows
from rankproof.evaluate.result import ColumnCheck, FloatValues
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection, put_together
from rankproof.reference_impl.exact import to_float
from rankproof.text import as_written

_LEAST, _MOST = 3, 6
"""The smallest and the largest number of queries that are measured again."""
_SHARE = 400
"""More than the smallest number are measured again as long as they have at most one in this many rows."""
_CLOSE = 1e-9
"""The largest difference between floats and exact values."""
Side = tuple[Columns, Encoded]
"""Qrels or a run, as they were read and with ids as numbers."""


class _Differs(Exception):
    """A difference between the two paths."""


def check(
    qrels: Side,
    run: Side,
    columns: ColumnValues,
    measured: Mapping[str, tuple[Signature, FloatValues]],
    strictest: Conventions,
) -> ColumnCheck:
    """Read and measure a few queries again by the exact path, and return the check.

    Args:
        qrels: the judgments.
        run: the run.
        columns: the columns that were measured.
        measured: the signature and the values of each measure.
        strictest: the conventions that decide what is read and refused.
    """
    queries = tuple(_chosen(columns, *next(iter(measured.values()))))
    try:
        judged = _exact(qrels, queries, "judgments", lambda columns: qrels_rows(columns, strictest))
        ranked = _exact(run, queries, "documents", lambda columns: run_rows(columns, strictest))
        collection = Collection(judged, ranked)
        for name, (task, values) in measured.items():
            _compare(collection, name, task, values, queries)
    except _Differs as difference:
        return ColumnCheck(queries, str(difference))
    except ValueError as refusal:
        return ColumnCheck(queries, f"the exact path refuses what the columnar path measured ({refusal})")
    return ColumnCheck(queries)


def _exact(side: Side, queries: Sequence[str], what: str, rows: Callable[[Columns], Rows[T]]) -> dict[str, Sequence[T]]:
    """Return the rows of these queries as the exact path reads them, with adjacent rows that may be misassigned.

    Raises:
        _Differs: the columns have more or fewer rows.
    """
    read, encoded = side
    places = {query: place for place, query in enumerate(encoded.queries)}
    own = np.isin(encoded.query, [places[query] for query in queries if query in places])
    sizes = np.bincount(encoded.query, minlength=len(places))
    if read.sizes is None:
        own[:-1] |= own[1:].copy()
        own[1:] |= own[:-1].copy()
    of_queries: dict[str, Sequence[T]] = {}
    if own.any():
        of_queries.update(rows(read.pick(np.flatnonzero(own).tolist())).of)
    for query in queries:
        slow, fast = len(of_queries.get(query, ())), int(sizes[places[query]]) if query in places else 0
        if slow != fast:
            raise _Differs(f"query {as_written(query)} has {slow} {what} by the exact path and {fast} by columns")
    return {query: of_queries.get(query, []) for query in queries if query in places}


def _compare(collection: Collection, name: str, task: Signature, values: FloatValues, queries: Sequence[str]) -> None:
    worths = collection.worths(task.measure, task.conventions)
    exact = put_together(task.measure, worths, task.conventions).per_query
    for query in queries:
        slow = to_float(exact[query]) if query in exact else None
        fast = values.per_query.get(query)
        is_same = slow is fast
        if slow is not None and fast is not None:
            is_same = bool(np.isclose(slow, fast, _CLOSE, _CLOSE, equal_nan=True))
        if not is_same:
            texts = [("left out" if value is None else f"{value:.6g}") for value in (slow, fast)]
            what = f"{name} of query {as_written(query)} is {texts[0]} by the exact path and {texts[1]} by columns"
            raise _Differs(what)


# -- which queries -------------------------------------------------------------------------------------------------------


def _chosen(columns: ColumnValues, task: Signature, values: FloatValues) -> Iterator[str]:
    inputs, names = columns.inputs, list(columns.inputs.queries)
    sizes = columns.judged_docs.copy()
    sizes[inputs.of_run] += inputs.run.sizes
    budget = int(sizes.sum()) // _SHARE
    numbers = np.array([values.per_query.get(query, math.nan) for query in names])
    chosen: dict[int, None] = {}
    for place in _deciding(columns, task, numbers):
        budget -= 0 if place in chosen else int(sizes[place])
        if len(chosen) == min(len(names), _MOST) or (len(chosen) >= _LEAST and budget < 0):
            break
        chosen[place] = None
    return map(names.__getitem__, chosen)


def _deciding(columns: ColumnValues, task: Signature, values: "np.typing.NDArray[np.float64]") -> Iterator[int]:
    """Yield the places of queries in an order by digest, so that different inputs check different kinds first."""
    digest = int.from_bytes(hashlib.sha256(values.tobytes()).digest()[:8])
    kinds = [digest % len(values), _of_most_tied(columns, task)]
    if not np.isnan(values).all():
        kinds += [int(np.nanargmax(values)), int(np.nanargmin(values))]
    if np.isnan(values).any():
        kinds.append(int(np.isnan(values).argmax()))
    turn = digest % len(kinds)
    yield from [*kinds[turn:], *kinds[:turn]]
    yield from (place % len(values) for place in count(digest))


def _of_most_tied(columns: ColumnValues, task: Signature) -> int:
    docs = columns.docs(task.measure.conventions(task.conventions))
    return int(columns.inputs.of_run[int(docs.query[int(docs.tied.argmax())])]) if len(docs.tied) else 0
