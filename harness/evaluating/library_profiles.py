"""Profiles by name: those of the reference, and of each library the one that its published fingerprint found.

`evaluate`, `catboost`, `sklearn/appended`, `ir_measures missing=0` name, for every form of a measure that was fingerprinted, the
conventions that the answers of the library proved, in the version that the published run asked. An axis that nothing decided is as in
`standard`, unless that value itself was excluded. A library with several variants is named with one of them, if none is its default.
Where a library is called like a profile of the reference, it is the latter that is meant.

>>> from rankproof.reference_impl.notation import parse
>>> evaluate = profile_named("evaluate missing=0")
>>> [evaluate.conventions(parse(measure)).order for measure in ("P@5", "nDCG@5")]
['score', 'input']
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, parse_conventions
from rankproof.reference_impl.profiles import PROFILES, Profile, UnknownProfile, by_measure

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
    name, _, changes = spec.strip().partition(" ")
    if not name or "=" in name or name in PROFILES:
        return by_measure(spec)
    return of_library(name).changed(changes)


def of_library(name: str) -> Profile:
    """The profile of a library, or of a `library/variant`, by its published fingerprint.

    Raises:
        UnknownProfile: there is no such library or variant; or there are several, and none is the default.
    """
    library, _, variant = name.partition("/")
    variants = published().get(library)
    if variants is None:
        msg = f"{name} is no profile; known are {', '.join(PROFILES)}, and of libraries {', '.join(library_names())}"
        raise UnknownProfile(msg)
    chosen = variant or (DEFAULT if DEFAULT in variants else next(iter(variants)) if len(variants) == 1 else "")
    if chosen not in variants:
        said = f"{library} has no variant {variant}" if variant else f"{library} answers in several ways"
        msg = f"{said}; say which: {', '.join(f'{library}/{one}' for one in variants)}"
        raise UnknownProfile(msg)
    return _profile(f"{library}/{chosen}" if len(variants) > 1 else library, variants[chosen])


def library_names() -> list[str]:
    """Every name of a library: alone where that suffices, and with each variant where there are several."""
    names = []
    for library, variants in published().items():
        names += [library] if DEFAULT in variants or len(variants) == 1 else []
        names += [f"{library}/{one}" for one in variants if len(variants) > 1]
    return names


@cache
def published() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """Library -> variant -> form of a measure -> what `fingerprint.as_json` said of the published run."""
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(
        (files("rankproof.reports") / "fingerprint.json").read_text(encoding="utf-8")
    )
    return found


def _profile(name: str, forms: Mapping[str, Mapping[str, Any]]) -> Profile:
    version = next(iter(forms.values()))["version"]
    return Profile({key: conventions_found(found) for key, found in forms.items()}, whose=f"{name} {version}")


def conventions_found(found: Mapping[str, Any]) -> Conventions:
    """The conventions that the fingerprint of a form proves, those of the profile found where it does not say which of several."""
    profile = parse_conventions(found["profile"])
    said = {axis: finding["value"] for axis, finding in found["axes"].items() if "value" in finding}
    undecided = {
        axis: getattr(STANDARD, axis)
        for axis, finding in found["axes"].items()
        if axis in AXES and getattr(STANDARD, axis) in finding.get("undetermined", ())
    }
    return profile.replace(**undecided, **said)
