"""What the reference answers to an input: the one place where inputs and the reference meet."""

from collections.abc import Callable
from dataclasses import dataclass, field
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
from rankproof.reference_impl.exact import Overflow
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import conventions_of
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rejected
from rankproof.reference_impl.ties import TooManyOrders

Values: TypeAlias = Answer
"""The value of each query that has one, and the value over all of them."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The reference refuses the input under these conventions; `axis` says by which, and is empty where it does so under all."""

    axis: str
    reason: str


class Obstacle(StrEnum):
    """What keeps the reference from an answer."""

    TOO_MANY_ORDERS = "too-many-orders"
    """The conventions ask for all orders of tied docs, and these are too many to be tried."""
    NOT_POOLED = "not-pooled"
    """They ask for a pooled mean of what is no ratio of counts: there is nothing to answer."""


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The reference has no answer: it neither gives values nor refuses, so nothing can agree with it and nothing is disproved."""

    obstacle: Obstacle
    reason: str


T = TypeVar("T")
Answers = Values | Refused | CannotTell
"""All that the reference can say; who asks sees to each of the three."""


def collection(given: Input) -> Collection:
    """The qrels and the run of an input; ids are text, as they are in TREC files."""
    qrels = {query: [Judgment(str(doc), rel) for doc, rel in rows] for query, rows in given.judged.items()}
    run = {
        query: [QueryRow(str(doc), score, rank) for doc, score, rank in rows] for query, rows in given.scored.items()
    }
    return Collection(qrels, run, number_ids=given.number_ids, number_docs=given.number_docs)


def said(ask: Callable[[], T]) -> T | Refused | CannotTell:
    """What the reference says where it is asked so."""
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


@dataclass
class Oracle:
    """The reference, asked about one input; answers are kept, as judging asks the same again and again."""

    input: Input
    _collection: Collection | None = None
    _answers: dict[tuple[Measure, Conventions], Answers] = field(default_factory=dict)

    def answers(self, measure: Measure, conventions: Conventions | str) -> Answers:
        """What the reference answers under these conventions."""
        key = (measure, conventions_of(conventions, measure))
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = self.ask(*key)
        return found

    def ask(self, measure: Measure, conventions: Conventions) -> Answers:
        """The same, for who keeps it: one object wherever each query is worth the same."""
        return said(lambda: self._values(measure, conventions))

    def _values(self, measure: Measure, conventions: Conventions) -> Values:
        if self.input.of_labels:
            true, predicted = self.input.true or (), self.input.predicted or ()
            return Values({}, compare_labelings(measure, true, predicted, conventions))
        self._collection = self._collection or collection(self.input)
        return self._collection.answer(measure, conventions)
