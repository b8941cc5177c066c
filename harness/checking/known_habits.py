"""Whether anybody is known to compute a measure as a function does: libraries that were asked, tools whose source was read, papers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache

from rankproof.checking.nearest import claims_of
from rankproof.evaluating.read_profiles import read_ways
from rankproof.meaning.measure_forms import parts_of
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import AXES, Conventions, UnknownConvention
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import PROFILES

FORMULA = "measure"
"""The stage of the axes that make the formula: these are somebody's as a whole, or nobody's. Each choice beside it stands for itself."""
DOERS = {
    ("rr_hits", "mean-over-hits"): ("LlamaIndex's use_granular_mrr", "FuxiCTR's MRR"),
    ("rr_hits", "mean-over-R"): ("mrr_score of recommenders and of spotlight", "rexmex"),
}
"""Who calls it by the name of the measure, of what is another measure by any definition; their sources are at the formula."""
NO_QUERY = "no_query"
"""The axis of a mean over no query: it says least of a function, as no measure is about it."""
Remaining = Mapping[str, Sequence[str]]
"""By axis the values that a function may follow: one, or several where no answer tells them apart."""


def unfollowed(measure: Measure, remaining: Remaining) -> tuple[tuple[str, ...], bool]:
    """The axes on which a function is like nobody known; none where all of its formula is somebody's, and so is each choice beside it.

    And whether each of its choices there is somebody's, and all of them together are nobody's.

    Nothing is found in an order of tied docs, which is as the data has it, in a mean over no query, which no measure is about, in what is
    refused, and in a number that a person chooses.
    """
    known = _known(measure)
    asked = {
        axis: values
        for axis, values in remaining.items()
        if axis not in {"ties", NO_QUERY}
        and not any(AXES[axis].refuses(v) or v not in AXES[axis].values for v in values)
    }
    alone = tuple(axis for axis in asked if not any(getattr(one, axis) in asked[axis] for one in known))
    if alone:
        return alone, False
    formula = tuple(axis for axis in asked if AXES[axis].stage == FORMULA)
    is_somebodys = any(all(getattr(one, axis) in asked[axis] for axis in formula) for one in known)
    return () if is_somebodys else formula, True


def doers(choices: Remaining) -> str:
    """Who makes each of these choices under the name of the measure, and that it is theirs alone; "" where that is nobody."""
    known = [[who for value in values for who in DOERS.get((axis, value), ())] for axis, values in choices.items()]
    if not known or not all(known):
        return ""
    *others, last = dict.fromkeys(who for each in known for who in each)
    return f"only {', '.join(others)}{' and ' if others else ''}{last} {'do' if others else 'does'}"


def followers(measure: Measure, axis: str, values: Sequence[str]) -> int:
    """How many known profiles make one of these choices."""
    return sum(getattr(one, axis) in values for one in _known(measure))


def _known(measure: Measure) -> tuple[Conventions, ...]:
    """Every profile that is known of the measure, as far as it can matter to it, or of what that is made of."""
    of_parts = (known for part in parts_of(measure) for known in _known(part))
    return (*_of_all(measure, tuple(claims_of(measure))), *of_parts)


@cache
def _of_all(measure: Measure, claims: tuple[Conventions, ...]) -> tuple[Conventions, ...]:
    """The same, by what libraries claim: their sheets may be read anew (`rankproof.checking.nearest.forget`)."""
    matter = axes_of(measure)
    plain = Conventions()
    known = (*claims, *_read(measure), *(own.conventions(measure) for own in PROFILES.values()))
    return tuple(plain.replace(**{axis: getattr(one, axis) for axis in matter}) for one in known)


def _read(measure: Measure) -> Iterator[Conventions]:
    for own in read_ways().values():
        with suppress(UnknownConvention):
            yield own.conventions(measure)
