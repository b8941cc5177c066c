"""Effect of ties: the worst, expected and best mean over all orders, and whether some order gives a number.

Not every number between the ends is the mean of an order: if one of two tied documents is relevant, P@1 is 0 or 1, but
never 1/2. Numbers that no order gives are excluded if there are few enough orders to measure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankproof.evaluate.tie_ends import over_orders
from rankproof.explain.printed_number import PrintedNumber
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import UNSPECIFIED, Answers, CannotTell, Obstacle, Values
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ties import count_of_orders, value_of

MOST_ORDERS = 5_000
"""The largest number of orders to measure, over all queries."""
MOST_SUMS = 20_000
"""The largest number of different sums over the queries."""
NOISE = 1e-9
"""The relative error of the sums, which are floats."""


@dataclass(frozen=True)
class Envelope:
    """The values of a measure over all orders of tied documents, with all other conventions unchanged.

    Attributes:
        tied: the queries in which two retrieved documents have the same score.
        across: the queries with tied documents on both sides of the cutoff.
        moved: the queries whose value depends on the order; None if there are too many orders.
        ends: the worst, the expected and the best values; empty without tied documents.
    """

    tied: tuple[str, ...]
    across: tuple[str, ...]
    moved: tuple[str, ...] | None
    ends: Mapping[str, Answers]


def envelope(data: RunData, measure: Measure, base: Conventions) -> Envelope:
    """Return the effect of ties on a measure under some conventions."""
    scores = {query: sorted((row.score for row in data.run.get(query, ())), reverse=True) for query in data.queries}
    tied = tuple(query for query, own in scores.items() if len(set(own)) < len(own))
    if not tied:
        return Envelope((), (), (), {})
    k = measure.k
    across = tuple(q for q in tied if k is not None and scores[q][k - 1 : k] == scores[q][k : k + 1] != [])
    moved, worst, best = _moved(data, measure, base)
    expected = data.answers(measure, base.replace(ties="expectation"))
    return Envelope(tied, across, moved, {"worst": worst, "expectation": expected, "best": best})


def _moved(data: RunData, measure: Measure, base: Conventions) -> tuple[tuple[str, ...] | None, Answers, Answers]:
    """Return the queries whose value depends on the order, and the values in the worst and in the best order."""
    plain = data.answers(measure, base)
    if not isinstance(plain, Values):
        return None, plain, plain
    ends = data.tie_ends(measure, base)
    if ends is None:
        return (), plain, plain
    if ends.moved is None:
        too_many = CannotTell(Obstacle.TOO_MANY_ORDERS, "tied documents have too many orders to measure each")
        return None, too_many, too_many
    worst, best = (
        Values({**plain.per_query, **{query: _value(pair[i].reported) for query, pair in ends.moved.items()}}, mean)
        for i, mean in enumerate((ends.worst, ends.best))
    )
    return tuple(ends.moved), worst, best


def _value(value: object) -> Fraction | None:
    return None if value is None else value_of(value)  # type: ignore[arg-type]


# -- numbers between the ends --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MeanEnds:
    """The least and the greatest mean over all orders of tied documents."""

    least: Fraction
    greatest: Fraction


def ends_of(data: RunData, measure: Measure, conventions: Conventions) -> MeanEnds | None:
    """Return the possible means if tied documents have no consistent order; None if they are equal or unknown."""
    if conventions.ties != UNSPECIFIED or not isinstance(data.answers(measure, conventions), Values):
        return None
    extremes = data.tie_ends(measure, conventions)
    if extremes is None or extremes.worst is None or extremes.best is None or extremes.worst == extremes.best:
        return None
    return MeanEnds(min(extremes.worst, extremes.best), max(extremes.worst, extremes.best))


def may_give(data: RunData, measure: Measure, conventions: Conventions, ends: MeanEnds, wanted: PrintedNumber) -> bool:
    """Return whether some order of tied documents gives a number, or may give it because there are too many orders."""
    if not ends.least - wanted.within <= wanted.value <= ends.greatest + wanted.within:
        return False
    extremes, own = data.tie_ends(measure, conventions), measure.conventions(conventions)
    if extremes is None or extremes.moved is None or own.mean != "arithmetic":
        return True
    judged = [data.queries[query].judged(measure, conventions.replace(ties="worst")) for query in extremes.moved]
    if sum(count_of_orders(query, measure.k) for query in judged) > MOST_ORDERS:
        return True
    values = [[number for number in over_orders(query, measure, own) if isinstance(number, float)] for query in judged]
    standing = (data.standing(query, measure, conventions) for query in data.queries)
    counted = sum(pair is not None and isinstance(pair[1], float) for pair in standing)
    count = 1 if measure.definition.total == "sum" else counted
    fixed = float(ends.least) * count - sum(map(min, values))
    least, greatest = (float(wanted.value + side * wanted.within) * count - fixed for side in (-1, 1))
    noise = NOISE * max(1.0, abs(least), abs(greatest))
    return _some_sum_within(values, least - noise, greatest + noise)


def _some_sum_within(values: Sequence[Sequence[float]], least: float, greatest: float) -> bool:
    """Return whether the sum of one value of each query can be within these bounds, or there are too many sums."""
    below, above = sum(map(min, values)), sum(map(max, values))
    sums = {0.0}
    for own in values:
        below, above = below - min(own), above - max(own)
        totals = {round(start + value, 12) for start in sums for value in own}
        sums = {total for total in totals if total + below <= greatest and total + above >= least}
        if len(sums) > MOST_SUMS:
            return True
    return bool(sums)
