"""The forms that are plain functions: how they are called, and the lines of Python that do the same."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from rankproof.asking.observations import Answered
from rankproof.cases.inputs import Input
from rankproof.checking.given_values import number, read
from rankproof.checking.literals import literal
from rankproof.checking.targets import Target

K_LISTS = ("k_values", "ks", "k_list", "cutoffs", "top_ks")
"""Parameters that take several cutoffs: they are given a list of one."""


def ask_each(function: Any, target: Target, data: Input, k: int | None) -> Answered:  # noqa: ANN401 - whatever can be called
    """One call a query; which mean is taken over them is the caller's choice."""
    queries = [str(query) for query in data.queries]
    return Answered({query: number(_called(function, target, data, query, k)) for query in queries}, None)


def ask_whole(function: Any, target: Target, data: Input, k: int | None) -> Answered:  # noqa: ANN401 - as above
    """One call for all of it."""
    return read(_called(function, target, data, None, k), [str(query) for query in data.queries])


def arguments_of(target: Target, data: Input, query: str | None) -> list[Any]:
    """The arguments in the function's own order, as plain lists and dicts."""
    roles: dict[str, Any] = {
        "y_true": [rel for q, _, rel in data.qrels if str(q) == query],
        "y_score": [score for q, _, score, _ in data.run if str(q) == query],
        "qrels": nested(data.qrels, data.empty_in_qrels),
        "run": nested(data.run, data.empty_in_run),
        "relevant": [doc for q, doc, _ in data.qrels if str(q) == query],
        "ranked": [doc for q, doc, _, _ in data.run if str(q) == query],
        "labels_true": list(data.true or ()),
        "labels_pred": list(data.predicted or ()),
    }
    roles["ranked_rels"] = roles["y_true"]
    return [[roles[role]] if target.table else roles[role] for role in target.order]


def nested(rows: Sequence[tuple[Any, ...]], empty: Sequence[Any]) -> dict[Any, dict[Any, Any]]:
    """Rows by query and doc, and the queries without one."""
    found: dict[Any, dict[Any, Any]] = {}
    for query, doc, value, *_ in rows:
        found.setdefault(query, {})[doc] = value
    return found | {query: {} for query in empty if query not in found}


def _called(function: Any, target: Target, data: Input, query: str | None, k: int | None) -> Any:  # noqa: ANN401 - as above
    arguments = arguments_of(target, data, query)
    if target.arrays:
        numpy = import_module("numpy")
        arguments = [numpy.array(argument) for argument in arguments]
    return function(*arguments, **_cutoff(target, data, k))


def _cutoff(target: Target, data: Input, k: int | None) -> dict[str, int | list[int]]:
    """The cutoff as a keyword; without one, the longest ranking, unless the function has a default for that."""
    if target.k is None or (k is None and not target.k_needed):
        return {}
    at = max((row[3] for row in data.run), default=1) if k is None else k
    return {target.k: [at] if target.k.lower() in K_LISTS else at}


def repro(target: Target, data: Input, query: str | None, k: int | None) -> list[str]:
    """The same call as a person would write it."""
    arguments = arguments_of(target, data, query or _first(data))
    named = [f"{role} = {_wrapped(target, value)}" for role, value in zip(target.order, arguments, strict=True)]
    return [*named, f"print({target.spelled}({', '.join([*target.order, *_keywords(target, data, k)])}))"]


def call(target: Target, data: Input, k: int | None) -> str:
    """The call in one line."""
    arguments = arguments_of(target, data, _first(data))
    written = [*(_wrapped(target, value) for value in arguments), *_keywords(target, data, k)]
    return f"{target.spelled}({', '.join(written)})"


def _keywords(target: Target, data: Input, k: int | None) -> list[str]:
    return [f"{name}={value}" for name, value in _cutoff(target, data, k).items()]


def _first(data: Input) -> str | None:
    return None if data.of_labels or not data.queries else str(data.queries[0])


def _wrapped(target: Target, value: object) -> str:
    return f"numpy.array({literal(value)})" if target.arrays else literal(value)
