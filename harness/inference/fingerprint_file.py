"""Fingerprints, and the file that holds them: JSON with a header, and a line for each fingerprint.

This module is light: whoever only wants to know what a library follows reads the file and imports nothing that infers.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.documents import BadDocument, SchemaPart, entry_lines, json_in, on_line
from rankproof.documents import text_of as text_in
from rankproof.files import publish, with_lines
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, axis_named, parse_conventions
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION
from rankproof.workers.sheets import ObservationPlace
from rankproof.workers.subjects import Installation, Subject, installation, keys_of

FILE = "fingerprint.json"
SCHEMA = Path(__file__).resolve().parent / "schemas" / "fingerprint.schema.json"
FORM, EACH, FINDING = SchemaPart(SCHEMA), SchemaPart(SCHEMA, "fingerprint"), SchemaPart(SCHEMA, "finding")
MEND = "write it again with `rankproof run --publish`"


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
        explained: how many of the rows asked the profile explains.
        missed: the others, without those that a known exception explains.
        precision: how exactly the answers were compared.
        beside: the other forms that the same profile was found behind.
        excepted: the rows that the profile does not explain, and a known exception with a condition on the data does.
    """

    subject: Subject
    key: str
    profile: Conventions
    axes: Mapping[str, AxisFinding]
    explained: int
    asked: int
    missed: tuple[ObservationPlace, ...]
    signature: str
    precision: str = "float64"
    beside: tuple[str, ...] = ()
    excepted: tuple[ObservationPlace, ...] = ()

    @property
    def library(self) -> str:
        """The library that was asked."""
        return self.subject.library

    @property
    def variant(self) -> str:
        """The variant of it."""
        return self.subject.variant

    @property
    def proved(self) -> Conventions:
        """The conventions that are proved; an axis that nothing decided is as in the profile behind all forms, or else as in `standard`."""
        said = {axis: finding.value for axis, finding in self.axes.items() if finding.value is not None}
        undecided = {
            axis: getattr(STANDARD, axis)
            for axis, finding in self.axes.items()
            if getattr(self.profile, axis) not in finding.open and getattr(STANDARD, axis) in finding.open
        }
        return self.profile.replace(**undecided, **said)

    @property
    def differing(self) -> tuple[AxisFinding, ...]:
        """What is proved and not as in `standard`."""
        return tuple(found for found in self.axes.values() if found.value is not None and not found.standard)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The axes that no case decides."""
        return tuple(axis for axis, found in self.axes.items() if found.value is None)

    @property
    def words(self) -> str:
        """The profile in words."""
        from rankproof.inference.words import in_words

        return in_words(self.profile, measure_of(self.key))


# -- writing ----------------------------------------------------------------------------------------------------------


def as_json(
    found: Iterable[Fingerprint], asked: Iterable[Installation], inferred_from: Mapping[str, object]
) -> dict[str, Any]:
    """What a file of fingerprints holds.

    Args:
        found: the fingerprints.
        asked: the libraries whose answers they were inferred from.
        inferred_from: what is known of the results: the header of their files.
    """
    found = tuple(found)
    told_of = {one.subject for one in found}
    asked = tuple(one for one in asked if told_of & {*one.subjects})
    names = keys_of(asked)
    results = {name: inferred_from[name] for name in ("rankproof", "cases", "inputs", "code") if name in inferred_from}
    return {
        "kind": "fingerprints",
        "rankproof": VERSION,
        "inferred_from": results,
        "asked": [one.as_json() for one in asked],
        "fingerprints": [_as_json(one, names) for one in found],
    }


def text_of(document: Mapping[str, Any]) -> str:
    """The document as it is written: a line for each fingerprint."""
    return with_lines(document, "fingerprints")


def write(
    found: Iterable[Fingerprint], asked: Iterable[Installation], inferred_from: Mapping[str, object], path: Path
) -> None:
    """Write fingerprints, whole or not at all."""
    publish(path, text_of(as_json(found, asked, inferred_from)))


def _as_json(found: Fingerprint, names: Mapping[Subject, str]) -> dict[str, Any]:
    return {
        "subject": names[found.subject],
        "key": found.key,
        "profile": found.profile.spec(),
        "words": found.words,
        "signature": found.signature,
        "precision": found.precision,
        "beside": list(found.beside),
        "axes": {axis: _finding_as_json(finding) for axis, finding in sorted(found.axes.items())},
        "explained": found.explained,
        "asked": found.asked,
        "missed": [[place.case, place.measure, place.query] for place in found.missed],
        "excepted": [[place.case, place.measure, place.query] for place in found.excepted],
    }


def _finding_as_json(finding: AxisFinding) -> dict[str, Any]:
    said = {"value": finding.value} if finding.value is not None else {"undetermined": list(finding.open)}
    told = {**said, "witness": finding.witness, "measure": finding.measure, "excluded": dict(finding.excluded)}
    more = {"why": finding.why, "same": list(finding.same)}
    return told | {name: value for name, value in more.items() if value}


# -- reading ----------------------------------------------------------------------------------------------------------


def read(path: Path) -> list[Fingerprint]:
    """The fingerprints of a file that comes from anywhere.

    Raises:
        BadFingerprint: it does not read.
    """
    try:
        document = json_in(text := text_in(path))
        FORM.check({**document, "fingerprints": []} if _has(document, "fingerprints", list) else document)
        lines = entry_lines(text, len(document["fingerprints"]))
        for line, said in zip(lines, document["fingerprints"], strict=True):
            with on_line(line):
                EACH.check({**said, "axes": {}} if _has(said, "axes", dict) else said)
                for finding in said["axes"].values():
                    FINDING.check(finding)
        return list(_in_document(document, lines))
    except BadDocument as error:
        raise BadFingerprint(f"{path}:{error.line}: {error}; {MEND}") from error


def read_text(text: str, name: str) -> Iterator[Fingerprint]:
    """The fingerprints in the text of a file of our own.

    Raises:
        BadFingerprint: it does not read.
    """
    try:
        document = json_in(text)
        yield from _in_document(document, entry_lines(text, len(document["fingerprints"])))
    except BadDocument as error:
        raise BadFingerprint(f"{name}:{error.line}: {error}; {MEND}") from error


def _has(said: object, name: str, kind: type) -> bool:
    return isinstance(said, dict) and isinstance(said.get(name), kind)


def _in_document(document: Mapping[str, Any], lines: Iterable[int]) -> Iterator[Fingerprint]:
    with on_line(1):
        subjects = {key: subject for subject, key in keys_of(installations_in(document)).items()}
    for line, said in zip(lines, document["fingerprints"], strict=True):
        with on_line(line):
            if said["subject"] not in subjects:
                raise BadDocument(f"{said['subject']} is none of those that were asked")
            found = _from_json(said, subjects)
        yield found


def installations_in(document: Mapping[str, Any]) -> list[Installation]:
    """The libraries whose answers the fingerprints of a document were inferred from."""
    return [installation(str(said["library"]), said) for said in document["asked"]]


def _from_json(said: Mapping[str, Any], subjects: Mapping[str, Subject]) -> Fingerprint:
    subject = subjects[said["subject"]]
    measure_of(said["key"])
    return Fingerprint(
        subject,
        said["key"],
        parse_conventions(said["profile"]),
        {axis: _finding_from_json(axis, finding) for axis, finding in said["axes"].items()},
        said["explained"],
        said["asked"],
        _places(subject, said["missed"]),
        said["signature"],
        said["precision"],
        tuple(said["beside"]),
        _places(subject, said.get("excepted", ())),
    )


def _places(subject: Subject, said: Iterable[tuple[str, str, str | None]]) -> tuple[ObservationPlace, ...]:
    return tuple(ObservationPlace(case, subject.variant, measure, query) for case, measure, query in said)


def _finding_from_json(axis: str, said: Mapping[str, Any]) -> AxisFinding:
    value = said.get("value")
    for named in said.get("undetermined", ()) if value is None else [value]:
        axis_named(axis).check(named)
    return AxisFinding(
        axis_named(axis).name,
        value,
        said["witness"],
        said["measure"],
        dict(said["excluded"]),
        tuple(said.get("undetermined", ())),
        said.get("why", ""),
        tuple(said.get("same", ())),
    )
