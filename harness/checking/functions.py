"""The forms that are plain functions: how they are called, and the lines of Python that do the same."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from rankproof.cases import Case
from rankproof.checking.answers import number, read
from rankproof.checking.literals import literal
from rankproof.checking.targets import Target
from rankproof.observations import Answered


def ask_each(target: Target, case: Case, k: int | None) -> Answered:
    """One call a query; which mean is taken over them is the caller's choice."""
    queries = [str(query) for query in case.queries]
    return Answered({query: number(_called(target, _arguments(target, case, query), k)) for query in queries}, None)


def ask_whole(target: Target, case: Case, k: int | None) -> Answered:
    """One call for all of it."""
    return read(_called(target, _arguments(target, case, None), k), [str(query) for query in case.queries])


def _arguments(target: Target, case: Case, query: str | None) -> list[Any]:
    """The arguments in the function's own order, as plain lists and dicts."""
    roles: dict[str, Any] = {
        "y_true": [rel for q, _, rel in case.qrels if str(q) == query],
        "y_score": [score for q, _, score, _ in case.run if str(q) == query],
        "qrels": nested(case.qrels, case.empty_in_qrels),
        "run": nested(case.run, case.empty_in_run),
        "labels_true": list(case.true or ()),
        "labels_pred": list(case.predicted or ()),
    }
    roles["ranked_rels"] = roles["y_true"]
    return [[roles[role]] if target.table else roles[role] for role in target.order]


def nested(rows: Sequence[tuple[Any, ...]], empty: Sequence[Any]) -> dict[Any, dict[Any, Any]]:
    """Rows by query and doc, and the queries without one."""
    found: dict[Any, dict[Any, Any]] = {}
    for query, doc, value, *_ in rows:
        found.setdefault(query, {})[doc] = value
    return found | {query: {} for query in empty if query not in found}


def _called(target: Target, arguments: list[Any], k: int | None) -> Any:  # noqa: ANN401 - whatever it gives
    if target.arrays:
        numpy = import_module("numpy")
        arguments = [numpy.array(argument) for argument in arguments]
    return target.function(*arguments, **_cutoff(target, arguments, k))


def _cutoff(target: Target, arguments: list[Any], k: int | None) -> dict[str, int]:
    """The cutoff as a keyword; without one, the whole list, unless the function has a default for that."""
    if target.k is None or (k is None and not target.k_needed):
        return {}
    first = arguments[0][0] if target.table else arguments[0]
    return {target.k: max(1, len(first)) if k is None else k}


def repro(target: Target, case: Case, query: str | None, k: int | None) -> list[str]:
    """The same call as a person would write it."""
    arguments = _arguments(target, case, query or _first(case))
    names = [f"{role} = {_wrapped(target, value)}" for role, value in zip(target.order, arguments, strict=True)]
    cutoff = [f"{name}={value}" for name, value in _cutoff(target, arguments, k).items()]
    return [*names, f"print({target.short}({', '.join([*target.order, *cutoff])}))"]


def _first(case: Case) -> str | None:
    return None if case.of_labels or not case.queries else str(case.queries[0])


def _wrapped(target: Target, value: object) -> str:
    return f"numpy.array({literal(value)})" if target.arrays else literal(value)
