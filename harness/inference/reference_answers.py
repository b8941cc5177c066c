"""Calls of the reference on inputs, and comparison of observed values with its results."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

from rankproof.cases.inputs import Input
from rankproof.reference_impl.contingency import LengthsDiffer
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import (
    Answer,
    Collection,
    NotPooled,
    compare_labelings,
)
from rankproof.reference_impl.exact import Overflow, to_float
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import conventions_of
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rejected
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.workers.observations import ABSENT, Reading
from rankproof.workers.same_answers import between, same

Values: TypeAlias = Answer
"""The value of each query that has one, and the mean."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Rejection of an input by the reference.

    Attributes:
        axis: the axis whose choice rejects the input; empty if all conventions reject it.
        reason: the message of the reference.
    """

    axis: str
    reason: str


class Obstacle(StrEnum):
    """Reason why the reference has no result."""

    TOO_MANY_ORDERS = "too-many-orders"
    """The conventions average over all orders of tied documents, but there are too many."""
    NOT_POOLED = "not-pooled"
    """The conventions use a pooled mean, but the measure is not a ratio of counts."""


@dataclass(frozen=True, slots=True)
class CannotTell:
    """Missing result of the reference: neither values nor a rejection, so no observed value can agree or disagree."""

    obstacle: Obstacle
    reason: str


T = TypeVar("T")
Answers = Values | Refused | CannotTell
"""Result of the reference; callers handle all three types."""


def collection(data: Input) -> Collection:
    """Return the qrels and the run of an input; ids are text, as in TREC files."""
    qrels = {query: [Judgment(str(doc), rel) for doc, rel in rows] for query, rows in data.judged.items()}
    run = {query: [QueryRow(str(doc), score, rank) for doc, score, rank in rows] for query, rows in data.scored.items()}
    return Collection(qrels, run, number_ids=data.number_ids, number_docs=data.number_docs)


def outcome_of(ask: Callable[[], T]) -> T | Refused | CannotTell:
    """Return the result of a call of the reference, or the reason why it has none."""
    try:
        return ask()
    except Rejected as rejected:
        return Refused(rejected.axis, str(rejected))
    except (Overflow, LengthsDiffer) as impossible:
        return Refused("", str(impossible))
    except TooManyOrders as error:
        return CannotTell(Obstacle.TOO_MANY_ORDERS, str(error))
    except NotPooled as error:
        return CannotTell(Obstacle.NOT_POOLED, str(error))


def ask(
    data: Input, measure: Measure, conventions: Conventions | str, collected: Callable[[], Collection] | None = None
) -> Answers:
    """Compute a measure on an input with the reference, without a cache (`rankproof.inference.recalled` has one).

    Args:
        data: the input.
        measure: the measure.
        conventions: the conventions, or the name of a profile.
        collected: returns the collection of the input, if it exists already.
    """
    chosen = conventions_of(conventions, measure)
    if data.of_labels:
        true, predicted = data.true or (), data.predicted or ()
        return outcome_of(lambda: Values({}, compare_labelings(measure, true, predicted, chosen)))
    collect = collected or (lambda: collection(data))
    return outcome_of(lambda: collect().answer(measure, chosen))


UNSPECIFIED = "unspecified"
"""The convention of a library whose sort is unstable: tied documents can come in any order."""


def reading_of(answers: Answers, query: str | None) -> Reading | None:
    """Return the value of a query as a float, `absent` if it has none, or None if the reference has no values."""
    if not isinstance(answers, Values):
        return None
    if query is None:
        return to_float(answers.mean)
    return to_float(answers.per_query[query]) if query in answers.per_query else ABSENT


def gives(answers: Answers, query: str | None, reading: Reading, precision: str) -> bool:
    """Return whether the reference has the same value for a query, at the precision of the library."""
    expected = reading_of(answers, query)
    return expected is not None and same(reading, expected, precision)


def some_order_gives(reading: Reading, worst: Reading | None, best: Reading | None, precision: str = "float64") -> bool:
    """Return whether ties change a value, and it lies between those of the worst and the best order of tied documents.

    >>> some_order_gives(0.5, 0.25, 1.0), some_order_gives(0.2, 0.25, 1.0), some_order_gives(0.5, None, 1.0)
    (True, False, False)
    """
    if isinstance(reading, str) or not isinstance(worst, float) or not isinstance(best, float) or worst == best:
        return False
    return between(reading, worst, best, precision)
