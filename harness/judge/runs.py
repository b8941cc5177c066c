"""Judged runs of libraries, and their complaints: failing values and wrong claims.

observations ──► verdicts ──► complaints
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from rankproof import adapters, reference_impl, version
from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.judge.sheet_edits import stale, unwitnessed
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row, Verdict, judge
from rankproof.workers import store
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import ObservationPlace

SMOKE = "smoke"
"""The tag of cases on which all conventions agree: a failure there comes from a broken adapter."""
MOST_CASES = 5
"""The number of cases that a complaint names."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """A failing value or wrong claim, with a remedy."""

    library: str
    what: str
    place: ObservationPlace | None = None

    def __str__(self) -> str:
        return f"{self.library}: {self.what}" if self.place is None else f"{self.library} {self.place}: {self.what}"


@dataclass(frozen=True)
class Run:
    """The result of `rankproof run`.

    Attributes:
        cases: the cases that were tested.
        answers: the libraries with their observations.
        rows: the judged values.
        complaints: the failing values and wrong claims.
        inputs: a digest of everything that can change a value.
        code: a digest of the same and of rankproof's code.
        seconds: the time that the libraries took.
    """

    cases: tuple[Case, ...]
    answers: tuple[LibraryAnswers, ...]
    rows: tuple[Row, ...]
    complaints: tuple[Complaint, ...]
    inputs: str = ""
    code: str = ""
    seconds: float = 0.0


def judge_all(
    cases: Sequence[Case], answers: Sequence[LibraryAnswers], seconds: float = 0.0, *, whole: bool = True
) -> Run:
    """Judge the observations of libraries.

    Args:
        cases: the cases that were tested.
        answers: the libraries with their observations.
        seconds: the time that the libraries took.
        whole: whether these are all cases; then a claim without an observation is stale.
    """
    by_id = {case.id: case for case in cases}
    rows = tuple(row for own in answers for row in _judged(own, by_id))
    run = Run(tuple(cases), tuple(answers), rows, (), inputs_of(cases, answers), code_of(cases, answers), seconds)
    return with_complaints(run, whole=whole)


def _judged(answers: LibraryAnswers, cases: Mapping[str, Case]) -> list[Row]:
    about = answers.installation
    if not answers.installed:
        verdict = Verdict(about.failed) if about.failed else Verdict.NOT_INSTALLED
        return [Row("", about.subject(), "", None, verdict, note=about.why_not)]
    absent = about.absent.items()
    rows = [Row("", about.subject(variant), "", None, Verdict.NOT_INSTALLED, note=why) for variant, why in absent]
    library = replace(answers.library, sheet=answers.library.sheet.of_version(answers.version))
    for observation in answers.observations:
        rows += judge(cases[observation.case], library, observation)
    return rows


# -- complaints ----------------------------------------------------------------------------------------------------------


def with_complaints(run: Run, *, whole: bool = True) -> Run:
    """Return the run with the complaints about its rows."""
    smoke = frozenset(case.id for case in run.cases if SMOKE in case.tags)
    complaints: list[Complaint] = []
    for answers in run.answers:
        rows = [row for row in run.rows if answers.installation.has(row.subject)]
        complaints += _complaints_of(answers, rows, smoke, whole=whole and not answers.library.only)
    return replace(run, complaints=tuple(complaints))


def _complaints_of(
    answers: LibraryAnswers, rows: Sequence[Row], smoke: frozenset[str], *, whole: bool
) -> list[Complaint]:
    """Return failing smoke cases, failing rows, and wrong claims of the sheet, in this order."""
    name, sheet = answers.library.name, answers.library.sheet
    failing = [row for row in rows if row.verdict in FAILS]
    if answers.installed and answers.version != sheet.speaks_of:
        return [_of_another_version(answers, rows, failing)] if failing else []
    broken = dict.fromkeys(row.variant for row in failing if row.case in smoke)
    complaints = [Complaint(name, f"{variant} fails the smoke case: check its adapter first") for variant in broken]
    complaints += [Complaint(name, _failing(row, answers), row.place) for row in failing]
    if answers.installed:
        complaints += [Complaint(name, what, place) for place, what in stale(sheet, rows, whole=whole)]
        complaints += [Complaint(name, what) for what in (unwitnessed(sheet, rows) if whole else ())]
    return complaints


def other_version(answers: LibraryAnswers) -> str:
    """Return a note if another version ran than the sheet describes, otherwise an empty text."""
    sheet = answers.library.sheet
    if not answers.installed or answers.version == sheet.speaks_of:
        return ""
    known = sheet.known_of(answers.version)
    also = f", and notes about {answers.version}: {known.known}" if known else ""
    return f"version {answers.version} ran, but the sheet describes {sheet.speaks_of}{also}"


def _of_another_version(answers: LibraryAnswers, rows: Sequence[Row], failing: Sequence[Row]) -> Complaint:
    judged = sum(row.verdict not in NOT_JUDGED for row in rows)
    cases = list(dict.fromkeys(row.case for row in failing))
    named = ", ".join(cases[:MOST_CASES]) + (", …" if len(cases) > MOST_CASES else "")
    where = f"{len(cases)} {'cases' if len(cases) > 1 else 'case'} ({named})"
    what = f"{len(failing):,} of {judged:,} values differ from its claims, in {where}"
    remedy = f"run `rankproof diff` to compare them with results of {answers.library.sheet.speaks_of}"
    return Complaint(answers.library.name, f"{other_version(answers)}; {what}; {remedy}")


def _failing(row: Row, answers: LibraryAnswers) -> str:
    seen = f"observed {row.observed}" if row.observed else row.note
    what = f"{row.verdict}: {seen}" + (f"; {row.note}" if row.observed and row.note else "")
    if answers.library.fault:  # its text has the remedy
        return what
    if not row.case:
        return f"{what}; check its adapter"
    first = "report it to the maintainers" if row.verdict is Verdict.DEFECT else "correct the profile in the sheet"
    return f"{what}; {first}, or run `rankproof sheet update {answers.library.name}` and add the reason"


# -- digests -------------------------------------------------------------------------------------------------------------


def inputs_of(cases: Sequence[Case], answers: Sequence[LibraryAnswers]) -> str:
    """Return a digest of everything that can change a value, such as cases, adapters, sheets and the reference."""
    return _digest(cases, answers, (adapters, corpus, reference_impl))


def code_of(cases: Sequence[Case], answers: Sequence[LibraryAnswers]) -> str:
    """Return a digest of the same and of all code of rankproof."""
    return _digest(cases, answers, (version, adapters, corpus, reference_impl))


def corpus_of(cases: Iterable[Case]) -> str:
    """Return a digest of the inputs and measures of cases."""
    return store.digest([(case.id, case.input.as_json(), case.measures) for case in cases])


def _digest(cases: Sequence[Case], answers: Sequence[LibraryAnswers], modules: Iterable[ModuleType]) -> str:
    folders = [Path(module.__file__ or "").resolve().parent for module in modules]
    paths = ((folder, name) for top in folders for folder, _, names in os.walk(top) for name in names)
    files = {Path(folder, name) for folder, name in paths if name.endswith((".py", ".toml", ".json"))}
    # A sheet may be in a folder of the user.
    files |= {own.library.sheet.path for own in answers if own.library.sheet.path.is_file()}
    names = [(own.library.name, own.key, *own.library.only) for own in answers]
    questions = [(case.id, case.measures) for case in cases]
    return store.digest(names, questions, store.digest_of_files(files))
