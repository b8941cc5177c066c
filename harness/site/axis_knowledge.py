"""What is known of each library on each axis: the published fingerprints, or, where there are none, the claims of the sheets.

The site asks only this module; a file `fingerprint.json` beside the results turns claims into proofs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rankproof.asking.subjects import Subject, Variant, variants_of
from rankproof.cases import Case
from rankproof.inference.fingerprint_file import FILE, AxisFinding, Fingerprint, read
from rankproof.judging.verdicts import Row, Verdict
from rankproof.meaning.measure_forms import key_of
from rankproof.meaning.signatures import Signature, axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD, UnknownConvention
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.reference_impl.profiles import conventions_of
from rankproof.telling.run_report import Report

Found = tuple[str, AxisFinding]
"""The form of a measure, and what was found of it on an axis."""


@dataclass(frozen=True)
class Findings:
    """All fingerprints, and whether they are proved or claimed."""

    fingerprints: tuple[Fingerprint, ...]
    proved: bool

    @cached_property
    def variants(self) -> Mapping[Subject, Variant]:
        """What the site calls each subject."""
        return variants_of(one.subject for one in self.fingerprints)

    @cached_property
    def by_variant(self) -> Mapping[Variant, list[Fingerprint]]:
        """The fingerprints of each variant."""
        found = defaultdict(list)
        for fingerprint in self.fingerprints:
            found[self.variants[fingerprint.subject]].append(fingerprint)
        return found

    @cached_property
    def by_axis(self) -> Mapping[str, Mapping[Variant, list[Found]]]:
        """The findings on each axis, by variant."""
        found: dict[str, dict[Variant, list[Found]]] = {axis: defaultdict(list) for axis in AXES}
        for one in self.fingerprints:
            for axis, finding in one.axes.items():
                found[axis][self.variants[one.subject]].append((one.key, finding))
        return found


def find(report: Report, beside: Path) -> Findings:
    """What the file of fingerprints in a folder says, or else the sheets.

    Raises:
        BadFingerprint: the file does not read.
    """
    path = beside / FILE
    if path.is_file():
        return Findings(tuple(read(path)), proved=True)
    return Findings(tuple(_claimed(report)), proved=False)


def _claimed(report: Report) -> Iterator[Fingerprint]:
    deciding = _Deciding({case.id: case for case in report.cases})
    sheets = {library.name: library.sheet for library in report.libraries}
    for (subject, key), rows in _rows_by_key(report).items():
        if subject.library in sheets:
            measure = parse(rows[0].measure)
            conventions = sheets[subject.library].profile_of(subject.variant, measure)
            axes = {axis: _shown_by(rows, deciding, axis, getattr(conventions, axis)) for axis in axes_of(measure)}
            unshown = {axis: () for axis, finding in axes.items() if not finding.witness}
            signature = Signature.of(measure, conventions, by=subject.signed, still=unshown)
            generic = str(signature).replace(str(measure), key, 1)
            yield Fingerprint(subject, key, conventions, axes, 0, 0, (), generic)


def _rows_by_key(report: Report) -> Mapping[tuple[Subject, str], list[Row]]:
    found = defaultdict(list)
    judged = {Verdict.AGREES, Verdict.CONVENTION}
    for row in report.results.rows:
        if row.verdict in judged:
            try:
                found[row.subject, key_of(parse(row.measure))].append(row)
            except UnknownMeasure:
                continue
    return found


def _shown_by(rows: Iterable[Row], deciding: "_Deciding", axis: str, value: str) -> AxisFinding:
    """The claim, with the simplest case in which it shows."""
    if value != AXES[axis].default:
        showing = [row for row in rows if f"{axis}={value}" in row.conventions]
    else:
        showing = [row for row in rows if row.verdict is Verdict.AGREES and deciding.decides(row, axis)]
    best = min(showing, key=deciding.effort, default=None)
    return AxisFinding(axis, value, best.case if best else "", best.measure if best else "", {})


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
