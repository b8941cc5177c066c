"""The means that are possible if no order of tied documents is kept: the ends, and whether a number between them is the mean of some order.

Not every number between the ends is: with one relevant document among two that are tied, P@1 is 0 or 1, and never 1/2. If the orders are
few enough, the possible values of each query are enumerated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isclose

from rankproof.explain.asked_data import AskedData
from rankproof.explain.attribution import same_standing
from rankproof.explain.printed_number import PrintedNumber
from rankproof.inference.comparing import UNSPECIFIED
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.definition import Undefined
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judged
from rankproof.reference_impl.ties import count_of_orders, enumerated

MOST_ORDERS = 5_000
"""How many orders of tied docs are measured, over all queries."""
MOST_SUMS = 20_000
"""How many different sums over the queries are looked at."""
NOISE = 1e-9
"""What the sums, which are floats, may be off by."""


@dataclass(frozen=True)
class MeanEnds:
    """The least and the greatest mean over all orders of tied docs."""

    least: Fraction
    greatest: Fraction


def ends_of(data: AskedData, measure: Measure, conventions: Conventions) -> MeanEnds | None:
    """What tied docs in no order leave open; None where it is nothing, or cannot be told."""
    if conventions.ties != UNSPECIFIED:
        return None
    worst, best = (data.mean(measure, conventions.replace(ties=ties)) for ties in ("worst", "best"))
    if worst is None or best is None or worst == best:
        return None
    return MeanEnds(min(worst, best), max(worst, best))


def may_give(
    data: AskedData, measure: Measure, conventions: Conventions, ends: MeanEnds, wanted: PrintedNumber
) -> bool:
    """Whether some order of the tied documents may give a number; also if there are too many orders to enumerate."""
    if not ends.least - wanted.within <= wanted.value <= ends.greatest + wanted.within:
        return False
    possible = _possible(data, measure, conventions, ends)
    if possible is None:
        return True
    count, fixed, free = possible
    least, greatest = (float(wanted.value + side * wanted.within) * count - fixed for side in (-1, 1))
    noise = NOISE * max(1.0, abs(least), abs(greatest))
    return _some_sum_within(free, least - noise, greatest + noise)


def _some_sum_within(each: Sequence[Sequence[float]], least: float, greatest: float) -> bool:
    """Whether one value of each can be chosen so that their sum lies between these; also if the sums are too many."""
    below, above = sum(map(min, each)), sum(map(max, each))
    sums = {0.0}
    for values in each:
        below, above = below - min(values), above - max(values)
        totals = {round(start + value, 12) for start in sums for value in values}
        sums = {total for total in totals if total + below <= greatest and total + above >= least}
        if len(sums) > MOST_SUMS:
            return True
    return bool(sums)


def _possible(
    data: AskedData, measure: Measure, conventions: Conventions, ends: MeanEnds
) -> tuple[int, float, list[Sequence[float]]] | None:
    """Return over how many queries the mean is, the sum of those that no order moves, and the possible values of each of the others.

    None if these do not make up the ends, or are too many.
    """
    worst, best = (conventions.replace(ties=ties) for ties in ("worst", "best"))
    fixed, count, left = 0.0, 0, MOST_ORDERS
    free: list[Sequence[float]] = []
    lows, highs = (data.standings(measure, each) for each in (worst, best))
    for query, low in lows.items():
        high = highs[query]
        if low is None or high is None:
            return None
        count += isinstance(low[1], float)
        if same_standing(low, high):
            fixed += low[1] if isinstance(low[1], float) else 0.0
            continue
        judged = data.queries[query].judged(measure, worst)
        left -= count_of_orders(judged, measure.k)
        values = _of_query(judged, measure, worst) if left >= 0 else None
        if values is None or not all(isinstance(end[1], float) for end in (low, high)):
            return None
        free.append(values)
    count = 1 if measure.definition.total == "sum" else count
    sums = [fixed + sum(map(end, free)) for end in (min, max)]
    is_whole = all(isclose(s, e * count, rel_tol=NOISE) for s, e in zip(sums, (ends.least, ends.greatest), strict=True))
    return (count, fixed, free) if is_whole else None


def _of_query(judged: Judged, measure: Measure, conventions: Conventions) -> Sequence[float] | None:
    """Return the values of a query over the orders of its tied documents; None if it has no value in one of them."""
    definition, chosen = measure.definition, measure.conventions(conventions)
    try:
        values = enumerated(definition, judged, measure.k, chosen, definition.arguments(chosen, measure.arguments))
    except Undefined:
        return None
    return sorted({float(value) for value in values})
