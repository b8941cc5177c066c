"""Profiles by name: those of the reference, and those of libraries from published fingerprints or from source code.

Names such as `evaluate`, `sklearn/appended` and `ir_measures missing=0` mean the conventions of a library, proved by
its values for each form of a measure. Undetermined axes are marked as open. Their value follows the
other forms of the library if its values allow that, and `standard` otherwise.

>>> from rankproof.reference_impl.notation import parse
>>> evaluate = profile_named("evaluate missing=0")
>>> [evaluate.conventions(parse(measure)).order for measure in ("P@5", "nDCG@5")]
['score', 'input']
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from rankproof.evaluate.read_profiles import read_profile, read_tools, read_ways
from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import FILE, Fingerprint, read_text
from rankproof.inference.signatures import axes_of, parse
from rankproof.measure_facts import fixed_by_parameters
from rankproof.measure_forms import key_of, measure_of
from rankproof.reference_impl.conventions import AXES, Conventions, UnknownConvention, spelled
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import EVERY, PROFILES, Profile, UnknownProfile, by_measure
from rankproof.reference_impl.shown import did_you_mean, shortened
from rankproof.workers.known_libraries import ALSO_CALLED, usual_name
from rankproof.workers.subjects import Subject, names_of

_parsed = cache(parse)
_REMEDY = "(for other tools, use `rankproof check` on a function, or `rankproof explain --value` on a number)"
_DEFAULT = "default"
"""The default variant of a library."""


def profile_named(spec: str | Conventions | Profile) -> Profile:
    """Return the profile that a spec names: the name of a profile or library, optionally followed by changes.

    Raises:
        UnknownProfile: the first word is not a profile, or is a library with several variants.
        UnknownConvention: a change has an unknown axis or value.
    """
    if not isinstance(spec, str):
        return by_measure(spec)
    name, _, changes = spelled(spec).strip().partition(" ")
    if not name or "=" in name or name in PROFILES:
        return by_measure(spec)
    read = None if is_published(name) else read_profile(name)
    return (read or _profile(subject_named(name))).changed(changes)


def _profile(subject: Subject) -> Profile:
    forms = published()[subject]
    of: dict[str, Conventions] = {}
    open_axes: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for form in forms:
        signature, untested = _parsed(form.signature), _untested_axes(form, forms)
        of[form.key] = form.proved.replace(**signature.taken, **untested)
        open_axes[form.key] = {**signature.open, **dict.fromkeys(untested, ())}
    return Profile(of, f"{subject.name} {subject.version}", open_axes, by=subject.signed)


def _untested_axes(form: Fingerprint, forms: Iterable[Fingerprint]) -> dict[str, str]:
    """Return the rare axes that were not tested for a form, but differ from `standard` in another form."""
    rare = (axis for axis in axes_of(measure_of(form.key)) if AXES[axis].rare and axis not in form.axes)
    others = {axis: {other.axes[axis].value for other in forms if axis in other.axes} for axis in rare}
    return {axis: AXES[axis].default for axis, values in others.items() if values - {AXES[axis].default, None}}


# -- what is published -----------------------------------------------------------------------------------------------------


@cache
def published() -> Mapping[Subject, list[Fingerprint]]:
    """Return the published fingerprints of each library, one per form of a measure."""
    return grouped((form.subject, form) for form in read_text(_report(FILE), FILE))


def published_document() -> Mapping[str, Any]:
    """Return the content of the file of published fingerprints."""
    document: Mapping[str, Any] = json.loads(_report(FILE))
    return document


@cache
def held_out() -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    """Return how often profiles agree with libraries on held-out runs: library -> form -> agreement -> count."""
    of: Mapping[str, Mapping[str, Mapping[str, int]]] = json.loads(_report("held_out.json"))["forms"]
    return of


def _report(name: str) -> str:
    return (files("rankproof.reports") / name).read_text(encoding="utf-8")


# -- names of libraries ----------------------------------------------------------------------------------------------------


def subject_named(name: str) -> Subject:
    """Return the published library and variant that a name means.

    Raises:
        UnknownProfile: the library or variant is unknown, or the library has several variants without a default.
    """
    meant = [subject for subject in published() if usual_name(name) in _names(subject)]
    # gdeval is run through ir_measures, and has another name.
    meant = meant or [subject for subject in published() if name == subject.variant]
    if not meant:
        raise UnknownProfile(_unknown(name))
    chosen = [subject for subject in meant if subject.variant == _DEFAULT] or meant
    if len(chosen) > 1:
        raise UnknownProfile(f"{name} has several variants. Choose one: {', '.join(names_of(chosen).values())}")
    return chosen[0]


def _names(subject: Subject) -> set[str]:
    """Return all names of a library, with and without its variant and its version."""
    names = {subject.library, f"{subject.library}/{subject.variant}"}
    return names | {f"{name}-{subject.version}" for name in names}


def _unknown(name: str) -> str:
    if "|" in name:
        return f"{shortened(name)} is a signature, not a profile. Compute it with `rankproof evaluate --signature`."
    library, _, variant = usual_name(name).partition("/")
    own = names_of(replace(subject, alone=False) for subject in published() if subject.library == library)
    if own:
        return f"{library} has no variant {shortened(variant)}. Choose one: {', '.join(own.values())}"
    variants = (subject.variant for subject in published() if subject.variant != _DEFAULT)
    listed = [*PROFILES, *library_names(), *read_ways()]
    also = (other for tool in read_tools().values() for other in tool.also)
    meant = did_you_mean(name, [*listed, *variants, *also, *ALSO_CALLED], listed, "rankproof show profiles")
    return f"Unknown profile {shortened(name)!r}; {meant} {_REMEDY}"


def is_published(name: str) -> bool:
    """Return whether a name means a published library, a variant, or a version of either."""
    return any(usual_name(name) in _names(subject) or name == subject.variant for subject in published())


def library_names() -> list[str]:
    """Return the names of libraries: alone if there is a default variant, and with each of several variants."""
    defaults = {subject.library for subject in published() if subject.variant == _DEFAULT}
    names = (
        [subject.library] * (subject.library in defaults) + [name] for subject, name in names_of(published()).items()
    )
    return list(dict.fromkeys(name for own in names for name in own))


def each_way(spec: str) -> tuple[str, ...]:
    """Return a spec unchanged, or a spec for each variant if the library has several and no default.

    >>> each_way("sklearn"), each_way("trec_eval-9")
    (('sklearn/appended', 'sklearn/rows', 'sklearn/rows-ignore-ties'), ('trec_eval-9',))
    >>> each_way("sklearn missing=0")[:2], each_way("trec_eval-9 missing=0")
    (('sklearn/appended missing=0', 'sklearn/rows missing=0'), ('trec_eval-9 missing=0',))
    """
    name, _, changes = spec.strip().partition(" ")
    own = [subject for subject in published() if subject.library == usual_name(name)]
    if len(own) <= 1 or any(subject.variant == _DEFAULT for subject in own):
        return (spec,)
    return tuple(f"{called} {changes}".strip() for called in names_of(own).values())


# -- profiles that have a measure ------------------------------------------------------------------------------------------


def form_of(name: str, measure: Measure) -> Fingerprint | None:
    """Return the published fingerprint of a library for a measure, or None."""
    try:
        forms = published()[subject_named(name)]
    except UnknownProfile:
        return None
    return next((form for form in forms if form.key == key_of(measure)), None)


def speaks_of(profile: Profile, measure: Measure) -> bool:
    """Return whether a profile covers a measure."""
    try:
        profile.conventions(measure)
    except UnknownConvention:
        return False
    return True


def speaking_of(profile: Profile, measure: Measure) -> Profile:
    """Return a profile that covers a measure, even if it has the measure only with a parameter that names conventions.

    >>> from rankproof.reference_impl.notation import parse
    >>> gdeval, plain = profile_named("gdeval"), parse("nDCG@10")
    >>> [*gdeval.of], speaking_of(gdeval, plain).conventions(plain).gain
    (['ERR@k', "nDCG(dcg='exp-log2')@k"], 'exp')

    Raises:
        UnknownConvention: the profile does not have the measure, or has it with several such parameters.
    """
    try:
        profile.conventions(measure)
    except UnknownConvention:
        having = {key: form for key in profile.of if key != EVERY and (form := measure_of(key)).name == measure.name}
        same = [key for key, form in having.items() if _is_plain_of(form, measure)]
        if len(same) != 1:
            raise
        fixed = fixed_by_parameters(having[same[0]])
        own = {axis: values for axis, values in profile.open.get(same[0], {}).items() if axis not in fixed}
        of = {**profile.of, key_of(measure): profile.of[same[0]].replace(**fixed)}
        return replace(profile, of=of, open={**profile.open, key_of(measure): own})
    return profile


def _is_plain_of(form: Measure, measure: Measure) -> bool:
    """Return whether a form is the measure, apart from its cutoff and parameters that name conventions."""
    if form.of_labels or measure.of_labels or (form.cutoff is None) != (measure.cutoff is None):
        return False
    own = tuple(param for param in form.params if form.definition.params[param[0]].conventions is None)
    return form.params != measure.params and own == measure.params


def other_ways(name: str, measure: Measure) -> dict[str, Profile]:
    """Return the other ways of using a tool that have a measure: with a fingerprint first, then from source code."""
    first = name.strip().partition(" ")[0]
    if not is_published(first):
        return {}
    own, tool = subject_named(first), usual_name(first).partition("/")[0]
    called = names_of(published()).items()
    ways = {way: _profile(subject) for subject, way in called if subject.library == own.library and subject != own}
    ways |= {way: read for way, read in read_ways().items() if way.startswith(f"{tool}/")}
    return {way: profile for way, profile in ways.items() if speaks_of(profile, measure)}
