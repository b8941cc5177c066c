"""What a measure is worth over all orders of tied docs: the mean, the best, the worst.

Closed forms and shortcuts are used where the definition of the measure declares them:

- the mean in closed form (`expectation`: AP, RR, Success; McSherry & Najork 2008, "Computing Information Retrieval
  Performance Measures Efficiently in the Presence of Tied Scores", ECIR);
- for a `linear` measure, which is a sum over ranks, the mean over the rotations of each tie group: in the m rotations of a group
  of m docs each doc takes each place once;
- for a `monotone` measure the best order has the docs of most merit first, the worst has them last.

Everything else is the plain definition: every distinct order is measured. A test holds that both ways agree.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import factorial, prod
from typing import Any

from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.definition import Definition, Ratio, ratio
from rankproof.reference_impl.ranking import Doc, Judged

Group = tuple[Doc, ...]
LIMIT = 50_000
OVER_ORDERS = frozenset({"expectation", "best", "worst"})


class TooManyOrders(ValueError):
    """More orders of tied docs than can be enumerated, and no closed form."""


def measured(
    definition: Definition, judged: Judged, k: int | None, conventions: Conventions, arguments: Mapping[str, Any]
) -> Fraction | Ratio:
    """The value of one query under the conventions' rule for ties.

    Raises:
        TooManyOrders: the rule asks for all orders, there are more than 50,000, and no closed form serves.
    """
    ties = conventions.ties
    as_it_stands = definition.of(judged, k, ties, arguments)
    if ties not in OVER_ORDERS or all(len(group) == 1 for group in judged.groups):
        return as_it_stands
    value = _shortcut(definition, judged, k, conventions, arguments)
    if value is None:
        values = enumerated(definition, judged, k, arguments)
        value = {"expectation": lambda: sum(values) / len(values), "best": lambda: _best(definition, values),
                 "worst": lambda: _worst(definition, values)}[ties]()  # fmt: skip
    if isinstance(as_it_stands, Ratio):
        return ratio(value * as_it_stands.denominator, as_it_stands.denominator)
    return value


def _best(definition: Definition, values: list[Fraction]) -> Fraction:
    return max(values) if definition.better == "higher" else min(values)


def _worst(definition: Definition, values: list[Fraction]) -> Fraction:
    return min(values) if definition.better == "higher" else max(values)


def _shortcut(
    definition: Definition, judged: Judged, k: int | None, conventions: Conventions, arguments: Mapping[str, Any]
) -> Fraction | None:
    if conventions.ties == "expectation":
        if definition.expectation is not None:
            return definition.expectation(judged, k, **arguments)
        if definition.linear and definition.separable(conventions):
            return _mean_over_rotations(definition, judged, k, arguments)
        return None
    if definition.monotone and definition.separable(conventions) and not conventions.gain.startswith("map:"):
        best = conventions.ties == "best"
        groups = [sorted(group, key=definition.merit, reverse=best) for group in judged.groups]
        return value_of(definition.of(_regrouped(judged, groups), k, "", arguments))
    return None


def _mean_over_rotations(
    definition: Definition, judged: Judged, k: int | None, arguments: Mapping[str, Any]
) -> Fraction:
    base = value_of(definition.of(judged, k, "", arguments))
    total = base
    for i, group in enumerate(judged.groups):
        for shift in range(1, len(group)):
            rotated = [*judged.groups[:i], group[shift:] + group[:shift], *judged.groups[i + 1 :]]
            value = value_of(definition.of(_regrouped(judged, rotated), k, "", arguments))
            total += (value - base) / len(group)
    return total


def enumerated(definition: Definition, judged: Judged, k: int | None, arguments: Mapping[str, Any]) -> list[Fraction]:
    """The value of every distinct order of tied docs; each is as likely as any other.

    Raises:
        TooManyOrders: there are more than 50,000.
    """
    below = [] if definition.on_given or k is None else _groups_below(judged, k)
    above = judged.groups[: len(judged.groups) - len(below)]
    count = prod(_count(group) for group in above)
    if count > LIMIT:
        msg = f"{definition.name} has no closed form over ties, and {count:,} orders of the tied docs are too many to enumerate"
        raise TooManyOrders(msg)
    orders = product(*(list(_arrangements(group)) for group in above))
    return [value_of(definition.of(_regrouped(judged, [*order, *below]), k, "", arguments)) for order in orders]


def _groups_below(judged: Judged, k: int) -> list[Group]:
    starts = [sum(len(group) for group in judged.groups[:i]) for i in range(len(judged.groups))]
    return [group for start, group in zip(starts, judged.groups, strict=True) if start >= k]


def _count(group: Group) -> int:
    return factorial(len(group)) // prod(factorial(times) for times in Counter(group).values())


def _arrangements(group: Group) -> Iterator[Group]:
    """The distinct orders of a group, in which alike docs are one."""
    if not group:
        yield ()
    for doc in dict.fromkeys(group):
        at = group.index(doc)
        for rest in _arrangements(group[:at] + group[at + 1 :]):
            yield (doc, *rest)


def _regrouped(judged: Judged, groups: Sequence[Sequence[Doc]]) -> Judged:
    return Judged(tuple(tuple(group) for group in groups), judged.judgments, judged.R, judged.threshold)


def value_of(value: Fraction | Ratio) -> Fraction:
    """The number, where a formula gave a ratio."""
    return value.value if isinstance(value, Ratio) else value
