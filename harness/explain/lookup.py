"""Facts about what rankproof knows by a name: a measure, an axis, a convention, a profile, a library, a case or a signature."""

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from rankproof import cases as corpus
from rankproof.bounded import text_of
from rankproof.display import Display
from rankproof.evaluate.library_profiles import (
    held_out,
    is_published,
    library_names,
    profile_named,
    published,
    subject_named,
)
from rankproof.evaluate.read_profiles import read_ways, tool_of
from rankproof.explain.signature_comparison import AxisInWords, Compared, axes_in_words, compare
from rankproof.grouping import grouped
from rankproof.inference.equivalent_choices import can_matter
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.signatures import parse as parse_signature
from rankproof.measure_forms import named, written
from rankproof.measure_names import measure_called, why_unknown
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.contingency import Clustering
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.definition import Definition
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import ALIASES, UnknownMeasure
from rankproof.reference_impl.profiles import EVERY, PROFILES
from rankproof.reference_impl.shown import nearest_of, shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import usual_name
from rankproof.workers.subjects import names_of

CUTOFFS = ("", "@10", "@0.1")
"""Cutoffs with which a name is tried as a measure."""


class UnknownName(Unusable):
    """Nothing that rankproof knows has this name."""


@dataclass(frozen=True, repr=False)
class ShownMeasure(Display):
    """A measure: its definition, parameters (with defaults), bounds, and the conventions that can change it (as in `standard`)."""

    name: str
    notation: str
    definition: str
    description: str
    parameters: Mapping[str, str]
    other_names: tuple[str, ...]
    bounds: tuple[float | None, float | None] | None
    of_labels: bool
    axes: Mapping[str, str]
    libraries: tuple[str, ...]
    kind: str = "measure"


@dataclass(frozen=True)
class ShownConvention:
    """A value on an axis, and the libraries observed to follow it (library -> forms of measures).

    `ambiguous` has libraries of which no observation excludes another value: library -> the other values.
    """

    value: str
    meaning: str
    standard: bool
    libraries: Mapping[str, tuple[str, ...]]
    ambiguous: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, repr=False)
class ShownAxis(Display):
    """An axis: its question, its conventions, the measures that it can change, and the case that most often decides it."""

    name: str
    stage: str
    question: str
    standard: str
    conventions: tuple[ShownConvention, ...]
    measures: tuple[str, ...]
    other_values: str = ""
    witness: str = ""
    kind: str = "axis"


@dataclass(frozen=True)
class ShownForm:
    """The conventions of one or several measures that differ from `standard`, and the axes that no observation decides."""

    measures: tuple[str, ...]
    conventions: Mapping[str, str]
    undetermined: Mapping[str, tuple[str, ...]]
    witnesses: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    explained: int = 0
    observed: int = 0
    unexplained: tuple[str, ...] = ()
    known_exceptions: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class ShownProfile(Display):
    """A profile: of rankproof (`named`), of an observed library (`observed`), or of a tool whose source was read (`read`).

    `held_out` counts values on runs that no fingerprint was inferred from: kind of agreement -> number.
    """

    name: str
    origin: str
    of: str
    forms: tuple[ShownForm, ...]
    sources: tuple[str, ...] = ()
    tested: str = ""
    note: str = ""
    held_out: Mapping[str, int] = field(default_factory=dict)
    kind: str = "profile"


@dataclass(frozen=True, repr=False)
class ShownLibrary(Display):
    """A library and its variants, each with the profile inferred from its values."""

    name: str
    version: str
    variants: tuple[ShownProfile, ...]
    kind: str = "library"


@dataclass(frozen=True, repr=False)
class ShownCase(Display):
    """A case, and the text of its file."""

    case: corpus.Case
    file: str
    kind: str = "case"


@dataclass(frozen=True, repr=False)
class ShownSignature(Display):
    """A signature in words."""

    signature: str
    whole: str
    measure: str
    by: str
    rankproof: str
    axes: tuple[AxisInWords, ...]
    kind: str = "signature"


@dataclass(frozen=True, repr=False)
class ShownList(Display):
    """The names that `show` explains, by kind."""

    names: Mapping[str, tuple[str, ...]]
    kind: str = "list"


Entry = ShownMeasure | ShownAxis | ShownProfile | ShownLibrary | ShownCase | ShownSignature | Compared | ShownList


def show(name: str = "", other: str = "", fingerprints: Sequence[Fingerprint] | None = None) -> Entry:
    """Return the facts about a name; about two signatures, how they differ.

    Parameters
    ----------
    name : str
        A measure, axis, convention, profile, library, case or signature; without it, all names by kind.
    other : str
        A second signature.
    fingerprints : sequence of Fingerprint, optional
        Of libraries, in place of those of the published run.

    Returns
    -------
    ShownMeasure, ShownAxis, ShownProfile, ShownLibrary, ShownCase, ShownSignature, Compared or ShownList
        The facts.

    Raises
    ------
    UnknownName
        Nothing has this name.

    Examples
    --------
    >>> show("tie-breaking")
    <ShownAxis: ties: in which order are documents with equal scores ranked?>
    """
    if not name:
        return ShownList(names())
    if "|" in name:
        return compare(parse_signature(name), parse_signature(other)) if other else _signature(name)
    axis, _, value = name.replace(":", "=", 1).partition("=")
    if axis in AXES:
        return shown_axis(axis, value, fingerprints)
    return _library(name, fingerprints) if fingerprints is not None else _named(name)


