"""Signatures of numbers: one line that states exactly what was computed.

    nDCG@10|score:f32|missing:dropped|by:pytrec_eval-0.5.11|rankproof:0.2.0

The measure comes first, then `axis:value` for each convention, then the implementation and the version of rankproof.
The short form lists the differences from `standard`, the whole form every axis that can matter. Both can be parsed:

>>> ours = Signature.of("nDCG@10", "trec_eval-9", version="0.2.0")
>>> str(ours)
'nDCG@10|score:f32|missing:dropped|by:reference|rankproof:0.2.0'
>>> parse(str(ours)) == parse(ours.whole()) == ours
True

A signature leaves out axes that cannot matter to the measure (`recall_points` for nDCG). `ideal` and `ideal_cut` are
one field, `ideal:judged@k`.

An axis that no test decided is *open* and always written: `missing:?` if all choices remain, `missing:?0/nan` if only
these do. So no reader mistakes the standard choice for an observed one. Computation uses the first remaining choice,
or that of `standard` if the list is empty:

>>> signature = parse("AP|score:f32|missing:?0/nan|empty:?|by:mine-1.0|rankproof:0.2.0")
>>> signature.open["missing"], signature.taken
(('0', 'nan'), {'missing': '0', 'empty': '0'})
>>> print(signature.computed)
AP|score:f32|by:reference|rankproof:0.2.0

If no convention explains some values of an implementation, the signature includes their number:

>>> parse("RBP@5|ties:input|unexplained:3|by:mine-1.0|rankproof:0.2.0").unexplained
3
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Self

from rankproof.measure_facts import fixed_by_parameters
from rankproof.measure_names import measure_called
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, axis_named
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import Profile, conventions_of
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION

REFERENCE = "reference"
OPEN, OR = "?", "/"
"""The mark of an open axis, and the separator of the remaining choices."""
UNEXPLAINED = "unexplained"
LONGEST_COUNT = 9
_NAME = re.compile(r"[^\s|]+")
_NOTHING: Mapping[str, Iterable[str]] = MappingProxyType({})
_STAGES = ("measure", "order", "judge", "aggregate")
_IN_ORDER = sorted(AXES, key=lambda axis: _STAGES.index(AXES[axis].stage))


class BadSignature(Unusable):
    """Error for text that is not a signature."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Signature of a number: measure, conventions, implementation and version of rankproof.

    Attributes:
        measure: the measure.
        conventions: a choice on every axis that can matter, and that of `standard` on the others. On an open axis it
            is the choice to compute with.
        by: the implementation, such as `pytrec_eval-0.5.11`, or `reference` for the reference of rankproof.
        version: the version of rankproof.
        remaining: the open axes with their remaining choices, starting with the choice to compute with; empty if all
            remain.
        unexplained: how many values of the implementation these conventions do not explain.
    """

    measure: Measure
    conventions: Conventions
    by: str = REFERENCE
    version: str = VERSION
    remaining: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unexplained: int = 0

    def __post_init__(self) -> None:
        for name, value in (("by", self.by), ("rankproof", self.version)):
            if not _NAME.fullmatch(value):
                raise BadSignature(f"{name}:{value} is not part of a signature: remove blanks and | from the name")
        own = effective(self.measure, self.conventions)
        kept = {axis: getattr(own, axis) for axis in axes_of(self.measure)}
        fixed, remaining = fixed_by_parameters(self.measure), dict(self.remaining)
        still = {axis: remaining[axis] for axis in kept if axis in remaining and axis not in fixed}
        taken = {axis: _taken(axis, values) for axis, values in still.items()}
        object.__setattr__(self, "conventions", STANDARD.replace(**kept | taken))
        object.__setattr__(self, "remaining", tuple(still.items()))

    @classmethod
    def of(
        cls,
        measure: str | Measure,
        conventions: str | Conventions | Profile,
        by: str = REFERENCE,
        version: str = VERSION,
        still: Mapping[str, Iterable[str]] = _NOTHING,
        unexplained: int = 0,
    ) -> Self:
        """Return the signature of a measure under a profile, a spec or conventions.

        Args:
            measure: the measure, or its name.
            conventions: the conventions, or the name of a profile.
            by: the implementation.
            version: the version of rankproof.
            still: the open axes with their remaining choices.
            unexplained: how many values the conventions do not explain.
        """
        parsed = measure_called(measure)
        remaining = tuple((axis, tuple(values)) for axis, values in still.items())
        return cls(parsed, conventions_of(conventions, parsed), by, version, remaining, unexplained)

    @property
    def open(self) -> Mapping[str, tuple[str, ...]]:
        """The open axes with their remaining choices; an empty list means that all remain."""
        return dict(self.remaining)

    @property
    def taken(self) -> Mapping[str, str]:
        """The choice to compute with on each open axis."""
        return {axis: getattr(self.conventions, axis) for axis, _ in self.remaining}

    @property
    def computed(self) -> Self:
        """The signature of the reference's value. It keeps `unexplained`, because the library's value may differ."""
        return type(self)(self.measure, self.conventions, unexplained=self.unexplained)

    def value(self, axis: str) -> str:
        """Return the text for an axis: its choice, or the mark with the remaining choices."""
        return OPEN + OR.join(self.open[axis]) if axis in self.open else getattr(self.conventions, axis)

    def __str__(self) -> str:
        differs = effective(self.measure, STANDARD).differences(self.conventions)
        return self._written({axis for axis in axes_of(self.measure) if axis in differs or axis in self.open})

    def whole(self) -> str:
        """Return the signature with every axis that can matter to the measure."""
        return self._written(set(axes_of(self.measure)))

    def differences(self, other: "Signature") -> dict[str, tuple[str, str]]:
        """Return the axes on which two signatures differ, also `measure` and `by`, with both values.

        >>> mine = parse("nDCG@10|gain:exp|by:reference|rankproof:0.2.0")
        >>> mine.differences(parse("nDCG@10|ties:docid-asc|by:ranx-0.3.21|rankproof:0.2.0"))
        {'gain': ('exp', 'linear'), 'ties': ('docid-desc', 'docid-asc'), 'by': ('reference', 'ranx-0.3.21')}
        """
        mine, theirs = _parts(self), _parts(other)
        return {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}

    def _written(self, axes: set[str]) -> str:
        fields = (f"{name}:{value}" for name, value in _fields(self, axes))
        marked = [f"{UNEXPLAINED}:{self.unexplained}"] if self.unexplained else []
        return "|".join([str(self.measure), *fields, *marked, f"by:{self.by}", f"rankproof:{self.version}"])


def parse(text: str) -> Signature:
    """Parse a short or whole signature. `by` and `rankproof` are optional.

    Raises:
        BadSignature: a part is not of the form name:value, occurs twice, or contradicts the measure.
        UnknownMeasure: the first part is not a measure.
        UnknownConvention: a part has an unknown axis, or an unknown choice on it.
    """
    written, *parts = (part.strip() for part in text.strip().split("|"))
    measure = measure_called(written)
    fields: dict[str, str] = {}
    for name, value in _read(parts):
        if name in fields:
            raise BadSignature(f"{name} occurs twice in the signature {text.strip()}")
        fields[name] = value
    by, version = fields.pop("by", REFERENCE), fields.pop("rankproof", VERSION)
    unexplained = _count(fields.pop(UNEXPLAINED, "0"))
    stated = {axis_named(name).name: value for name, value in fields.items()}
    still = {axis: _remaining(axis, value) for axis, value in stated.items() if value.startswith(OPEN)}
    changes = stated | {axis: _taken(axis, values) for axis, values in still.items()}
    conventions = effective(measure, STANDARD).replace(**changes)
    _refuse_contradictions(measure, stated)
    return Signature(measure, conventions, by, version, tuple(still.items()), unexplained)


@lru_cache(maxsize=4096)
def axes_of(measure: Measure) -> tuple[str, ...]:
    """Return every axis that can matter to a measure, those of its formula first."""
    matter = CLUSTERINGS[measure.name].axes if measure.of_labels else measure.definition.axes
    return tuple(axis for axis in _IN_ORDER if axis in matter)


def effective(measure: Measure, conventions: Conventions) -> Conventions:
    """Return the conventions, changed by the parameters of the measure (`dcg='exp-log2'`)."""
    return conventions if measure.of_labels else measure.conventions(conventions)


def _remaining(axis: str, written: str) -> tuple[str, ...]:
    """Parse the remaining choices behind the mark of an open axis; there are at least two, or none if all remain."""
    values = tuple(written.removeprefix(OPEN).split(OR)) if written != OPEN else ()
    for value in values:
        axis_named(axis).check(value)
    if len(values) == 1 or len(set(values)) < len(values):
        msg = f"{axis}:{written} is not part of a signature: write {axis}:?, or ? and two or more different values"
        raise BadSignature(msg)
    return values


def _count(written: str) -> int:
    if not (written.isascii() and written.isdigit() and len(written) <= LONGEST_COUNT):
        msg = f"{UNEXPLAINED}:{shortened(written)} is not part of a signature: write the number of unexplained values"
        raise BadSignature(msg)
    return int(written)


def _taken(axis: str, values: Sequence[str]) -> str:
    """Return the choice to compute with on an open axis."""
    return values[0] if values else AXES[axis].default


def _fields(signature: Signature, axes: set[str]) -> Iterator[tuple[str, str]]:
    for axis in _IN_ORDER:
        if axis == "ideal" and axes & {"ideal", "ideal_cut"}:
            yield axis, f"{signature.value('ideal')}@{signature.value('ideal_cut')}"
        elif axis in axes and axis != "ideal_cut":
            yield axis, signature.value(axis)


def _read(parts: list[str]) -> Iterator[tuple[str, str]]:
    for part in parts:
        name, colon, value = part.partition(":")
        if not colon or not value:
            raise BadSignature(f"{part!r} is not part of a signature: write axis:value, by:name or rankproof:version")
        if name == "ideal" and "@" in value:
            ideal, _, cut = value.partition("@")
            yield "ideal", ideal
            yield "ideal_cut", cut
        else:
            yield name, value


def _refuse_contradictions(measure: Measure, stated: Mapping[str, str]) -> None:
    for axis, value in fixed_by_parameters(measure).items():
        if stated.get(axis, value) != value:
            raise BadSignature(f"{axis}:{stated[axis]} contradicts {measure}, which has {axis}:{value}")
    for axis in stated:
        if axis not in axes_of(measure):
            raise BadSignature(f"{axis}:{stated[axis]} does not affect {measure}: leave it out")


def _parts(signature: Signature) -> dict[str, str]:
    values = {axis: signature.value(axis) for axis in _IN_ORDER}
    return {"measure": str(signature.measure), **values, "by": signature.by}
