"""What is asked: the measures as people write them, and what a profile says of each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

from rankproof.evaluate.defined_measures import is_defined
from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.inputs.rows import scored
from rankproof.evaluate.library_profiles import form_of
from rankproof.evaluate.result import canonical
from rankproof.inference.signatures import REFERENCE, Signature
from rankproof.inference.signatures import parse as parse_signature
from rankproof.measure_forms import without_cutoff
from rankproof.measure_names import called, measure_called
from rankproof.reference_impl.conventions import Conventions, UnknownConvention
from rankproof.reference_impl.notation import Measure, UnknownMeasure
from rankproof.reference_impl.profiles import Profile
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import as_written
from rankproof.version import VERSION

BEYOND_ALL_CUTOFFS = 10**18
"""The notation of measures has no such cutoff."""


class AskedTwice(Unusable):
    """One measure is asked under two sets of conventions, so that its name does not say which."""


def at_cutoffs(written: Any, k: Any) -> list[Any]:  # noqa: ANN401 - see evaluate
    """Each measure at each cutoff; as they are where no cutoff is given.

    Raises:
        BadInput: one is no cutoff, or a measure has one already.
    """
    measures = _several(written)
    if k is None:
        return measures
    cutoffs = list(k) if isinstance(k, Iterable) else [k]
    for cutoff in cutoffs:
        if not isinstance(cutoff, Integral) or isinstance(cutoff, bool) or not 1 <= int(cutoff) < BEYOND_ALL_CUTOFFS:
            raise BadInput("k", f"{as_written(cutoff)} is no cutoff; a cutoff is a whole number from 1 on")
    if not cutoffs:
        raise BadInput("k", "no cutoff is given; leave k out, or give one")
    for measure in measures:
        if "@" in str(measure):
            raise BadInput("k", f"{measure} has a cutoff already; ask {without_cutoff(str(measure))}, or leave k out")
    return [m @ c if is_defined(m) else f"{m}@{c}" for m in measures for c in cutoffs]


def _several(measures: Any) -> list[Any]:  # noqa: ANN401 - see evaluate
    # ir_measures' objects have __getitem__, so only __iter__ tells one from several.
    if isinstance(measures, Mapping):
        raise BadInput("measures", "it is a mapping; the measures come first: evaluate(measures, qrels, run)")
    several = isinstance(measures, Iterable) and not isinstance(measures, str)
    return list(measures) if several else [measures]


def signatures_of(
    measures: Sequence[Any],
    profile: Profile,
    signature: str | Signature | Iterable[str | Signature],
) -> dict[str, Signature]:
    """The signature of each measure, by what it was asked as, in the order asked.

    Raises:
        UnknownMeasure: one is none.
        AskedTwice: one measure is asked under different conventions.
    """
    wanted = [task for written in measures for task in _called(str(written), profile)]
    for given in [signature] if isinstance(signature, str | Signature) else signature:
        said = parse_signature(given) if isinstance(given, str) else given
        wanted.append((str(said.measure), replace(said, version=VERSION)))
    known: dict[str, Signature] = {}
    for name, asked in wanted:
        first = known.setdefault(canonical(name), asked)
        if (first.measure, first.conventions) != (asked.measure, asked.conventions):
            both = f"{first} and {asked}"
            raise AskedTwice(f"{asked.measure} is asked under different conventions, {both}; ask them one by one")
    return dict(wanted)


def _called(written: str, profile: Profile) -> list[tuple[str, Signature]]:
    """The measures of that name, with what the profile says of each; in a set, of those of which it says something."""
    if "|" in written:
        mend = "ask for it by --signature, or as the signature"
        raise UnknownMeasure(f"{shortened(written)} is a signature, and no measure: {mend}")
    found = called(written)
    tasks: list[tuple[str, Signature]] = []
    for one in found:
        try:
            tasks.append((one.name, _under(profile.changed(one.changes) if one.changes else profile, one.measure)))
        except UnknownConvention:
            if one is found[-1] and not tasks:
                raise
    return tasks


def ranking_measure(written: object) -> Measure:
    """The measure of rankings that a text or an ir_measures object stands for.

    Raises:
        UnknownMeasure: there is none.
    """
    measure = measure_called(written if isinstance(written, Measure) else str(written))
    if measure.of_labels:
        raise UnknownMeasure(f"{measure} compares two labelings; a run has none")
    return measure


def signature_under(profile: Profile, written: object) -> Signature:
    """What a profile says of a measure, as text or an ir_measures object.

    Raises:
        UnknownMeasure: there is no such measure of rankings.
    """
    return _under(profile, ranking_measure(written))


def _under(profile: Profile, measure: Measure) -> Signature:
    open_axes = tuple(profile.undecided(measure).items())
    form = form_of(profile.by, measure) if profile.by else None
    unexplained, by = len(form.missed) if form else 0, profile.by or REFERENCE
    return Signature(measure, profile.conventions(measure), by, remaining=open_axes, unexplained=unexplained)


def names_in_order(asked: Sequence[Any], tasks: Iterable[str]) -> list[str]:
    """The names of all measures, as they were asked."""
    names = ([str(one)] if is_defined(one) else [each.name for each in called(str(one))] for one in asked)
    return list(dict.fromkeys([*(name for own in names for name in own), *tasks]))


def refuse_names(own: Sequence[Any], tasks: Iterable[str]) -> None:
    """Refuse a measure made by `define` that is called as another one that is asked."""
    named: dict[str, Any] = {}
    for measure in own:
        if str(measure) in tasks or type(named.setdefault(str(measure), measure)) is not type(measure):
            raise AskedTwice(f"two measures that are asked are called {measure}; give define another name")


def are_of_labelings(tasks: Sequence[Signature], own: Sequence[Any]) -> bool:
    """Whether the measures compare labelings; they all do, or none does."""
    labels = [task.measure for task in tasks if task.measure.of_labels]
    others = [*(task.measure for task in tasks if not task.measure.of_labels), *own]
    if labels and others:
        what = f"{labels[0]} compares two labelings and {others[0]} measures rankings"
        raise UnknownMeasure(f"{what}; ask them one by one")
    return bool(labels)


def refuse_R(tasks: Mapping[str, Signature]) -> None:  # noqa: N802 - R is its name
    """Refuse R where it could have no effect."""
    for name, task in tasks.items():
        if task.conventions.known == "retrieved":
            raise BadInput("R", f"by known=retrieved, {name} knows only what the list holds; leave R out")
        if task.measure.rel != 1:
            raise BadInput("R", f"it counts docs of rel 1, and {name} has a threshold of its own; give qrels")


def strictest_of(conventions: Sequence[Conventions]) -> Conventions:
    """What reading must see to: duplicates are refused if one rejects them, scores and ranks are read if one asks for them."""
    if not conventions:
        return Conventions()
    refused = {
        axis: "rejected"
        for axis in ("run_duplicates", "qrels_duplicates")
        if any(getattr(one, axis) == "rejected" for one in conventions)
    }
    by_score = any(map(scored, conventions))
    by_rank = any(one.order == "rank" for one in conventions)
    read = {
        "order": "rank" if by_rank else "score" if by_score else "input",
        "score_sign": "positive" if by_rank and by_score else "any",
    }
    return Conventions(run_duplicates="both", qrels_duplicates="both").replace(**refused, **read)
