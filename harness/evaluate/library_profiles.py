"""Profiles by name: those of the reference, and of each library the one that its published fingerprint found.

`evaluate`, `catboost`, `sklearn/appended`, `ir_measures missing=0` name, for every form of a measure that was fingerprinted, the
conventions that the answers of the library proved, in the version that the published run asked. An axis that nothing decided stays
marked as open; it is taken to be as the other forms of the measure have it, where the answers to this one bear that out, and else as in
`standard`. A library with several variants is named with one of them, if none is its default; some have a second name that people type
(`spark`). Where a library is called like a profile of the reference, it is the latter that is meant. A name that no fingerprint has may
be that of a tool whose source was read (`rankproof.evaluate.read_profiles`).

>>> from rankproof.reference_impl.notation import parse
>>> evaluate = profile_named("evaluate missing=0")
>>> [evaluate.conventions(parse(measure)).order for measure in ("P@5", "nDCG@5")]
['score', 'input']
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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

_PARSED = cache(parse)
"""The signature of that text; each is read for every call that names its library."""
HELD_OUT = "held_out.json"
INSTEAD = "(of any other tool, `rankproof check` finds what its function does, and `rankproof explain --value` what gives its number)"
"""What can be done about a tool of which there is no profile."""
DEFAULT = "default"
"""The variant that a library is asked in where nothing is said."""


def profile_named(spec: str | Conventions | Profile) -> Profile:
    """The profile that a name, of the reference or of a library, and changes behind it, stand for.

    Raises:
        UnknownProfile: the first word is no such name, or a library whose variants it does not tell apart.
        UnknownConvention: a change names no axis or value.
    """
    if not isinstance(spec, str):
        return by_measure(spec)
    name, _, changes = spelled(spec).strip().partition(" ")
    if not name or "=" in name or name in PROFILES:
        return by_measure(spec)
    read = None if is_published(name) else read_profile(name)
    return (read or of_library(name)).changed(changes)


def is_published(name: str) -> bool:
    """Whether a fingerprint of that name was published: of a library, of a variant of one, or of a version of either."""
    return any(usual_name(name) in _names(subject) or name == subject.variant for subject in published())


def speaking_of(profile: Profile, measure: Measure) -> Profile:
    """The same, where it has the measure; else with it, where it has it once under a parameter that names conventions, and not plain.

    >>> from rankproof.reference_impl.notation import parse
    >>> gdeval, plain = profile_named("gdeval"), parse("nDCG@10")
    >>> [*gdeval.of], speaking_of(gdeval, plain).conventions(plain).gain
    (['ERR@k', "nDCG(dcg='exp-log2')@k"], 'exp')

    Raises:
        UnknownConvention: it speaks of no such measure.
    """
    try:
        profile.conventions(measure)
    except UnknownConvention:
        having = {key: form for key in profile.of if key != EVERY and (form := measure_of(key)).name == measure.name}
        same = [key for key, form in having.items() if _is_plain_of(form, measure)]
        if len(same) != 1:
            raise
        (key,) = same
        fixed = fixed_by_parameters(having[key])
        own = {axis: values for axis, values in profile.open.get(key, {}).items() if axis not in fixed}
        of = {**profile.of, key_of(measure): profile.of[key].replace(**fixed)}
        return replace(profile, of=of, open={**profile.open, key_of(measure): own})
    return profile


def speaks_of(profile: Profile, measure: Measure) -> bool:
    """Whether a profile has the measure."""
    try:
        profile.conventions(measure)
    except UnknownConvention:
        return False
    return True


def _is_plain_of(form: Measure, measure: Measure) -> bool:
    """Whether a form is the measure but for its cutoff, and for parameters that name conventions."""
    if form.of_labels or measure.of_labels or (form.cutoff is None) != (measure.cutoff is None):
        return False
    own = tuple(param for param in form.params if form.definition.params[param[0]].conventions is None)
    return form.params != measure.params and own == measure.params


def of_library(name: str) -> Profile:
    """The profile of a library, of a `library/variant`, or of one of several versions of either, by its published fingerprint.

    Raises:
        UnknownProfile: there is no such library or variant; or there are several, and none is the default.
    """
    subject = subject_named(name)
    forms = published()[subject]
    whose = f"{subject.name} {subject.version}"
    signatures = {one.key: _PARSED(one.signature) for one in forms}
    untested = {one.key: _untested(one, forms) for one in forms}
    # What cannot matter to the measure is in no signature.
    of = {one.key: one.proved.replace(**signatures[one.key].taken, **untested[one.key]) for one in forms}
    still = {key: {**one.open, **dict.fromkeys(untested[key], ())} for key, one in signatures.items()}
    return Profile(of, whose, still, by=subject.signed)


def form_of(name: str, measure: Measure) -> Fingerprint | None:
    """The published fingerprint of a measure of the library that is called so; None if there is none."""
    try:
        forms = published()[subject_named(name)]
    except UnknownProfile:
        return None
    return next((one for one in forms if one.key == key_of(measure)), None)


def _untested(form: Fingerprint, forms: Iterable[Fingerprint]) -> dict[str, str]:
    """Return the rare axes that no input of the form can decide, if another form of the library departs from `standard` there."""
    rare = (axis for axis in axes_of(measure_of(form.key)) if AXES[axis].rare and axis not in form.axes)
    others = {axis: {other.axes[axis].value for other in forms if axis in other.axes} for axis in rare}
    return {axis: AXES[axis].default for axis, said in others.items() if said - {AXES[axis].default, None}}


def subject_named(name: str) -> Subject:
    """The library, in one of its variants, that the published run asked and that is called so.

    Raises:
        UnknownProfile: there is no such library or variant; or there are several, and none is the default.
    """
    meant = [subject for subject in published() if usual_name(name) in _names(subject)]
    # gdeval is asked through ir_measures, and has a name of its own.
    meant = meant or [subject for subject in published() if name == subject.variant]
    if not meant:
        raise UnknownProfile(_unknown(name))
    chosen = [subject for subject in meant if subject.variant == DEFAULT] or meant
    if len(chosen) > 1:
        raise UnknownProfile(f"{name} answers in several ways; say which: {', '.join(_called(chosen))}")
    return chosen[0]


def each_way(spec: str) -> tuple[str, ...]:
    """The name of a profile; of a library that answers in several ways and has no default, that of each way.

    >>> each_way("sklearn"), each_way("trec_eval-9")
    (('sklearn/appended', 'sklearn/rows', 'sklearn/rows-ignore-ties'), ('trec_eval-9',))
    >>> each_way("sklearn missing=0")[:2], each_way("trec_eval-9 missing=0")
    (('sklearn/appended missing=0', 'sklearn/rows missing=0'), ('trec_eval-9 missing=0',))
    """
    name, _, changes = spec.strip().partition(" ")
    own = [subject for subject in published() if subject.library == usual_name(name)]
    if len(own) < 2 or any(subject.variant == DEFAULT for subject in own):  # noqa: PLR2004 - one way, or several
        return (spec,)
    return tuple(f"{called} {changes}".strip() for called in _called(own))


def other_ways(name: str, measure: Measure) -> dict[str, Profile]:
    """The other ways of asking the tool of that name that speak of a measure: those with a fingerprint, then those that were read."""
    first = name.strip().partition(" ")[0]
    if not is_published(first):
        return {}
    own = subject_named(first)
    called = {subject: way for subject, way in names_of(published()).items() if subject.library == own.library}
    ways = {way: of_library(way) for subject, way in called.items() if subject != own}
    tool = usual_name(first).partition("/")[0]
    ways |= {way: read for way, read in read_ways().items() if way.startswith(f"{tool}/")}
    return {way: profile for way, profile in ways.items() if speaks_of(profile, measure)}


def _names(subject: Subject) -> set[str]:
    """All that a subject may be called: with its variant or without, with its version or without."""
    names = {subject.library, f"{subject.library}/{subject.variant}"}
    return names | {f"{name}-{subject.version}" for name in names}


def _unknown(name: str) -> str:
    if "|" in name:
        return f"{shortened(name)} is a signature, and no profile: `rankproof evaluate --signature` computes by it"
    library, _, variant = usual_name(name).partition("/")
    own = [subject for subject in published() if subject.library == library]
    if own:
        return f"{library} has no variant {shortened(variant)}; say which: {', '.join(_called(own, whole=True))}"
    variants = (subject.variant for subject in published() if subject.variant != DEFAULT)
    listed = [*PROFILES, *library_names(), *read_ways()]
    also = (other for tool in read_tools().values() for other in tool.also)
    meant = did_you_mean(name, [*listed, *variants, *also, *ALSO_CALLED], listed, "rankproof show profiles")
    return f"{shortened(name)} is no profile; {meant} {INSTEAD}"


def _called(subjects: Iterable[Subject], *, whole: bool = False) -> list[str]:
    """What each is called among the others; with the variant even where it is the only one, if so wanted."""
    named = (replace(subject, alone=False) if whole else subject for subject in subjects)
    return list(names_of(named).values())


def library_names() -> list[str]:
    """Every name of a library: alone where that suffices, and with each variant where there are several."""
    names: list[str] = []
    for subject, called in names_of(published()).items():
        alone = any(one.variant == DEFAULT for one in published() if one.library == subject.library)
        names += [subject.library, called] if alone else [called]
    return list(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How often the profile of a library gave what the library gives, on runs that no fingerprint was inferred from.

    Attributes:
        command: what was run to count it.
        forms: form of a measure -> kind (equal, rounded, within ties, open, marked, unexplained) -> how many answers.
    """

    command: str
    forms: Mapping[str, Mapping[str, int]]


@cache
def held_out() -> Mapping[str, HeldOut]:
    """What was counted of each subject, by how signatures name it; of a version that was not asked there is nothing."""
    document = json.loads((files("rankproof.reports") / HELD_OUT).read_text(encoding="utf-8"))
    return {signed: HeldOut(document["command"], forms) for signed, forms in document["forms"].items()}


@cache
def published() -> Mapping[Subject, list[Fingerprint]]:
    """What the published run found of each subject: a fingerprint for each form of a measure."""
    return grouped((one.subject, one) for one in read_text(_text(), FILE))


def published_document() -> Mapping[str, Any]:
    """The file itself: who was asked, and from which results all was inferred."""
    document: Mapping[str, Any] = json.loads(_text())
    return document


def _text() -> str:
    return (files("rankproof.reports") / FILE).read_text(encoding="utf-8")
