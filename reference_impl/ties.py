"""Mean, best and worst value of a measure over all orders of tied documents.

Closed forms and shortcuts apply if the definition of the measure declares them:

- The mean has a closed form (`expectation`: AP, RR, Success; McSherry & Najork 2008, "Computing Information Retrieval
  Performance Measures Efficiently in the Presence of Tied Scores", ECIR).
- A `linear` measure is a sum over ranks, so its mean is the mean over the rotations of each tie group. In the m
  rotations of a group of m documents, each document has each rank once.
- A `monotone` measure is highest with the most relevant documents of each group first, and lowest with them last.

Otherwise every distinct order is measured. A test checks that both ways agree.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, product
from math import factorial, prod
from typing import Any

from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.definition import Definition, Ratio, Undefined, ratio
from rankproof.reference_impl.ranking import Doc, Judged
from rankproof.reference_impl.unusable import Unusable

Group = tuple[Doc, ...]
LIMIT = 50_000
OVER_ORDERS = frozenset({"expectation", "best", "worst"})


class TooManyOrders(Unusable):
    """More orders of tied documents than can be enumerated, without a closed form."""


def measured(
    definition: Definition, judged: Judged, k: int | None, conventions: Conventions, arguments: Mapping[str, Any]
) -> Fraction | Ratio:
    """Return the value of one query under the tie convention.

    Raises:
        TooManyOrders: the convention needs all orders, there are more than 50,000, and there is no closed form.
    """
    ties = conventions.ties
    if ties not in OVER_ORDERS or not judged.has_ties:
        return definition.of(judged, k, ties, arguments)
    value = _shortcut(definition, judged, k, ties, arguments)
    if value is None:
        value = _over(enumerated(definition, judged, k, conventions, arguments), ties, definition.better)
    if not definition.is_ratio:
        return value
    # The denominator of a ratio of counts is the same in every order.
    denominator = definition.of(judged, k, ties, arguments).denominator
    return ratio(value * denominator, denominator)


def _over(values: Sequence[Fraction], ties: str, better: str) -> Fraction:
    if ties == "expectation":
        return sum(values, Fraction(0)) / len(values)
    return max(values) if (ties == "best") == (better == "higher") else min(values)


def _shortcut(
    definition: Definition, judged: Judged, k: int | None, ties: str, arguments: Mapping[str, Any]
) -> Fraction | None:
    if judged.shares_ranks:
        return None
    if ties == "expectation" and definition.expectation is not None:
        return definition.expectation(judged, k, **arguments)
    if not definition.separable(judged, k, **arguments):
        return None
    if ties == "expectation":
        return _mean_over_rotations(definition, judged, k, arguments) if definition.linear else None
    return _at_an_end(definition, judged, k, ties, arguments) if definition.monotone else None


def _at_an_end(
    definition: Definition, judged: Judged, k: int | None, ties: str, arguments: Mapping[str, Any]
) -> Fraction:
    merit = partial(definition.merit, **arguments)
    groups = [sorted(group, key=merit, reverse=ties == "best") if len(group) > 1 else group for group in judged.groups]
    return value_of(definition.of(_regrouped(judged, groups), k, "", arguments))


def _mean_over_rotations(
    definition: Definition, judged: Judged, k: int | None, arguments: Mapping[str, Any]
) -> Fraction:
    base = value_of(definition.of(judged, k, "", arguments))
    total, start = base, 0
    for i, group in enumerate(_groups_above(judged, k)):
        for rotated, times in _rotations(group, None if k is None else k - start) if len(group) > 1 else ():
            groups = [*judged.groups[:i], rotated, *judged.groups[i + 1 :]]
            value = value_of(definition.of(_regrouped(judged, groups), k, "", arguments))
            total += (value - base) * Fraction(times, len(group))
        start += len(group)
    return total


def _rotations(group: Group, seen: int | None) -> Iterator[tuple[Group, int]]:
    """Yield the rotations of a group, each with the number of rotations that look the same within the cutoff.

    `seen` is the number of documents of the group within the cutoff.
    """
    twice, size = group + group, len(group)
    shifts: dict[object, list[int]] = {}
    for shift in range(size):
        shifts.setdefault(shift if seen is None else twice[shift : shift + min(size, seen)], []).append(shift)
    for alike in shifts.values():
        yield twice[alike[0] : alike[0] + size], len(alike)


def enumerated(
    definition: Definition, judged: Judged, k: int | None, conventions: Conventions, arguments: Mapping[str, Any]
) -> list[Fraction]:
    """Return the value of every distinct order of tied documents; all are equally likely.

    An order can have no value, for example if its ideal ranking has no gain. Such an order scores what the conventions
    set for a query of this kind.

    Raises:
        TooManyOrders: there are more than 50,000 orders.
        Undefined: an order has no value, and the conventions do not set a number for it.
    """
    count = count_of_orders(judged, k)
    if count > LIMIT:
        msg = f"{definition.name} has no closed form over these ties, and {count:,} orders are too many to enumerate"
        raise TooManyOrders(msg)
    values: list[Fraction] = []
    for order, times in orders(judged, k):
        values += [_value_in_order(definition, order, k, conventions, arguments)] * times
    return values


def orders(judged: Judged, k: int | None) -> Iterator[tuple[Judged, int]]:
    """Yield each distinct order of tied documents within the cutoff, with the number of orders that look the same."""
    above = _groups_above(judged, k)
    below = judged.groups[len(above) :]
    starts = accumulate((len(group) for group in above), initial=0)
    begun = [
        list(_arrangements(group, None if k is None else k - start))
        for start, group in zip(starts, above, strict=False)
    ]
    for order in product(*begun):
        yield _regrouped(judged, [*(group for group, _ in order), *below]), prod(times for _, times in order)


def _value_in_order(
    definition: Definition, judged: Judged, k: int | None, conventions: Conventions, arguments: Mapping[str, Any]
) -> Fraction:
    try:
        return value_of(definition.of(judged, k, "", arguments))
    except Undefined as undefined:
        worth: str = getattr(conventions, undefined.axis)
        if worth not in {"0", "1", "0.5"}:
            raise
        return Fraction(worth)


def _groups_above(judged: Judged, k: int | None) -> Sequence[Group]:
    """Return the tie groups that begin within the cutoff; the order of the other groups cannot change a measure."""
    starts = accumulate((len(group) for group in judged.groups), initial=0)
    return [group for start, group in zip(starts, judged.groups, strict=False) if k is None or start < k]


def count_of_orders(judged: Judged, k: int | None) -> int:
    """Count the distinct orders of tied documents within the cutoff."""
    return prod(map(_count, _groups_above(judged, k)))


def _count(group: Sequence[object]) -> int:
    return factorial(len(group)) // prod(factorial(times) for times in Counter(group).values())


def _arrangements(group: Group, seen: int | None) -> Iterator[tuple[Group, int]]:
    """Yield the distinct orders of a group within the cutoff, each with the number of orders that look the same.

    Equal documents are interchangeable. `seen` is the number of documents of the group within the cutoff.
    """
    # Documents become numbers once, because hashing fractions would take longer than everything else here.
    kinds = list(dict.fromkeys(group))
    numbers = {doc: i for i, doc in enumerate(kinds)}
    for order, times in _orders(tuple(numbers[doc] for doc in group), seen):
        yield tuple(kinds[i] for i in order), times


def _orders(group: tuple[int, ...], seen: int | None) -> Iterator[tuple[tuple[int, ...], int]]:
    if not group or seen == 0:
        yield group, _count(group)
        return
    for doc in dict.fromkeys(group):
        at = group.index(doc)
        for rest, times in _orders(group[:at] + group[at + 1 :], None if seen is None else seen - 1):
            yield (doc, *rest), times


def _regrouped(judged: Judged, groups: Sequence[Sequence[Doc]]) -> Judged:
    return Judged(tuple(tuple(group) for group in groups), judged.judgments, judged.R)


def value_of(value: Fraction | Ratio) -> Fraction:
    """Return the value of a ratio, or a fraction unchanged."""
    return value.value if isinstance(value, Ratio) else value
