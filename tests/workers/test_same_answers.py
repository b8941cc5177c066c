"""Comparison of values: exactly, or at the precision of a library, including NaN and infinities."""

import math

from rankproof.workers.observations import ABSENT, Answered, Failure, readings
from rankproof.workers.same_answers import alike, answers_identical, same

NAN, INF = math.nan, math.inf
SAME = [
    (1 + 5e-13, 1.0, "float64"),
    (1 + 1e-7, 1.0, "float32"),
    (1e-15, 0.0, "float64"),
    (1e-16, 0.0, "float64"),
    (0.12345, 0.1234, "4 decimals"),
    (INF, INF, "float64"),
    (NAN, NAN, "float64"),
    (ABSENT, ABSENT, "float64"),
]
DIFFERENT = [
    (1 + 1e-11, 1.0, "float64"),
    (1 + 1e-5, 1.0, "float32"),
    (1e-14, 0.0, "float64"),
    (0.12346, 0.1234, "4 decimals"),
    (INF, 1.0, "4 decimals"),
    (INF, -INF, "float32"),
    (NAN, 0.0, "float64"),
    (1.0, INF, "float64"),
    (ABSENT, 0.0, "4 decimals"),
    (1.0, ABSENT, "4 decimals"),
]


def test_values_are_compared_at_the_precision_of_the_library() -> None:
    assert [values for values in SAME if not same(*values)] == []
    assert [values for values in DIFFERENT if same(*values)] == []


def test_values_near_the_largest_float_are_compared() -> None:
    assert not same(1e308, INF, "float32")
    assert same(1.7e308, 1.7e308 * (1 + 1e-15), "float64"), "their sum is no float"


def test_values_are_alike_at_any_of_several_precisions_in_either_order() -> None:
    """The tolerance is relative to one of the values, and these values differ by exactly the tolerance of the greater value."""
    a, b, far = 1.0, 1.0 + 1.0000005e-6, 1.000003
    assert [alike(a, b, ("float32",)), alike(b, a, ("float32",))] == [True, True]
    assert [alike(a, far, ("float32",)), alike(far, a, ("float32",))] == [False, False]
    assert alike(1.0, 1 + 1e-7, ["float64", "float32"])
    assert not alike(1.0, 1 + 1e-7)


def test_answers_are_identical_up_to_the_order_of_sums_and_the_text_of_errors() -> None:
    assert answers_identical(Failure("error", "once"), Failure("error", "again"))
    assert not answers_identical(Failure("error", "once"), Failure("crash", "once"))
    assert not answers_identical(Answered({"q": 1.0}, None), Answered({"q": 1.0, "r": 1.0}, None))
    assert not answers_identical(Answered({"q": 1.0}, None), Answered({"q": 1 + 1e-11}, None))
    assert answers_identical(Answered({"q": 1.0}, 0.3), Answered({"q": 1 + 1e-15}, 0.1 + 0.2))
    assert answers_identical(Answered({"q": NAN, "r": 1.0}, NAN), Answered({"r": 1.0, "q": NAN}, NAN))


def test_query_that_only_the_library_has_is_also_compared() -> None:
    values = readings(Answered({"q9": 0.5, "q1": 1.0}, None), ("q2", "q1"))
    assert [*values] == [("q2", ABSENT), ("q1", 1.0), ("q9", 0.5)]
