"""What was measured, as floats: the values of the queries and over all of them, whichever path they come by."""

from collections.abc import Mapping
from dataclasses import dataclass

from rankproof.reference_impl.evaluation import Answer
from rankproof.reference_impl.exact import to_float
from rankproof.workers.same_answers import same


@dataclass(frozen=True, slots=True)
class FloatValues:
    """A measure of every query, and over all of them, as floats."""

    per_query: Mapping[str, float]
    mean: float

    @classmethod
    def of(cls, answer: Answer) -> "FloatValues":
        """The floats nearest to what the readable formulas answer."""
        return cls({query: to_float(value) for query, value in answer.per_query.items()}, to_float(answer.mean))

    def is_as(self, other: "FloatValues") -> bool:
        """Whether no value is another one."""
        if self.per_query.keys() != other.per_query.keys() or not same(self.mean, other.mean, "float64"):
            return False
        return all(same(value, other.per_query[query], "float64") for query, value in self.per_query.items())
