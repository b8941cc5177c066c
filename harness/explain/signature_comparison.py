"""Signatures in words, and the axes on which two signatures differ."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rankproof.display import Display
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.signatures import Signature, axes_of, parse
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure

NEITHER = "-"
"""The value of an axis that cannot matter to the measure."""


@dataclass(frozen=True, slots=True)
class AxisInWords:
    """A convention of a signature in words; if it is undetermined (`open`), `taken` is the value that is used."""

    name: str
    question: str
    value: str
    meaning: str
    standard: str
    open: bool = False
    taken: str = ""


@dataclass(frozen=True, slots=True)
class AxisChange:
    """An axis on which two signatures differ, with both values and their meanings."""

    name: str
    question: str
    a: str
    b: str
    a_means: str
    b_means: str


@dataclass(frozen=True, slots=True, repr=False)
class Compared(Display):
    """The differences of two signatures.

    Attributes:
        beside: differences in parts that are not axes (`measure`, `by`), with both values.
        same: whether both give the same value for every input; False if an axis is undetermined.
        open: the axes that are undetermined in one of them, with both values; these may or may not differ.
    """

    first: str
    second: str
    beside: Mapping[str, tuple[str, str]]
    changes: tuple[AxisChange, ...]
    same: bool
    open: Mapping[str, tuple[str, str]]
    kind: str = "comparison"

    @property
    def named(self) -> tuple[str, ...]:
        """The names of all differences."""
        return (*self.beside, *(change.name for change in self.changes))


def axes_in_words(signature: Signature) -> list[AxisInWords]:
    """Return every axis that can matter to the measure, in words."""
    return [
        AxisInWords(
            axis,
            AXES[axis].question,
            signature.value(axis),
            _meaning(signature, axis),
            AXES[axis].default,
            axis in signature.open,
            signature.taken.get(axis, ""),
        )
        for axis in axes_of(signature.measure)
    ]


def _meaning(signature: Signature, axis: str) -> str:
    if axis not in axes_of(signature.measure):
        return f"cannot matter to {signature.measure}"
    if axis not in signature.open:
        return AXES[axis].meaning(getattr(signature.conventions, axis))
    values = signature.open[axis]
    return f"undetermined, {' or '.join(values)}" if values else "undetermined"


def compare_signatures(first: str | Signature, second: str | Signature) -> Compared:
    """Return the conventions on which two signatures differ.

    Parameters
    ----------
    first, second : str or Signature
        The signatures, as `evaluate` and `check` print them.

    Returns
    -------
    Compared
        The axes on which the signatures differ, with both values.

    Raises
    ------
    BadSignature
        A text is not a signature.
    UnknownMeasure, UnknownConvention
        A part of a signature is unknown.

    Examples
    --------
    >>> compare_signatures("nDCG@10|gain:exp", "nDCG@10|ties:input")
    <Compared: The signatures differ in gain, ties.>
    """
    return compare(*(parse(text) if isinstance(text, str) else text for text in (first, second)))


def compare(a: Signature, b: Signature) -> Compared:
    """Return the differences of two signatures."""
    parts, both = a.differences(b), (a, b)
    still = {axis: (_value(a, axis), _value(b, axis)) for axis in AXES if axis in a.open or axis in b.open}
    changes = tuple(
        AxisChange(axis, AXES[axis].question, *(_value(s, axis) for s in both), *(_meaning(s, axis) for s in both))
        for axis in parts
        if axis in AXES and (axis not in still or _possible(a, axis).isdisjoint(_possible(b, axis)))
    )
    other_parts = {name: pair for name, pair in parts.items() if name not in AXES}
    return Compared(str(a), str(b), other_parts, changes, not still and _bare(a) == _bare(b), still)


def _value(signature: Signature, axis: str) -> str:
    return signature.value(axis) if axis in axes_of(signature.measure) else NEITHER


def _possible(signature: Signature, axis: str) -> frozenset[str]:
    """Return the possible values of a signature on an axis; all values if the axis cannot matter."""
    if axis not in axes_of(signature.measure):
        return frozenset(values_of(axis))
    if axis not in signature.open:
        return frozenset({getattr(signature.conventions, axis)})
    return frozenset(signature.open[axis] or values_of(axis))


def _bare(signature: Signature) -> tuple[Measure, object]:
    """Return the measure without parameters that name conventions, and the conventions in canonical form."""
    measure = signature.measure
    if not measure.of_labels:
        named = measure.definition.params
        measure = replace(measure, params=tuple(p for p in measure.params if named[p[0]].conventions is None))
    return measure, canonical_profile(measure, {axis: getattr(signature.conventions, axis) for axis in AXES})
