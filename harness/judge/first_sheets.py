"""A first sheet, written from what a library was observed to answer.

fingerprints ──► a profile per variant, and keys of their own where one does not fit ──► what is left, as exceptions without a reason

What was inferred is not trusted: every claim is held against the answers, and a form of a measure that it does not fit gets a key of its
own. An axis that no answer decides is named in a comment.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mode

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.form_groups import printed_at
from rankproof.judge.fingerprints import ObservedSubject
from rankproof.judge.runs import judge_all
from rankproof.judge.sheet_edits import SheetEdit, planned
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row, Verdict
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import keys_of, parse
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import SHARED, Sheet, read

EVERY = "*"
TO_FILL = "https://example.org/"
"""What stands in a first sheet where only a person knows the address."""

Claims = Mapping[str, str]
"""Key -> what differs from `standard`, as a sheet writes it."""


class NothingToClaim(Unusable):
    """The library gave no answer from which a profile could be inferred."""


@dataclass(frozen=True, slots=True)
class First:
    """What a first sheet holds, as it is found step by step."""

    sheet: Sheet
    precision: str
    claims: Mapping[str, Claims]
    precisions: Mapping[str, Mapping[str, str]]
    undetermined: Mapping[str, Sequence[str]]
    begun: str = ""
    """The text of the sheet that was there, and claimed nothing yet."""

    def text(self) -> str:
        """The text of the sheet, as yet without exceptions."""
        head = self.begun or _head(self.sheet)
        return "\n".join([_with_values(head, self.sheet, self.precision), *self._tables(), ""])

    def _tables(self) -> Iterator[str]:
        for variant, claims in self.claims.items():
            yield f"\n[profiles.{_bare(variant)}]"
            if self.undetermined.get(variant):
                yield f"# No answer decides: {', '.join(self.undetermined[variant])}."
            yield from (f"{json.dumps(key)} = {json.dumps(f'standard {spec}'.strip())}" for key, spec in claims.items())
        for variant, precisions in self.precisions.items():
            if precisions:
                yield f"\n[precisions.{_bare(variant)}]"
                yield from (f"{json.dumps(key)} = {json.dumps(exact)}" for key, exact in precisions.items())


def observed_of(asked: LibraryAnswers) -> list[ObservedSubject]:
    """What a library answered, by variant, as inference takes it."""
    by_subject = grouped((seen.subject, seen) for seen in asked.observations)
    untold = asked.hello.get("untold", {})
    return [
        ObservedSubject(subject, seen, printed_at(seen), frozenset(untold.get(subject.variant, "").split()))
        for subject, seen in by_subject.items()
    ]


def written(asked: LibraryAnswers, cases: Sequence[Case], fingerprints: Sequence[Fingerprint]) -> SheetEdit:
    """The text of a first sheet for a library, with what no profile explains as exceptions without a reason.

    Where a sheet is there, which claims nothing yet, its text is kept, but for the version and the precision that were observed.

    Raises:
        NothingToClaim: nothing was answered that could be compared.
    """
    if not fingerprints:
        raise NothingToClaim(
            f"{asked.library.name} answered nothing that could be compared, so nothing can be claimed of it"
        )
    by_variant = grouped((one.subject.variant, one) for one in fingerprints)
    precision = Counter(one.precision for one in fingerprints).most_common(1)[0][0]
    first = First(
        replace(asked.library.sheet, speaks_of=asked.version),
        precision,
        {variant: _merged(own) for variant, own in by_variant.items()},
        {
            variant: {one.key: one.precision for one in own if one.precision != precision}
            for variant, own in by_variant.items()
        },
        {variant: _undetermined(own) for variant, own in by_variant.items()},
        path.read_text(encoding="utf-8").rstrip("\n") if (path := asked.library.sheet.path).exists() else "",
    )
    first, rows = _held(first, asked, cases, fingerprints)
    return planned(_sheet(first), rows, text=first.text())


def _merged(fingerprints: Sequence[Fingerprint]) -> Claims:
    """One profile for all forms of all measures: on each axis the value proved of most of them, else the one supposed of most."""
    findings = [(axis, finding.value) for one in fingerprints for axis, finding in one.axes.items()]
    proved = grouped((axis, value) for axis, value in findings if value is not None)
    supposed = grouped((axis, getattr(one.profile, axis)) for one in fingerprints for axis in one.axes)
    votes = supposed | proved
    return {EVERY: STANDARD.replace(**{axis: mode(votes[axis]) for axis in AXES if axis in votes}).spec()}


def _undetermined(fingerprints: Iterable[Fingerprint]) -> list[str]:
    """The axes that no answer to any measure decides."""
    found = grouped((axis, finding.value) for one in fingerprints for axis, finding in one.axes.items())
    return sorted(axis for axis, values in found.items() if set(values) == {None})


def _held(
    first: First, asked: LibraryAnswers, cases: Sequence[Case], fingerprints: Sequence[Fingerprint]
) -> tuple[First, Sequence[Row]]:
    """The claims, until they explain as much as was inferred, and each is one by which an answer is judged."""
    expected = {(one.variant, one.key): (len(one.missed), one.profile.spec()) for one in fingerprints}
    for _ in range(len(expected) + 1):
        rows = _judged(first, asked, cases)
        failing = Counter(
            (row.variant, key_of(parse(row.measure))) for row in rows if row.case and row.verdict in FAILS
        )
        worse = {
            form: spec
            for form, (missed, spec) in expected.items()
            if failing[form] > missed and first.claims[form[0]].get(form[1]) != spec
        }
        if not worse:
            break
        claims = {variant: dict(own) for variant, own in first.claims.items()}
        for (variant, key), spec in worse.items():
            claims[variant][key] = spec
        first = replace(first, claims=claims)
    return _without_vain(first, asked, cases)


def _without_vain(first: First, asked: LibraryAnswers, cases: Sequence[Case]) -> tuple[First, Sequence[Row]]:
    """Without the keys that no answer is judged by."""
    rows = _judged(first, asked, cases)
    judged = (row for row in rows if row.case and row.verdict not in NOT_JUDGED | FAILS | {Verdict.KNOWN})
    held = grouped((row.variant, row.measure) for row in judged)
    claims = {variant: _used(own, held.get(variant, ())) for variant, own in first.claims.items()}
    precisions = {variant: _used(own, held.get(variant, ())) for variant, own in first.precisions.items()}
    if (claims, precisions) == (first.claims, first.precisions):
        return first, rows
    return _without_vain(replace(first, claims=claims, precisions=precisions), asked, cases)


def _used(by_key: Mapping[str, str], measures: Iterable[str]) -> dict[str, str]:
    used = {next((key for key in keys_of(parse(measure)) if key in by_key), SHARED) for measure in measures}
    return {key: value for key, value in by_key.items() if key in used}


def _sheet(first: First) -> Sheet:
    return read(first.sheet.path, first.text(), draft=True)


def _judged(first: First, asked: LibraryAnswers, cases: Sequence[Case]) -> Sequence[Row]:
    library = replace(asked.library, sheet=_sheet(first), fault="")
    return judge_all(cases, [replace(asked, library=library)]).rows


def _head(sheet: Sheet) -> str:
    """The lines before all tables, where there is no sheet yet."""
    lines = [
        f"library = {json.dumps(sheet.library)}",
        f"title = {json.dumps(sheet.library)}  # to fill in: what its authors call it",
        f"homepage = {json.dumps(TO_FILL)}  # to fill in",
        f"issues = {json.dumps(TO_FILL)}  # to fill in: where its bugs are told",
        'precision = ""',
        'speaks_of = ""',
    ]
    return "\n".join([*lines, f"command = {json.dumps(list(sheet.command))}"] if sheet.command else lines)


def _with_values(head: str, sheet: Sheet, precision: str) -> str:
    """The same lines with the precision and the version that were observed."""
    for key, value in (("precision", precision), ("speaks_of", sheet.speaks_of)):
        line = f"{key} = {json.dumps(value)}".replace("\\", r"\\")  # a pattern reads what stands behind a backslash
        head = re.sub(rf'^{key} *= *"[^"\n]*"', line, head, count=1, flags=re.MULTILINE)
    return head


def _bare(name: str) -> str:
    """A name as a key of TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
