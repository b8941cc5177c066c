"""The signature of a number: one line that says exactly what was computed.

    nDCG@10|score:f32|missing:dropped|by:pytrec_eval-0.5.11|rankproof:0.1.0

The measure, then `axis:value` for each convention, then who computed it and the version of rankproof whose words these
are. Short, it names what differs from `standard`; whole, every axis that can matter to the measure. Both parse back:

>>> ours = Signature.of("nDCG@10", "trec_eval-9", version="0.1.0")
>>> str(ours)
'nDCG@10|score:f32|missing:dropped|by:reference|rankproof:0.1.0'
>>> parse(str(ours)) == parse(ours.whole()) == ours
True

Axes that cannot matter to the measure (`recall_points` to nDCG) are no part of its signature. `ideal` and `ideal_cut`
are one field, `ideal:judged@k`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, axis_named
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.profiles import Profile, conventions_of
from rankproof.version import VERSION

REFERENCE = "reference"
_NAME = re.compile(r"[^\s|]+")
_STAGES = ("measure", "order", "judge", "aggregate")
_IN_ORDER = sorted(AXES, key=lambda axis: _STAGES.index(AXES[axis].stage))


class BadSignature(ValueError):
    """The text is no signature; the message says which part is not."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What was computed, under which conventions, by whom, in the words of which version of rankproof.

    Attributes:
        measure: what is asked.
        conventions: one value for every axis that can matter; the others are as in `standard`.
        by: the implementation, as `pytrec_eval-0.5.11`; `reference` for the reference of that version of rankproof.
        version: of rankproof.
    """

    measure: Measure
    conventions: Conventions
    by: str = REFERENCE
    version: str = VERSION

    def __post_init__(self) -> None:
        for name, value in (("by", self.by), ("rankproof", self.version)):
            if not _NAME.fullmatch(value):
                msg = f"{name}:{value} is no part of a signature: a name has no blank and no |"
                raise BadSignature(msg)
        effective = _effective(self.measure, self.conventions)
        kept = {axis: getattr(effective, axis) for axis in axes_of(self.measure)}
        object.__setattr__(self, "conventions", STANDARD.replace(**kept))

    @classmethod
    def of(
        cls,
        measure: str | Measure,
        conventions: str | Conventions | Profile,
        by: str = REFERENCE,
        version: str = VERSION,
    ) -> Self:
        """The signature of a measure under a profile, a spec, or conventions."""
        asked = parse_measure(measure)
        return cls(asked, conventions_of(conventions, asked), by, version)

    def __str__(self) -> str:
        differs = _effective(self.measure, STANDARD).differences(self.conventions)
        return self._written({axis for axis in axes_of(self.measure) if axis in differs})

    def whole(self) -> str:
        """With every axis that can matter to the measure."""
        return self._written(set(axes_of(self.measure)))

    def differences(self, other: "Signature") -> dict[str, tuple[str, str]]:
        """The axes on which two signatures differ, with both values; `measure` and `by` are told as well.

        >>> mine = parse("nDCG@10|gain:exp|by:reference|rankproof:0.1.0")
        >>> mine.differences(parse("nDCG@10|ties:docid-asc|by:ranx-0.3.21|rankproof:0.1.0"))
        {'gain': ('exp', 'linear'), 'ties': ('docid-desc', 'docid-asc'), 'by': ('reference', 'ranx-0.3.21')}
        """
        mine, theirs = _parts(self), _parts(other)
        return {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}

    def _written(self, axes: set[str]) -> str:
        fields = (f"{name}:{value}" for name, value in _fields(self.conventions, axes))
        return "|".join([str(self.measure), *fields, f"by:{self.by}", f"rankproof:{self.version}"])


def parse(text: str) -> Signature:
    """Read a signature, short or whole; `by` and `rankproof` may be left out.

    Raises:
        BadSignature: a part is not of the form name:value, stands there twice, or contradicts the measure.
        UnknownMeasure: the first part is no measure.
        UnknownConvention: a part names no axis, or no value on it.
    """
    written, *parts = (part.strip() for part in text.strip().split("|"))
    measure = parse_measure(written)
    fields: dict[str, str] = {}
    for name, value in _read(parts):
        if name in fields:
            msg = f"{name} stands twice in the signature {text.strip()}"
            raise BadSignature(msg)
        fields[name] = value
    by, version = fields.pop("by", REFERENCE), fields.pop("rankproof", VERSION)
    changes = {axis_named(name).name: value for name, value in fields.items()}
    conventions = _effective(measure, STANDARD).replace(**changes)
    _refuse_contradictions(measure, conventions, changes)
    return Signature(measure, conventions, by, version)


def axes_of(measure: Measure) -> tuple[str, ...]:
    """Every axis that can matter to a measure, the formula's own first."""
    matter = CLUSTERINGS[measure.name].axes if measure.of_labels else measure.definition.axes
    return tuple(axis for axis in _IN_ORDER if axis in matter)


def _effective(measure: Measure, conventions: Conventions) -> Conventions:
    """The conventions, with those that a parameter of the measure names (`dcg='exp-log2'`)."""
    return conventions if measure.of_labels else measure.conventions(conventions)


def _fields(conventions: Conventions, axes: set[str]) -> Iterator[tuple[str, str]]:
    for axis in _IN_ORDER:
        if axis == "ideal" and axes & {"ideal", "ideal_cut"}:
            yield axis, f"{conventions.ideal}@{conventions.ideal_cut}"
        elif axis in axes and axis != "ideal_cut":
            yield axis, getattr(conventions, axis)


def _read(parts: list[str]) -> Iterator[tuple[str, str]]:
    for part in parts:
        name, colon, value = part.partition(":")
        if not colon or not value:
            msg = f"{part!r} is no part of a signature: write axis:value, by:name or rankproof:version"
            raise BadSignature(msg)
        if name == "ideal" and "@" in value:
            ideal, _, cut = value.partition("@")
            yield "ideal", ideal
            yield "ideal_cut", cut
        else:
            yield name, value


def _refuse_contradictions(measure: Measure, conventions: Conventions, changes: Mapping[str, str]) -> None:
    for axis, value in conventions.differences(_effective(measure, conventions)).items():
        msg = f"{axis}:{changes[axis]} contradicts {measure}, which says {axis}:{value}"
        raise BadSignature(msg)
    for axis in changes:
        if axis not in axes_of(measure):
            msg = f"{axis}:{changes[axis]} cannot matter to {measure}; leave it out"
            raise BadSignature(msg)


def _parts(signature: Signature) -> dict[str, str]:
    values = {axis: getattr(signature.conventions, axis) for axis in _IN_ORDER}
    return {"measure": str(signature.measure), **values, "by": signature.by}
