"""Which means the order of tied docs leaves to whoever keeps none: from the worst to the best, and whether a number between is one of them.

Not every number between the ends is the mean of some order: of one relevant doc among two that are tied, P@1 is 0 or 1, and never 1/2.
Where the orders are few enough, what each query can be worth is worked out, and a number that no choice of orders gives is no answer.
"""

from collections.abc import Iterable, Sequence
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
from rankproof.workers.observations import Reading

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
    """Whether some order of the tied docs may give a number; so it is said, too, where they are too many to be looked at."""
    if not ends.least - wanted.within <= wanted.value <= ends.greatest + wanted.within:
        return False
    worths = _worths(data, measure, conventions, ends)
    if worths is None:
        return True
    count, fixed, free = worths
    least, greatest = (float(wanted.value + side * wanted.within) * count - fixed for side in (-1, 1))
    noise = NOISE * max(1.0, abs(least), abs(greatest))
    return _some_sum_within(free, least - noise, greatest + noise)


def _some_sum_within(each: Sequence[Sequence[float]], least: float, greatest: float) -> bool:
    """Whether one value of each can be chosen so that their sum is within these; so it is said, too, where the sums are too many."""
    below, above = sum(map(min, each)), sum(map(max, each))
    sums = {0.0}
    for values in each:
        below, above = below - min(values), above - max(values)
        sums = {
            round(total, 12)
            for start in sums
            for total in (start + value for value in values)
            if total + below <= greatest and total + above >= least
        }
        if len(sums) > MOST_SUMS:
            return True
    return bool(sums)


_Worths = tuple[int, float, list[Sequence[float]]]
"""How many queries the mean is over, the sum of those that no order of tied docs moves, and what each of the others can be worth."""


def _worths(data: AskedData, measure: Measure, conventions: Conventions, ends: MeanEnds) -> _Worths | None:
    """None where what the queries can be worth does not make up the ends, or is too much to work out."""
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
        if values is None or not _have_ends(values, (low[1], high[1])):
            return None
        free.append(values)
    count = 1 if measure.definition.total == "sum" else count
    sums = [fixed + sum(map(end, free)) for end in (min, max)]
    is_whole = all(isclose(s, e * count, rel_tol=NOISE) for s, e in zip(sums, (ends.least, ends.greatest), strict=True))
    return (count, fixed, free) if is_whole else None


def _have_ends(values: Sequence[float], ends: Iterable[Reading]) -> bool:
    numbers = [end for end in ends if isinstance(end, float)]
    return len(numbers) > 1 and all(
        isclose(a, b, rel_tol=NOISE, abs_tol=NOISE)
        for a, b in zip((min(values), max(values)), sorted(numbers), strict=True)
    )


def _of_query(judged: Judged, measure: Measure, conventions: Conventions) -> Sequence[float] | None:
    """What a query is worth in each order of its tied docs; None where it has no value in one of them."""
    definition, chosen = measure.definition, measure.conventions(conventions)
    try:
        values = enumerated(definition, judged, measure.k, chosen, definition.arguments(chosen, measure.arguments))
    except Undefined:
        return None
    return sorted({float(value) for value in values})
