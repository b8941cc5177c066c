"""Defects of libraries: explanations of otherwise unexplained values by the catalogue of defects."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankproof.cases import Case
from rankproof.inference.diagnosis import defect_in
from rankproof.inference.evidence import Evidence, ReferenceQuestion
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.judge.runs import Run, with_complaints
from rankproof.judge.verdicts import Row, Verdict
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.subjects import Subject

COUNTS = frozenset({Verdict.AGREES, Verdict.CONVENTION, Verdict.UNEXPLAINED})
"""The verdicts of values that a defect must explain. Known exceptions have other reasons."""


@dataclass(frozen=True)
class ClaimedForm:
    """A form of a measure in one library, with the conventions and the precision that its sheet claims."""

    subject: Subject
    key: str
    claimed: Conventions
    precision: str


def with_defects(
    run: Run,
    forms: Mapping[ClaimedForm, Sequence[Row]],
    *,
    whole: bool = True,
    on_progress: Callable[[], object] = lambda: None,
) -> Run:
    """Return the run with the verdict `defect` for all unexplained values that a defect explains.

    The values of a form at all cutoffs are examined together.

    Args:
        run: the run.
        forms: the forms to examine, from `to_try`.
        whole: whether the run has all cases, as in `judge_all`.
        on_progress: called after each form.
    """
    cases = {case.id: case for case in run.cases}
    explained: dict[int, Row] = {}
    for form, rows in forms.items():
        evidence = list(_evidence(rows, cases, form.precision))
        diagnosis = defect_in(parse(rows[0].measure), evidence, form.claimed, [form.precision])
        places = () if diagnosis is None else diagnosis.places
        for row in rows:
            if row.verdict is Verdict.UNEXPLAINED and diagnosis and (row.case, row.measure, row.query) in places:
                explained[id(row)] = replace(row, verdict=Verdict.DEFECT, note=diagnosis.sentence)
        on_progress()
    judged = tuple(explained.get(id(row), row) for row in run.rows)
    return with_complaints(replace(run, rows=judged), whole=whole) if explained else run


def to_try(run: Run) -> Mapping[ClaimedForm, Sequence[Row]]:
    """Return the numbers of each form that has unexplained values."""
    unexplained = {(row.subject, key_of(parse(row.measure))) for row in run.rows if row.verdict is Verdict.UNEXPLAINED}
    forms: dict[ClaimedForm, list[Row]] = defaultdict(list)
    for answers in run.answers if unexplained else ():
        sheet = answers.library.sheet.of_version(answers.version)
        for row in run.rows:
            if row.verdict in COUNTS and isinstance(row.value, float) and answers.installation.has(row.subject):
                measure = parse(row.measure)
                claims = sheet.profile_of(row.variant, measure), sheet.precision_of(row.variant, measure)
                if (row.subject, key_of(measure)) in unexplained:
                    forms[ClaimedForm(row.subject, key_of(measure), *claims)].append(row)
    return {form: rows for form, rows in forms.items() if any(row.verdict is Verdict.UNEXPLAINED for row in rows)}


def _evidence(rows: Sequence[Row], cases: Mapping[str, Case], precision: str) -> Iterator[Evidence]:
    numbers: dict[tuple[str, str], dict[str | None, float]] = defaultdict(dict)
    for row in rows:
        # If the order of tied documents is unspecified, a formula need not explain the values of one order.
        if isinstance(row.value, float) and row.conventions != (f"ties={UNSPECIFIED}",):
            numbers[row.case, row.measure][row.query] = row.value
    for (case, measure), by_query in numbers.items():
        question = ReferenceQuestion(cases[case], parse(measure))
        yield Evidence(question, tuple(by_query.items()), frozenset(by_query), None, precision)
