"""Which of the axes that nothing decided can move the numbers at hand, and to what: each other value is measured on the same input.

A value that matters beside another one alone (`gain_threshold=applied` where `relevant` is otherwise) is measured with it. What cannot be
measured, or would take too long, counts as mattering, and has no number.
"""

import math
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from rankproof.evaluate.float_values import FloatValues
from rankproof.inference.deciding_axes import possible, values_of
from rankproof.inference.equivalent_choices import settled
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Rejected

ROWS_AGAIN = 250_000
"""So many rows of all are measured again for each measure by the readable formulas; more would be waited for."""
UNSPECIFIED = "unspecified"
NEVER_A_NUMBER = {"ids"}
"""Axes whose values refuse some inputs, and give no other number."""


class Unmeasured(ValueError):
    """It cannot be said, or only in too long a time, what these conventions give."""


@dataclass(frozen=True, slots=True)
class OtherChoice:
    """Another value of an axis that is open, with the one that it needs beside it, and what the measure is by it.

    Attributes:
        changes: the changes, as `missing=0` or `empty=missing missing=dropped`.
        mean: by them; None where the input is refused, or where it was not measured.
        refused: whether they refuse the input.
    """

    changes: str
    mean: float | None
    refused: bool = False


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """An axis that nothing decided and that can move a measure of this input: what it is by the value taken, and by others."""

    axis: str
    taken: str
    mean: float
    others: tuple[OtherChoice, ...]


Measuring = Callable[[Measure, Conventions], FloatValues]
"""What a measure is under some conventions; raises `Rejected` where they refuse the input, and `Unmeasured` or another ValueError."""


def open_of_each(
    tasks: Mapping[str, Signature], measured: Measuring, tied: Container[str], most: int
) -> dict[str, tuple[OpenChoice, ...]]:
    """By measure, the open axes that can move it; of the measures of which there are any. `tied` are those that `open_choices` asks for."""
    found = {name: open_choices(task, measured, tied=name in tied, most=most) for name, task in tasks.items()}
    return {name: choices for name, choices in found.items() if choices}


def open_choices(signature: Signature, measured: Measuring, *, tied: bool, most: int) -> tuple[OpenChoice, ...]:
    """The open axes of what was asked that can move it.

    Args:
        signature: what was asked.
        measured: what it is under other conventions.
        tied: whether the order of tied docs can move it, for which no order (`ties=unspecified`) has no number.
        most: how many other conventions are measured at most.
    """
    still = {axis: values for axis, values in signature.open.items() if axis not in NEVER_A_NUMBER}
    if not still:
        return ()
    taken = _asked(measured, signature, {})
    if isinstance(taken, FloatValues) and taken.mean and not math.isnan(taken.mean):
        still.pop("no_query", None)  # it is a mean over some
    trials = {axis: list(_trials(signature, axis)) for axis in still}
    if not isinstance(taken, FloatValues) or sum(map(len, trials.values())) > most:
        mean = taken.mean if isinstance(taken, FloatValues) else math.nan
        unmeasured = {a: tuple(OtherChoice(f"{a}={value}", None) for value in _remaining(signature, a)) for a in still}
        return tuple(OpenChoice(axis, signature.taken[axis], mean, others) for axis, others in unmeasured.items())
    found = []
    for axis, ways in trials.items():
        others = [one for way in ways if (one := _other(signature, way, taken, measured)) is not None]
        if axis == "ties" and tied and UNSPECIFIED in (still[axis] or ()):
            others.append(OtherChoice(f"{axis}={UNSPECIFIED}", None))
        if others:
            found.append(OpenChoice(axis, signature.taken[axis], taken.mean, _simplest(others)))
    return tuple(found)


def _asked(measured: Measuring, signature: Signature, changes: Mapping[str, str]) -> FloatValues | ValueError:
    """What the measure is with these changes, or why it has no number."""
    try:
        return measured(signature.measure, signature.conventions.replace(**changes))
    except ValueError as error:
        return error


def _remaining(signature: Signature, axis: str) -> list[str]:
    values = signature.open[axis] or values_of(axis)
    return [value for value in values if value != signature.taken[axis] and possible(signature.measure, axis, value)]


def _trials(signature: Signature, axis: str) -> Iterator[dict[str, str]]:
    """Each other value; one that is idle beside what is taken on the other axes, with each other value of one of these."""
    own = {one: getattr(signature.conventions, one) for one in AXES}
    before = settled(signature.measure, own)
    for value in _remaining(signature, axis):
        if value == UNSPECIFIED:
            continue
        yield {axis: value}
        if settled(signature.measure, {**own, axis: value}) != before:
            continue
        for beside in signature.open:
            for other in _remaining(signature, beside) if beside != axis and beside not in NEVER_A_NUMBER else ():
                both = settled(signature.measure, {**own, axis: value, beside: other})
                if other != UNSPECIFIED and both != settled(signature.measure, {**own, beside: other}):
                    yield {axis: value, beside: other}


def _other(signature: Signature, way: Mapping[str, str], taken: FloatValues, measured: Measuring) -> OtherChoice | None:
    """What a measure is otherwise; None where it is what it is without any change, or without the first."""
    changes = " ".join(f"{axis}={value}" for axis, value in way.items())
    beside = dict(list(way.items())[1:])
    found = _asked(measured, signature, way)
    base = _asked(measured, signature, beside) if beside else None
    if isinstance(found, FloatValues):
        alike = found.is_as(taken) or (isinstance(base, FloatValues) and found.is_as(base))
        return None if alike else OtherChoice(changes, found.mean)
    refused = isinstance(found, Rejected)
    # What the other value refuses alone, too, says nothing of the first.
    return None if refused and isinstance(base, Rejected) else OtherChoice(changes, None, refused=refused)


def _simplest(others: list[OtherChoice]) -> tuple[OtherChoice, ...]:
    """What moves it alone; pairs only where nothing does."""
    alone = tuple(one for one in others if " " not in one.changes)
    return alone or tuple(others[:1])
