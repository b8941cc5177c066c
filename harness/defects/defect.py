"""Defects: broken formulas, the measures that can have them, and inputs that show them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.measure_facts import can_look_at
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.definition import Definition, Ratio, Read
from rankproof.reference_impl.evaluation import Answer, Collection
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Doc, Ranking
from rankproof.reference_impl.ties import value_of


@dataclass(frozen=True)
class Right:
    """A correct formula with its conventions and parameters. Broken formulas are built on it."""

    formula: Callable[..., Fraction | Ratio]
    arguments: Mapping[str, Any]

    def __call__(self, ranking: Ranking) -> Fraction:
        """Return the correct value of a ranking."""
        return value_of(self.formula(ranking, **self.arguments))


@dataclass(frozen=True)
class Witness:
    """An input that shows a defect: no convention gives the value of the broken formula.

    Attributes:
        qrels: the relevance grades of the judged documents of each query.
        run: the documents of each query, best first, separated by spaces.
        value: the value of the broken formula over all queries, as arithmetic.
        profile: the conventions that the broken formula follows.
    """

    measure: str
    qrels: Mapping[str, Mapping[str, int]]
    run: Mapping[str, str]
    value: str
    profile: str = ""

    @property
    def input(self) -> Input:
        """The qrels and the run as rows, with descending scores."""
        qrels = ((query, doc, rel) for query, docs in self.qrels.items() for doc, rel in docs.items())
        rows = ((q, doc, 1 / rank, rank) for q, docs in self.run.items() for rank, doc in enumerate(docs.split(), 1))
        return Input(tuple(qrels), tuple(rows))


def seen_on(measure: str, rels: str, value: str, profile: str = "") -> Witness:
    """Return a witness with one query. In `rels`, "a1 b0" ranks document a of grade 1 above document b of grade 0.

    >>> seen_on("P@1", "a1 b0", "1").input.qrels
    (('q', 'a', 1), ('q', 'b', 0))
    """
    grades = {doc[0]: int(doc[1:]) for doc in rels.split()}
    return Witness(measure, {"q": grades}, {"q": " ".join(grades)}, value, profile)


@dataclass(frozen=True, eq=False)
class Way:
    """A form of a defect: a broken formula or mean, and an input that shows it.

    Attributes:
        witness: an input that shows the defect (None: the input depends on both measures).
        formula: the broken formula, which is called with the correct formula and a ranking (default: the correct formula).
        transform: changes each value and the mean (default: unchanged).
        mean: computes the value over all queries instead of the correct mean.
        other: the name of the measure that is computed instead.
        weights: returns the weight of each query in the mean (default: equal weights).
        undefined_with_one: the weighted mean is undefined if the correct mean is; otherwise it skips undefined queries.
        change_data: changes the qrels and the run before the measure is computed.
        tied_as_right: the broken formula is `linear`, `monotone` and `separable` if the correct formula is, so that some
            orders of tied documents need not be computed.
    """

    witness: Witness | None
    formula: Callable[[Right, Ranking], Fraction] | None = None
    transform: Callable[[Fraction], Fraction] = lambda value: value
    mean: Callable[[Sequence[Fraction]], Fraction] | None = None
    other: str = ""
    weights: Callable[[Collection], Mapping[str, Fraction]] | None = None
    undefined_with_one: bool = False
    change_data: Callable[[Collection], Collection] | None = None
    tied_as_right: bool = False


@dataclass(frozen=True)
class Defect:
    """A known error that is not a convention.

    Attributes:
        name: a slug.
        sentence: what is wrong, as a clause about the function ("it ignores the cutoff").
        concerns: whether a measure can have the defect.
        ways: the forms of the defect. All are reported under its name.
        source: a link to a public thread or to code.
        is_another_measure: the function correctly computes another measure.
        is_rare: a common defect that explains as many values is reported instead.
        fix: what to do instead, as an instruction.
    """

    name: str
    sentence: str
    concerns: Callable[[Measure], bool]
    ways: tuple[Way, ...]
    source: str
    is_another_measure: bool = False
    is_rare: bool = False
    fix: str = ""


@dataclass(frozen=True, init=False)
class BrokenMeasure(Measure):
    """A measure with a defect. The reference computes it like any other measure."""

    way: Way = field(kw_only=True)

    def __init__(self, measure: Measure, way: Way) -> None:
        super().__init__(measure.name, measure.params, measure.cutoff)
        object.__setattr__(self, "way", way)

    @cached_property
    def definition(self) -> Definition:
        """The definition of the measure with the broken formula, and only those facts that still hold."""
        right, broken = super().definition, self.way.formula
        if broken is None:
            return right

        def formula(ranking: Ranking, **arguments: object) -> Fraction:
            return broken(Right(right.formula, arguments), ranking)

        signature = inspect.signature(right.formula).replace(return_annotation=Fraction)
        formula.__signature__ = signature  # type: ignore[attr-defined] # the axes of a formula are read from it
        known = self.way.tied_as_right
        linear, monotone = known and right.linear, known and right.monotone
        return replace(right, formula=formula, expectation=None, linear=linear, monotone=monotone, reads=None)


def broken_answer(measure: BrokenMeasure, data: Collection, conventions: Conventions) -> Answer:
    """Return the values of a measure with a defect.

    Raises:
        Rejected, TooManyOrders, NotPooled: as `Collection.answer` does.
    """
    way = measure.way
    answer = (data if way.change_data is None else way.change_data(data)).answer(measure, conventions)
    per_query = {query: None if value is None else way.transform(value) for query, value in answer.per_query.items()}
    mean = None if answer.mean is None else way.transform(answer.mean)
    numbers = {query: value for query, value in per_query.items() if value is not None}
    if way.mean is not None and mean is not None:
        mean = way.mean(list(numbers.values()) or [Fraction(0)])
    if way.weights is not None and not (way.undefined_with_one and mean is None):
        mean = _weighted_mean(numbers, way.weights(data))
    # The changed data may have other queries.
    return Answer({query: value for query, value in per_query.items() if query in {*data.qrels, *data.run}}, mean)


def _weighted_mean(values: Mapping[str, Fraction], weights: Mapping[str, Fraction]) -> Fraction:
    whole = sum((weights.get(query, Fraction(0)) for query in values), Fraction(0))
    total = sum((value * weights.get(query, 0) for query, value in values.items()), Fraction(0))
    return total / whole if whole else Fraction(0)


def with_docs(ranking: Ranking, docs: Sequence[tuple[int, Doc]]) -> Ranking:
    """Replace the documents within the cutoff."""
    return replace(ranking, docs=tuple(docs))


def shifted(ranking: Ranking, by: int) -> Ranking:
    """Add a number to all ranks.

    >>> from rankproof.reference_impl.examples import ranked
    >>> shifted(ranked([1, 0, 1]), 1).hits
    (2, 4)
    """
    return with_docs(ranking, [(rank + by, doc) for rank, doc in ranking.docs])


def can_see(measure: Measure, *inputs: Read) -> bool:
    """Return whether a measure of rankings can look at one of these inputs."""
    return not measure.of_labels and not can_look_at(measure).isdisjoint(inputs)


def has_axis(measure: Measure, axis: str) -> bool:
    """Return whether the formula of a measure of rankings depends on an axis."""
    return not measure.of_labels and axis in measure.definition.own_axes


def has_cutoff(measure: Measure) -> bool:
    """Return whether a measure of rankings is cut at a rank."""
    return not measure.of_labels and measure.k is not None


def is_mean(measure: Measure) -> bool:
    """Return whether the value over all queries is a mean."""
    return not measure.of_labels and measure.definition.total == "mean"


def is_share(measure: Measure) -> bool:
    """Return whether a measure is between 0 and 1 and depends on binary relevance only."""
    counts: set[Read] = {"order", "k", "n", "first hit", "relevant", "R"}
    is_binary = can_see(measure, "relevant", "first hit") and can_look_at(measure) <= counts
    return is_binary and measure.definition.bounds == (0, 1)
