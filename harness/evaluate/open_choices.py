"""Undetermined axes that can change the values of an input: every other choice is measured on it.

Some choices matter only together with another (`gain_threshold=applied` if `relevant` differs), and are measured in
pairs. A choice that cannot be measured, or would take too long, is reported without a number.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from rankproof.evaluate.result import FloatValues
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Rejected

_UNSPECIFIED = "unspecified"
_NEVER_A_NUMBER = {"ids"}
"""Axes that only refuse inputs and never change a number."""
Measuring = Callable[[Measure, Conventions], FloatValues]
"""A function that returns the values of a measure under conventions, or raises `Rejected` or another ValueError."""


class Unmeasured(ValueError):
    """Conventions whose values cannot be computed, or would take too long."""


@dataclass(frozen=True, slots=True)
class OtherChoice:
    """Another possible choice for an undetermined axis.

    Attributes:
        changes: the changes, such as `missing=0` or `empty=missing missing=dropped`.
        mean: the mean with these changes; None if the input is refused or was not measured.
        refused: whether the changes refuse the input.
    """

    changes: str
    mean: float | None
    refused: bool = False


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """An undetermined axis that can change a measure: the value used, its mean, and other choices."""

    axis: str
    taken: str
    mean: float
    others: tuple[OtherChoice, ...]


def open_choices(signature: Signature, measured: Measuring, *, tied: bool, most: int) -> tuple[OpenChoice, ...]:
    """Return the undetermined axes that can change a measure.

    Args:
        signature: the measure with its conventions.
        measured: returns the values under other conventions.
        tied: whether the order of tied documents can change the measure, so that `ties=unspecified` matters.
        most: the largest number of other conventions to measure.
    """
    open_axes = {axis: values for axis, values in signature.open.items() if axis not in _NEVER_A_NUMBER}
    if not open_axes:
        return ()
    taken = _measured_with(measured, signature, {})
    if isinstance(taken, FloatValues) and taken.mean and not math.isnan(taken.mean):
        open_axes.pop("no_query", None)  # the mean is over some queries
    trials = {axis: list(_trials(signature, axis)) for axis in open_axes}
    if not isinstance(taken, FloatValues) or sum(map(len, trials.values())) > most:
        mean = taken.mean if isinstance(taken, FloatValues) else math.nan
        others = {
            axis: [OtherChoice(f"{axis}={value}", None) for value in _others(signature, axis)] for axis in open_axes
        }
        return tuple(OpenChoice(axis, signature.taken[axis], mean, tuple(values)) for axis, values in others.items())
    choices = []
    for axis, ways in trials.items():
        effects = [other for way in ways if (other := _other(signature, way, taken, measured)) is not None]
        if axis == "ties" and tied and _UNSPECIFIED in (open_axes[axis] or ()):
            effects.append(OtherChoice(f"{axis}={_UNSPECIFIED}", None))
        if effects:
            alone = tuple(other for other in effects if " " not in other.changes)
            choices.append(OpenChoice(axis, signature.taken[axis], taken.mean, alone or tuple(effects[:1])))
    return tuple(choices)


def _measured_with(measured: Measuring, signature: Signature, changes: Mapping[str, str]) -> FloatValues | ValueError:
    try:
        return measured(signature.measure, signature.conventions.replace(**changes))
    except ValueError as error:
        return error


def _others(signature: Signature, axis: str) -> list[str]:
    """Return the other values that an axis may have."""
    from rankproof.inference.deciding_axes import possible, values_of

    values = signature.open[axis] or values_of(axis)
    return [value for value in values if value != signature.taken[axis] and possible(signature.measure, axis, value)]


def _trials(signature: Signature, axis: str) -> Iterator[dict[str, str]]:
    """Yield each other value. A value without effect is paired with each other value of another undetermined axis."""
    from rankproof.inference.equivalent_choices import canonical_profile

    own = {name: getattr(signature.conventions, name) for name in AXES}
    before = canonical_profile(signature.measure, own)
    for value in _others(signature, axis):
        if value == _UNSPECIFIED:
            continue
        yield {axis: value}
        if canonical_profile(signature.measure, {**own, axis: value}) != before:
            continue
        for second in signature.open:
            for other in _others(signature, second) if second != axis and second not in _NEVER_A_NUMBER else ():
                both = canonical_profile(signature.measure, {**own, axis: value, second: other})
                if other != _UNSPECIFIED and both != canonical_profile(signature.measure, {**own, second: other}):
                    yield {axis: value, second: other}


def _other(signature: Signature, way: Mapping[str, str], taken: FloatValues, measured: Measuring) -> OtherChoice | None:
    """Return the effect of some changes; None if they have none, or if the first change adds nothing."""
    changes = " ".join(f"{axis}={value}" for axis, value in way.items())
    second = dict(list(way.items())[1:])
    values = _measured_with(measured, signature, way)
    base = _measured_with(measured, signature, second) if second else None
    if isinstance(values, FloatValues):
        is_same = values.is_as(taken) or (isinstance(base, FloatValues) and values.is_as(base))
        return None if is_same else OtherChoice(changes, values.mean)
    refused = isinstance(values, Rejected)
    return None if refused and isinstance(base, Rejected) else OtherChoice(changes, None, refused=refused)
