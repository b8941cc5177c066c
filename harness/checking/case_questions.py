"""The questions that a function can be asked, and what it answers to them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rankproof.asking.observations import Answered, Failure
from rankproof.cases import Case
from rankproof.checking.call_forms import narrowed
from rankproof.checking.call_sessions import Session
from rankproof.checking.targets import Target
from rankproof.judging.oracle import Answers
from rankproof.judging.recalled import Recalled, recalled
from rankproof.meaning.measure_forms import cut_at, cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure

SMALL_CUTOFFS = (1, 2, 3, 5)
TELLING = 2
"""The small cutoff that tells most."""
Progress = Callable[[int, int], None]
PLAIN_RELS = range(6)


@dataclass(frozen=True)
class Question:
    """A measure of a case, as far as the function can be told of it.

    Attributes:
        telling: whether it is asked first: at the cutoffs that were chosen for something.
    """

    case: Case
    measure: Measure
    reference: Recalled
    telling: bool = True

    @property
    def strangeness(self) -> int:
        """How far it is from what the case was written to ask."""
        named = list(dict.fromkeys(parse_measure(measure).name for measure in self.case.measures))
        return named.index(self.measure.name) if self.measure.name in named else len(named)

    @property
    def is_plain(self) -> bool:
        """Whether it asks of nothing special: no ties, no empty ranking, rels that are small whole numbers."""
        data = self.case.input
        scores = [(query, score) for query, _, score, _ in data.run]
        whole = all(rel in PLAIN_RELS for _, _, rel in data.qrels)
        return whole and len(set(scores)) == len(scores) and bool(scores) and not data.empty_in_run

    @property
    def weight(self) -> tuple[int, str]:
        """By which the simplest question is found."""
        return self.case.input.size + 2 * len(self.case.queries), self.case.id

    def answers(self, conventions: Conventions) -> Answers:
        """What the reference says."""
        return self.reference.answers(self.measure, conventions)


@dataclass(frozen=True)
class Seen:
    """A question, and what the function answered; `again` where it said something else when asked again."""

    question: Question
    answer: Answered | Failure
    again: Answered | Failure | None = None


def questions(target: Target, measure: Measure, cases: Sequence[Case]) -> Iterator[Question]:
    """Every question that the function can be asked: each case as far as it can be told, at each cutoff."""
    met = set()
    for case in cases:
        told = narrowed(target.form, case)
        if told is None:
            continue
        reference = recalled(told.input)
        for cutoff in _cutoffs(target, measure, told):
            asked = cut_at(measure, cutoff)
            if (told.input, asked) not in met:
                met.add((told.input, asked))
                yield Question(
                    told,
                    asked,
                    reference,
                    cutoff in {TELLING, measure.cutoff} or cutoff not in SMALL_CUTOFFS,
                )


def _cutoffs(target: Target, measure: Measure, case: Case) -> list[int | float | None]:
    """The cutoff asked; where the function takes any, those of the case and small ones, too."""
    if measure.of_labels or target.k is None or cutoff_of(measure) is None:
        return [measure.cutoff]
    own = [cutoff_of(m) for m in map(parse_measure, case.measures) if m.name == measure.name]
    longest = max((row[3] for row in case.input.run), default=0)
    small = [k for k in SMALL_CUTOFFS if k < longest]
    return list(dict.fromkeys([measure.cutoff, *(k for k in own if k is not None), *small]))


def answered(session: Session, asked: Sequence[Question], progress: Progress | None = None) -> Iterator[Seen]:
    """What a function answers, asked twice; `progress` is told how many questions are done, and of how many."""
    calls = [(question.case.input, cutoff_of(question.measure)) for question in asked]
    for done, (question, said) in enumerate(zip(asked, session.twice(calls), strict=True), start=1):
        yield Seen(question, *said)
        if progress is not None:
            progress(done, len(asked))
