"""Types of NumPy arrays, and functions on grouped rows."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.integer[Any]]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


class NotColumnar(Exception):
    """An input or convention that needs the exact path."""


class RefusedColumns(NotColumnar):
    """Columns that a convention refuses. The exact path reports the row."""


def places_in(groups: Ints) -> Ints:
    """Return the place of each row within its group, from 0. The rows of a group must be adjacent.

    >>> places_in(np.array([0, 0, 2, 2, 2])).tolist()
    [0, 1, 0, 1, 2]
    """
    sizes = np.bincount(groups)
    return np.arange(len(groups), dtype=np.int64) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def begins(*columns: NDArray[Any]) -> Bools:
    """Return, for each row, whether it differs from the previous row in some column.

    >>> begins(np.array([7, 7, 7, 8]), np.array([1, 1, 2, 2])).tolist()
    [True, False, True, True]
    """
    differs = np.zeros(len(columns[0]), dtype=np.bool_)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return differs


def inverse(order: Ints) -> Ints:
    """Return the place of each row in an order of rows.

    >>> inverse(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def spread(starts: Ints, sizes: Ints) -> Ints:
    """Return the numbers start, start + 1, … of each range, one range after the other.

    >>> spread(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    count = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(count, dtype=np.int64) + np.repeat(starts - (ends - sizes), sizes))


def is_repeated(values: Ints) -> bool:
    """Return whether a value occurs twice.

    >>> is_repeated(np.array([3, 1, 3])), is_repeated(np.array([3, 1, 2]))
    (True, False)
    """
    ordered = np.sort(values)
    return bool((ordered[1:] == ordered[:-1]).any())
