"""Arguments that are objects of a class with fields, as a dataclass: a function of one takes what its fields do."""

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

from rankproof.calling.parameters import Parameter, parameters_of
from rankproof.calling.targets import names_of

LIST = "[]"
"""After the fields, that a list of objects is taken; no field is called so."""


def fields_in_place(
    function: Callable[..., Any], parameters: Sequence[Parameter]
) -> Iterator[tuple[tuple[str, ...], list[Parameter]]]:
    """For each parameter that takes a record: how that is made, and the parameters with its fields in its place."""
    for parameter in parameters:
        of, listed = _class_of(function, parameter.name)
        own = [] if of is None else [replace(p, by_name=True, is_field=True) for p in _fields(of)]
        if of is None or not own:
            continue
        others = [p for p in parameters if p is not parameter]
        if not {p.name for p in own} & {p.name for p in others}:
            where = f"{of.__module__}:{of.__qualname__}"
            yield (parameter.name, where, *(p.name for p in own), *([LIST] * listed)), [*own, *others]


def _class_of(function: Callable[..., Any], name: str) -> tuple[type | None, bool]:
    """The class with fields of which a parameter is annotated to take an object, or a list of them; None may be allowed beside either."""
    try:
        hint = typing.get_type_hints(function).get(name)
    except Exception:  # noqa: BLE001 - an annotation may be any text
        return None, False
    hint = _beside_none(hint)
    within = typing.get_args(hint)
    listed = len(within) >= 1 and isinstance(typing.get_origin(hint), type) and not isinstance(hint, type)
    of = _beside_none(within[0]) if listed else hint
    return (of, listed) if inspect.isclass(of) and _has_fields(of) else (None, False)


def _beside_none(hint: Any) -> Any:  # noqa: ANN401 - a hint may be any object
    """What an annotation allows beside None; None where that is several things."""
    if typing.get_origin(hint) not in {typing.Union, types.UnionType}:
        return hint
    kinds = [kind for kind in typing.get_args(hint) if kind is not types.NoneType]
    return kinds[0] if len(kinds) == 1 else None


def _fields(of: type) -> list[Parameter]:
    """The fields of a class, as the parameters by which an object is made."""
    if typing.is_typeddict(of):
        needed: frozenset[str] = vars(of)["__required_keys__"]
        return [Parameter(name, name in needed, note=str(hint)) for name, hint in typing.get_type_hints(of).items()]
    return parameters_of(of) or []


def _has_fields(of: type) -> bool:
    """Whether a class says its fields: a dataclass, a named tuple, a typed dict, a model of pydantic or attrs."""
    told_by = ("_fields", "model_fields", "__attrs_attrs__")
    return is_dataclass(of) or typing.is_typeddict(of) or any(hasattr(of, name) for name in told_by)


def fields_of(record: Sequence[str]) -> tuple[str, ...]:
    """The fields of a record of a target."""
    return tuple(field for field in record[2:] if field != LIST)


def put_together(function: Callable[..., Any], record: Sequence[str], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, of which those that are fields are made into the record."""
    if not record:
        return dict(arguments)
    of, listed = _class_of(function, record[0])
    if of is None:
        raise TypeError(f"{record[1]} is no class of {record[0]} any more")
    made = of(**{name: arguments[name] for name in fields_of(record) if name in arguments})
    left = {name: value for name, value in arguments.items() if name not in fields_of(record)}
    return {record[0]: [made] if listed else made, **left}


def written_together(record: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """The same of arguments as they are written, `name=value`."""
    if not record:
        return list(arguments)
    own = [a for a, name in zip(arguments, names_of(arguments), strict=True) if name in fields_of(record)]
    made = f"{record[1].rpartition(':')[2]}({', '.join(own)})"
    listed = f"[{made}]" if record[-1] == LIST else made
    return [f"{record[0]}={listed}", *(argument for argument in arguments if argument not in own)]
