"""Recognising how a function is to be called: by what its parameters are called, or by trying."""

import contextlib
import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rankproof.asking.observations import Answered, Failure
from rankproof.cases.inputs import Input
from rankproof.checking.call_forms import (
    FORMS,
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
    expressed,
    form_named,
)  # fmt: skip
from rankproof.checking.calls import observe
from rankproof.checking.functions import call
from rankproof.checking.targets import BadFunction, Form, Target
from rankproof.meaning.deciding_axes import possible
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import conventions_of

_CALLED = (ROWS, QRELS_RUN, IDS, RANKED)
_FORMS = f"name its form by --signature: {', '.join(f'{form.name} for {form.call}' for form in FORMS.values())}"
MOST_TRIED = 2
"""How many of the calls that were tried in vain are told."""
_TRIAL = Input(
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q1", "c", 1), ("q1", "d", 0)),
    run=(("q1", "a", 0.9, 1), ("q1", "b", 0.8, 2), ("q1", "c", 0.7, 3), ("q1", "d", 0.6, 4)),
)
_TRIAL_OF_LABELS = Input(true=(0, 0, 1, 1), predicted=(0, 1, 1, 1))


def find(where: str) -> Any:  # noqa: ANN401 - whatever stands there
    """The object at MODULE:FUNCTION.

    Raises:
        BadFunction: the module cannot be imported, or has no such name.
    """
    module, colon, name = where.partition(":")
    if not colon or not module or not name:
        raise BadFunction(f"{where} names no function: write MODULE:FUNCTION, as mylib.metrics:ndcg")
    try:
        found: Any = import_module(module)
    except (Exception, SystemExit) as error:
        raise BadFunction(
            f"{where}: {module} cannot be imported ({type(error).__name__}: {error}); run this where it can be"
        ) from error
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise BadFunction(f"{where}: {module} has no {name}; name something that it defines") from error
    return found


def name_of(function: Any) -> str:  # noqa: ANN401 - anything that can be called
    """Where a function comes from, as MODULE:FUNCTION."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(named, '__module__', '') or ''}:{named.__qualname__}"


def claimed(profile: str | Conventions, measure: Measure) -> Conventions:
    """The conventions that are claimed of a function.

    Raises:
        UnknownConvention: there is no such profile.
        NotPooled: the profile asks for a pooled mean of what is no ratio, so that nothing could be held to it.
    """
    found = conventions_of(profile, measure)
    if not possible(measure, "mean", found.mean):
        raise NotPooled(f"{measure.name} is no ratio of counts, so it has no pooled mean")
    return found


def recognised(function: Any, name: str, measure: Measure, form: str | None = None) -> Target:  # noqa: ANN401 - as above
    """How a function is to be called: by the form named, or the first one by which it gives a number.

    Raises:
        BadFunction: the form has no such name, or no form fits.
    """
    wanted = form_named(form) if form else None
    k = cutoff_of(measure)
    zero: Target | None = None
    tried: dict[str, str] = {}
    for target in _candidates(function, name, measure, wanted):
        trial = expressed(target.form, _TRIAL_OF_LABELS if target.form is LABELINGS else _TRIAL)
        if trial is None:
            continue
        answer = observe(target, trial, k)
        if isinstance(answer, Answered) and all(map(math.isfinite, _numbers(answer))):
            if any(_numbers(answer)) or measure.of_labels:
                return target
            # Docs taken for ids, or the other way round, are nowhere relevant; so this counts if nothing else fits.
            zero = zero or target
            continue
        said = answer.text if isinstance(answer, Failure) else f"it gave {next(iter(_numbers(answer)), 'nothing')}"
        tried.setdefault(said, _call(target, trial, k))
    if zero is not None:
        return zero
    raise BadFunction(_refusal(function, name, tried, wanted))


def _numbers(answer: Answered) -> list[float]:
    return [*([] if answer.mean is None else [answer.mean]), *(answer.per_query or {}).values()]


def _call(target: Target, trial: Input, k: int | None) -> str:
    return call(target, trial, k) if target.form in _CALLED or target.form is LABELINGS else target.form.call


def _refusal(function: Any, name: str, tried: Mapping[str, str], wanted: Form | None) -> str:  # noqa: ANN401 - as above
    """What was tried, what came of it, and the mend."""
    if foreign := _foreign(function):
        return f"{name} needs {', '.join(foreign)}: bind what no form gives, as by functools.partial; {_FORMS}"
    if not tried:
        return f"{name} cannot be called; {_FORMS}"
    came = "; ".join(f"{call}: {said}" for said, call in list(tried.items())[:MOST_TRIED])
    which = f"as {wanted.name}" if wanted else "by any form known here"
    return f"{name} gives no number {which} ({came}); mend it, or {_FORMS}"


def _foreign(function: Any) -> list[str]:  # noqa: ANN401 - as above
    """The parameters that must be given and belong to no form, beside others that name one."""
    names = (_parameters(function) if callable(function) else None) or []
    written = {p.name.lower() for p in names}
    named = [form for form in _CALLED if all(written & known for known in form.roles.values())]
    known = {*K, *(name for form in named for roles in form.roles.values() for name in roles)}
    return [p.name for p in names if p.needed and p.name.lower() not in known] if named else []


def _candidates(function: Any, name: str, measure: Measure, wanted: Form | None) -> Iterator[Target]:  # noqa: ANN401
    if wanted in {None, IR_MEASURES} and hasattr(function, "iter_calc") and hasattr(function, "SUPPORTED_PARAMS"):
        yield Target(function, name, IR_MEASURES, k="cutoff" if "cutoff" in function.SUPPORTED_PARAMS else None)
        return
    if wanted in {None, TORCHMETRICS} and hasattr(function, "update") and hasattr(function, "compute"):
        yield from _torchmetrics(function, name)
        return
    made = None
    if isinstance(function, type):
        with contextlib.suppress(Exception):
            function, made = _instance(function, measure)
    if not callable(function):
        return
    names = _parameters(function)
    for form in _fitting(measure, names, wanted):
        for order, k, k_needed in _orders(form, names, measure):
            yield from (
                Target(function, name, form, order, k, k_needed, arrays, table, made)
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
    for table in (False,) if indexes else (True, False):
        for arrays in (True, False) if _has_numpy() else (False,):
            yield Target(function, name, TORCHMETRICS, order, k, arrays=arrays, table=table)


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
        form for form in _CALLED if all(written & known for known in form.roles.values()) and needed <= len(form.roles)
    ]
    yield from by_name or (f for f in _CALLED if names is None or needed in {0, len(f.roles), len(f.roles) + 1})


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
