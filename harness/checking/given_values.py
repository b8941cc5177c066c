"""What a function gave, read as an answer: a number, a dict of numbers by query, or both."""

import contextlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.asking.observations import Answered


class NoNumber(TypeError):
    """A function gave something that is no number."""


def number(value: Any) -> float:  # noqa: ANN401 - whatever a function gives
    """A value as a float: a number, or what holds exactly one (an array, a tensor, a list).

    Raises:
        NoNumber: it is something else.
    """
    given = value
    if inspect.iscoroutine(value):
        value.close()
        raise NoNumber("it is async and gave a coroutine; name a function that runs it, as by asyncio.run")
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "item") and getattr(value, "size", 1) != 0:
        with contextlib.suppress(ValueError, RuntimeError):
            value = value.item()
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, str | bytes | bool | complex) or not hasattr(value, "__float__"):
        raise NoNumber(f"it gave {_brief(given)}, which is no number")
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise NoNumber(f"it gave {_brief(given)}, which is no number") from error


def _brief(value: object) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 - a text is made by the value's own code
        return "something that cannot be shown"
    return text if len(text) <= 60 else f"{text[:57]}…"  # noqa: PLR2004 - what fits into a line


def read(given: Any, queries: Sequence[str]) -> Answered:  # noqa: ANN401 - whatever a function gives
    """A number over all queries, a dict or a series of them by query, or a pair of both."""
    if hasattr(given, "to_dict"):
        given = given.to_dict()
    if isinstance(given, tuple) and len(given) == 2:  # noqa: PLR2004 - a pair
        parts = [read(part, queries) for part in given]
        by_query = next((part.per_query for part in parts if part.per_query is not None), None)
        return Answered(by_query, next((part.mean for part in parts if part.mean is not None), None))
    if not isinstance(given, Mapping):
        return Answered(None, number(given))
    named = {str(query): value for query, value in given.items()}
    if len(named) == 1 and not set(named) & set(queries):
        return read(next(iter(named.values())), queries)  # {"ndcg@10": .5}
    if named and queries and not set(named) & set(queries):
        raise NoNumber(f"it gave a dict of {', '.join(named)[:60]}, none of which is a query; let it give one measure")
    return Answered({query: _alone(value) for query, value in named.items()}, None)


def _alone(value: Any) -> float:  # noqa: ANN401 - as above
    """A value, or the only one of a dict: pytrec_eval has one by measure within each query."""
    if not isinstance(value, Mapping):
        return number(value)
    if len(value) != 1:
        raise NoNumber(f"it gave {', '.join(map(str, value))[:60]} for a query; let it give one measure")
    return number(next(iter(value.values())))
