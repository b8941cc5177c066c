"""What is known of each library on each axis: the published fingerprints, or, where there are none, the claims of the sheets.

The site asks only this module; a file `fingerprint.json` beside the results turns claims into proofs.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rankproof.cases import Case
from rankproof.judging.verdicts import Row, Verdict
from rankproof.meaning.measure_forms import key_of
from rankproof.meaning.signatures import Signature, axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD, UnknownConvention
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.reference_impl.profiles import conventions_of
from rankproof.telling.run_report import Report

FILE = "fingerprint.json"


class BadFingerprint(ValueError):
    """A file of fingerprints that does not read."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The value of a variant on an axis, for a group of measures.

    Attributes:
        key: the group of measures, as `nDCG@k`.
        value: None where no case decides.
        witness: the case that shows it; empty where none does.
        measure: what is asked there.
        why: why no case decides.
        open: the values that no case excludes, where none is decided.
    """

    library: str
    variant: str
    key: str
    axis: str
    value: str | None
    witness: str
    measure: str
    why: str = ""
    open: tuple[str, ...] = ()

    @property
    def standard(self) -> bool:
        """Whether it is what `standard` says."""
        return self.value == AXES[self.axis].default


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The conventions of a variant for a group of measures."""

    library: str
    variant: str
    key: str
    spec: str
    signature: str
    findings: tuple[Finding, ...]
    explained: int | None = None
    asked: int | None = None
    missed: tuple[str, ...] = ()
    words: str = ""

    @property
    def differing(self) -> tuple[Finding, ...]:
        """The findings that are not as in `standard`."""
        return tuple(f for f in self.findings if f.value is not None and not f.standard)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The axes that no case decides."""
        return tuple(f.axis for f in self.findings if f.value is None)


@dataclass(frozen=True)
class Findings:
    """All fingerprints, and whether they are proved or claimed."""

    fingerprints: tuple[Fingerprint, ...]
    proved: bool

    @cached_property
    def by_variant(self) -> Mapping[tuple[str, str], list[Fingerprint]]:
        """The fingerprints of each variant."""
        found = defaultdict(list)
        for fingerprint in self.fingerprints:
            found[fingerprint.library, fingerprint.variant].append(fingerprint)
        return found

    @cached_property
    def by_axis(self) -> Mapping[str, Mapping[tuple[str, str], list[Finding]]]:
        """The findings on each axis, by variant."""
        found: dict[str, dict[tuple[str, str], list[Finding]]] = {axis: defaultdict(list) for axis in AXES}
        for fingerprint in self.fingerprints:
            for finding in fingerprint.findings:
                found[finding.axis][finding.library, finding.variant].append(finding)
        return found


def find(report: Report, beside: Path) -> Findings:
    """What the file of fingerprints in a folder says, or else the sheets.

    Raises:
        BadFingerprint: the file does not read.
    """
    path = beside / FILE
    if path.is_file():
        return Findings(tuple(_read(path)), proved=True)
    return Findings(tuple(_claimed(report)), proved=False)


def _read(path: Path) -> Iterator[Fingerprint]:
    try:
        libraries = json.loads(path.read_text(encoding="utf-8"))
        for library, variants in libraries.items():
            for variant, keys in variants.items():
                for key, told in keys.items():
                    yield _from_json(library, variant, key, told)
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise BadFingerprint(f"{path}:1: {error!r}; write it again with rankproof fingerprint --json") from error


def _from_json(library: str, variant: str, key: str, told: Mapping[str, Any]) -> Fingerprint:
    findings = tuple(
        Finding(
            library, variant, key, axis, entry.get("value"), entry.get("witness") or "", entry.get("measure") or "",
            entry.get("why") or "", _words(entry.get("undetermined", ())),
        )
        for axis, entry in told["axes"].items()
        if axis in AXES
    )  # fmt: skip
    missed = tuple(str(place) for place in told.get("missed", ()))
    return Fingerprint(
        library, variant, key, told["profile"], told["signature"], findings, told.get("explained"), told.get("asked"), missed,
        told.get("words", ""),
    )  # fmt: skip


def _words(value: object) -> tuple[str, ...]:
    return tuple(str(word) for word in value) if isinstance(value, list | tuple) else ()


def _claimed(report: Report) -> Iterator[Fingerprint]:
    rows = _rows_by_key(report)
    cases = {case.id: case for case in report.cases}
    deciding = _Deciding(cases)
    for library in report.libraries:
        for (name, variant, key), found in rows.items():
            if name == library.name:
                measure = parse(found[0].measure)
                conventions = library.sheet.profile_of(variant, measure)
                signature = Signature.of(measure, conventions, by=f"{name}-{found[0].version or '0'}")
                findings = tuple(
                    _shown_by(found, deciding, (name, variant, key, axis, getattr(conventions, axis)))
                    for axis in axes_of(measure)
                )
                generic = str(signature).replace(str(measure), key, 1)
                yield Fingerprint(name, variant, key, conventions.spec(), generic, findings)


def _rows_by_key(report: Report) -> Mapping[tuple[str, str, str], list[Row]]:
    found = defaultdict(list)
    judged = {Verdict.AGREES, Verdict.CONVENTION}
    for row in report.results.rows:
        if row.verdict in judged:
            try:
                found[row.library, row.variant, key_of(parse(row.measure))].append(row)
            except UnknownMeasure:
                continue
    return found


def _shown_by(rows: Iterable[Row], deciding: "_Deciding", of: tuple[str, str, str, str, str]) -> Finding:
    """The claim, with the simplest case in which it shows."""
    axis, value = of[3:]
    if value != AXES[axis].default:
        showing = [row for row in rows if f"{axis}={value}" in row.conventions]
    else:
        showing = [row for row in rows if row.verdict is Verdict.AGREES and deciding.decides(row, axis)]
    best = min(showing, key=deciding.effort, default=None)
    return Finding(*of, best.case if best else "", best.measure if best else "")


class _Deciding:
    """Which cases tell `standard` from another value on an axis, by what they expect."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        self.cases = cases
        self._axes: dict[tuple[str, str], frozenset[str]] = {}

    def decides(self, row: Row, axis: str) -> bool:
        key = (row.case, row.measure)
        if key not in self._axes:
            self._axes[key] = frozenset(self._decided(*key))
        return axis in self._axes[key]

    def effort(self, row: Row) -> tuple[int, int, str]:
        case = self.cases.get(row.case)
        return len(row.conventions), case.input.size if case else 0, row.case

    def _decided(self, case: str, measure: str) -> Iterator[str]:
        expect = (self.cases[case].expect or {}) if case in self.cases else {}
        by_spec = expect.get(measure, {})
        for spec, values in by_spec.items():
            try:
                changes = STANDARD.differences(conventions_of(spec, parse(measure)))
            except UnknownConvention:
                continue
            if len(changes) == 1 and values != by_spec.get("standard"):
                yield next(iter(changes))
