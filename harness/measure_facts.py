"""Facts about measures: the inputs that a formula reads, the conventions that its parameters fix, and its bounds.

A measure without declared inputs is treated as if its formula reads everything.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import product

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.definition import Read
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure

Profile = Mapping[str, str]
"""A convention for each axis."""


@lru_cache(maxsize=4096)
def fixed_by_parameters(measure: Measure) -> Mapping[str, str]:
    """Return the conventions that the parameters of a measure fix, by axis.

    >>> from rankproof.reference_impl.notation import parse
    >>> fixed_by_parameters(parse("nDCG(dcg='rank',judged_only=True,rel=2)@10"))
    {'gain': 'linear', 'discount': 'rank', 'unjudged': 'removed'}
    """
    fixed: dict[str, str] = {}
    for name, value in () if measure.of_labels else measure.params:
        means = measure.definition.params[name].conventions
        fixed |= dict(means(value)) if means is not None else {}
    return fixed


def looks_at(measure: Measure, profile: Profile) -> frozenset[Read]:
    """Return the inputs that the formula reads under a profile.

    >>> from rankproof.reference_impl.notation import parse
    >>> sorted(looks_at(parse("P@5"), {"p_denominator": "min-k-R"}))
    ['R', 'k', 'order', 'relevant']
    """
    return _looks_at(measure, tuple(profile[axis] for axis in measure.definition.own_axes))


@lru_cache(maxsize=65_536)
def _looks_at(measure: Measure, values: tuple[str, ...]) -> frozenset[Read]:
    definition = measure.definition
    own = dict(zip(definition.own_axes, values, strict=True))
    fixed = {axis: value for axis, value in fixed_by_parameters(measure).items() if axis in own}
    params = {name: value for name, value in measure.arguments.items() if name in definition.accepted}
    return definition.looks_at(measure.k, own | fixed | params)


@lru_cache(maxsize=4096)
def can_look_at(measure: Measure) -> frozenset[Read]:
    """Return all inputs that the formula can read, under any conventions."""
    axes = measure.definition.own_axes
    if not callable(measure.definition.reads):
        return _looks_at(measure, tuple(AXES[axis].default for axis in axes))
    return frozenset().union(*(_looks_at(measure, values) for values in product(*(AXES[axis].values for axis in axes))))


def declares(measure: Measure) -> bool:
    """Return whether a measure declares the inputs of its formula."""
    return measure.definition.reads is not None


def bounds_of(measure: Measure) -> tuple[float, float] | None:
    """Return the minimum and maximum of a measure, or None if they are unknown."""
    return CLUSTERINGS[measure.name].bounds if measure.of_labels else MEASURES[measure.name].bounds
