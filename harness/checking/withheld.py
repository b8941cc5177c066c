"""What the form of a function withholds from it, of what the measure looks at: beyond that it cannot be said to be the measure."""

from collections.abc import Iterator
from dataclasses import dataclass

from rankproof.calling.call_forms import OF_ONE_RELEVANT, PLACES, RANKS
from rankproof.calling.targets import Form, Target
from rankproof.meaning.measure_facts import fixed_by_parameters, looks_at
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.notation import Measure

OF_SEVERAL = frozenset({"R", "relevant", "gains", "rels", "judgments"})
"""What a measure looks at of each relevant doc, and not of the first alone."""


@dataclass(frozen=True)
class Withheld:
    """What a function is told nothing of.

    Attributes:
        wherever: the inputs on which it is told all that matters, after "where".
        beyond: what stays open on others, after "undetermined:".
    """

    wherever: str
    beyond: str


def withheld(measure: Measure, follows: Conventions, target: Target) -> Withheld | None:
    """What a function that is called so is told nothing of; None where it is told all that the measure looks at."""
    if measure.of_labels:
        return None
    found = list(_withheld(measure, follows, target.form, are_flags=target.of_flags))
    if not found:
        return None
    return Withheld(" and ".join(one.wherever for one in found), ", ".join(one.beyond for one in found))


def _withheld(measure: Measure, follows: Conventions, form: Form, *, are_flags: bool) -> Iterator[Withheld]:
    profile = {axis: getattr(measure.conventions(follows), axis) for axis in AXES}
    if form.settled.get("known") == "retrieved" and not looks_at(measure, profile).isdisjoint({"R", "judgments"}):
        own = measure.definition.own_axes
        if "ideal" in own:
            beyond = "its ideal"
        elif any(axis.endswith("_denominator") for axis in own):
            beyond = "what it divides by"
        else:
            beyond = "what it gives"
        yield Withheld("all relevant docs are retrieved", f"{beyond} where a relevant doc is not retrieved")
    if form in OF_ONE_RELEVANT and not looks_at(measure, profile).isdisjoint(OF_SEVERAL):
        yield Withheld("a query has one relevant doc", "what it gives for several relevant docs")
    if form in {RANKS, PLACES}:
        yield Withheld("its relevant doc is retrieved", "what it gives where its relevant doc is not retrieved")
    if are_flags or form.settled.get("gain") == "binary":
        if "gain" in axes_of(measure) and "gain" not in fixed_by_parameters(measure):
            yield Withheld("every rel is 0 or 1", "the gain of other rels")
        elif "rels" in looks_at(measure, profile):
            yield Withheld("every rel is 0 or 1", "what it gives for other rels")
