"""Comparing two signatures: axis by axis in words, and the case that shows it best."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.inference.deciding_axes import Facts, axes_that_matter, values_of
from rankproof.inference.equivalent_choices import settled
from rankproof.inference.input_traits import is_ordinary
from rankproof.inference.recalled import Recalled, recalled
from rankproof.inference.reference_answers import CannotTell, Refused, Values, reading_of
from rankproof.inference.signatures import Signature, axes_of
from rankproof.measure_forms import cut_at, cutoff_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.workers.observations import Reading
from rankproof.workers.same_answers import same

NEITHER = "-"
"""What a signature says on an axis that cannot matter to its measure."""
Under: TypeAlias = tuple[Measure, Conventions]
"""A measure, and the conventions under which it is asked."""
Asked: TypeAlias = tuple[Case, Recalled]
"""A case, and the reference asked about its input."""
CUTOFFS = (1, 2, 3, 5)
"""At which a difference is looked for where the measure's own cutoff shows none."""
DIGITS = 9
"""To how many decimals two differences are compared, so that no rounding decides which is larger."""


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
    """How two signatures differ.

    Attributes:
        beside: what is no axis, with both values: `measure`, `by`.
        shown: the case that shows best that they give different values, whatever the values of the axes that are open.
        same: whether they give the same value for any input, though they are written otherwise; never where an axis is open.
        open: the axes that one of them leaves open, with what each says there; they may differ in these, or not.
        comparable: whether one input can be given to both.
    """

    beside: Mapping[str, tuple[str, str]]
    changes: tuple[AxisChange, ...]
    shown: DifferingCase | None
    same: bool
    comparable: bool
    open: Mapping[str, tuple[str, str]]

    @property
    def of_two_measures(self) -> bool:
        """Whether they are of two measures, which are not one measure in two notations."""
        return "measure" in self.beside and not self.same

    @property
    def named(self) -> tuple[str, ...]:
        """All in which they differ."""
        return (*self.beside, *(change.name for change in self.changes))


def explained(signature: Signature) -> list[AxisInWords]:
    """Every axis that can matter to the measure, in words."""
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
    """What a signature says on an axis, in words."""
    if axis not in axes_of(signature.measure):
        return f"cannot matter to {signature.measure}"
    if axis not in signature.open:
        return AXES[axis].meaning(getattr(signature.conventions, axis))
    values = signature.open[axis]
    return f"undetermined, {' or '.join(values)}" if values else "undetermined"


def compare(one: Signature, other: Signature) -> Compared:
    """How two signatures differ, and where it shows."""
    parts = one.differences(other)
    still = {axis: (_said(one, axis), _said(other, axis)) for axis in AXES if axis in one.open or axis in other.open}
    cases = [case for case in corpus.load_all() if case.of_labels == one.measure.of_labels]
    told = [case for case in cases if not case.undefined and not _rests_on(case, still, one, other)]
    oracles = [(case, recalled(case.input)) for case in told]
    axes = [
        name
        for name in parts
        if name in AXES and (name not in still or _possible(one, name).isdisjoint(_possible(other, name)))
    ]
    first, second = _alike_where_open(one, other, still)
    same = not still and _same(one, other)
    comparable = one.measure.of_labels == other.measure.of_labels
    shown = None
    if comparable and not same and (axes or one.measure != other.measure):
        shown = shows(first, second, oracles, axes)
    changes = tuple(_change(name, one, other) for name in axes)
    beside = {name: pair for name, pair in parts.items() if name not in AXES}
    return Compared(beside, changes, shown, same, comparable, still)


def _rests_on(case: Case, still: Collection[str], *sides: Signature) -> bool:
    """Whether an axis that is open can matter to a case; then it shows nothing, as nobody knows what is given there."""
    if not still:
        return False
    facts = Facts.of(case.input)
    matter = {axis for side in sides for axis in axes_that_matter(facts, side.measure)}
    if len(case.queries) == 1:
        matter.discard("mean")
    return not matter.isdisjoint(still)


def _possible(signature: Signature, axis: str) -> frozenset[str]:
    """The values that a signature may have on an axis."""
    if axis not in axes_of(signature.measure):
        return frozenset(values_of(axis))  # it cannot differ where it cannot matter
    if axis not in signature.open:
        return frozenset({getattr(signature.conventions, axis)})
    return frozenset(signature.open[axis] or values_of(axis))


