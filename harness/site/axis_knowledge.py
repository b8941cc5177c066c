"""What is known of each library on each axis: the published fingerprints, or, where there are none, the claims of the sheets.

The site asks only this module; a file `fingerprint.json` beside the results turns claims into proofs.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import FILE, AxisFinding, Fingerprint, read
from rankproof.inference.signatures import Signature, axes_of
from rankproof.judge.verdicts import Row, Verdict
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES, STANDARD, UnknownConvention
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import conventions_of
from rankproof.report.run_report import Report, known_measure
from rankproof.workers.subjects import Subject, Variant, variants_of

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
        return grouped((self.variants[one.subject], one) for one in self.fingerprints)

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
    cases = {case.id: case for case in report.cases}
    decided = {
        (case.id, measure): frozenset(moved_alone(by_spec, measure))
        for case in report.cases
        for measure, by_spec in (case.expect or {}).items()
    }
    sheets = {library.name: library.sheet for library in report.libraries}
    for (subject, key), rows in _rows_by_key(report).items():
        if subject.library in sheets:
            measure = parse(rows[0].measure)
            conventions = sheets[subject.library].profile_of(subject.variant, measure)
            values = {axis: getattr(conventions, axis) for axis in axes_of(measure)}
            axes = {axis: _shown_by(rows, cases, decided, axis, value) for axis, value in values.items()}
            unshown = {axis: () for axis, finding in axes.items() if not finding.witness}
            signature = Signature.of(measure, conventions, by=subject.signed, still=unshown)
            generic = str(signature).replace(str(measure), key, 1)
            yield Fingerprint(subject, key, conventions, axes, 0, 0, (), generic)


def _rows_by_key(report: Report) -> Mapping[tuple[Subject, str], list[Row]]:
    judged = (row for row in report.results.rows if row.verdict in {Verdict.AGREES, Verdict.CONVENTION})
    known = ((row, known_measure(row.measure)) for row in judged)
    return grouped(((row.subject, key_of(measure)), row) for row, measure in known if measure is not None)


def _shown_by(
    rows: Iterable[Row],
    cases: Mapping[str, Case],
    decided: Mapping[tuple[str, str], Collection[str]],
    axis: str,
    value: str,
) -> AxisFinding:
    """The claim, with the simplest case in which it shows; `decided` has the axes that each case decides of each measure."""
    if value != AXES[axis].default:
        showing = [row for row in rows if f"{axis}={value}" in row.conventions]
    else:
        agreeing = (row for row in rows if row.verdict is Verdict.AGREES)
        showing = [row for row in agreeing if axis in decided.get((row.case, row.measure), ())]

    def effort(row: Row) -> tuple[int, int, str]:
        return len(row.conventions), cases[row.case].input.size if row.case in cases else 0, row.case

    best = min(showing, key=effort, default=None)
    return AxisFinding(axis, value, best.case if best else "", best.measure if best else "", {})


def moved_alone(expected: Mapping[str, Mapping[str, str]], measure: str) -> Iterator[str]:
    """The axes of which a value, alone, is expected to give something else than `standard`, by what a case expects of a measure."""
    for spec, values in expected.items():
        try:
            changes = STANDARD.differences(conventions_of(spec, parse(measure)))
        except UnknownConvention:
            continue
        if len(changes) == 1 and values != expected.get("standard"):
            yield from changes
