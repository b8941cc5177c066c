"""The forms that are plain functions: how they are called, and the lines of Python that do the same."""

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from rankproof.calling import file_arguments
from rankproof.calling.arguments import arguments_of, contained, written
from rankproof.calling.given_values import (
    AT_SEVERAL,
    cutoffs_beside,
    has_none_of,
    number,
    only,
    picked,
    read,
    read_batch,
)
from rankproof.calling.records import put_together, written_together
from rankproof.calling.targets import ALL, IN_STEPS, TABLE, Target, names_of
from rankproof.cases.inputs import Input
from rankproof.workers.observations import Answered

OBJECT, BEFORE = "\0object", "\0object of the call before"
"""Under what the objects of the last two calls are kept, each with its cutoff; no query is called so."""


def ask(function: Any, target: Target, data: Input, k: int | None) -> Answered:  # noqa: ANN401 - whatever can be called
    """One call a query, or one for all; which mean is taken over single ones is the caller's choice."""
    queries = [str(query) for query in data.queries]
    if target.batch in IN_STEPS:
        return _in_steps(function, target, data, k)
    if target.batch == ALL:
        return read_batch(_called(function, target, data, None, k), target.reads, queries, k)
    return Answered({query: _of_query(function, target, data, query, k) for query in queries}, None)


def ask_whole(function: Any, target: Target, data: Input, k: int | None) -> Answered:  # noqa: ANN401 - as above
    """One call for all of it."""
    queries = [str(query) for query in data.queries]
    in_run = list(dict.fromkeys(map(str, (*(row[0] for row in data.run), *data.empty_in_run))))
    return read(_called(function, target, data, None, k), queries, target.reads, k, in_run)


def _of_query(function: Any, target: Target, data: Input, query: str, k: int | None) -> float:  # noqa: ANN401 - as above
    given = _called(function, target, data, query, k)
    if target.batch == TABLE and given is not None:
        return only(read_batch(given, target.reads, [query], k))
    value = None if given is None or has_none_of(given, target.reads) else picked(given, target.reads, k)
    return math.nan if value is None else number(value)  # it has no value, which is said so


def _in_steps(function: Any, target: Target, data: Input, k: int | None) -> Answered:  # noqa: ANN401 - as above
    """Each query is shown to an object that has seen none; then it gives its answer."""
    update, compute = target.method.split("/")
    made = again_or_made(target, k, lambda: object_of(function, target, data, k))
    queries = [str(query) for query in data.queries]
    for query in queries:
        positional, named = _given(target, data, query)
        getattr(made, update)(*positional, **named, **_keywords(target, data, k))
    return read_batch(getattr(made, compute)(), target.reads, queries, k)


