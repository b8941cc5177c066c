"""Observations: the values of a library on one case, or its failure."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankproof.workers.subjects import Subject

ABSENT = "absent"

Reading = float | str
"""A number, possibly NaN or infinite; or `absent` for a query that the library does not report."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure instead of values.

    Attributes:
        kind: one of `process.FAILURES`.
        text: the message.
        stderr: the last lines of stderr. They are never compared, because they differ between machines.
    """

    kind: str
    text: str
    stderr: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """The values of a library by query, and the mean; None for what the library does not report."""

    per_query: Mapping[str, float] | None
    mean: float | None


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of a subject for one measure of one case.

    Attributes:
        case: the id of the case.
        subject: the library in one variant.
        measure: the measure.
        answer: values, a failure, or None if the library does not support the measure.
        why_not: the reason why it does not.
        again: the result of the repetition, if it differs.
    """

    case: str
    subject: Subject
    measure: str
    answer: Answered | Failure | None
    why_not: str = ""
    again: Answered | Failure | None = None


def read(case: str, subject: Subject, measure: str, raw: Mapping[str, Any]) -> Observation:
    """Convert a worker's JSON result to an observation."""
    again = None
    if "again" in raw:  # a measure that is only unsupported the second time has failed
        again = _result(raw["again"]) or Failure("error", f"unsupported: {raw['again']['unsupported']}")
    return Observation(case, subject, measure, _result(raw), str(raw.get("unsupported", "")), again)


def _result(raw: Mapping[str, Any]) -> Answered | Failure | None:
    if "failed" in raw:
        return Failure(raw["failed"], str(raw["message"]), str(raw.get("stderr", "")))
    if "unsupported" in raw:
        return None
    if "error" in raw:
        error = raw["error"]
        text = f"{error['type']}: {error['message']}".rstrip(": ")
        if error.get("kind") == "crash":
            return Failure("crash", f"raises {text}")
        # A library that runs out of memory does not reject the input, even if Python raises an error.
        return Failure("memory" if error["type"] == "MemoryError" else "error", text)
    per_query, mean = raw["per_query"], raw["mean"]
    if per_query is not None:
        per_query = {str(query): float(value) for query, value in per_query.items() if value is not None}
    return Answered(per_query, None if mean is None else float(mean))


def readings(answer: Answered, queries: tuple[str, ...]) -> Iterator[tuple[str | None, Reading]]:
    """Yield the mean (query None) and the value of each query; queries without a value are `absent`.

    If there is only one query, and its value is the mean, only the mean is yielded.
    """
    if answer.mean is not None:
        yield None, answer.mean
    if answer.per_query is None:
        return
    names = tuple(dict.fromkeys([*queries, *answer.per_query]))
    if len(names) == 1 and answer.mean is not None and identical(answer.per_query.get(names[0]), answer.mean):
        return
    for query in names:
        yield query, answer.per_query.get(query, ABSENT)


def identical(a: Reading | None, b: Reading | None) -> bool:
    """Return whether two values are exactly equal, including NaN.

    >>> identical(0.3, 0.1 + 0.2), identical(float("nan"), float("nan")), identical("absent", 0.0), identical(None, None)
    (False, True, False, True)
    """
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


def reading_text(reading: Reading) -> str:
    """Return a value as text: the shortest text with the same number, as in sheets."""
    return reading if isinstance(reading, str) else repr(float(reading))
