"""The memory of the reference: each value of an input is computed once for all conventions that cannot differ there.

Only the axes that can matter to an input are varied (`rankproof.inference.deciding_axes`). All callers share the memory of an input.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import attrgetter

from rankproof.cases.inputs import Input
from rankproof.defects.defect import BrokenMeasure, broken_answer
from rankproof.inference.deciding_axes import Facts, axes_that_matter, axes_that_may_matter
from rankproof.inference.reference_answers import Answers, ask, collection, outcome_of
from rankproof.inference.signatures import axes_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import conventions_of

Choices = tuple[str, ...]
"""The values of the axes that can matter, in their order."""


@dataclass(frozen=True)
class Varied:
    """The axes that can matter to an input, and what was answered so far by the values on them."""

    names: tuple[str, ...]
    answers: dict[Choices, Answers] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def of(self) -> Callable[[Conventions], Choices]:
        """The values that conventions have on them."""
        if len(self.names) > 1:
            return attrgetter(*self.names)
        return lambda conventions: tuple(getattr(conventions, axis) for axis in self.names)

    @cached_property
    def plain(self) -> Choices:
        """Those of `standard`."""
        return self.of(STANDARD)


@dataclass
class Recalled:
    """The reference, asked about one input under many conventions, most of which cannot matter to it."""

    input: Input
    _varied: dict[Measure, Varied] = field(default_factory=dict)

    def axes(self, measure: Measure) -> tuple[str, ...]:
        """The axes that can matter to the input."""
        return self.varied(measure).names

    def varied(self, measure: Measure) -> Varied:
        """The same, one object for all who ask."""
        varied = self._varied.get(measure)
        if varied is None:
            varied = self._varied[measure] = Varied(self._axes(measure))
        return varied

    def _axes(self, measure: Measure) -> tuple[str, ...]:
        if not isinstance(measure, BrokenMeasure):
            return axes_that_matter(self._facts, measure)
        return axes_that_may_matter(self._facts, measure) if measure.way.change_data is None else axes_of(measure)

    def answers(self, measure: Measure, conventions: Conventions | str) -> Answers:
        """Return the values of the reference under these conventions."""
        return self.at(measure, self.varied(measure).of(conventions_of(conventions, measure)))

    def at(self, measure: Measure, choices: Choices) -> Answers:
        """Return the values under all conventions with these choices on `axes`."""
        axes = self.varied(measure)
        answers = axes.answers.get(choices)
        if answers is None:
            pairs = zip(axes.names, choices, axes.plain, strict=True)
            changed = standard_with(tuple((axis, value) for axis, value, plain in pairs if value != plain))
            answers = axes.answers[choices] = self._ask(measure, changed)
        return answers

    def _ask(self, measure: Measure, conventions: Conventions) -> Answers:
        if isinstance(measure, BrokenMeasure):
            return outcome_of(lambda: broken_answer(measure, self._collection, conventions))
        return ask(self.input, measure, conventions, lambda: self._collection)

    @cached_property
    def _facts(self) -> Facts:
        return Facts.of(self.input)

    @cached_property
    def _collection(self) -> Collection:
        return collection(self.input)


@lru_cache(maxsize=100_000)
def standard_with(changes: tuple[tuple[str, str], ...]) -> Conventions:
    """Return changed standard conventions, cached because many inputs share them."""
    return STANDARD.replace(**dict(changes))


@lru_cache(maxsize=2_000)
def recalled(data: Input) -> Recalled:
    """Return the memory of an input, the same for all callers."""
    return Recalled(data)
