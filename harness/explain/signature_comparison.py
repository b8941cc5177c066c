"""Signatures in words, and the comparison of two: axis by axis, with the case that shows the difference best."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.inference.deciding_axes import Facts, axes_that_matter, values_of
from rankproof.inference.equivalent_choices import settled
from rankproof.inference.input_traits import is_ordinary
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import CannotTell, Values, reading_of
from rankproof.inference.signatures import Signature, axes_of
from rankproof.measure_forms import cut_at, cutoff_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.workers.observations import Reading
from rankproof.workers.same_answers import same

NEITHER = "-"
"""The value of an axis that cannot matter to the measure."""
Under: TypeAlias = tuple[Measure, Conventions]
"""A measure, and its conventions."""
CUTOFFS = (None, 1, 2, 3, 5)
"""Cutoffs at which a difference is searched; None for the measure's own."""
DIGITS = 9
"""Decimals to which two differences are compared, so that rounding does not decide which is larger."""


@dataclass(frozen=True, slots=True)
class AxisInWords:
    """One convention of a signature, in words; `open` says whether no question decided it, and `taken` what is then computed with."""

    name: str
    question: str
    value: str
    meaning: str
    standard: str
    open: bool = False
    taken: str = ""


@dataclass(frozen=True, slots=True)
class DifferingCase:
    """A case on which two signatures give different values; None is a refusal. Each has its own measure."""

    case: Case
    measures: tuple[str, str]
    query: str | None
    a: Reading | None
    b: Reading | None


@dataclass(frozen=True, slots=True)
class AxisChange:
    """An axis on which two signatures differ."""

    name: str
    question: str
    a: str
    b: str
    a_means: str
    b_means: str


@dataclass(frozen=True, slots=True)
class Compared:
    """Two signatures, and how they differ.

    Attributes:
        beside: what is no axis, with both values: `measure`, `by`.
        shown: the case that shows best that they give different values, whatever the values of the axes that are open.
        same: whether they give the same value for any input, though they are written otherwise; never where an axis is open.
        open: the axes that one of them leaves open, with what each says there; they may differ in these, or not.
        comparable: whether one input can be given to both.
    """

    first: str
    second: str
    beside: Mapping[str, tuple[str, str]]
    changes: tuple[AxisChange, ...]
    shown: DifferingCase | None
    same: bool
    comparable: bool
    open: Mapping[str, tuple[str, str]]
    kind: str = "comparison"

    @property
    def of_two_measures(self) -> bool:
        """Whether they are of two measures, which are not one measure in two notations."""
        return "measure" in self.beside and not self.same

    @property
    def named(self) -> tuple[str, ...]:
        """All in which they differ."""
        return (*self.beside, *(change.name for change in self.changes))


def explained(signature: Signature) -> list[AxisInWords]:
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


def compare(one: Signature, other: Signature) -> Compared:
    """Return how two signatures differ, and the case that shows it."""
    parts = one.differences(other)
    still = {axis: (_value(one, axis), _value(other, axis)) for axis in AXES if axis in one.open or axis in other.open}
    axes = [
        axis
        for axis in parts
        if axis in AXES and (axis not in still or _possible(one, axis).isdisjoint(_possible(other, axis)))
    ]
    is_same = not still and _bare(one) == _bare(other)
    comparable = one.measure.of_labels == other.measure.of_labels
    shown = None
    if comparable and not is_same and (axes or one.measure != other.measure):
        cases = [case for case in corpus.load_all() if case.of_labels == one.measure.of_labels and not case.undefined]
        cases = [case for case in cases if not _reads(case, still, one, other)]
        shown = _best_case(*_with_common_values(one, other, still), cases, axes)
    changes = tuple(
        AxisChange(
            axis,
            AXES[axis].question,
            _value(one, axis),
            _value(other, axis),
            _meaning(one, axis),
            _meaning(other, axis),
        )
        for axis in axes
    )
    beside = {name: pair for name, pair in parts.items() if name not in AXES}
    return Compared(str(one), str(other), beside, changes, shown, is_same, comparable, still)


