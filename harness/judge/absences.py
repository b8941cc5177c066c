"""Absences: what a subject does not support, said once for each reason, and given back as a row for each question.

Most reasons hold wherever a measure is asked (there is no AP in scikit-learn), or for all that a case asks (no file has a line for a
query without docs); so it is enough to name the measures, or the cases. Where a reason holds for a measure in some cases only, both are
named. First come the cases; a measure that is named without cases is meant in all cases that are left.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.grouping import grouped
from rankproof.judge.verdicts import Row, Verdict
from rankproof.workers.subjects import Subject

_Pair = tuple[str, str]
"""A case, and a measure that it asks."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Questions that a subject does not support, and why.

    Attributes:
        cases: None for every case that asks these measures and is not named before.
        measures: None for everything that these cases ask.
    """

    subject: Subject
    why: str
    cases: tuple[str, ...] | None = None
    measures: tuple[str, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """The absence in JSON's terms, without its subject."""
        named = {"cases": self.cases, "measures": self.measures}
        return {"why": self.why} | {name: list(value) for name, value in named.items() if value is not None}


def absences_of(rows: Iterable[Row], questions: Mapping[str, Sequence[str]]) -> Iterator[Absence]:
    """What the unsupported rows among these say, in as few words as give each of them back."""
    unsupported = grouped((row.subject, row) for row in rows if row.verdict is Verdict.UNSUPPORTED)
    for subject, own in unsupported.items():
        yield from _of_subject(subject, {(row.case, row.measure): row.note for row in own}, questions)


def _of_subject(
    subject: Subject, reasons: Mapping[_Pair, str], questions: Mapping[str, Sequence[str]]
) -> Iterator[Absence]:
    several = {case: [(case, m) for m in measures] for case, measures in questions.items() if len(measures) > 1}
    whole = _with_one_reason(several, reasons)
    for why, cases in grouped((why, case) for case, why in whole.items()).items():
        yield Absence(subject, why, cases=tuple(cases))
    asking = _by_measure({case: measures for case, measures in questions.items() if case not in whole})
    everywhere = _with_one_reason({m: [(case, m) for case in cases] for m, cases in asking.items()}, reasons)
    for why, measures in grouped((why, measure) for measure, why in everywhere.items()).items():
        yield Absence(subject, why, measures=tuple(measures))
    left = grouped(
        ((why, measure), case)
        for (case, measure), why in reasons.items()
        if case not in whole and measure not in everywhere
    )
    for (why, measure), cases in left.items():
        yield Absence(subject, why, tuple(cases), (measure,))


def _with_one_reason(named: Mapping[str, Sequence[_Pair]], reasons: Mapping[_Pair, str]) -> dict[str, str]:
    """The reason for which nothing of what has a name is supported, by name, where there is one for all of it."""
    said = {name: {reasons.get(pair) for pair in pairs} for name, pairs in named.items()}
    return {name: why for name, whys in said.items() if len(whys) == 1 and (why := whys.pop()) is not None}


def _by_measure(questions: Mapping[str, Sequence[str]]) -> Mapping[str, list[str]]:
    """The cases that ask each measure."""
    return grouped((measure, case) for case, measures in questions.items() for measure in dict.fromkeys(measures))


def rows_of(
    judged: Iterable[Row],
    absences: Iterable[Absence],
    questions: Mapping[str, Sequence[str]],
    subjects: Sequence[Subject],
) -> list[Row]:
    """All rows in the order in which the questions were asked: those that were judged, and one for each that is unsupported."""
    found: dict[Subject, dict[_Pair, list[Row]]] = {subject: {} for subject in subjects}
    for row in judged:
        found.setdefault(row.subject, {}).setdefault((row.case, row.measure), []).append(row)
    asking = _by_measure(questions)
    for absence in absences:
        places = found.setdefault(absence.subject, {})
        for case, measure in _meant(absence, questions, asking):
            if (case, measure) not in places:
                row = Row(case, absence.subject, measure, None, Verdict.UNSUPPORTED, note=absence.why)
                places[case, measure] = [row]
    rows = [row for subject in subjects for row in found[subject].pop(("", ""), ())]
    for case, measures in questions.items():
        for subject in subjects:
            places = found[subject]
            for measure in measures:
                rows += places.pop((case, measure), ())
    return rows + [row for places in found.values() for left in places.values() for row in left]


def _meant(
    absence: Absence, questions: Mapping[str, Sequence[str]], asking: Mapping[str, Sequence[str]]
) -> Iterator[_Pair]:
    """The questions that it is about; `asking` are the cases by measure."""
    if absence.measures is None:
        for case in questions if absence.cases is None else absence.cases:
            yield from ((case, measure) for measure in questions[case])
        return
    among = None if absence.cases is None else frozenset(absence.cases)
    for measure in absence.measures:
        yield from ((case, measure) for case in asking.get(measure, ()) if among is None or case in among)
