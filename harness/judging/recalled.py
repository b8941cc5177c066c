"""What the reference answers to an input, worked out once for all conventions that agree wherever they can matter to it."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.judging.oracle import Answers, Oracle
from rankproof.meaning.deciding_axes import Facts, axes_that_matter
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure


@dataclass
class Recalled:
    """The reference, asked about one input under many conventions, most of which cannot matter to it."""

    input: Input
    _axes: dict[Measure, tuple[str, ...]] = field(default_factory=dict)
    _answers: dict[tuple[Measure, tuple[object, ...]], Answers] = field(default_factory=dict)

    def axes(self, measure: Measure) -> tuple[str, ...]:
        """The axes that can matter to the input."""
        found = self._axes.get(measure)
        if found is None:
            found = self._axes[measure] = axes_that_matter(self._facts, measure)
        return found

    def answers(self, measure: Measure, conventions: Conventions) -> Answers:
        """What the reference answers under these conventions."""
        axes = self.axes(measure)
        key = measure, tuple([getattr(conventions, axis) for axis in axes])
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = self._oracle.answers(measure, _conventions(axes, key[1]))
        return found

    @cached_property
    def _facts(self) -> Facts:
        return Facts.of(self.input)

    @cached_property
    def _oracle(self) -> Oracle:
        return Oracle(self.input)


@lru_cache(maxsize=100_000)
def _conventions(axes: tuple[str, ...], values: tuple[Any, ...]) -> Conventions:
    """The same few thousand profiles are put to many inputs."""
    return STANDARD.replace(**dict(zip(axes, values, strict=True)))


@lru_cache(maxsize=2_000)
def recalled(given: Input) -> Recalled:
    """One for all who ask about an input: functions that are called alike are asked the same."""
    return Recalled(given)
