"""Comparison of values: exactly, or at the precision of a library."""

from collections.abc import Iterable
from math import isfinite

from rankproof.workers.observations import Answered, Failure, Reading, identical

LEAST = 1e-15
"""The absolute tolerance for sums of floats that are exactly 0."""
RELATIVE = {"float64": 1e-12, "float32": 1e-6}
"""The relative tolerance by precision."""


def same(observed: Reading, expected: Reading, precision: str) -> bool:
    """Return whether an observed value equals the expected value at a precision.

    >>> same(0.1 + 0.2, 0.3, "float64"), same(0.3333, 1 / 3, "float64"), same(0.3333, 1 / 3, "4 decimals"), same("absent", 0.0, "float64")
    (True, False, True, False)
    """
    if isinstance(observed, str) or isinstance(expected, str) or not (isfinite(observed) and isfinite(expected)):
        return identical(observed, expected)
    if precision.endswith("decimals"):
        # Half a unit of the last decimal, plus the error of decimal numbers as floats.
        return abs(observed - expected) <= 0.5 * 10.0 ** -int(precision.split(maxsplit=1)[0]) + 1e-12
    return abs(observed - expected) <= max(LEAST, RELATIVE[precision] * abs(expected))


def between(observed: float, bound: float, other_bound: float, precision: str) -> bool:
    """Return whether a number lies between two others, or equals one of them at a precision.

    >>> between(0.2, 0.1, 0.5, "float64"), between(0.6, 0.5, 0.1, "float64"), between(0.667, 0.5, 2 / 3, "3 decimals")
    (True, False, True)
    """
    least, most = sorted((bound, other_bound))
    return least - LEAST <= observed <= most + LEAST or any(same(observed, end, precision) for end in (least, most))


def alike(a: Reading | None, b: Reading | None, precisions: Iterable[str] = ("float64",)) -> bool:
    """Return whether two values are equal at one of these precisions, with either of them as the expected value.

    >>> alike(0.3, 0.1 + 0.2), alike(0.3, 0.3001), alike(float("nan"), float("nan")), alike(0.0, "absent"), alike(None, 0.0)
    (True, False, True, False, False)
    """
    if a is None or b is None:
        return a is b
    return any(same(a, b, precision) or same(b, a, precision) for precision in precisions)


def answers_identical(a: Answered | Failure, b: Answered | Failure) -> bool:
    """Return whether two results have the same values, up to rounding errors, or are failures of the same kind.

    >>> nan = float("nan")
    >>> answers_identical(Answered({"q": nan}, nan), Answered({"q": nan}, nan)), answers_identical(Answered({}, None), Answered(None, None))
    (True, False)
    >>> answers_identical(Answered(None, 0.1 + 0.2), Answered(None, 0.3)), answers_identical(Answered(None, 0.3), Answered(None, 0.3000001))
    (True, False)
    """
    if isinstance(a, Failure) or isinstance(b, Failure):
        return isinstance(a, Failure) and isinstance(b, Failure) and a.kind == b.kind
    if (a.per_query is None) != (b.per_query is None) or not alike(a.mean, b.mean):
        return False
    first, second = a.per_query or {}, b.per_query or {}
    return first.keys() == second.keys() and all(alike(first[query], second[query]) for query in first)
