"""The tiers of what a function is asked: ordinary input, and extreme; as far as the function is told what makes it extreme."""

from rankproof.calling.targets import Form
from rankproof.cases.inputs import Input
from rankproof.meaning.input_traits import Trait, traits_of


def traits(form: Form, data: Input, k: float | None = None) -> tuple[Trait, ...]:
    """What an input has that a function of the form is told."""
    return tuple(trait for trait in traits_of(data, k) if trait.about not in _untold(form))


def _untold(form: Form) -> frozenset[str]:
    """What it is told nothing of: ids, where its arguments are rows; rels, where they are the relevant docs alone."""
    no_ids, no_rels = "known" in form.settled, form.settled.get("gain") == "binary"
    return frozenset(what for what, untold in (("ids", no_ids), ("rels", no_rels)) if untold)
