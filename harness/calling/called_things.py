"""What may be called of what a person names: a function, or a method of an object that is made or there."""

import inspect
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankproof.calling.argument_names import K
from rankproof.calling.call_forms import ROWS
from rankproof.calling.parameters import Parameter, parameters_of
from rankproof.calling.records import fields_in_place
from rankproof.calling.targets import Target, names_of
from rankproof.time_limit import TookTooLong, limited

METHODS = ("compute", "evaluate", "run", "score", "calculate", "measure", "calc", "metric", "get_score", "eval")
"""The methods that may be called of an object which is not called itself, the likeliest first."""
TRIED_K, TRIED_FOR = 3, 2.0
"""The cutoff for which what takes one alone is tried, and the seconds that it has to give a function."""
UPDATES = ("update", "add", "append", "accumulate", "update_state")
COMPUTES = ("compute", "result", "results", "get_metric", "summary", "get", "value")


@dataclass(frozen=True, slots=True)
class Thing:
    """What is called: a target that lacks its form and its arguments, its parameters, what an object lacks to be made, and may be told."""

    target: Target
    parameters: list[Parameter] | None
    missing: tuple[str, ...] = ()
    of_maker: tuple[Parameter, ...] = ()

    @property
    def every(self) -> list[Parameter]:
        """The parameters of the call, and of what makes the object."""
        return [*self.of_maker, *(self.parameters or ())]


def _things(function: Any, name: str, given: tuple[str, ...]) -> Iterator[Thing]:  # noqa: ANN401 - anything that can be called
    """The function itself; of a class or an object, the methods that may be meant."""
    bare = Target(name, ROWS, given=given)
    if inspect.isclass(function):
        yield from _of_class(function, bare)
        return
    if callable(function):
        yield _of_factory(function, bare) or Thing(bare, parameters_of(function))
    if not inspect.isroutine(function):
        yield from _methods(function, bare, METHODS)


def _of_factory(function: Any, bare: Target) -> Thing | None:  # noqa: ANN401 - as above
    """What a function gives that takes a cutoff alone, if that can be called: it is made as an object of a class is."""
    takes = [p for p in parameters_of(function) or () if p.name not in names_of(bare.given)]
    k = next((p for low in K for p in takes if p.low == low), None)
    # What has None by default is data that may be left out: such a function is no maker, and to call it for nothing may take long.
    if k is None or any(p.needed or p.default is None for p in takes if p is not k) or not inspect.isfunction(function):
        return None
    try:
        with limited(TRIED_FOR):
            made = function(**{k.name: [TRIED_K] if k.takes_cutoffs else TRIED_K})
    except (Exception, TookTooLong):  # noqa: BLE001 - it may be another kind of function, and does what it does
        return None
    if inspect.isclass(made) or not callable(made):
        return None
    target = replace(bare, of_class=True, k=k.name, k_made=True, k_needed=k.needed, k_listed=k.takes_cutoffs)
    return Thing(target, parameters_of(made))


def _of_class(owner: type, bare: Target, methods: Sequence[str] = METHODS) -> Iterator[Thing]:
    """The methods of objects that are made without arguments, but for the cutoff and what is given."""
    takes = parameters_of(owner) or []
    names = {p.name for p in takes}
    made = tuple(argument for argument, name in zip(bare.given, names_of(bare.given), strict=True) if name in names)
    k = next((p for low in K for p in takes if p.low == low), None)
    told_of = {*names_of(made), k.name if k else ""}
    missing = tuple(p.name for p in takes if p.needed and p.name not in told_of)
    target = replace(bare, of_class=True, made=made, given=tuple(a for a in bare.given if a not in made))
    if k is not None:
        target = replace(target, k=k.name, k_made=True, k_needed=k.needed, k_listed=k.takes_cutoffs)
    for thing in _methods(owner, target, methods):
        # Where the method takes a cutoff, that is the one: what the object is made with is another thing to say.
        of_method = any(p.low in K for p in thing.parameters or ())
        lacks = [k.name] if k is not None and k.needed and of_method and k.name not in names_of(made) else []
        yield replace(thing, missing=(*missing, *lacks), of_maker=tuple(takes))
        if missing and not lacks and "/" not in thing.target.method:
            yield from _made_of_data(thing, [p for p in takes if p.name in missing], takes)


def _made_of_data(thing: Thing, needed: Sequence[Parameter], takes: Sequence[Parameter]) -> Iterator[Thing]:
    """The same, where what the object is made with is what is asked, as the judgments of all queries, and the method is given the rest."""
    own = thing.parameters or []
    names = tuple(p.name for p in needed)
    if own and not {p.name for p in own} & {*names}:
        made = [replace(p, by_name=True) for p in needed]
        others = tuple(p for p in takes if p.name not in names)
        target = replace(thing.target, made_of=names)
        yield replace(thing, target=target, parameters=[*made, *own], missing=(), of_maker=others)


def _methods(thing: Any, bare: Target, methods: Sequence[str]) -> Iterator[Thing]:  # noqa: ANN401 - a class or an object
    """What may be called of a class' objects, or of an object."""
    if bare.of_class and any("__call__" in vars(owner) for owner in thing.__mro__):
        yield Thing(bare, _parameters_of_method(thing, "__call__"))
    update, compute = (next((n for n in known if hasattr(thing, n)), None) for known in (UPDATES, COMPUTES))
    if update and compute:
        yield Thing(replace(bare, method=f"{update}/{compute}"), _parameters_of_method(thing, update))
    for name in methods:
        if callable(getattr(thing, name, None)):
            yield Thing(replace(bare, method=name), _parameters_of_method(thing, name))


def _parameters_of_method(thing: Any, name: str) -> list[Parameter] | None:  # noqa: ANN401 - as above
    found = parameters_of(getattr(thing, name))
    of_function = inspect.isclass(thing) and inspect.isfunction(inspect.getattr_static(thing, name))
    return found[1:] if found and of_function else found


def things_of(function: Any, name: str, given: tuple[str, ...]) -> tuple[Any, list[Thing]]:  # noqa: ANN401 - as above
    """What is called, and what it may be; a method that was named by its class is one of an object."""
    owner = _owner(function, name)
    if owner is None:
        return function, list(_with_fields(function, _things(function, name, given)))
    things = _of_class(owner, Target(name, ROWS, given=given), (function.__name__,))
    return owner, list(_with_fields(owner, (one for one in things if one.target.method == function.__name__)))


def _with_fields(function: Any, things: Iterable[Thing]) -> Iterator[Thing]:  # noqa: ANN401 - as above
    """Each thing; and where it takes records, as it were with their fields for parameters."""
    for thing in things:
        yield thing
        method = thing.target.method or ("__call__" if thing.target.of_class else "")
        if "/" not in method:
            called = getattr(function, method) if method else function
            for record, parameters in fields_in_place(called, thing.parameters or ()):
                yield replace(thing, target=replace(thing.target, record=record), parameters=parameters)


def _owner(function: Any, name: str) -> type | None:  # noqa: ANN401 - as above
    """The class of a method that was named without an object."""
    path = name.rpartition(":")[2].split(".")
    found = parameters_of(function) if inspect.isfunction(function) else None
    if len(path) < 2 or not found or found[0].name != "self":  # noqa: PLR2004 - CLASS.method
        return None
    owner = getattr(sys.modules.get(function.__module__), path[0], None)
    return owner if inspect.isclass(owner) else None
