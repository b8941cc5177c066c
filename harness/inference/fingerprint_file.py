"""Fingerprints, and their file: JSON with a header and one line per fingerprint.

This module imports no inference code, so reading fingerprints is fast.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.bounded import BadDocument
from rankproof.bounded import text_of as text_in
from rankproof.documents import SchemaPart, entry_lines, json_in, on_line
from rankproof.files import publish, with_lines
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, axis_named, parse_conventions
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION
from rankproof.workers.sheets import ObservationPlace
from rankproof.workers.subjects import Installation, Subject, installation, keys_of

FILE = "fingerprint.json"
SCHEMA = Path(__file__).resolve().parent / "schemas" / "fingerprint.schema.json"
FORM, FINGERPRINT, FINDING = SchemaPart(SCHEMA), SchemaPart(SCHEMA, "fingerprint"), SchemaPart(SCHEMA, "finding")
REMEDY = "write it again with `rankproof run --publish`"


class BadFingerprint(Unusable):
    """Error for a file of fingerprints that cannot be read."""


@dataclass(frozen=True, slots=True)
class AxisFinding:
    """Finding on one axis: the choice that the library follows, or the choices that remain.

    Attributes:
        value: the choice that the library follows, or None if several explain the same values.
        witness: the simplest case that excludes other choices; empty if none does.
        measure: the measure of the witness.
        excluded: each excluded choice, with the case that excludes it.
        open: the remaining choices, if there are several.
        why: the reason why several remain.
        same: equivalent choices. They give the same values for this measure, or differ only in values that the
            library does not report, such as a mean.
    """

    axis: str
    value: str | None
    witness: str
    measure: str
    excluded: Mapping[str, str]
    open: tuple[str, ...] = ()
    why: str = ""
    same: tuple[str, ...] = ()

    @property
    def could_be(self) -> tuple[str, ...]:
        """The choice that the library follows and its equivalents; empty if the finding is open."""
        return () if self.value is None else (self.value, *self.same)

    @property
    def standard(self) -> bool:
        """Whether the library follows the choice of `standard`."""
        return self.value == AXES[self.axis].default


@dataclass(frozen=True)
class Fingerprint:
    """Fingerprint: the profile that a library follows for one form of a measure.

    Attributes:
        subject: the library, in one version and variant.
        key: the form of the measure, with its parameters and `@k` for any cutoff.
        profile: the conventions that explain most values; among equals, those with the fewest changes of `standard`.
        axes: the finding on each axis that can matter.
        explained: how many of the observed values the profile explains.
        total: how many values were observed.
        missed: the places of unexplained values, without known exceptions.
        signature: the signature of the profile, with its open axes.
        precision: the precision of the comparison.
        shared_with: the other forms that follow the same profile.
        excepted: the places of values that only a known exception with a condition on the data explains.
    """

    subject: Subject
    key: str
    profile: Conventions
    axes: Mapping[str, AxisFinding]
    explained: int
    total: int
    missed: tuple[ObservationPlace, ...]
    signature: str
    precision: str = "float64"
    shared_with: tuple[str, ...] = ()
    excepted: tuple[ObservationPlace, ...] = ()

    @property
    def library(self) -> str:
        """The name of the library."""
        return self.subject.library

    @property
    def variant(self) -> str:
        """The variant of the library."""
        return self.subject.variant

    @property
    def proved(self) -> Conventions:
        """The proved conventions. An open axis has the choice of `profile` or, if that is excluded, of `standard`."""
        decided = {axis: finding.value for axis, finding in self.axes.items() if finding.value is not None}
        undecided = {
            axis: getattr(STANDARD, axis)
            for axis, finding in self.axes.items()
            if getattr(self.profile, axis) not in finding.open and getattr(STANDARD, axis) in finding.open
        }
        return self.profile.replace(**undecided, **decided)

    @property
    def differing(self) -> tuple[AxisFinding, ...]:
        """The findings that differ from `standard`."""
        return tuple(finding for finding in self.axes.values() if finding.value is not None and not finding.standard)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The open axes, which no case decides."""
        return tuple(axis for axis, finding in self.axes.items() if finding.value is None)

    @property
    def words(self) -> str:
        """The profile in words."""
        from rankproof.inference.words import in_words

        return in_words(self.profile, measure_of(self.key))


# -- writing ----------------------------------------------------------------------------------------------------------


def as_json(
    fingerprints: Iterable[Fingerprint], installations: Iterable[Installation], inferred_from: Mapping[str, object]
) -> dict[str, Any]:
    """Return the content of a file of fingerprints.

    Args:
        fingerprints: the fingerprints.
        installations: the libraries that were run.
        inferred_from: the header of their results.
    """
    fingerprints = tuple(fingerprints)
    subjects = {fingerprint.subject for fingerprint in fingerprints}
    installations = tuple(environment for environment in installations if subjects & {*environment.subjects})
    names = keys_of(installations)
    results = {name: inferred_from[name] for name in ("rankproof", "cases", "inputs", "code") if name in inferred_from}
    return {
        "kind": "fingerprints",
        "rankproof": VERSION,
        "inferred_from": results,
        "asked": [environment.as_json() for environment in installations],
        "fingerprints": [_as_json(fingerprint, names) for fingerprint in fingerprints],
    }


