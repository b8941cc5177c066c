"""Fingerprints, and the file that holds them: JSON with a header, and a line for each fingerprint.

This module is light: whoever only wants to know what a library follows reads the file and imports nothing that infers.
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
    """A file of fingerprints that does not read."""


@dataclass(frozen=True, slots=True)
class AxisFinding:
    """What was found on one axis.

    Attributes:
        value: the value followed, or None where more than one explains all that is explained.
        witness: the simplest case that excludes other values; empty where none does.
        measure: the measure asked there.
        excluded: each value that is excluded, and the case that does.
        open: the values that remain, where they are more than one.
        why: why they do.
        same: values that could as well be named: to this measure they are the one followed, or they differ from it only in what the
            library never says, as in a mean that it does not take.
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
        """Every value that the answers leave: the one followed and those that could as well be named; none where none is followed."""
        return () if self.value is None else (self.value, *self.same)

    @property
    def standard(self) -> bool:
        """Whether it is what `standard` says."""
        return self.value == AXES[self.axis].default


@dataclass(frozen=True)
class Fingerprint:
    """The profile that one subject follows for one form of a measure.

    Attributes:
        key: the form: a measure with its parameters, `@k` for any cutoff.
        profile: the conventions that explain most rows; among equals, those with the fewest changes of `standard`.
        axes: a finding for every axis that can matter to the measure beside the others.
        explained: how many of the observed values the profile explains.
        total: how many values were observed.
        missed: the others, without those that a known exception explains.
        precision: how exactly the answers were compared.
        shared_with: the other forms that follow the same profile.
        excepted: the rows that the profile does not explain, and a known exception with a condition on the data does.
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
        """The conventions that are proved; an axis that nothing decided is as in the profile behind all forms, or else as in `standard`."""
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
        """The axes that no case decides."""
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
    """Return the document of a file of fingerprints.

    Args:
        fingerprints: the fingerprints.
        installations: the libraries with the values that they were inferred from.
        inferred_from: the header of the results.
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
    """The document as it is written: a line for each fingerprint."""
    return with_lines(document, "fingerprints")


def write(
    forms: Iterable[Fingerprint], about: Iterable[Installation], inferred_from: Mapping[str, object], path: Path
) -> None:
    """Write fingerprints, whole or not at all."""
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
    """Read a file of fingerprints from anywhere.

    Raises:
        BadFingerprint: it cannot be read.
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
    """The fingerprints in the text of a file of our own.

    Raises:
        BadFingerprint: it does not read.
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
                raise BadDocument(f"{entry['subject']} is none of those that were asked")
            fingerprint = _from_json(entry, subjects)
        yield fingerprint


def installations_in(document: Mapping[str, Any]) -> list[Installation]:
    """Return the libraries of a document of fingerprints."""
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
