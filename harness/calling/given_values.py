"""What a function gave, read as an answer: a number, a dict of numbers by query, or both.

What of a result is the answer, where it is more than that, is said by a target's `reads`:

    attr:score   what the result holds under that name
    place        the entry at the cutoff, of a list of values at every cutoff
    cutoff       the entry of a dict whose key says the cutoff
    name:ndcg    the entry of a dict whose key is the measure's name, and says the cutoff if it says one; or the field of an object
    item:0       the entry at that place
    asked        the entry at the place that the cutoff has among those that were asked, of a list of a value for each; of several
                 queries, of each query's list
    by-cutoff    the same of a list by cutoff of the values of all queries
    by-qrels     a list of a value for each query, in the order of the qrels; it may be all that a dict holds
    by-run       the same, in the order of the run
"""

import contextlib
import inspect
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from rankproof.workers.observations import Answered

OVER_ALL = ("score", "mean", "value", "average", "avg", "overall", "result")
"""Keys of a value over all queries."""
OF_EACH = ("individual_scores", "per_query", "scores", "values", "by_query", "details")
"""Keys of a list of values by query, beside one of `OVER_ALL`."""
BY_QRELS, BY_RUN = "by-qrels", "by-run"
ITEMS = 4
"""The entries of a tuple that may be the measure; what has more is a list of values, at ranks or of docs."""


AT_SEVERAL = frozenset({"asked", "by-cutoff"})
"""The kinds of readings of a list of a value for each of several cutoffs."""
KEYED = frozenset({"cutoff", "name"})
"""The kinds of readings of an entry by a key that may say its cutoff."""
PER_CUTOFF = AT_SEVERAL | KEYED
"""The kinds of readings that tell the value at one cutoff from those at others, where several are asked at once."""


