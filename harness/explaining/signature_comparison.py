"""Comparing two signatures: axis by axis in words, and the simplest case on which it shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from rankproof import cases as corpus
from rankproof.asking.observations import Reading
from rankproof.asking.same_answers import same
from rankproof.cases import Case
from rankproof.judging.oracle import CannotTell, Oracle, Refused, Values
from rankproof.judging.verdicts import reading_of
from rankproof.meaning.equivalent_choices import settled
from rankproof.meaning.measure_forms import cut_at, cutoff_of
from rankproof.meaning.signatures import Signature, axes_of
from rankproof.reference_impl.conventions import AXES, Conventions, UnknownConvention
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure

NEITHER = "-"
"""What a signature says on an axis that cannot matter to its measure."""
Asked: TypeAlias = tuple[Case, Oracle]
"""A case, and the reference asked about its input."""
CUTOFFS = (1, 2, 3, 5)
"""At which a difference is looked for where the measure's own cutoff shows none."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One convention of a signature, in words."""

    name: str
    question: str
    value: str
    meaning: str
    standard: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A case on which two signatures give different values; None is a refusal. Each has its own measure."""

    case: Case
    measures: tuple[str, str]
    query: str | None
    a: Reading | None
    b: Reading | None


@dataclass(frozen=True, slots=True)
class Change:
    """An axis on which two signatures differ, and the case that shows this difference alone, made to A."""

    name: str
    question: str
    a: str
    b: str
    a_means: str
    b_means: str
    shown: Shown | None


@dataclass(frozen=True, slots=True)
class Compared:
    """How two signatures differ.

    Attributes:
        beside: what is no axis, with both values: `measure`, `by`.
        shown: the simplest case on which they give different values.
        same: whether they give the same value for any input, though they are written otherwise.
        comparable: whether one input can be given to both.
    """

    beside: Mapping[str, tuple[str, str]]
    changes: tuple[Change, ...]
    shown: Shown | None
    same: bool
    comparable: bool

    @property
    def named(self) -> tuple[str, ...]:
        """All in which they differ."""
        return (*self.beside, *(change.name for change in self.changes))


def explained(signature: Signature) -> list[Axis]:
    """Every axis that can matter to the measure, in words."""
    return [
        Axis(axis, AXES[axis].question, value, AXES[axis].meaning(value), AXES[axis].default)
        for axis in axes_of(signature.measure)
        for value in [getattr(signature.conventions, axis)]
    ]


def compare(one: Signature, other: Signature) -> Compared:
    """How two signatures differ, and where it shows."""
    parts = one.differences(other)
    cases = _simplest_first([case for case in corpus.load_all() if case.of_labels == one.measure.of_labels])
    oracles = [(case, Oracle(case.input)) for case in cases if not case.undefined]
    axes = [name for name in parts if name in AXES]
    same, comparable = _same(one, other), one.measure.of_labels == other.measure.of_labels
    shown = None
    if comparable and not same:
        asked = (one.measure, one.conventions), (other.measure, other.conventions)
        shown = shows(*asked, _about(set(axes), oracles, one.measure))
    changes = tuple(_change(name, one, other, [] if same else oracles) for name in axes)
    beside = {name: pair for name, pair in parts.items() if name not in AXES}
    return Compared(beside, changes, shown, same, comparable)


def _same(one: Signature, other: Signature) -> bool:
    """Whether they ask the same in other words: nDCG(dcg='exp-log2') is nDCG with gain=exp, and ln is log2 to a quotient."""
    return _bare(one.measure) == _bare(other.measure) and _settled(one) == _settled(other)


def _bare(measure: Measure) -> Measure:
    """The measure without the parameters that name conventions."""
    if measure.of_labels:
        return measure
    return replace(
        measure, params=tuple(p for p in measure.params if measure.definition.params[p[0]].conventions is None)
    )


def _settled(signature: Signature) -> dict[str, str]:
    return settled(_bare(signature.measure), {axis: getattr(signature.conventions, axis) for axis in AXES})


def _change(name: str, one: Signature, other: Signature, oracles: Sequence[Asked]) -> Change:
    values = [(getattr(each.conventions, name), name in axes_of(each.measure), each.measure) for each in (one, other)]
    (a, a_means), (b, b_means) = (
        (value, AXES[name].meaning(value)) if matters else (NEITHER, f"cannot matter to {measure}")
        for value, matters, measure in values
    )
    return Change(
        name, AXES[name].question, a, b, a_means, b_means, None if b == NEITHER else _alone(one, name, b, oracles)
    )


def _simplest_first(cases: Sequence[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: (case.input.size + 2 * len(case.queries), case.id))


def _alone(one: Signature, axis: str, value: str, oracles: Sequence[Asked]) -> Shown | None:
    if axis not in axes_of(one.measure):
        return None
    try:
        changed = one.conventions.replace(**{axis: value})
    except UnknownConvention:
        return None
    return shows((one.measure, one.conventions), (one.measure, changed), _about({axis}, oracles, one.measure))


def _about(axes: set[str], oracles: Sequence[Asked], measure: Measure) -> list[Asked]:
    """Those first whose case is about one of the axes, and of them those that ask the measure."""
    return sorted(
        oracles,
        key=lambda o: (
            o[0].id.partition("/")[0] not in axes,
            measure.name not in {parse_measure(asked).name for asked in o[0].measures[:1]},
        ),
    )


def shows(
    one: tuple[Measure, Conventions], other: tuple[Measure, Conventions], oracles: Sequence[Asked]
) -> Shown | None:
    """The simplest case on which two measures under conventions give different values; at their own cutoffs if there is one."""
    for cutoff in (None, *CUTOFFS):
        if cutoff is not None and not all(cutoff_of(measure) is not None for measure, _ in (one, other)):
            return None
        a, b = (_at(asked, cutoff) for asked in (one, other))
        found = next((shown for about in oracles for shown in _differs(about, a, b)), None)
        if found is not None:
            return found
    return None


def _at(asked: tuple[Measure, Conventions], cutoff: int | None) -> tuple[Measure, Conventions]:
    return asked if cutoff is None else (cut_at(asked[0], cutoff), asked[1])


def _differs(about: Asked, one: tuple[Measure, Conventions], other: tuple[Measure, Conventions]) -> Iterator[Shown]:
    case, oracle = about
    a, b = oracle.answers(*one), oracle.answers(*other)
    if isinstance(a, CannotTell) or isinstance(b, CannotTell) or (isinstance(a, Refused) and isinstance(b, Refused)):
        return
    told = next(answers for answers in (a, b) if isinstance(answers, Values))
    for query in (None, *told.per_query):
        left, right = reading_of(a, query), reading_of(b, query)
        if left is None or right is None or not same(left, right, "float64"):
            yield Shown(case, (str(one[0]), str(other[0])), query, left, right)
