"""Values of the reference: comparison with the worst and the best order of tied documents, refusals, and obstacles."""

from typing import Any

import pytest
from reference_values import PlainReference

from rankproof.cases.inputs import Input
from rankproof.inference.reference_answers import (
    CannotTell,
    Obstacle,
    Refused,
    collection,
    outcome_of,
    some_order_gives,
)
from rankproof.reference_impl.contingency import LengthsDiffer
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.exact import Overflow
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.ranking import Rejected
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.workers.observations import ABSENT


@pytest.mark.parametrize(
    ("reading", "worst", "best", "is_given"),
    [
        (0.5, 0.0, 1.0, True),
        (0.5, 1.0, 0.0, True),
        (1.0, 0.0, 1.0, True),
        (0.0, 0.0, 1.0, True),
        (1.01, 0.0, 1.0, False),
        (-0.01, 0.0, 1.0, False),
        (0.5, 0.5, 0.5, False),
        (ABSENT, 0.0, 1.0, False),
        (0.5, ABSENT, 1.0, False),
        (0.5, 0.0, None, False),
    ],
)
def test_some_order_gives_values_between_two_different_ends(
    reading: float | str, worst: float | str | None, best: float | str | None, *, is_given: bool
) -> None:
    assert some_order_gives(reading, worst, best) is is_given


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Rejected("ids", "no text"), Refused("ids", "no text")),
        (Overflow("too large"), Refused("", "too large")),
        (LengthsDiffer("2 and 3"), Refused("", "2 and 3")),
        (TooManyOrders("9!"), CannotTell(Obstacle.TOO_MANY_ORDERS, "9!")),
        (NotPooled("RR"), CannotTell(Obstacle.NOT_POOLED, "RR")),
    ],
)
def test_errors_of_the_reference_are_refusals_or_obstacles(error: Exception, outcome: Any) -> None:
    def fail() -> None:
        raise error

    assert outcome_of(fail) == outcome


def test_collection_knows_which_ids_are_numbers() -> None:
    numbered = [Input(((query, doc, 1),), ((query, doc, 0.5, 1),)) for query, doc in (("q", 1), (1, "a"))]
    data = [collection(each) for each in (*numbered, Input((("q", "a", 1),), ()))]
    assert [(each.number_ids, each.number_docs) for each in data] == [(True, True), (True, False), (False, False)]


def test_labelings_of_different_lengths_are_rejected_under_all_conventions() -> None:
    answers = PlainReference(Input(true=(0, 1), predicted=(0,))).answers(parse("ARI"), "standard")
    assert isinstance(answers, Refused)
    assert answers.axis == ""