def _named(name: str) -> ShownProfile | ShownLibrary | ShownCase | ShownMeasure | ShownAxis:
    first = name.partition(" ")[0]
    if name in PROFILES or first in read_ways() or is_published(usual_name(first)):
        return _profile(name)
    if (corpus.HERE / f"{name}.toml") in corpus.files():
        return _case(name)
    for cutoff in CUTOFFS:
        with suppress(UnknownMeasure):
            return shown_measure(measure_called(f"{name}{cutoff}").name)
    if axis := _axis_by_words(name):
        return shown_axis(axis)
    near = nearest_of(name.partition("@")[0], [entry for group in names().values() for entry in group])
    reason = why_unknown(name)
    if reason and (near is None or "Did you mean" not in reason):
        raise UnknownName(reason)
    hint = f"Did you mean {near}?" if near else "`rankproof show` lists all names."
    raise UnknownName(f"Unknown name {shortened(name)!r}. {hint}")


def synonyms() -> dict[str, str]:
    """Return other words by which people search for an axis, or for a value (`ties=worst`)."""
    return tomllib.loads((Path(__file__).parent / "synonyms.toml").read_text(encoding="utf-8"))


def _axis_by_words(name: str) -> str:
    """Return the axis whose label or synonyms have all words of a name; empty if there is none, or several.

    >>> _axis_by_words("tie-breaking"), _axis_by_words("Tied documents"), _axis_by_words("equal"), _axis_by_words("the")
    ('ties', 'ties', 'ties', '')
    """
    wanted = set(re.findall(r"\w+", name.casefold().replace("_", " ")))
    also = synonyms()
    texts = {axis: f"{AXES[axis].label} {axis} {also.get(axis, '')}".casefold() for axis in AXES}
    fitting = [
        axis for axis, text in texts.items() if wanted and wanted <= set(re.findall(r"\w+", text.replace("_", " ")))
    ]
    return fitting[0] if len(fitting) == 1 else ""


def names() -> dict[str, tuple[str, ...]]:
    """Return all names by kind, in the order of the documentation."""
    return {
        "measures": (*MEASURES, *CLUSTERINGS),
        "axes": tuple(AXES),
        "profiles": (*PROFILES, *read_ways()),
        "libraries": tuple(library_names()),
        "cases": tuple(f"{path.parent.name}/{path.stem}" for path in corpus.files()),
    }


# -- measures and axes ------------------------------------------------------------------------------------------------


def defined(name: str) -> Definition | Clustering:
    """Return the definition of a measure."""
    return MEASURES[name] if name in MEASURES else CLUSTERINGS[name]


def sentence_of(name: str) -> str:
    """Return the first sentence of the definition of a measure, as a noun phrase.

    >>> sentence_of("P")
    'Share of the top k documents that are relevant.'
    """
    first = (defined(name).formula.__doc__ or "").strip().partition("\n")[0]
    return re.sub(r"^(?:Return|Compute|Count|Estimate) (?:the )?(\w)", lambda start: start[1].upper(), first)


def aliases_of(name: str) -> tuple[str, ...]:
    """Return the other names of a measure."""
    return tuple(other for other, meant in ALIASES.items() if meant == name)


def measures_of(axis: str) -> tuple[str, ...]:
    """Return the measures that an axis can change."""
    return tuple(measure for measure in (*MEASURES, *CLUSTERINGS) if axis in can_matter(named(measure)))


def shown_measure(name: str) -> ShownMeasure:
    """Return the facts about a measure."""
    definition = defined(name)
    bounds = definition.bounds
    return ShownMeasure(
        name,
        written(name),
        sentence_of(name),
        (sys.modules[definition.formula.__module__].__doc__ or "").strip(),
        {param: "" if taken.default is None else repr(taken.default) for param, taken in definition.params.items()},
        aliases_of(name),
        None if bounds is None else (float(bounds[0]), float(bounds[1])),
        name in CLUSTERINGS,
        {axis: AXES[axis].default for axis in can_matter(named(name))},
        tuple(
            called
            for subject, called in names_of(published()).items()
            if any(form.key.partition("@")[0] == name for form in published()[subject])
        ),
    )


def shown_axis(axis: str, value: str = "", fingerprints: Sequence[Fingerprint] | None = None) -> ShownAxis:
    """Return the facts about an axis, or about one convention on it.

    Raises:
        UnknownConvention: the axis does not have the value.
    """
    about = AXES[axis]
    if value:
        about.check(value)
    all_forms = _published_forms() if fingerprints is None else fingerprints
    named_values = sorted(about.values, key=lambda choice: choice != about.default)
    by_value = followers(axis, all_forms)
    values = (value,) if value else tuple(dict.fromkeys([*named_values, *by_value]))
    witnesses = [form.axes[axis].witness for form in all_forms if axis in form.axes and form.axes[axis].witness]
    return ShownAxis(
        axis,
        about.stage,
        about.question,
        about.default,
        tuple(_convention(axis, choice, by_value.get(choice, {})) for choice in values),
        measures_of(axis),
        about.example if about.pattern and not value else "",
        max(sorted(set(witnesses)), key=witnesses.count, default=""),
    )


