"""The defects of libraries: what a run leaves unexplained is tried against the catalogue, as the answers of a function are."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankproof.cases import Case
from rankproof.defects.diagnosis import Diagnosis, defect_in
from rankproof.defects.trial import QuestionNumbers
from rankproof.judging.runs import Run, with_complaints
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.meaning.input_traits import is_ordinary
from rankproof.meaning.measure_forms import key_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.subjects import Subject

COUNTS = frozenset({Verdict.AGREES, Verdict.CONVENTION, Verdict.UNEXPLAINED})
"""The verdicts of what a defect is held against; a known exception has its reason, and is none of its doing."""


@dataclass(frozen=True)
class ClaimedForm:
    """Who answered, which form of a measure, and what the sheet claims of that."""

    subject: Subject
    key: str
    claimed: Conventions
    precision: str


def with_defects(
    found: Run,
    forms: Mapping[ClaimedForm, Sequence[Row]],
    *,
    whole: bool = True,
    tried: Callable[[], object] = lambda: None,
) -> Run:
    """The run, with the verdict `defect` for the unexplained answers that a defect explains; as it was where none does.

    What a subject answered to a measure is tried together, at all cutoffs.

    Args:
        found: the run.
        forms: what is tried, by `to_try`.
        whole: whether all cases were asked, as in `judge_all`.
        tried: called after each of the forms.
    """
    cases = {case.id: case for case in found.cases}
    named: dict[tuple[Subject, str, str, str | None], Row] = {}
    for form, rows in forms.items():
        diagnosis = defect_in(parse(rows[0].measure), list(_told(rows, cases)), form.claimed, [form.precision])
        if diagnosis is not None:
            named |= {_key(row): row for row in _renamed(rows, diagnosis)}
        tried()
    rows = tuple(named.get(_key(row), row) for row in found.rows)
    return with_complaints(replace(found, rows=rows), whole=whole) if named else found


def to_try(found: Run) -> Mapping[ClaimedForm, Sequence[Row]]:
    """The numbers of each form of a measure of which some are unexplained; nothing of a run whose answers are explained."""
    open_ones = {(row.subject, key_of(parse(row.measure))) for row in found.rows if row.verdict is Verdict.UNEXPLAINED}
    forms: dict[ClaimedForm, list[Row]] = defaultdict(list)
    for asked in found.asked if open_ones else ():
        sheet = asked.library.sheet.of_version(asked.version)
        for row in found.rows:
            if row.verdict in COUNTS and isinstance(row.value, float) and asked.installation.has(row.subject):
                measure = parse(row.measure)
                if (row.subject, key_of(measure)) in open_ones:
                    claimed = sheet.profile_of(row.variant, measure)
                    precision = sheet.precision_of(row.variant, measure)
                    forms[ClaimedForm(row.subject, key_of(measure), claimed, precision)].append(row)
    return {form: rows for form, rows in forms.items() if any(row.verdict is Verdict.UNEXPLAINED for row in rows)}


def _told(rows: Sequence[Row], cases: Mapping[str, Case]) -> Iterator[QuestionNumbers]:
    numbers: dict[tuple[str, str], dict[str | None, float]] = defaultdict(dict)
    for row in rows:
        # Where any order of tied docs may come, no formula can be held to the one that came.
        if isinstance(row.value, float) and row.conventions != (f"ties={UNSPECIFIED}",):
            numbers[row.case, row.measure][row.query] = row.value
    for (case, measure), given in numbers.items():
        yield QuestionNumbers(case, cases[case].input, parse(measure), given, is_ordinary(cases[case].input))


def _renamed(rows: Sequence[Row], diagnosis: Diagnosis) -> Iterator[Row]:
    for row in rows:
        if row.verdict is Verdict.UNEXPLAINED and (row.case, row.measure, row.query) in diagnosis.places:
            yield replace(row, verdict=Verdict.DEFECT, note=diagnosis.sentence)


def _key(row: Row) -> tuple[Subject, str, str, str | None]:
    return row.subject, row.case, row.measure, row.query
