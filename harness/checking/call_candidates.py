"""The ways in which a function may have to be called: what its parameters say, or all that fit.

This looks at a function, and so it runs where the function does.
"""

import contextlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rankproof.checking.call_forms import (
    IDS,
    INDEXES,
    IR_MEASURES,
    LABELINGS,
    QRELS_RUN,
    RANKED,
    ROWS,
    SCORE,
    TORCHMETRICS,
    TRUE,
    K,
)  # fmt: skip
from rankproof.checking.calls import told
from rankproof.checking.finding import find, name_of
from rankproof.checking.targets import BadFunction, Form, Target
from rankproof.reference_impl.notation import Measure

CALLED = (ROWS, QRELS_RUN, IDS, RANKED)
"""The forms of what is simply called."""


@dataclass(frozen=True, slots=True)
class Source:
    """A function, and what is asked of it.

    Attributes:
        name: where it is, as MODULE:FUNCTION or FILE.py:FUNCTION; "" where only the function can tell.
        measure: what it computes.
        form: the only form to try; None for all of them.
        function: the function itself; None where it is to be found by its name.
    """

    name: str
    measure: Measure
    form: Form | None = None
    function: Any = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a function may be.

    Attributes:
        name: where it is.
        targets: the ways to call it, the likeliest first.
        foreign: the parameters that must be given and belong to no form.
    """

    name: str
    targets: tuple[Target, ...]
    foreign: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """A function where it runs: its candidates, and for each of them what is called."""

    candidates: Candidates
    functions: tuple[Any, ...]


def load(source: Source) -> Loaded:
    """Find a function, and how it may be called.

    Raises:
        BadFunction: it cannot be found, or looked at.
    """
    function = find(source.name) if source.function is None else source.function
    try:
        name = source.name or name_of(function)
        found = list(_candidates(function, name, source.measure, source.form))
        foreign = tuple(_foreign(function))
    except Exception as error:  # noqa: BLE001 - an object may answer every look at it by an error
        raise BadFunction(f"{source.name or 'the function'} cannot be looked at ({told(error)})") from None
    return Loaded(Candidates(name, tuple(target for _, target in found), foreign), tuple(called for called, _ in found))


def _foreign(function: Any) -> list[str]:  # noqa: ANN401 - as above
    """The parameters that must be given and belong to no form, beside others that name one."""
    names = (_parameters(function) if callable(function) else None) or []
    written = {p.name.lower() for p in names}
    named = [form for form in CALLED if all(written & known for known in form.roles.values())]
    known = {*K, *(name for form in named for roles in form.roles.values() for name in roles)}
    return [p.name for p in names if p.needed and p.name.lower() not in known] if named else []


def _candidates(
    function: Any,  # noqa: ANN401 - as above
    name: str,
    measure: Measure,
    wanted: Form | None,
) -> Iterator[tuple[Any, Target]]:
    """What is called, and how."""
    if wanted in {None, IR_MEASURES} and hasattr(function, "iter_calc") and hasattr(function, "SUPPORTED_PARAMS"):
        yield function, Target(name, IR_MEASURES, k="cutoff" if "cutoff" in function.SUPPORTED_PARAMS else None)
        return
    if wanted in {None, TORCHMETRICS} and hasattr(function, "update") and hasattr(function, "compute"):
        yield from ((function, target) for target in _torchmetrics(function, name))
        return
    made = None
    if isinstance(function, type):
        with contextlib.suppress(Exception, SystemExit):
            function, made = _instance(function, measure)
    if not callable(function):
        return
    names = _parameters(function)
    for form in _fitting(measure, names, wanted):
        for order, k, k_needed in _orders(form, names, measure):
            yield from (
                (function, Target(name, form, order, k, k_needed, arrays, table=table, made=made))
                for table in ((False, True) if form in {ROWS, RANKED, IDS} else (False,))
                for arrays in _containers(function, form)
            )


def _instance(function: type, measure: Measure) -> tuple[Any, str]:
    """An object of a class that is called, at the measure's cutoff where it takes one; and the arguments it was made with."""
    k = None if measure.of_labels else measure.k
    takers = [p.name for p in _parameters(function) or ()]
    at = {name: k for name in K if name in takers and k is not None}
    first = dict(list(at.items())[:1])
    return function(**first), ", ".join(f"{name}={value}" for name, value in first.items())


