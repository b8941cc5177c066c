"""Which means the order of tied docs leaves to whoever keeps none: from the worst to the best, and whether a number between is one of them.

Not every number between the ends is the mean of some order: of one relevant doc among two that are tied, P@1 is 0 or 1, and never 1/2.
Where the orders are few enough, what each query can be worth is worked out, and a number that no choice of orders gives is no answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankproof.evaluate.tie_ends import over_orders
from rankproof.explain.asked_data import AskedData
from rankproof.explain.printed_number import PrintedNumber
from rankproof.inference.reference_answers import UNSPECIFIED, Values
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ties import count_of_orders

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
    if conventions.ties != UNSPECIFIED or not isinstance(data.answers(measure, conventions), Values):
        return None
    found = data.tie_ends(measure, conventions)
    if found is None or found.worst is None or found.best is None or found.worst == found.best:
        return None
    return MeanEnds(min(found.worst, found.best), max(found.worst, found.best))


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


_Worths = tuple[int, float, Sequence[Sequence[float]]]
"""How many queries the mean is over, the sum of those that no order of tied docs moves, and what each of the others can be worth."""


def _worths(data: AskedData, measure: Measure, conventions: Conventions, ends: MeanEnds) -> _Worths | None:
    """None if the mean is not a sum over the queries, or the orders are too many."""
    found, own = data.tie_ends(measure, conventions), measure.conventions(conventions)
    if found is None or found.moved is None or own.mean != "arithmetic":
        return None
    judged = [data.queries[query].judged(measure, conventions.replace(ties="worst")) for query in found.moved]
    if sum(count_of_orders(one, measure.k) for one in judged) > MOST_ORDERS:
        return None
    free = [[number for number in over_orders(one, measure, own) if isinstance(number, float)] for one in judged]
    standing = (data.standing(query, measure, conventions) for query in data.queries)
    count = sum(each is not None and isinstance(each[1], float) for each in standing)
    count = 1 if measure.definition.total == "sum" else count
    return count, float(ends.least) * count - sum(map(min, free)), free
