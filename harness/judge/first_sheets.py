"""First claim sheets of new libraries, inferred from their values.

fingerprints ──► a profile for each variant, keys for forms that differ ──► unexplained values as exceptions

A form of a measure gets its own key if the profile of its variant does not explain its values.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mode

from rankproof.bounded import text_of
from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.form_groups import printed_at
from rankproof.judge.fingerprints import ObservedSubject, untold_of
from rankproof.judge.runs import judge_all
from rankproof.judge.sheet_edits import SheetEdit, keys_used, planned
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row, Verdict
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import Sheet, read

EVERY = "*"
TO_FILL_IN = "https://example.org/"
"""The placeholder in a first sheet for an address."""

Claims = Mapping[str, Mapping[str, str]]
"""Claims by variant and key: a difference from `standard`, or a precision."""


class NothingToClaim(Unusable):
    """Error for a library without any value to infer a profile from."""


def observed_of(answers: LibraryAnswers) -> list[ObservedSubject]:
    """Return the observations of a library by variant."""
    by_subject = grouped((seen.subject, seen) for seen in answers.observations)
    untold = {subject: untold_of([answers.installation], subject) for subject in by_subject}
    return [ObservedSubject(subject, seen, printed_at(seen), untold[subject]) for subject, seen in by_subject.items()]


def first_sheet(answers: LibraryAnswers, cases: Sequence[Case], fingerprints: Sequence[Fingerprint]) -> SheetEdit:
    """Return the first sheet of a library, or complete a sheet that has no claims yet.

    Raises:
        NothingToClaim: no value can be compared.
    """
    if not fingerprints:
        raise NothingToClaim(f"{answers.library.name} returned no comparable value, so its sheet cannot be written")
    precision = Counter(fingerprint.precision for fingerprint in fingerprints).most_common(1)[0][0]
    by_variant = grouped((fingerprint.variant, fingerprint) for fingerprint in fingerprints)
    draft = _Draft(
        replace(answers.library.sheet, speaks_of=answers.version),
        precision,
        {variant: _shared(own) for variant, own in by_variant.items()},
        {variant: {f.key: f.precision for f in own if f.precision != precision} for variant, own in by_variant.items()},
    )
    rows = draft.judged(answers, cases)
    draft = replace(draft, profiles=_with_own_keys(draft.profiles, rows, fingerprints))
    draft = draft.without_useless(draft.judged(answers, cases))
    return planned(draft.parsed(), draft.judged(answers, cases), text=draft.text())


@dataclass(frozen=True, slots=True)
class _Draft:
    """A first sheet without exceptions."""

    sheet: Sheet
    precision: str
    profiles: Claims
    precisions: Claims

    def text(self) -> str:
        path = self.sheet.path
        head = text_of(path).rstrip("\n") if path.exists() else _head(self.sheet)
        for key, value in (("precision", self.precision), ("speaks_of", self.sheet.speaks_of)):
            line = f"{key} = {json.dumps(value)}".replace("\\", r"\\")  # re.sub reads backslashes
            head = re.sub(rf'^{key} *= *"[^"\n]*"', line, head, count=1, flags=re.MULTILINE)
        return "\n".join([head, *self._tables(), ""])

    def _tables(self) -> Iterator[str]:
        for variant, claims in self.profiles.items():
            yield f"\n[profiles.{_bare(variant)}]"
            yield from (f"{json.dumps(key)} = {json.dumps(f'standard {spec}'.strip())}" for key, spec in claims.items())
        for variant, precisions in self.precisions.items():
            if precisions:
                yield f"\n[precisions.{_bare(variant)}]"
                yield from (f"{json.dumps(key)} = {json.dumps(precision)}" for key, precision in precisions.items())

    def parsed(self) -> Sheet:
        return read(self.sheet.path, self.text(), draft=True)

    def judged(self, answers: LibraryAnswers, cases: Sequence[Case]) -> Sequence[Row]:
        library = replace(answers.library, sheet=self.parsed(), fault="")
        return judge_all(cases, [replace(answers, library=library)]).rows

    def without_useless(self, rows: Iterable[Row]) -> "_Draft":
        """Return the draft without keys that do not affect any verdict."""
        judged = (row for row in rows if row.case and row.verdict not in NOT_JUDGED | FAILS | {Verdict.KNOWN})
        measures = grouped((row.variant, row.measure) for row in judged)

        def used(claims: Claims) -> Claims:
            kept = {variant: keys_used(own, measures.get(variant, ())) for variant, own in claims.items()}
            return {v: {key: text for key, text in own.items() if key in kept[v]} for v, own in claims.items()}

        return replace(self, profiles=used(self.profiles), precisions=used(self.precisions))


def _shared(fingerprints: Sequence[Fingerprint]) -> Mapping[str, str]:
    """Return one profile for all measures, with the choice that most forms prove, or else take, on each axis."""
    findings = [(axis, finding.value) for form in fingerprints for axis, finding in form.axes.items()]
    proved = grouped((axis, value) for axis, value in findings if value is not None)
    taken = grouped((axis, getattr(form.profile, axis)) for form in fingerprints for axis in form.axes)
    votes = taken | proved
    return {EVERY: STANDARD.replace(**{axis: mode(votes[axis]) for axis in AXES if axis in votes}).spec()}


def _with_own_keys(profiles: Claims, rows: Iterable[Row], fingerprints: Iterable[Fingerprint]) -> Claims:
    """Return the claims with a key for each form whose own fingerprint explains more than the shared profile."""
    failing = Counter((row.variant, key_of(parse(row.measure))) for row in rows if row.case and row.verdict in FAILS)
    claims = {variant: dict(own) for variant, own in profiles.items()}
    for fingerprint in fingerprints:
        if failing[fingerprint.variant, fingerprint.key] > len(fingerprint.missed):
            claims[fingerprint.variant][fingerprint.key] = fingerprint.profile.spec()
    return claims


def _head(sheet: Sheet) -> str:
    lines = [
        f"library = {json.dumps(sheet.library)}",
        f"title = {json.dumps(sheet.library)}  # to fill in: what its authors call it",
        f"homepage = {json.dumps(TO_FILL_IN)}  # to fill in",
        f"issues = {json.dumps(TO_FILL_IN)}  # to fill in: where bugs are reported",
        'precision = ""',
        'speaks_of = ""',
        *([f"command = {json.dumps(list(sheet.command))}"] if sheet.command else []),
    ]
    return "\n".join(lines)


def _bare(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
