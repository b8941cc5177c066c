"""Exact values of a measure in the worst and in the best order of tied documents.

Every statement about the effect of ties is based on `tie_ends`. The caller may leave out queries whose value does not
depend on the order.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate

from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection, Worth
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Doc, Judged, Judgment, QueryRow, Rejected
from rankproof.reference_impl.ties import count_of_orders, orders, value_of

MOST_DOCS = 250_000
"""The largest number of documents, over all orders and queries of a measure, to measure one by one (about 1 s)."""
STRICT = frozenset({"docid-desc", "docid-asc", "input", "input-reversed", "unspecified"})
"""The values of `ties` that choose one of the possible orders of tied documents."""
_JUDGED, _RETRIEVED = {"": (Judgment("", 1),)}, {"": (QueryRow("", 0.0),)}
_REFUSED = Worth(None, None, is_reported=False, is_counted=False)

Ends = tuple[Worth, Worth]
"""The values of a query in the worst and in the best order."""


@dataclass(frozen=True)
class TieEnds:
    """The effect of the order of tied documents.

    Attributes:
        moved: the queries whose value depends on the order, with both ends; None if there are too many orders.
        worst: the mean in the worst order; None if it was not computed or is undefined.
        best: the mean in the best order.
    """

    moved: Mapping[str, Ends] | None
    worst: Fraction | None = None
    best: Fraction | None = None


def tie_ends(
    measure: Measure,
    own: Conventions,
    judged: Iterable[tuple[str, Judged]],
    mean: Callable[[Mapping[str, Worth]], Fraction | None],
) -> TieEnds | None:
    """Return the effect of the order of tied documents; None if it changes no value.

    Args:
        measure: the measure.
        own: its conventions, including those that the measure itself sets.
        judged: judged queries that are in the run, with the tie groups of their documents.
        mean: returns the mean if some queries have other values.
    """
    definition, k, ends, left, docs = measure.definition, measure.k, dict[str, Ends](), {}, 0
    arguments, by_merit = definition.arguments(own, measure.arguments), is_by_merit(measure, own)
    kind = partial(definition.merit, **arguments) if by_merit else lambda doc: doc
    for query, groups in judged:
        if not _is_mixed(groups, k, kind):
            continue
        if by_merit and definition.separable(groups, k, **arguments):
            ends[query] = _value_in_order(groups, measure, own, "worst"), _value_in_order(groups, measure, own, "best")
            continue
        left[query] = groups
        docs += count_of_orders(groups, k) * groups.n
        if docs > MOST_DOCS:
            return TieEnds(None)
    ends |= {query: _over_orders(groups, measure, own) for query, groups in left.items()}
    moved = {query: pair for query, pair in ends.items() if not _is_same(*pair)}
    if not moved:
        return None
    has_means = all(isinstance(_number(end), float) for pair in moved.values() for end in pair)
    worst, best = (mean({query: pair[i] for query, pair in moved.items()}) if has_means else None for i in (0, 1))
    return TieEnds(moved, worst, best)


def is_by_merit(measure: Measure, own: Conventions) -> bool:
    """Return whether sorting by merit gives the worst and the best order, if the definition is separable."""
    has_all_hits = measure.k is None and not measure.definition.cut_at_R
    return measure.definition.monotone and (own.nohit == "measured" or has_all_hits)


def _is_mixed(judged: Judged, k: int | None, kind: Callable[[Doc], object]) -> bool:
    """Return whether a tie group that begins within the cutoff has documents of different kinds."""
    starts = accumulate(map(len, judged.groups), initial=0)
    begun = (group for start, group in zip(starts, judged.groups, strict=False) if k is None or start < k)
    return any(doc != group[0] and kind(doc) != kind(group[0]) for group in begun for doc in group[1:])


def _over_orders(judged: Judged, measure: Measure, own: Conventions) -> Ends:
    """Return the worst and the best value over all orders; if one gives no number, its value and another."""
    values = over_orders(judged, measure, own)
    numbers = sorted(number for number in values if isinstance(number, float))
    if len(numbers) < len(values):
        without = next(value for number, value in values.items() if not isinstance(number, float))
        return without, next((value for value in values.values() if value is not without), without)
    low, high = values[numbers[0]], values[numbers[-1]]
    return (low, high) if measure.definition.better == "higher" else (high, low)


def over_orders(judged: Judged, measure: Measure, own: Conventions) -> dict[float | Worth, Worth]:
    """Return the different values over all orders by number. A value without a number is its own key."""
    values = (_value_in_order(order, measure, own) for order, _ in orders(judged, measure.k))
    return {_number(value): value for value in values}


def _value_in_order(judged: Judged, measure: Measure, own: Conventions, ties: str = "input") -> Worth:
    """Return the value of a judged query in the run, with its documents in this order."""
    collection = Collection(_JUDGED, _RETRIEVED, judge_query=lambda *_: judged)
    try:
        return collection.worth("", measure, own.replace(ties=ties))
    except Rejected:
        return _REFUSED


def _is_same(worst: Worth, best: Worth) -> bool:
    """Return whether two values are equal, compared as float64 values."""
    from rankproof.workers.same_answers import same

    a, b = _number(worst), _number(best)
    return same(a, b, "float64") if isinstance(a, float) and isinstance(b, float) else a == b


def _number(value: Worth) -> float | Worth:
    """Return a value as a float, or the value itself if it is not a number that counts."""
    if value.counted is None or value.reported is None or not value.is_counted:
        return value
    return to_float(value_of(value.counted))
