"""The two conventions that are curves, drawn: what a rel brings, and what a rank leaves of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures.cumulated_gain import discount_at, gain_of
from rankproof.reference_impl.ranking import Doc

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 96, 16, 34


@dataclass(frozen=True, slots=True)
class Curve:
    """The values of one convention: the points of a line, and where its name stands."""

    value: str
    points: str
    dots: tuple[tuple[float, float], ...]
    label: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves on one pair of scales."""

    title: str
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    below: str
    curves: tuple[Curve, ...]
    table: tuple[tuple[str, tuple[str, ...]], ...]


def curves(axis: str, values: Sequence[str]) -> Chart | None:
    """The chart of an axis, where it has one."""
    if axis == "gain":
        named = [value for value in values if not value.startswith("map")]
        return _chart("The gain of a rel", "rel", range(5), {value: partial(_gain, value) for value in named})
    if axis == "discount":
        return _chart(
            "What a gain is worth at a rank: 1 over its discount",
            "rank",
            range(1, 11),
            {value: partial(_weight, value) for value in values},
        )
    return None


def _gain(value: str, rel: int) -> float:
    doc = Doc(Fraction(rel), relevant=rel >= 1, pooled=True)
    return to_float(gain_of(doc, gain=value, gain_threshold="ignored"))


def _weight(value: str, rank: int) -> float:
    return 1 / to_float(discount_at(rank, value))


def _chart(title: str, below: str, at: range, functions: dict[str, Callable[[int], float]]) -> Chart:
    found = {name: [function(i) for i in at] for name, function in functions.items()}
    highest = max(max(ys) for ys in found.values())
    across = tuple((_x(i, at), str(i)) for i in at)
    up = tuple((_y(highest * part / 4, highest), f"{highest * part / 4:.3g}") for part in range(5))
    labels = _spread({name: _y(ys[-1], highest) for name, ys in found.items()})
    drawn = tuple(
        Curve(name, " ".join(f"{x:.1f},{y:.1f}" for x, y in dots), tuple(dots), (WIDTH - RIGHT + 10, labels[name]))
        for name, ys in found.items()
        if (dots := [(_x(i, at), _y(y, highest)) for i, y in zip(at, ys, strict=True)])
    )
    table = tuple((name, tuple(f"{y:.4g}" for y in ys)) for name, ys in found.items())
    return Chart(title, across, up, below, drawn, table)


def _x(i: int, at: range) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * (i - at.start) / (len(at) - 1), 1)


def _y(y: float, highest: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / highest, 1)


def _spread(wanted: dict[str, float], apart: float = 16.0) -> dict[str, float]:
    """Places for labels, as near as may be to where they want to be, and not on top of one another."""
    placed: dict[str, float] = {}
    lowest = HEIGHT - BOTTOM + 4.0
    for name, y in sorted(wanted.items(), key=lambda item: -item[1]):
        placed[name] = min(y, lowest)
        lowest = placed[name] - apart
    return placed