def _torchmetrics(function: Any, name: str) -> Iterator[Target]:  # noqa: ANN401 - a class or an object
    names = [parameter for parameter in inspect.signature(function.update).parameters if parameter != "self"]
    scores, rels, indexes = (next((n for n in names if n.lower() in known), None) for known in (SCORE, TRUE, INDEXES))
    order = (scores or "preds", rels or "target", *([indexes] if indexes else []))
    is_class = isinstance(function, type)
    takers = list(inspect.signature(function).parameters) if is_class else [n for n in K if hasattr(function, n)]
    k = next((n for n in K if n in takers), None)
    tensors = "torch" in sys.modules
    for table in (False,) if indexes else (True, False):
        for arrays in (True, False) if _has_numpy() and not tensors else (False,):
            yield Target(name, TORCHMETRICS, order, k, arrays=arrays, tensors=tensors, table=table, of_class=is_class)


def _has_numpy() -> bool:
    from importlib.util import find_spec  # noqa: PLC0415 - only where an array may be wanted

    return find_spec("numpy") is not None


def _containers(function: Any, form: Form) -> tuple[bool, ...]:  # noqa: ANN401 - as above
    """Whether arrays are given: lists first, unless the function says that it wants arrays."""
    if form in {QRELS_RUN, LABELINGS, IDS} or not _has_numpy():
        return (False,)
    wants = any("ndarray" in str(note) for note in getattr(function, "__annotations__", {}).values())
    return (True, False) if wants else (False, True)


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    needed: bool


def _parameters(function: Any) -> list[_Parameter] | None:  # noqa: ANN401 - as above
    """The parameters of a function; None where it does not tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
        return None
    return [_Parameter(p.name, p.default is inspect.Parameter.empty) for p in parameters if p.kind not in kinds]


def _fitting(measure: Measure, names: list[_Parameter] | None, wanted: Form | None) -> Iterator[Form]:
    """The forms that may fit: those whose every argument goes by a known name; any, where none does."""
    if wanted is not None:
        yield wanted
        return
    if measure.of_labels:
        yield LABELINGS
        return
    written = {p.name.lower() for p in names or ()}
    needed = sum(p.needed and p.name.lower() not in K for p in names or ())
    by_name = [
        form for form in CALLED if all(written & known for known in form.roles.values()) and needed <= len(form.roles)
    ]
    yield from by_name or (f for f in CALLED if names is None or needed in {0, len(f.roles), len(f.roles) + 1})


def _orders(
    form: Form, names: list[_Parameter] | None, measure: Measure
) -> Iterator[tuple[tuple[str, ...], str | None, bool]]:
    """The roles in the function's own order, and its parameter for the cutoff."""
    roles = tuple(form.roles)
    if names is None:
        yield roles, "k" if measure.cutoff is not None else None, False
        yield roles, None, False
        return
    cutoff = next((p for n in K for p in names if p.name.lower() == n), None)
    needed = [p for p in names if p.needed]
    if cutoff is None and len(needed) == len(form.roles) + 1:
        cutoff = needed[-1]  # f(ranked, size)
    first = [p for p in names if p is not cutoff][: len(roles)]
    mine = {
        role: next((i for i, p in enumerate(first) if p.name.lower() in known), None)
        for role, known in form.roles.items()
    }
    places = list(mine.values())
    if None not in places and len(set(places)) == len(places):
        roles = tuple(sorted(roles, key=lambda role: mine[role] or 0))
    yield roles, cutoff.name if cutoff else None, bool(cutoff and cutoff.needed)