def cutoffs_beside(k: int) -> list[int]:
    """A cutoff among others, after a larger and before or after a smaller one, at a place that no sorting leaves it at.

    >>> cutoffs_beside(5), cutoffs_beside(1)
    ([7, 3, 5], [3, 1, 2])
    """
    return [k + 2, (k + 1) // 2, k] if k > 1 else [3, 1, 2]


_NAMED_NUMBER = re.compile(r"\s*[A-Za-z][^:=]*[:=]\s*(?P<number>[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?)\s*", re.IGNORECASE)
"""A text that says a number by its name, as `MRR@5: 0.25`."""


class NoNumber(TypeError):
    """A function gave something that is no number."""


def number(value: Any) -> float:  # noqa: ANN401 - whatever a function gives
    """A value as a float: a number, or what holds exactly one (an array, a tensor, a list, a text that names it, as `MRR@5: 0.25`).

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
    if isinstance(value, str) and (written := _NAMED_NUMBER.fullmatch(value)):
        value = float(written["number"])
    if isinstance(value, str | bytes | complex) or not hasattr(value, "__float__"):
        raise NoNumber(f"it gave {_brief(given)}, which is no number")
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise NoNumber(f"it gave {_brief(given)}, which is no number") from error


def _brief(value: object) -> str:
    try:
        some = value[:60] if isinstance(value, list | tuple | str) else value  # more would not be shown
        text = " ".join(repr(some).split())
    except Exception:  # noqa: BLE001 - a text is made by the value's own code
        return "something that cannot be shown"
    return text if len(text) <= 60 else f"{text[:57]}…"  # noqa: PLR2004 - what fits into a line


def listed(value: Any) -> list[Any] | None:  # noqa: ANN401 - whatever a function gives
    """The entries of a list, an array, a tensor or a series; None if it is none."""
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0:
        value = value.tolist()
    return list(value) if isinstance(value, list | tuple) else None


def picked(value: Any, reads: str, k: int | None) -> Any:  # noqa: ANN401 - as above
    """The part of a result that is the answer.

    Raises:
        NoNumber: it has no such part.
    """
    kind, _, which = reads.partition(":")
    if kind == "attr":
        if not hasattr(value, which):
            raise NoNumber(f"it gave {_brief(value)}, which has no {which}")
        return getattr(value, which)
    if kind in KEYED:
        held = _by_name(value)
        if held is None:
            raise NoNumber(f"it gave {_brief(value)}, which has no keys")
        return _entry(held, which, k)
    if kind in AT_SEVERAL:
        value = next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else value
        asked, entries = cutoffs_beside(k or 1), listed(value)
        if entries is None or len(entries) != len(asked):
            raise NoNumber(f"it gave {_brief(value)}, which has no value for each of {len(asked)} cutoffs")
        return entries[asked.index(k or 1)]
    if kind in {"place", "item"}:
        entries, at = listed(value), (k or 0) - 1 if kind == "place" else int(which)
        most = math.inf if kind == "place" else ITEMS
        if entries is None or not 0 <= at < len(entries) <= most:
            raise NoNumber(f"it gave {_brief(value)}, which has no entry {at}")
        return entries[at]
    return value


def _by_name(value: Any) -> Mapping[Any, Any] | None:  # noqa: ANN401 - as above
    """What it holds by name: a dict, or an object with fields, as a dataclass; None of what holds nothing so."""
    if isinstance(value, Mapping | type):
        return None if isinstance(value, type) else value
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    told = getattr(value, "_asdict", None) or getattr(value, "model_dump", None)
    held = told() if callable(told) else getattr(value, "__dict__", None)
    return held if isinstance(held, Mapping) else None


def has_none_of(value: Any, reads: str) -> bool:  # noqa: ANN401 - as above
    """Whether it holds values by name, and none of the measure, as where that has no value."""
    kind, _, name = reads.partition(":")
    held = _by_name(value)
    if kind != "name" or held is None:
        return False
    within = [key for part in held.values() if isinstance(part, Mapping) for key in part]
    return not any(_is_key(str(key), name, None) for key in (*held, *within))


def _entry(value: Mapping[Any, Any], name: str, k: int | None) -> Any:  # noqa: ANN401 - as above
    """The entry of a dict whose key is of that name, and of that cutoff if it says one; of a report, the one within it.

    Where the keys of either are cutoffs, it is that at the one that is asked.
    """
    found = [given for key, given in value.items() if _is_key(str(key), name, k)]
    if not found and name:
        within = [value.get(k)] if _is_by_cutoff(value) else value.values()
        parts = [part for part in within if isinstance(part, Mapping)]
        found = [given for part in parts for key, given in part.items() if _is_key(str(key), name, k)]
    if name and len(found) == 1 and _is_by_cutoff(found[0]):
        found = [found[0][k]] if k in found[0] else []
    if len(found) != 1:
        raise NoNumber(f"it gave a dict of {', '.join(map(str, value))[:60]}, of which {len(found)} are what is asked")
    return found[0]


def _is_by_cutoff(value: Any) -> bool:  # noqa: ANN401 - as above
    """Whether it is a dict by whole numbers: queries go by texts."""
    return isinstance(value, Mapping) and bool(value) and all(type(key) is int for key in value)


def _is_key(key: str, name: str, k: int | None) -> bool:
    key = re.sub(r"(@|_at_|_at@|_)k$", "", key.lower())
    if name and re.sub(r"[^a-z0-9]", "", key) == name:  # the 1 of f1 is no cutoff
        return True
    written = re.fullmatch(r"(?P<name>.*?)[^a-z0-9]*(?:at|cut)?[^a-z0-9]*(?P<k>\d+)?", key)
    if written is None:
        return False
    bare = re.sub(r"[^a-z0-9]", "", written["name"])
    says_k = written["k"] is not None
    return bare == name and (says_k or bool(name)) and (not says_k or k is None or int(written["k"]) == k)


def read_batch(given: Any, reads: str, queries: Sequence[str], k: int | None) -> Answered:  # noqa: ANN401 - as above
    """The answer to a call with a list of queries: a number over all, or a list of them by query, or a pair or dict of both."""
    if isinstance(given, Mapping) and not reads:
        return _named_parts(given, queries, k)
    entries = listed(given)
    if reads in {"place", "asked"} and entries and listed(entries[0]) is not None:
        if len(entries) == len(queries):
            return Answered({q: number(picked(e, reads, k)) for q, e in zip(queries, entries, strict=True)}, None)
        if reads == "asked":
            raise NoNumber(f"it gave {len(entries)} lists, and not one for each query")
    given = picked(given, reads, k)
    entries = listed(given)
    if isinstance(given, tuple) and len(given) == 2:  # noqa: PLR2004 - a pair
        parts = [(part, listed(part)) for part in given]
        both = [(mean, each) for mean, none in parts for _, each in parts if none is None and each is not None]
        if both:
            return Answered(_by_query(both[0][1], queries), number(both[0][0]))
    if entries is not None and (len(entries) == len(queries) > 0):
        return Answered(_by_query(entries, queries), None)
    return Answered(None, number(given))


def _named_parts(given: Mapping[Any, Any], queries: Sequence[str], k: int | None) -> Answered:
    if len(given) == 1:
        return read_batch(next(iter(given.values())), "", queries, k)
    mean = next((given[key] for key in OVER_ALL if key in given), None)
    each = next((entries for key in OF_EACH if key in given and (entries := listed(given[key])) is not None), None)
    if mean is None and each is None:
        raise NoNumber(f"it gave a dict of {', '.join(map(str, given))[:60]}; let it give one measure")
    return Answered(None if each is None else _by_query(each, queries), None if mean is None else number(mean))


def _by_query(entries: Sequence[Any], queries: Sequence[str]) -> dict[str, float]:
    if len(entries) != len(queries):
        of_how_many = f"{len(queries)} {'query' if len(queries) == 1 else 'queries'}"
        raise NoNumber(f"it gave {len(entries)} values for {of_how_many}")
    return {query: number(entry) for query, entry in zip(queries, entries, strict=True)}


def only(answer: Answered) -> float:
    """The value of the only query."""
    return answer.mean if answer.mean is not None else next(iter((answer.per_query or {}).values()))


def read(
    given: Any,  # noqa: ANN401 - whatever a function gives
    queries: Sequence[str],
    reads: str = "",
    k: int | None = None,
    in_run: Sequence[str] = (),
) -> Answered:
    """A number over all queries, a dict or a series of them by query, or a pair of both."""
    if hasattr(given, "to_dict"):
        given = given.to_dict()
    if reads in {BY_QRELS, BY_RUN}:
        given = next(iter(given.values())) if isinstance(given, Mapping) and len(given) == 1 else given
        return Answered(_by_query(listed(given) or [], in_run if reads == BY_RUN else queries), None)
    if reads and not _is_by_query(given, queries, reads):
        return read(picked(given, reads, k), queries)
    if isinstance(given, tuple) and len(given) == 2:  # noqa: PLR2004 - a pair
        parts = [read(part, queries) for part in given]
        by_query = [part.per_query for part in parts if part.per_query is not None]
        means = [part.mean for part in parts if part.mean is not None]
        if len(by_query) > 1 or len(means) > 1:
            raise NoNumber(f"it gave {_brief(given)}, two values for one")
        return Answered(next(iter(by_query), None), next(iter(means), None))
    if not isinstance(given, Mapping):
        return Answered(None, number(given))
    named = {str(query): value for query, value in given.items()}
    if named and not set(named) & set(queries) and (queries or len(named) == 1):
        return _of_no_query(named, queries)
    return Answered({query: _alone(value, reads, k) for query, value in named.items()}, None)


def _of_no_query(named: Mapping[str, Any], queries: Sequence[str]) -> Answered:
    """What a dict holds alone, as `{"ndcg@10": .5}`; or as the mean, as the values by query, or as both."""
    if len(named) == 1:
        return read(next(iter(named.values())), queries)
    means = [named[key] for key in OVER_ALL if key in named]
    each = [named[key] for key in OF_EACH if isinstance(named.get(key), Mapping)]
    if len(means) > 1 or len(each) != 1:  # a mean beside other numbers may be that of these
        raise NoNumber(f"it gave a dict of {', '.join(named)[:60]}, none of which is a query; let it give one measure")
    return Answered(read(each[0], queries).per_query, number(means[0]) if means else None)


def _is_by_query(given: Any, queries: Sequence[str], reads: str) -> bool:  # noqa: ANN401 - as above
    """Whether it has a value for each query; of no query at all, where what is read of each is no key."""
    if not isinstance(given, Mapping):
        return False
    keys = {str(key) for key in given}
    of_dicts = all(isinstance(value, Mapping) for value in given.values())
    if reads.partition(":")[0] in KEYED and _is_by_cutoff(given):
        return False
    if reads == "cutoff" and not (of_dicts and keys <= set(queries)):  # a cutoff may be called as a query is, as 1
        return False
    return bool(keys & set(queries)) or (reads == "asked" and not given)


def _alone(value: Any, reads: str = "", k: int | None = None) -> float:  # noqa: ANN401 - as above
    """A value, or the only one of a dict: pytrec_eval has one by measure within each query."""
    if reads:
        return number(picked(value, reads, k))
    if not isinstance(value, Mapping):
        return number(value)
    if len(value) != 1:
        raise NoNumber(f"it gave {', '.join(map(str, value))[:60]} for a query; let it give one measure")
    return number(next(iter(value.values())))
