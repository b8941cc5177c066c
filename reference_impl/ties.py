"""What a measure is worth over all orders of tied docs: the mean, the best, the worst.

Closed forms and shortcuts are used where the definition of the measure declares them:

- the mean in closed form (`expectation`: AP, RR, Success; McSherry & Najork 2008, "Computing Information Retrieval
  Performance Measures Efficiently in the Presence of Tied Scores", ECIR);
- for a `linear` measure, which is a sum over ranks, the mean over the rotations of each tie group: in the m rotations
  of a group of m docs each doc takes each place once;
- for a `monotone` measure the best order has the docs of most merit first, the worst has them last.

Everything else is the plain definition: every distinct order is measured. A test holds that both ways agree.
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
    """More orders of tied docs than can be enumerated, and no closed form."""


def measured(
    definition: Definition, judged: Judged, k: int | None, conventions: Conventions, arguments: Mapping[str, Any]
) -> Fraction | Ratio:
    """The value of one query under the conventions' rule for ties.

    Raises:
        TooManyOrders: the rule asks for all orders, there are more than 50,000, and no closed form serves.
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
    """The rotations of a group, and how many are alike as far as a cutoff lets them be seen; that many docs are."""
    twice, size = group + group, len(group)
    shifts: dict[object, list[int]] = {}
    for shift in range(size):
        shifts.setdefault(shift if seen is None else twice[shift : shift + min(size, seen)], []).append(shift)
    for alike in shifts.values():
        yield twice[alike[0] : alike[0] + size], len(alike)


def enumerated(
    definition: Definition, judged: Judged, k: int | None, conventions: Conventions, arguments: Mapping[str, Any]
) -> list[Fraction]:
    """The value of every distinct order of tied docs; each is as likely as any other.

    An order without a value (no gain was retrieved to make an ideal ranking of) is worth what the conventions say of
    such a query.

    Raises:
        TooManyOrders: there are more than 50,000.
        Undefined: an order has no value, and the conventions no number for it.
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
    """Yield each distinct order of tied docs within the cutoff, with the number of orders that look the same."""
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
    """The tie groups that begin within the cutoff; in which order the others stand, no measure sees."""
    starts = accumulate((len(group) for group in judged.groups), initial=0)
    return [group for start, group in zip(starts, judged.groups, strict=False) if k is None or start < k]


def count_of_orders(judged: Judged, k: int | None) -> int:
    """How many distinct orders of tied docs there are, as far as a cutoff lets them be seen."""
    return prod(map(_count, _groups_above(judged, k)))


def _count(group: Sequence[object]) -> int:
    return factorial(len(group)) // prod(factorial(times) for times in Counter(group).values())


def _arrangements(group: Group, seen: int | None) -> Iterator[tuple[Group, int]]:
    """The orders of a group in which alike docs are one, and of those alike as far as a cutoff lets them be seen one for all.

    Each comes with the number of those for which it stands.
    """
    # Docs are told apart once, by number: to hash a fraction takes longer than all else here.
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
    """The number, where a formula gave a ratio."""
    return value.value if isinstance(value, Ratio) else value