def followers(axis: str, forms: Iterable[Fingerprint]) -> dict[str, dict[tuple[str, tuple[str, ...]], list[str]]]:
    """Return value -> (library, other values that its observations allow) -> forms of measures."""
    forms = list(forms)
    called = names_of(form.subject for form in forms)
    by_value: dict[str, dict[tuple[str, tuple[str, ...]], list[str]]] = {}
    for form in forms:
        could_be = form.axes[axis].could_be if axis in form.axes else ()
        for value in could_be:
            others = tuple(other for other in could_be if other != value)
            by_value.setdefault(value, {}).setdefault((called[form.subject], others), []).append(form.key)
    return by_value


def _convention(axis: str, value: str, by: Mapping[tuple[str, tuple[str, ...]], Sequence[str]]) -> ShownConvention:
    libraries = grouped((library, key) for (library, _), keys in sorted(by.items()) for key in keys)
    ambiguous = {library: others for (library, others) in by if others}
    sure = {library for library, others in by if not others}
    return ShownConvention(
        value,
        AXES[axis].meaning(value),
        value == AXES[axis].default,
        {library: tuple(keys) for library, keys in libraries.items()},
        {library: others for library, others in ambiguous.items() if library not in sure},
    )


def _published_forms() -> list[Fingerprint]:
    return [form for forms in published().values() for form in forms]


# -- profiles and libraries -------------------------------------------------------------------------------------------


def _profile(name: str) -> ShownProfile | ShownLibrary:
    """Return a profile; of a library with several variants, all of them."""
    bare = usual_name(name)
    if name not in PROFILES and bare in {subject.library for subject in published()}:
        return _library(bare, [form for form in _published_forms() if form.library == bare])
    first, profile = name.partition(" ")[0], profile_named(name)
    if is_published(first) and name == first and first not in PROFILES:
        subject = subject_named(first)
        return _observed(first, published()[subject])
    tool = tool_of(first) if profile.read else None
    same = grouped(((own, tuple(profile.open.get(key, {}).items())), key) for key, own in profile.of.items())
    forms = tuple(
        ShownForm(
            tuple("every measure" if key == EVERY else key for key in keys),
            {axis: value for axis, value in STANDARD.differences(own).items() if axis not in dict(open_axes)},
            {axis: tuple(values) for axis, values in open_axes},
        )
        for (own, open_axes), keys in same.items()
    )
    if tool is None:
        return ShownProfile(name, "observed" if profile.whose else "named", profile.whose, forms)
    return ShownProfile(name, "read", profile.whose, forms, tuple(tool.sources), tool.run, tool.note)


def _library(name: str, forms: Sequence[Fingerprint]) -> ShownProfile | ShownLibrary:
    own = [form for form in forms if form.library == usual_name(name)]
    wanted = own or [form for form in forms if form.subject.is_called(usual_name(name))]
    if not wanted:
        raise UnknownName(f"These results have no values of {shortened(name)!r}.")
    called = names_of(form.subject for form in wanted)
    variants = tuple(
        _observed(called[subject], of_subject)
        for subject, of_subject in grouped((form.subject, form) for form in wanted).items()
    )
    versions = dict.fromkeys(form.subject.version for form in wanted)
    return variants[0] if len(variants) == 1 else ShownLibrary(name, ", ".join(versions), variants)


def _observed(name: str, forms: Sequence[Fingerprint]) -> ShownProfile:
    subject = forms[0].subject
    counts: dict[str, int] = {}
    for kinds in held_out().get(subject.signed, {}).values():
        for kind, number in kinds.items():
            counts[kind] = counts.get(kind, 0) + number
    shown_forms = tuple(map(_form, forms))
    return ShownProfile(name, "observed", f"{subject.library} {subject.version}", shown_forms, held_out=counts)


def _form(form: Fingerprint) -> ShownForm:
    return ShownForm(
        (form.key,),
        {finding.axis: str(finding.value) for finding in form.differing},
        {axis: form.axes[axis].open for axis in form.undecided},
        {finding.axis: f"{finding.witness} {finding.measure}".strip() for finding in form.differing},
        form.signature,
        form.explained,
        form.total,
        tuple(sorted({place.case for place in form.missed})),
        tuple(sorted({place.case for place in form.excepted})),
    )


# -- cases and signatures ---------------------------------------------------------------------------------------------


def _case(name: str) -> ShownCase:
    path = corpus.HERE / f"{name}.toml"
    return ShownCase(corpus.load(path), text_of(path))


def _signature(text: str) -> ShownSignature:
    signature = parse_signature(text)
    measure, axes = str(signature.measure), tuple(axes_in_words(signature))
    return ShownSignature(str(signature), signature.whole(), measure, signature.by, signature.version, axes)
