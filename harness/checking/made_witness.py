"""A small input that shows what is wrong with a function and nothing else: made for that, and asked of the function itself."""

import math
from collections.abc import Iterable, Iterator

from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.checked import MADE, Made
from rankproof.checking.differing import precisions
from rankproof.checking.findings import OddScore
from rankproof.checking.left_open import LeftOpen
from rankproof.checking.looking import question_of
from rankproof.defects.defect import Witness
from rankproof.defects.diagnosis import DefectWitness as Shown
from rankproof.defects.diagnosis import Diagnosis
from rankproof.defects.trial import QuestionNumbers, Suspect, Trial
from rankproof.isolating.call_sessions import Session
from rankproof.matching.comparing import reading_of
from rankproof.meaning.measure_forms import cutoff_of, measure_of

PLAIN = (
    ({"q": {"a": 1, "b": 1, "x": 0}}, {"q": "a x"}),
    ({"q": {"a": 0, "b": 1}}, {"q": "a b"}),
    ({"q": {"a": 1, "b": 0, "c": 1}}, {"q": "a b c"}),
    ({"q": {"a": 2, "b": 0, "c": 1, "d": 3}}, {"q": "a b c d"}),
    ({"1": {"a": 1, "b": 0, "c": 0}, "2": {"d": 0, "e": 1}}, {"1": "a b c", "2": "d e"}),
)
"""Judgments and runs that show most of what has no witness of its own: that it is another measure, or mixes queries."""


def made_for(session: Session, left: LeftOpen) -> Made | None:
    """The first input made for what is wrong on which the function gives what that gives; None where none shows it, or nothing is wrong."""
    if left.finding is not None and left.finding.score is not None:
        return _of_score(session, left, left.finding.score)
    if not left.is_by_catalogue or left.defect is None:
        return None
    exactly = precisions(left.answered)[-1]
    for question, told in _told(session, _questions(left, left.defect)):
        found = _shown(told, left.defect, exactly)
        if found is not None:
            return Made(question, found)
    return None


def _told(session: Session, asked: Iterable[Question]) -> Iterator[tuple[Question, QuestionNumbers]]:
    """The questions to which numbers are answered, the same ones when asked again; with these."""
    every = list(asked)
    said = session.twice([(one.case.input, cutoff_of(one.measure)) for one in every])
    for question, answers in zip(every, said, strict=True):
        told = Seen(question, *answers).told
        if told is not None:
            yield question, told


def _of_score(session: Session, left: LeftOpen, odd: OddScore) -> Made | None:
    """The run whose score is odd, if the function gives it that score."""
    asked = question_of(
        f"{MADE}cheap", left.target, left.measure, odd.data, cutoff_of(left.measure), left.assumed, f"a run {odd.run}"
    )
    for question, told in _told(session, asked):
        query = next((q for q, number in told.numbers.items() if number == odd.got), None)
        if query is not None:
            return Made(question, Shown(told, query, odd.got, odd.right))
    return None


def _questions(left: LeftOpen, defect: Diagnosis) -> Iterator[Question]:
    """What can be asked of the function, of the inputs of the defect's own ways first."""
    own = cutoff_of(left.measure)
    ways = (way.witness for one in defect.defects for way in one.ways if way.witness is not None)
    shown = ((one.input, cutoff_of(measure_of(one.measure))) for one in ways)
    for data, k in dict.fromkeys([*shown, *((Witness("", *given, "").input, None) for given in PLAIN)]):
        cutoffs = [k, own] if k is not None and own is not None and left.target.any_k else [own]
        for at in dict.fromkeys(cutoffs):
            yield from question_of(
                f"{MADE}{defect.names[0]}", left.target, left.measure, data, at, left.assumed, defect.plain_sentence
            )


def _shown(told: QuestionNumbers, defect: Diagnosis, exactly: str) -> Shown | None:
    """What was answered and what is right, if the defect gives that answer and the right formula another one."""
    trial = Trial([told], exactly)
    suspects = [Suspect(one, way) for one in defect.defects for way in one.ways]
    if all(trial.missed(suspect, defect.profile, [0]) for suspect in suspects):
        return None
    right = trial.answers(None, defect.profile, 0)
    for query in sorted((query for _, query in trial.missed(None, defect.profile, [0])), key=str):
        value = reading_of(right, query)
        if isinstance(value, float) and math.isfinite(value):
            return Shown(told, query, told.numbers[query], value)
    return None