def _value(signature: Signature, axis: str) -> str:
    return signature.value(axis) if axis in axes_of(signature.measure) else NEITHER


def _possible(signature: Signature, axis: str) -> frozenset[str]:
    """Return the values that a signature may have on an axis; all if the axis cannot matter."""
    if axis not in axes_of(signature.measure):
        return frozenset(values_of(axis))
    if axis not in signature.open:
        return frozenset({getattr(signature.conventions, axis)})
    return frozenset(signature.open[axis] or values_of(axis))


def _bare(signature: Signature) -> tuple[Measure, object]:
    """Return the measure without parameters that name conventions, and the conventions with equivalent choices made equal."""
    measure = signature.measure
    if not measure.of_labels:
        named = measure.definition.params
        measure = replace(measure, params=tuple(p for p in measure.params if named[p[0]].conventions is None))
    return measure, settled(measure, {axis: getattr(signature.conventions, axis) for axis in AXES})


def _reads(case: Case, still: Collection[str], *sides: Signature) -> bool:
    """Whether an undetermined axis can matter to a case; then it shows nothing."""
    facts = Facts.of(case.input)
    matter = {axis for side in sides for axis in axes_that_matter(facts, side.measure)} if still else set()
    return not (matter - ({"mean"} if len(case.queries) == 1 else set())).isdisjoint(still)


def _with_common_values(one: Signature, other: Signature, still: Iterable[str]) -> tuple[Under, Under]:
    """Return both with one value on each undetermined axis."""
    common = {}
    for axis in still:
        decided = (each for each in (one, other) if axis in axes_of(each.measure) and axis not in each.open)
        common[axis] = str(getattr(next(decided, one).conventions, axis))
    return (one.measure, one.conventions.replace(**common)), (other.measure, other.conventions.replace(**common))


# -- the case that shows it ----------------------------------------------------------------------------------------------


def _best_case(one: Under, other: Under, cases: Sequence[Case], axes: Collection[str]) -> DifferingCase | None:
    """Return the case that shows best that two measures under conventions give different values.

    Ordinary input comes before extreme input, then the own cutoffs before smaller ones, two numbers before anything else, few documents
    before many, and large differences before small ones.
    """
    has_cutoffs = all(cutoff_of(measure) is not None for measure, _ in (one, other))
    for ordinary, cutoff in product((True, False), CUTOFFS if has_cutoffs else (None,)):
        a, b = ((measure if cutoff is None else cut_at(measure, cutoff), own) for measure, own in (one, other))
        tier = (case for case in cases if is_ordinary(case.input) is ordinary)
        if shown := [differing for case in tier for differing in _differences(case, a, b)]:
            return min(shown, key=lambda differing: _rank(differing, axes, one[0]))
    return None


def _differences(case: Case, one: Under, other: Under) -> Iterator[DifferingCase]:
    a, b = (recalled(case.input).answers(*under) for under in (one, other))
    values = next((answers for answers in (a, b) if isinstance(answers, Values)), None)
    if values is None or isinstance(a, CannotTell) or isinstance(b, CannotTell):
        return
    for query in (None, *values.per_query):
        left, right = reading_of(a, query), reading_of(b, query)
        if left is None or right is None or not same(left, right, "float64"):
            yield DifferingCase(case, (str(one[0]), str(other[0])), query, left, right)


def _rank(shown: DifferingCase, axes: Collection[str], measure: Measure) -> tuple[object, ...]:
    numbers = [value for value in (shown.a, shown.b) if isinstance(value, float) and math.isfinite(value)]
    apart = abs(numbers[0] - numbers[1]) if len(numbers) == len(shown.measures) else 0.0
    case = shown.case
    other_measure = measure.name not in {parse_measure(name).name for name in case.measures[:1]}
    docs = len(case.input.true or ()) or len({row[:2] for row in (*case.input.qrels, *case.input.run)})
    fits = (case.id.partition("/")[0] not in axes, other_measure, len(case.queries), case.id)
    return -len(numbers), docs, -round(apart, DIGITS), fits
