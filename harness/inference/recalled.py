"""Cache of the reference's values: each value is computed once for all conventions that cannot change it.

The key has only the axes that can matter to the input (`rankproof.inference.deciding_axes`). All callers share the
cache.
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
"""The choices on the axes that can matter, in the order of the axes."""


@dataclass(frozen=True)
class Varied:
    """Axes that can matter to an input, with the cached values by the choices on them."""

    names: tuple[str, ...]
    answers: dict[Choices, Answers] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def of(self) -> Callable[[Conventions], Choices]:
        """A function that returns the choices of conventions on these axes."""
        if len(self.names) > 1:
            return attrgetter(*self.names)
        return lambda conventions: tuple(getattr(conventions, axis) for axis in self.names)

    @cached_property
    def plain(self) -> Choices:
        """The choices of `standard` on these axes."""
        return self.of(STANDARD)


@dataclass
class Recalled:
    """The reference for one input, with a cache of its values under many conventions."""

    input: Input
    _varied: dict[Measure, Varied] = field(default_factory=dict)

    def axes(self, measure: Measure) -> tuple[str, ...]:
        """Return the axes that can matter to the input."""
        return self.varied(measure).names

    def varied(self, measure: Measure) -> Varied:
        """Return the axes that can matter to the input, with the cached values."""
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
        """Return the values of the reference under any conventions with these choices on `axes`."""
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
    """Return the cached reference for an input, the same for all callers."""
    return Recalled(data)
