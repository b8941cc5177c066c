"""Values of the reference in a form that tests can compare."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from rankproof.cases.inputs import Input
from rankproof.inference.reference_answers import Answers, CannotTell, Refused, ask, collection
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure


@dataclass
class PlainReference:
    """The reference for an input, under exactly the given conventions."""

    input: Input
    _kept: dict[tuple[Measure, Conventions | str], Answers] = field(default_factory=dict)

    @cached_property
    def _collection(self) -> Collection:
        return collection(self.input)

    def answers(self, measure: Measure, conventions: Conventions | str) -> Answers:
        """Return the values of the reference."""
        key = measure, conventions
        if key not in self._kept:
            self._kept[key] = ask(self.input, measure, conventions, lambda: self._collection)
        return self._kept[key]


def answered(oracle: PlainReference, measure: Measure, values: Mapping[str, str]) -> object:
    """Return the values to twelve digits; None if the reference has none."""
    answers = oracle.answers(measure, Conventions(**values))
    if isinstance(answers, CannotTell):
        return None
    if isinstance(answers, Refused):
        return "refused"
    return {query: value if value is None else f"{to_float(value):.12g}" for query, value in answers.named.items()}
