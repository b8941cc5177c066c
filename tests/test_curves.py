"""The charts of gain and discount: each value at its height, each name beside the end of its line, and no name on another."""

import math
from itertools import pairwise

import pytest

from rankproof.site.curves import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Curve, curves

DISCOUNTS = {"log2": 1 / math.log2(11), "jk-2": 1 / math.log2(10), "rank": 1 / 10, "ln": 1 / math.log(11), "jk-10": 1.0}
"""What is left at rank 10; the first two end .5 % of the height apart, and log 10 to base 10 is 1."""
A_LINE = 12


def height(value: float, highest: float) -> float:
    """Where a value stands, counted from above."""
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / highest


def ends_of(drawn: tuple[Curve, ...]) -> dict[str, float]:
    return {one.value: one.dots[-1][1] for one in drawn}


def test_a_gain_stands_at_its_height() -> None:
    chart = curves("gain", ["linear", "exp", "binary", "map:0=1"])
    assert chart is not None
    assert [text for _, text in chart.across] == ["0", "1", "2", "3", "4"]
    assert ends_of(chart.curves) == pytest.approx(
        {"linear": height(4, 15), "exp": TOP, "binary": height(1, 15)}, abs=0.1
    )
    assert chart.table == (
        ("linear", ("0", "1", "2", "3", "4")),
        ("exp", ("0", "1", "3", "7", "15")),
        ("binary", ("0", "1", "1", "1", "1")),
    )


def test_a_discount_stands_at_its_height() -> None:
    chart = curves("discount", [*DISCOUNTS])
    assert chart is not None
    highest = 1 / math.log(2)  # of `ln` at rank 1
    wanted = {name: height(value, highest) for name, value in DISCOUNTS.items()}
    assert ends_of(chart.curves) == pytest.approx(wanted, abs=0.1)
    assert dict(chart.table)["log2"][:2] == ("1", "0.6309"), "1 / log2(3) in four digits"


def test_ranks_stand_evenly_between_the_margins_and_each_dot_above_its_rank() -> None:
    chart = curves("discount", [*DISCOUNTS])
    assert chart is not None
    places = [x for x, _ in chart.across]
    assert (places[0], places[-1]) == (LEFT, WIDTH - RIGHT)
    assert [b - a for a, b in pairwise(places)] == pytest.approx([(places[-1] - places[0]) / 9] * 9, abs=0.15)
    assert [[x for x, _ in one.dots] for one in chart.curves] == [places] * len(DISCOUNTS)
    assert [y for y, _ in (chart.up[0], chart.up[-1])] == [HEIGHT - BOTTOM, TOP]


def test_names_that_end_near_one_another_stand_apart_and_in_the_order_of_their_lines() -> None:
    chart = curves("discount", [*DISCOUNTS])
    assert chart is not None
    names = sorted(chart.curves, key=lambda one: one.label[1])
    assert [one.value for one in names] == sorted(DISCOUNTS, key=DISCOUNTS.__getitem__, reverse=True)
    assert all(below.label[1] - above.label[1] >= A_LINE for above, below in pairwise(names))
    places = {one.value: one.label[1] for one in names}
    assert places["log2"] - places["jk-2"] == 16, "as near as names may be"
    alone = curves("discount", ["log2", "rank", "jk-10"])
    assert alone is not None
    assert all(abs(one.label[1] - one.dots[-1][1]) <= A_LINE for one in alone.curves)


def test_other_axes_have_no_chart() -> None:
    assert [curves(axis, ["a"]) for axis in ("ties", "ideal", "mean")] == [None] * 3
