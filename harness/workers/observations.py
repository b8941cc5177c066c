"""Observations: what a library answered, taken apart by query."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankproof.workers.subjects import Subject

ABSENT = "absent"

Reading = float | str
"""A number (NaN and the infinities too), or `absent`: the library says nothing of this query."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The library gave no number; `kind` is one of `failures.FAILURES`.

    Attributes:
        stderr: the end of what its worker wrote there: for the adapter's author, and never compared, as it differs from machine to machine.
    """

    kind: str
    text: str
    stderr: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """The numbers a library gave: by query (None if it does not tell), and over all (None if it does not tell)."""

    per_query: Mapping[str, float] | None
    mean: float | None


@dataclass(frozen=True, slots=True)
class Observation:
    """What a subject answered to one measure of one case.

    Attributes:
        answer: the numbers, a failure, or None where the library does not support the measure.
        why_not: why it does not.
        again: the answer to the same question asked a second time, where it was another one.
    """

    case: str
    subject: Subject
    measure: str
    answer: Answered | Failure | None
    why_not: str = ""
    again: Answered | Failure | None = None


def read(case: str, subject: Subject, measure: str, raw: Mapping[str, Any]) -> Observation:
    """Read a worker's answer."""
    again = None
    if "again" in raw:  # what is unsupported only the second time is no answer either
        again = _answer(raw["again"]) or Failure("error", f"unsupported: {raw['again']['unsupported']}")
    return Observation(case, subject, measure, _answer(raw), str(raw.get("unsupported", "")), again)


def _answer(raw: Mapping[str, Any]) -> Answered | Failure | None:
    if "failed" in raw:
        return Failure(raw["failed"], str(raw["message"]), str(raw.get("stderr", "")))
    if "error" in raw:
        return _failure_of(raw["error"])
    if "unsupported" in raw:
        return None
    per_query, mean = raw["per_query"], raw["mean"]
    if per_query is not None:
        per_query = {str(query): float(value) for query, value in per_query.items() if value is not None}
    return Answered(per_query, None if mean is None else float(mean))


def _failure_of(error: Mapping[str, str]) -> Failure:
    """Return the failure of an exception."""
    text = f"{error['type']}: {error['message']}".rstrip(": ")
    if error.get("kind") == "crash":
        return Failure("crash", f"raises {text}")
    # A library without memory refuses nothing, whether its process was ended or Python raised an error.
    return Failure("memory" if error["type"] == "MemoryError" else "error", text)


def readings(answer: Answered, queries: tuple[str, ...]) -> Iterator[tuple[str | None, Reading]]:
    """The values by query and, under None, the mean; `absent` for one of these queries that has none.

    Where there is one query and the mean is its value, only the mean is told.
    """
    if answer.mean is not None:
        yield None, answer.mean
    if answer.per_query is None:
        return
    named = tuple(dict.fromkeys([*queries, *answer.per_query]))
    if len(named) == 1 and answer.mean is not None and identical(answer.per_query.get(named[0]), answer.mean):
        return
    for query in named:
        yield query, answer.per_query.get(query, ABSENT)


def identical(a: Reading | None, b: Reading | None) -> bool:
    """Whether two readings are the very same, where NaN is NaN.

    >>> identical(0.3, 0.1 + 0.2), identical(float("nan"), float("nan")), identical("absent", 0.0), identical(None, None)
    (False, True, False, True)
    """
    both_nan = isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)
    return both_nan or a == b


def shown(reading: Reading) -> str:
    """A reading as a sheet has it: the shortest text that reads back as the same number."""
    return reading if isinstance(reading, str) else repr(float(reading))