def _said(signature: Signature, axis: str) -> str:
    return signature.value(axis) if axis in axes_of(signature.measure) else NEITHER


def _alike_where_open(one: Signature, other: Signature, still: Iterable[str]) -> tuple[Under, Under]:
    """Both, with one value on each axis that either leaves open, so that nothing is shown by what nobody knows."""
    common = {}
    for axis in still:
        decided = (each for each in (one, other) if axis in axes_of(each.measure) and axis not in each.open)
        common[axis] = str(getattr(next(decided, one).conventions, axis))
    return (one.measure, one.conventions.replace(**common)), (other.measure, other.conventions.replace(**common))


def _same(one: Signature, other: Signature) -> bool:
    """Whether they ask the same in other words: nDCG(dcg='exp-log2') is nDCG with gain=exp, and ln is log2 to a quotient."""
    first, second = (
        settled(_bare(each.measure), {axis: getattr(each.conventions, axis) for axis in AXES}) for each in (one, other)
    )
    return _bare(one.measure) == _bare(other.measure) and first == second


def _bare(measure: Measure) -> Measure:
    """The measure without the parameters that name conventions."""
    if measure.of_labels:
        return measure
    return replace(
        measure, params=tuple(p for p in measure.params if measure.definition.params[p[0]].conventions is None)
    )


def _change(name: str, one: Signature, other: Signature) -> AxisChange:
    values, meanings = (_said(one, name), _said(other, name)), (_meaning(one, name), _meaning(other, name))
    return AxisChange(name, AXES[name].question, *values, *meanings)


def shows(one: Under, other: Under, oracles: Iterable[Asked], axes: Collection[str] = ()) -> DifferingCase | None:
    """The case that shows best that two measures under conventions give different values.

    What is ordinary comes before what is extreme, their own cutoffs before smaller ones, two numbers before anything else, few docs
    before many; and of as few docs, that on which the numbers are furthest apart. Among equals it is a case about one of the `axes`, or
    one that asks the measure.
    """
    has_cutoffs = all(cutoff_of(measure) is not None for measure, _ in (one, other))
    by_tier: tuple[list[Asked], list[Asked]] = ([], [])
    for about in oracles:
        by_tier[not is_ordinary(about[0].input)].append(about)
    for among in by_tier:
        for cutoff in (None, *CUTOFFS) if has_cutoffs else (None,):
            a, b = ((measure if cutoff is None else cut_at(measure, cutoff), own) for measure, own in (one, other))
            found = [shown for about in among for shown in _differs(about, a, b)]
            if found:
                return min(found, key=lambda shown: _rank(shown, axes, one[0]))
    return None


def _rank(shown: DifferingCase, axes: Collection[str], measure: Measure) -> tuple[object, ...]:
    """Its place among others of its tier and cutoff."""
    numbers = [value for value in (shown.a, shown.b) if isinstance(value, float) and math.isfinite(value)]
    apart = abs(numbers[0] - numbers[1]) if len(numbers) == len(shown.measures) else 0.0
    case = shown.case
    asks_it = measure.name in {parse_measure(asked).name for asked in case.measures[:1]}
    fits = (case.id.partition("/")[0] not in axes, not asks_it, len(case.queries), case.id)
    docs = len(case.input.true or ()) or len({row[:2] for row in (*case.input.qrels, *case.input.run)})
    return -len(numbers), docs, -round(apart, DIGITS), fits


def _differs(about: Asked, one: Under, other: Under) -> Iterator[DifferingCase]:
    case, oracle = about
    a, b = oracle.answers(*one), oracle.answers(*other)
    if isinstance(a, CannotTell) or isinstance(b, CannotTell) or (isinstance(a, Refused) and isinstance(b, Refused)):
        return
    told = next(answers for answers in (a, b) if isinstance(answers, Values))
    for query in (None, *told.per_query):
        left, right = reading_of(a, query), reading_of(b, query)
        if left is None or right is None or not same(left, right, "float64"):
            yield DifferingCase(case, (str(one[0]), str(other[0])), query, left, right)
