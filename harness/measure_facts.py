"""What a measure declares of itself, asked for a profile; where it declares nothing, everything is taken to matter."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import product

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.definition import Read
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure

Profile = Mapping[str, str]
"""A value for every axis."""

_OF_RELEVANCE: frozenset[Read] = frozenset({"first hit", "relevant", "R", "non-relevant"})


@lru_cache(maxsize=4096)
def fixed_by_parameters(measure: Measure) -> Mapping[str, str]:
    """The conventions that the parameters of a measure say, by axis; those of a measure of labelings say none.

    >>> from rankproof.reference_impl.notation import parse
    >>> fixed_by_parameters(parse("nDCG(dcg='exp-log2')@10"))
    {'gain': 'exp', 'discount': 'log2'}
    >>> fixed_by_parameters(parse("nDCG(dcg='rank',judged_only=True,rel=2)@10"))
    {'gain': 'linear', 'discount': 'rank', 'unjudged': 'removed'}
    """
    fixed: dict[str, str] = {}
    for name, value in () if measure.of_labels else measure.params:
        means = measure.definition.params[name].conventions
        fixed |= dict(means(value)) if means is not None else {}
    return fixed


def looks_at(measure: Measure, profile: Profile) -> frozenset[Read]:
    """What the formula looks at by the conventions of a profile.

    >>> from rankproof.reference_impl.notation import parse
    >>> sorted(looks_at(parse("P@5"), {"p_denominator": "min-k-R"}))
    ['R', 'k', 'order', 'relevant']
    """
    return _looks_at(measure, tuple(profile[axis] for axis in measure.definition.own_axes))


@lru_cache(maxsize=65_536)
def _looks_at(measure: Measure, values: tuple[str, ...]) -> frozenset[Read]:
    definition = measure.definition
    own = dict(zip(measure.definition.own_axes, values, strict=True))
    fixed = {axis: value for axis, value in fixed_by_parameters(measure).items() if axis in own}
    params = {name: value for name, value in measure.arguments.items() if name in definition.accepted}
    return definition.looks_at(measure.k, own | fixed | params)


@lru_cache(maxsize=4096)
def can_look_at(measure: Measure) -> frozenset[Read]:
    """What the formula looks at by some conventions."""
    if not callable(measure.definition.reads):
        return _looks_at(measure, tuple(AXES[axis].default for axis in measure.definition.own_axes))
    choices = (AXES[axis].values for axis in measure.definition.own_axes)
    return frozenset().union(*(_looks_at(measure, values) for values in product(*choices)))


def declares(measure: Measure) -> bool:
    """Whether it is said at all what the formula looks at; it then takes its axes as their values are described."""
    return measure.definition.reads is not None


def asks_relevance(measure: Measure, profile: Profile) -> bool:
    """Whether it matters to a value, or to having one, which docs are relevant."""
    looked_at = looks_at(measure, profile)
    chosen = {**profile, **fixed_by_parameters(measure)}
    by_gain = "gains" in looked_at and (chosen["gain"] == "binary" or chosen["gain_threshold"] != "ignored")
    return measure.definition.needs_relevant or by_gain or not looked_at.isdisjoint(_OF_RELEVANCE)


def gains_alone(measure: Measure, profile: Profile) -> bool:
    """Whether the formula looks at the gains of docs, and at nothing else of what was judged."""
    looked_at = looks_at(measure, profile)
    return "gains" in looked_at and looked_at <= {"order", "k", "n", "gains", "judgments"}


def of_the_run_alone(measure: Measure, profile: Profile) -> bool:
    """Whether the formula looks at docs, and at none that was not retrieved."""
    looked_at = looks_at(measure, profile)
    return bool(looked_at) and looked_at.isdisjoint({"R", "judgments"})


def never_undefined(measure: Measure) -> bool:
    """Whether it has a value where no doc is relevant."""
    return not measure.definition.needs_relevant and "norel" not in measure.definition.undefined


def bounds_of(measure: Measure) -> tuple[float, float] | None:
    """The least and the greatest value; None where they are not known."""
    return CLUSTERINGS[measure.name].bounds if measure.of_labels else MEASURES[measure.name].bounds
