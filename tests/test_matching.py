"""Whether conventions give what was answered is asked in one place, and every verb says the same of the same answer."""

import pytest

from rankproof.asking.observations import ABSENT
from rankproof.matching.comparing import gives, some_order_gives
from rankproof.matching.idle_choices import without_idle_choices
from rankproof.matching.reference_answers import CannotTell, Obstacle, Refused, Values
from rankproof.reference_impl.conventions import STANDARD, Conventions


@pytest.mark.parametrize(
    ("reading", "worst", "best", "is_given"),
    [
        (0.5, 0.0, 1.0, True), (0.5, 1.0, 0.0, True), (1.0, 0.0, 1.0, True), (0.0, 0.0, 1.0, True), (1.01, 0.0, 1.0, False),
        (-0.01, 0.0, 1.0, False), (0.5, 0.5, 0.5, False), (ABSENT, 0.0, 1.0, False), (0.5, ABSENT, 1.0, False), (0.5, 0.0, ABSENT, False),
        (0.5, None, 1.0, False), (0.5, 0.0, None, False),
    ],
)  # fmt: skip
def test_a_value_that_some_order_of_tied_docs_gives(
    reading: float | str, worst: float | str | None, best: float | str | None, *, is_given: bool
) -> None:
    assert some_order_gives(reading, worst, best) is is_given


def test_an_end_of_the_orders_is_met_by_the_precision_of_who_answers() -> None:
    assert [some_order_gives(0.667, 0.0, 2 / 3, exact) for exact in ("float64", "4 decimals", "3 decimals")] == [
        False,
        False,
        True,
    ]


def test_only_a_value_that_is_said_gives_a_reading() -> None:
    said = Values({"q1": 1, "q2": None}, 1)
    assert gives(said, "q1", 1.0, "float64")
    assert not gives(said, "q1", 0.5, "float64")
    assert gives(said, "q3", ABSENT, "float64")
    assert not gives(said, "q3", 0.0, "float64")
    assert not any(
        gives(none, None, reading, "float64")
        for none in (Refused("ids", "no"), CannotTell(Obstacle.NOT_POOLED, "no"))
        for reading in (0.0, ABSENT)
    )


def test_what_explains_nothing_is_taken_back_and_what_does_stays() -> None:
    def missed(conventions: Conventions) -> int:
        return 5 - 2 * (conventions.gain == "exp") - (conventions.ties == "best")

    told = STANDARD.replace(gain="exp", ties="best", known="retrieved", missing="dropped")
    assert without_idle_choices(told, missed).spec() == "gain=exp ties=best"
    assert without_idle_choices(STANDARD.replace(known="retrieved"), missed) == STANDARD