def text_of(document: Mapping[str, Any]) -> str:
    """Return the text of the file, with one line per fingerprint."""
    return with_lines(document, "fingerprints")


def write(
    forms: Iterable[Fingerprint], about: Iterable[Installation], inferred_from: Mapping[str, object], path: Path
) -> None:
    """Write a file of fingerprints atomically."""
    publish(path, text_of(as_json(forms, about, inferred_from)))


def _as_json(fingerprint: Fingerprint, names: Mapping[Subject, str]) -> dict[str, Any]:
    return {
        "subject": names[fingerprint.subject],
        "key": fingerprint.key,
        "profile": fingerprint.profile.spec(),
        "words": fingerprint.words,
        "signature": fingerprint.signature,
        "precision": fingerprint.precision,
        "beside": list(fingerprint.shared_with),
        "axes": {axis: _finding_as_json(finding) for axis, finding in sorted(fingerprint.axes.items())},
        "explained": fingerprint.explained,
        "asked": fingerprint.total,
        "missed": [[place.case, place.measure, place.query] for place in fingerprint.missed],
        "excepted": [[place.case, place.measure, place.query] for place in fingerprint.excepted],
    }


def _finding_as_json(finding: AxisFinding) -> dict[str, Any]:
    value = {"value": finding.value} if finding.value is not None else {"undetermined": list(finding.open)}
    document = {**value, "witness": finding.witness, "measure": finding.measure, "excluded": dict(finding.excluded)}
    more = {"why": finding.why, "same": list(finding.same)}
    return document | {name: value for name, value in more.items() if value}


# -- reading ----------------------------------------------------------------------------------------------------------


def read(path: Path) -> list[Fingerprint]:
    """Read a file of fingerprints, and validate it.

    Raises:
        BadFingerprint: the file cannot be read.
    """
    try:
        document = json_in(text := text_in(path))
        FORM.check({**document, "fingerprints": []} if _has(document, "fingerprints", list) else document)
        lines = entry_lines(text, len(document["fingerprints"]))
        for line, entry in zip(lines, document["fingerprints"], strict=True):
            with on_line(line):
                FINGERPRINT.check({**entry, "axes": {}} if _has(entry, "axes", dict) else entry)
                for finding in entry["axes"].values():
                    FINDING.check(finding)
        return list(_in_document(document, lines))
    except BadDocument as error:
        raise BadFingerprint(f"{path}:{error.line}: {error}; {REMEDY}") from error


def read_text(text: str, name: str) -> Iterator[Fingerprint]:
    """Yield the fingerprints in the text of a file that rankproof wrote, without full validation.

    Raises:
        BadFingerprint: the text cannot be read.
    """
    try:
        document = json_in(text)
        yield from _in_document(document, entry_lines(text, len(document["fingerprints"])))
    except BadDocument as error:
        raise BadFingerprint(f"{name}:{error.line}: {error}; {REMEDY}") from error


def _has(value: object, name: str, kind: type) -> bool:
    return isinstance(value, dict) and isinstance(value.get(name), kind)


def _in_document(document: Mapping[str, Any], lines: Iterable[int]) -> Iterator[Fingerprint]:
    with on_line(1):
        subjects = {key: subject for subject, key in keys_of(installations_in(document)).items()}
    for line, entry in zip(lines, document["fingerprints"], strict=True):
        with on_line(line):
            if entry["subject"] not in subjects:
                raise BadDocument(f"{entry['subject']} is not a library under 'asked'")
            fingerprint = _from_json(entry, subjects)
        yield fingerprint


def installations_in(document: Mapping[str, Any]) -> list[Installation]:
    """Return the libraries in a document of fingerprints."""
    return [installation(str(entry["library"]), entry) for entry in document["asked"]]


def _from_json(entry: Mapping[str, Any], subjects: Mapping[str, Subject]) -> Fingerprint:
    subject = subjects[entry["subject"]]
    measure_of(entry["key"])
    return Fingerprint(
        subject,
        entry["key"],
        parse_conventions(entry["profile"]),
        {axis: _finding_from_json(axis, finding) for axis, finding in entry["axes"].items()},
        entry["explained"],
        entry["asked"],
        _places(subject, entry["missed"]),
        entry["signature"],
        entry["precision"],
        tuple(entry["beside"]),
        _places(subject, entry.get("excepted", ())),
    )


def _places(subject: Subject, places: Iterable[tuple[str, str, str | None]]) -> tuple[ObservationPlace, ...]:
    return tuple(ObservationPlace(case, subject.variant, measure, query) for case, measure, query in places)


def _finding_from_json(axis: str, entry: Mapping[str, Any]) -> AxisFinding:
    value = entry.get("value")
    for named in entry.get("undetermined", ()) if value is None else [value]:
        axis_named(axis).check(named)
    return AxisFinding(
        axis_named(axis).name,
        value,
        entry["witness"],
        entry["measure"],
        dict(entry["excluded"]),
        tuple(entry.get("undetermined", ())),
        entry.get("why", ""),
        tuple(entry.get("same", ())),
    )
