"""Comparing two signatures: axis by axis in words, and the simplest case on which it shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.observations import Reading
from rankproof.oracle import MEAN, Answers, Oracle, Refused
from rankproof.reference_impl.conventions import AXES, Conventions, UnknownConvention
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.signature import Signature, axes_of
from rankproof.verdicts import reading_of, same

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
    """A case on which two signatures give different values; None is a refusal."""

    case: Case
    measure: str
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
    """

    beside: Mapping[str, tuple[str, str]]
    changes: tuple[Change, ...]
    shown: Shown | None

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
    oracles = [Oracle(case) for case in cases if not case.undefined]
    changes = tuple(
        Change(
            name, AXES[name].question, a, b, AXES[name].meaning(a), AXES[name].meaning(b), _alone(one, name, b, oracles)
        )
        for name, (a, b) in parts.items()
        if name in AXES
    )
    differs = changes or "measure" in parts
    comparable = one.measure.of_labels == other.measure.of_labels
    shown = (
        shows((one.measure, one.conventions), (other.measure, other.conventions), oracles)
        if differs and comparable
        else None
    )
    return Compared({name: pair for name, pair in parts.items() if name not in AXES}, changes, shown)


def _simplest_first(cases: Sequence[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: (len(case.qrels) + len(case.run) + 2 * len(case.queries), case.id))


def _alone(one: Signature, axis: str, value: str, oracles: Sequence[Oracle]) -> Shown | None:
    if axis not in axes_of(one.measure):
        return None
    try:
        changed = one.conventions.replace(**{axis: value})
    except UnknownConvention:
        return None
    return shows((one.measure, one.conventions), (one.measure, changed), _about({axis}, oracles))


def _about(axes: set[str], oracles: Sequence[Oracle]) -> list[Oracle]:
    """Those first whose case is about one of the axes."""
    return sorted(oracles, key=lambda oracle: oracle.case.id.partition("/")[0] not in axes)


def shows(
    one: tuple[Measure, Conventions], other: tuple[Measure, Conventions], oracles: Sequence[Oracle]
) -> Shown | None:
    """The simplest case on which two measures under conventions give different values; at their own cutoffs if there is one."""
    for cutoff in (None, *CUTOFFS):
        if cutoff is not None and not all(_cuts(measure) for measure, _ in (one, other)):
            return None
        a, b = (_at(asked, cutoff) for asked in (one, other))
        found = next((shown for oracle in oracles for shown in _differs(oracle, a, b)), None)
        if found is not None:
            return found
    return None


def _cuts(measure: Measure) -> bool:
    return not measure.of_labels and measure.k is not None


def _at(asked: tuple[Measure, Conventions], cutoff: int | None) -> tuple[Measure, Conventions]:
    return asked if cutoff is None else (replace(asked[0], cutoff=cutoff), asked[1])


def _differs(oracle: Oracle, one: tuple[Measure, Conventions], other: tuple[Measure, Conventions]) -> Iterator[Shown]:
    answers = [_answers(oracle, *asked) for asked in (one, other)]
    a, b = answers
    if a is None or b is None or (isinstance(a, Refused) and isinstance(b, Refused)):
        return
    told = next(answer for answer in answers if not isinstance(answer, Refused))
    queries = [None, *(query for query in told or {} if query != MEAN)] if not isinstance(told, Refused) else [None]
    for query in queries:
        left, right = reading_of(a, query), reading_of(b, query)
        if left is None or right is None or not same(left, right, "float64"):
            label = str(one[0]) if one[0] == other[0] else f"{one[0]} or {other[0]}"
            yield Shown(oracle.case, label, query, left, right)


def _answers(oracle: Oracle, measure: Measure, conventions: Conventions) -> Answers | None:
    try:
        return oracle.answers(measure, conventions)
    except (TooManyOrders, NotPooled):
        return None


def value_text(value: Reading | None) -> str:
    """A value, or what there is instead of one."""
    if value is None:
        return "refused"
    return "nothing" if isinstance(value, str) else f"{value:.6g}"
