"""What a defect is: a broken formula, where it can be, who had it, and an input that shows it."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.meaning.measure_facts import can_look_at
from rankproof.reference_impl.definition import Definition, Ratio, Read
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Doc, Ranking
from rankproof.reference_impl.ties import value_of


@dataclass(frozen=True)
class Right:
    """The right formula, with the conventions and parameters that it is called with; a broken one is made of it."""

    formula: Callable[..., Fraction | Ratio]
    arguments: Mapping[str, Any]

    def __call__(self, ranking: Ranking) -> Fraction:
        """The value of a ranking."""
        return value_of(self.formula(ranking, **self.arguments))


Formula = Callable[[Right, Ranking], Fraction]
"""A broken formula: it is given the right one, and the ranking."""


@dataclass(frozen=True)
class Witness:
    """An input on which a broken formula gives what no convention does.

    Attributes:
        measure: what is asked.
        qrels: the rels of the judged docs of each query.
        run: the docs of each query, best first.
        value: what the broken formula gives over all queries, as arithmetic.
        profile: the conventions under which it does.
    """

    measure: str
    qrels: Mapping[str, Mapping[str, int]]
    run: Mapping[str, str]
    value: str
    profile: str = ""

    @property
    def input(self) -> Input:
        """As any other input; the scores go down."""
        rows = (
            (query, doc, 1 / rank, rank)
            for query, docs in self.run.items()
            for rank, doc in enumerate(docs.split(), start=1)
        )
        return Input(
            tuple((query, doc, rel) for query, docs in self.qrels.items() for doc, rel in docs.items()), tuple(rows)
        )


def seen_on(measure: str, rels: str, value: str, profile: str = "") -> Witness:
    """A witness of one query, whose docs `rels` are ranked as they stand: "a1 b0" has a of rel 1 above b of rel 0.

    >>> seen_on("P@1", "a1 b0", "1").input.qrels
    (('q', 'a', 1), ('q', 'b', 0))
    """
    docs = rels.split()
    return Witness(
        measure, {"q": {doc[0]: int(doc[1:]) for doc in docs}}, {"q": " ".join(d[0] for d in docs)}, value, profile
    )


@dataclass(frozen=True)
class Way:
    """One way to have a defect.

    Attributes:
        witness: an input that shows it; None where there is one for each pair of measures.
        formula: the broken formula; None: the formula is right.
        told: what becomes of each value.
        mean: the mean that is taken instead of the right one; None: the right one.
        other: the name of the measure that is computed instead.
        weights: by query, what its value weighs in the mean; None: all weigh the same.
        undefined_with_one: whether a query that is undefined makes the weighted mean so, where it makes the right one so; if not, it is
            left out.
        instead: what is measured instead of the qrels and the run; None: these.
        tied_as_right: whether the broken formula is `linear`, `monotone` and `separable` where the right one is, so that not every order of
            tied docs has to be measured.
    """

    witness: Witness | None
    formula: Formula | None = None
    told: Callable[[Fraction], Fraction] = lambda value: value
    mean: Callable[[Sequence[Fraction]], Fraction] | None = None
    other: str = ""
    weights: Callable[[Collection], Mapping[str, Fraction]] | None = None
    undefined_with_one: bool = False
    instead: Callable[[Collection], Collection] | None = None
    tied_as_right: bool = False


@dataclass(frozen=True)
class Defect:
    """A named error that no convention is.

    Attributes:
        name: a slug.
        sentence: what is wrong, in plain words.
        concerns: whether a measure can have it.
        ways: each way to have it; they are told as one.
        source: a public thread on it.
        is_another_measure: whether nothing is broken, and it is the right formula of another measure.
        is_rare: whether a common one comes before it that explains as much.
        mend: what to do instead, in plain words.
    """

    name: str
    sentence: str
    concerns: Callable[[Measure], bool]
    ways: tuple[Way, ...]
    source: str
    is_another_measure: bool = False
    is_rare: bool = False
    mend: str = ""


@dataclass(frozen=True, init=False)
class BrokenMeasure(Measure):
    """A measure with a defect; the reference measures it like any other."""

    way: Way = field(kw_only=True)

    def __init__(self, measure: Measure, way: Way) -> None:
        super().__init__(measure.name, measure.params, measure.cutoff)
        object.__setattr__(self, "way", way)

    @cached_property
    def definition(self) -> Definition:
        """The definition of the measure, of whose formula nothing is known any more but what the way says."""
        right, broken = super().definition, self.way.formula
        if broken is None:
            return right

        def formula(ranking: Ranking, **arguments: Any) -> Fraction:  # noqa: ANN401 - whatever the right one takes
            return broken(Right(right.formula, arguments), ranking)

        signature = inspect.signature(right.formula).replace(return_annotation=Fraction)
        formula.__signature__ = signature  # type: ignore[attr-defined] # by which the axes of a formula are known
        known = self.way.tied_as_right
        linear, monotone = known and right.linear, known and right.monotone
        return replace(right, formula=formula, expectation=None, linear=linear, monotone=monotone, reads=None)


# -- for broken formulas, and for where they can be -----------------------------------------------------------------


def with_docs(ranking: Ranking, docs: Sequence[tuple[int, Doc]]) -> Ranking:
    """The ranking with other docs within the cutoff.

    >>> from rankproof.reference_impl.examples import ranked
    >>> with_docs(ranked([1, 1], k=1), ranked([1, 1]).docs).hits
    (1, 2)
    """
    return replace(ranking, docs=tuple(docs))


def moved(ranking: Ranking, by: int) -> Ranking:
    """The ranking with all ranks counted from another number on.

    >>> from rankproof.reference_impl.examples import ranked
    >>> moved(ranked([1, 0, 1]), 1).hits
    (2, 4)
    """
    return with_docs(ranking, [(rank + by, doc) for rank, doc in ranking.docs])


def can_see(measure: Measure, *what: Read) -> bool:
    """Whether a measure of rankings can look at one of these things."""
    return not measure.of_labels and not can_look_at(measure).isdisjoint(what)


def has_axis(measure: Measure, axis: str) -> bool:
    """Whether the formula of a measure of rankings makes that choice."""
    return not measure.of_labels and axis in measure.definition.own_axes


def is_share(measure: Measure) -> bool:
    """Whether a measure is between 0 and 1, looks at nothing of docs but whether they are relevant, and at them."""
    counts: set[Read] = {"order", "k", "n", "first hit", "relevant", "R"}
    return (
        can_see(measure, "relevant", "first hit")
        and can_look_at(measure) <= counts
        and measure.definition.bounds == (0, 1)
    )
