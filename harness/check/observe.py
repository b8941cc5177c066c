"""Calls of the function for every question, repeated in another process and in reverse order."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeAlias

from rankproof.cases.inputs import Input
from rankproof.check.function_adapter import LIBRARY, VARIANT
from rankproof.check.ingredients import shown_by
from rankproof.check.questions import Question, Shows
from rankproof.inference.evidence import Evidence, evidence_of
from rankproof.workers.library_worker import Worker
from rankproof.workers.observations import Answered, Failure, readings
from rankproof.workers.observations import read as read_answer
from rankproof.workers.same_answers import answers_identical
from rankproof.workers.subjects import Subject

Answer: TypeAlias = Answered | Failure
OnProgress = Callable[[int, int], None]
"""A callback with the number of values so far and the total."""
REPEATED = 150
"""The approximate number of questions that are repeated."""
FUNCTION = Subject(LIBRARY, VARIANT)
BREAKING = frozenset({"crash", "memory", "timeout", "invalid-output"})
SKIPPED = "skipped"
OVER_TIME = "not called, because the time was used up"
MOST_BROKEN = 3
"""The number of crashes and timeouts after which no more calls are made."""


@dataclass(frozen=True, eq=False)
class Value:
    """The result of a call for one question.

    Attributes:
        again: the result of the repetition, if it differs.
    """

    question: Question
    answer: Answer
    again: Answer | None = None

    @property
    def numbers(self) -> dict[str | None, float]:
        """The numbers by query, with the mean under None; empty for failures and results that a repetition changed."""
        if isinstance(self.answer, Failure) or self.again is not None:
            return {}
        return {query: value for query, value in readings(self.answer, ()) if isinstance(value, float)}

    @property
    def failure(self) -> str:
        """The kind of failure, such as error or crash; empty if the call returned."""
        return self.answer.kind if isinstance(self.answer, Failure) else ""

    @property
    def text(self) -> str:
        """The text of an exception or failure; empty if the call returned."""
        return self.answer.text if isinstance(self.answer, Failure) else ""

    @property
    def is_left_out(self) -> bool:
        """Whether the call was not made because the time ran out."""
        return self.text == OVER_TIME

    @property
    def is_skipped(self) -> bool:
        """Whether the call skipped the query because it does not have exactly one relevant document."""
        return self.failure == SKIPPED

    @property
    def is_missing(self) -> bool:
        """Whether there is no result: the call was not made, or skipped the query."""
        return self.is_left_out or self.is_skipped

    @cache  # noqa: B019 - a value lives as long as its check
    def evidence(self, precision: str) -> Evidence:
        """Return the value as evidence for the inference of conventions."""
        return evidence_of(self.answer, self.question, precision)


@dataclass
class Report:
    """Report of the function's process on all calls.

    Attributes:
        reads: the ingredients that were read.
        changed: the ingredients that the function changed in place.
        unsteady: the changed ingredients that give another value when the function gets them again.
    """

    reads: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    unsteady: set[str] = field(default_factory=set)

    def add(self, report: Mapping[str, Iterable[str]]) -> None:
        """Add the report of one more call."""
        for name, names in vars(self).items():
            names.update(report.get(name, ()))

    @property
    def shows(self) -> Shows:
        """The properties of the input that the call shows."""
        return shown_by(self.reads)


@dataclass
class Caller:
    """Caller of a function in worker processes, within a time limit.

    Attributes:
        worker: returns the worker for a hash seed, which changes the order of sets.
        call: the expression, or an empty text for a callable.
        budget: seconds for all calls.
        again: results of repetitions after a failed call.
        broken: the number of calls that crashed or did not return.
    """

    worker: Callable[[str], Worker]
    call: str
    budget: float = 120.0
    again: dict[Question, Answer] = field(default_factory=dict)
    broken: int = 0
    report: Report = field(default_factory=Report)
    _began: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        """Whether no more calls are made: the time ran out, or too many calls crashed."""
        return self.broken >= MOST_BROKEN or time.monotonic() - self._began > self.budget

    def answers(
        self, questions: Sequence[Question], seed: str = "0", on_progress: OnProgress | None = None
    ) -> list[Answer]:
        """Return the result for each question, in a process with this hash seed that is replaced if it crashes."""
        by_input: dict[Input, list[Question]] = {}
        for question in questions:
            by_input.setdefault(question.input, []).append(question)
        answers: dict[Question, Answer] = {}
        worker = self.worker(seed)
        for data, group in by_input.items():
            answers |= self._answered(worker, data, group)
            if on_progress is not None:
                on_progress(len(answers), len(questions))
        return [answers[question] for question in questions]

    def _answered(self, worker: Worker, data: Input, questions: Sequence[Question]) -> dict[Question, Answer]:
        if self.is_over:
            return dict.fromkeys(questions, Failure("timeout", OVER_TIME))
        measures = {str(question.measure): question for question in questions}
        measure = questions[0].measure
        request = {**data.as_json(), "call": self.call, "threshold": 1.0 if measure.of_labels else measure.rel}
        replies = worker.observe(VARIANT, request, list(measures), once=True)
        self.report.add(worker.report)
        answers = {question: self._read(question, replies[name]) for name, question in measures.items()}
        self.broken += sum(isinstance(answer, Failure) and answer.kind in BREAKING for answer in answers.values())
        return answers

    def _read(self, question: Question, reply: Mapping[str, Any]) -> Answer:
        read = read_answer(question.case.id, FUNCTION, str(question.measure), reply)
        if read.again is not None:
            self.again[question] = read.again
        return read.answer or Failure(SKIPPED, read.why_not)


def observe(caller: Caller, questions: Sequence[Question], on_progress: OnProgress | None = None) -> list[Value]:
    """Return the result for every question. Repeat some in another process and in reverse order."""
    answers = caller.answers(questions, on_progress=on_progress)
    values = [
        Value(question, answer, caller.again.get(question)) for question, answer in zip(questions, answers, strict=True)
    ]
    return values if caller.is_over else _repeated(caller, values)


def _repeated(caller: Caller, values: Sequence[Value]) -> list[Value]:
    returned = [place for place, value in enumerate(values) if isinstance(value.answer, Answered)]
    places = returned[:: max(1, len(returned) // REPEATED)][::-1]
    answers = caller.answers([values[place].question for place in places], seed="1")
    again = dict(zip(places, answers, strict=True))
    return [
        replace(value, again=again[place])
        if place in again and value.again is None and _differs(value.answer, again[place])
        else value
        for place, value in enumerate(values)
    ]


def _differs(first: Answer, second: Answer) -> bool:
    is_over = isinstance(second, Failure) and second.text == OVER_TIME
    return not is_over and not answers_identical(first, second)