def again_or_made(target: Target, k: int | None, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - a person's object
    """An object of a class; where the call before was the same one, an object that answered already, as its own `reset` leaves it.

    That is rather the one that answered another question at this cutoff: who forgets to reset gives the same question the same mean.
    """
    if not target.of_class or target.kept is None:
        return make()
    if OBJECT in target.kept:
        of_k, used = target.kept.get(BEFORE, (None, None))
        used = target.kept[OBJECT][1] if used is None or of_k != k else used
        used.reset()
        return used
    made = make()
    if callable(getattr(made, "reset", None)):
        target.kept[OBJECT] = k, made
    return made


def object_of(function: Any, target: Target, data: Input, k: int | None, **made_of: Any) -> Any:  # noqa: ANN401 - as above
    """What is called: itself, or an object of the class, at the cutoff and of these arguments."""
    if not target.of_class:
        return function
    return function(**made_of, **values_of(target.made), **(_cutoff(target, data, k) if target.k_made else {}))


def _called(function: Any, target: Target, data: Input, query: str | None, k: int | None) -> Any:  # noqa: ANN401 - as above
    positional, named = _given(target, data, query)
    made_of = {name: value for name, value in named.items() if name in target.made_of}
    made = object_of(function, target, data, k, **made_of)
    named = {name: value for name, value in named.items() if name not in made_of}
    called = getattr(made, target.method) if target.method else made
    owner = called.__call__ if target.of_class and not target.method else called
    return called(*positional, **put_together(owner, target.record, {**named, **_keywords(target, data, k)}))


def _given(target: Target, data: Input, query: str | None) -> tuple[list[Any], Mapping[str, Any]]:
    """The arguments of a call; where it is made once more, the very same ones, whatever the function did to them."""
    if target.kept is None:
        return _made(target, data, query)
    if query not in target.kept:
        target.kept[query] = _made(target, data, query)
    positional, named = target.kept[query]
    return list(positional), dict(named)


def _made(target: Target, data: Input, query: str | None) -> tuple[list[Any], Mapping[str, Any]]:
    pairs = zip(target.order, arguments_of(target, data, query), strict=True)
    values = [contained(target, *pair) for pair in pairs]
    return ([], dict(zip(target.names, values, strict=True))) if target.names else (values, {})


def _keywords(target: Target, data: Input, k: int | None) -> dict[str, Any]:
    cutoff: dict[str, Any] = {} if target.k_made else _cutoff(target, data, k)
    if target.k_listed and target.k_in == "tensor":
        cutoff = {name: import_module("torch").tensor(value) for name, value in cutoff.items()}
    return values_of(target.given) | cutoff


def values_of(given: tuple[str, ...]) -> dict[str, Any]:
    """Arguments as they are written, as `max_rel=4`, by name."""
    parted = (argument.partition("=") for argument in given)
    # Each call has its own, as a function may change it.
    return {name: ast.literal_eval(value) for name, _, value in parted}


def _cutoff(target: Target, data: Input, k: int | None) -> dict[str, int | list[int]]:
    """The cutoff as a keyword; without one, the longest ranking, unless the function has a default for that."""
    if target.k is None or (k is None and not target.k_needed):
        return {}
    at = max((row[3] for row in data.run), default=1) if k is None else k
    if not target.k_listed:
        return {target.k: at}
    return {target.k: cutoffs_beside(at) if target.several else [at]}


def repro(target: Target, data: Input, query: str | None, k: int | None) -> list[str]:
    """The same call as a person would write it."""
    of = None if target.batch == ALL else query or _first(data)
    if target.batch in IN_STEPS:
        return _steps(target, data, k)
    values = dict(zip(target.order, arguments_of(target, data, of), strict=True))
    files = {role: value for role, value in values.items() if role in file_arguments.NAME_OF}
    written_first = file_arguments.lines(target, files) if files else ()
    # A function may be called as an argument is: `ranked(ranked)` would call a list.
    of_target = target.spelled.partition("(")[0].partition(".")[0]
    called = {role: f"{role}_given" if role == of_target else role for role in values}
    named = (f"{called[role]} = {written(target, role, value)}" for role, value in values.items() if role not in files)
    taken = [called[role] for role in target.order]
    return [*written_first, *named, f"print({_written_call(target, taken, data, k)}{_entry(target, k)})"]


def call(target: Target, data: Input, k: int | None) -> str:
    """The call in one line."""
    of = None if target.batch == ALL else _first(data)
    return _written_call(target, _written(target, data, of), data, k)


def _written_call(target: Target, values: Sequence[str], data: Input, k: int | None) -> str:
    arguments = _written_arguments(target, values, data, k)
    # By their names, as some may stand together in a record.
    made_of = [
        argument for argument, name in zip(arguments, names_of(arguments), strict=True) if name in target.made_of
    ]
    others = [argument for argument in arguments if argument not in made_of]
    return f"{target.spelled_at(_made_at(target, data, k), made_of)}({', '.join(others)})"


def _written(target: Target, data: Input, query: str | None) -> list[str]:
    """The arguments as Python has them, in the function's own order."""
    return [written(target, *pair) for pair in zip(target.order, arguments_of(target, data, query), strict=True)]


def _steps(target: Target, data: Input, k: int | None) -> list[str]:
    update, compute = target.method.split("/")
    lines = [f"metric = {target.spelled_at(_made_at(target, data, k)).removesuffix(f'.{target.method}')}"]
    for query in data.queries:
        values = _written(target, data, str(query))
        lines.append(f"metric.{update}({', '.join(_written_arguments(target, values, data, k))})")
    return [*lines, f"print(metric.{compute}(){_entry(target, k)})"]


def _written_arguments(target: Target, values: Sequence[str], data: Input, k: int | None) -> list[str]:
    names = [f"{name}=" for name in target.names] or [""] * len(values)
    arguments = [f"{name}{value}" for name, value in zip(names, values, strict=True)]
    keywords = {} if target.k_made else _cutoff(target, data, k)
    of_tensor = target.k_listed and target.k_in == "tensor"
    at = [f"{name}=torch.tensor({value})" if of_tensor else f"{name}={value}" for name, value in keywords.items()]
    return written_together(target.record, [*arguments, *at, *target.given])


def _made_at(target: Target, data: Input, k: int | None) -> object:
    return next(iter(_cutoff(target, data, k).values()), None) if target.k_made else None


def _entry(target: Target, k: int | None) -> str:
    """The part of the result that is the answer, where an index says it."""
    kind, _, which = target.reads.partition(":")
    if kind == "attr":
        return f".{which}"
    if target.batch in {ALL, TABLE} | IN_STEPS:
        return ""
    if kind in AT_SEVERAL and k:  # of all queries at once there may be a list for each
        return "" if target.form.ask is ask_whole else f"[{cutoffs_beside(k).index(k)}]"
    return f"[{which}]" if kind == "item" else f"[{k - 1}]" if kind == "place" and k else ""


def _first(data: Input) -> str | None:
    return None if data.of_labels or not data.queries else str(data.queries[0])
