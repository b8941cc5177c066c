"""The questions that a function can be asked, and what it answers to them."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count
from statistics import median
from typing import Any

from rankproof.calling.call_forms import is_asked, narrowed
from rankproof.calling.targets import Form, Target
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.defects.trial import QuestionNumbers
from rankproof.isolating.call_sessions import FOR_ALL, FOR_QUESTIONS, NOT_ASKED, Session
from rankproof.isolating.child_process import Call
from rankproof.matching.recalled import Choices, Recalled, Varied, recalled
from rankproof.matching.reference_answers import Answers
from rankproof.meaning.input_traits import BINARY_ONLY, LARGE, Trait, binarised, traits_of
from rankproof.meaning.measure_forms import cut_at, cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.ranking import as_float32
from rankproof.workers.observations import Answered, Failure, numbers_in
from rankproof.workers.same_answers import answers_identical

SMALL_CUTOFFS = (1, 2, 3, 5)
TELLING = 2
"""The small cutoff that tells most."""
Progress = Callable[[int, int], None]
PLAIN_RELS = range(6)
SLOW = 0.1
"""Where half of the answers take a larger share of the time for a question, one that came too late is no hang."""
BRIEFLY = 0.25
"""How many seconds a question may take that may take for ever."""
TOO_LONG = frozenset({"timeout", "memory", "crash"})
"""What comes of one that does."""
AS_BINARY = "(rels made 0 and 1)"
"""After the name of a case whose input was changed."""
AGAIN_AS_BEFORE = "asked again"
SAME_LISTS = "it changes what it is given: called again with the very same arguments"
TIES_AT_RANDOM = "docs with the same score stand in another order each time: asked again"
ANEW, TIMES = 5, 3
"""How many questions to which it gave two answers are asked with lists of their own, and how often: chance gives one answer to few."""
SAME_OBJECT = "it carries over what it has seen: the same object, asked again after its reset()"
NEW_PROCESS = (
    "it hangs on what each process has of its own, as the order of a set of texts: asked {} questions in a new process"
)
AGAIN = 60
"""About how many questions are asked once more."""


def traits(form: Form, data: Input, k: float | None = None) -> tuple[Trait, ...]:
    """What an input has that a function of the form is told: no ids, where it is told rows; no rels, where it is told the relevant docs."""
    untold = {"ids": "known" in form.settled, "rels": form.settled.get("gain") == "binary"}
    return tuple(trait for trait in traits_of(data, k) if not untold.get(trait.about))


@dataclass(frozen=True)
class Question:
    """A measure of a case, as far as the function can be told of it.

    Attributes:
        telling: whether conventions are inferred from it first: at the cutoffs that were chosen for something.
        traits: what its input has, of all that is extreme or may be assumed away.
    """

    case: Case
    measure: Measure
    reference: Recalled
    telling: bool = True
    traits: tuple[Trait, ...] = ()

    @property
    def extreme(self) -> Trait | None:
        """What takes it out of the ordinary tier; None if nothing does."""
        return next((trait for trait in self.traits if trait.is_extreme), None)

    @property
    def takes_long(self) -> bool:
        """Whether whole numbers of millions of digits may come of it, so that it is asked last and not for long."""
        return LARGE in self.traits

    @property
    def patience(self) -> float:
        """How much it takes, where it may take long: the largest rel, to whose power 2 may be raised; 0 of all else."""
        return max(rel for _, _, rel in self.case.input.qrels) if self.takes_long else 0

    @property
    def strangeness(self) -> int:
        """How far it is from what the case was written to ask."""
        named = list(dict.fromkeys(parse_measure(measure).name for measure in self.case.measures))
        return named.index(self.measure.name) if self.measure.name in named else len(named)

    @property
    def is_plain(self) -> bool:
        """Whether it asks of nothing special: no ties, no empty ranking, rels that are small whole numbers."""
        data = self.case.input
        whole = all(rel in PLAIN_RELS for _, _, rel in data.qrels)
        return whole and bool(data.run) and not data.has_ties and not data.empty_in_run

    def is_about(self, axis: str) -> bool:
        """Whether its case says what a value of the axis gives that is not standard's."""
        return axis in self._named_axes

    @cached_property
    def _named_axes(self) -> frozenset[str]:
        specs = (spec for of_measure in (self.case.expect or {}).values() for spec in of_measure)
        return frozenset(word.partition("=")[0] for spec in specs for word in spec.split())

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries of its case, as answers name them."""
        return tuple(map(str, self.case.queries))

    @property
    def weight(self) -> tuple[int, str]:
        """By which the simplest question is found."""
        return self.case.input.size + 2 * len(self.case.queries), self.case.id

    def answers(self, conventions: Conventions) -> Answers:
        """What the reference says."""
        return self.reference.at(self.measure, self.choices(conventions))

    def choices(self, conventions: Conventions) -> Choices:
        """The values of the axes that can matter: conventions with the same ones have the same answers."""
        return self._varied.of(conventions)

    @cached_property
    def _varied(self) -> Varied:
        return self.reference.varied(self.measure)


@dataclass(frozen=True)
class Seen:
    """A question, and what the function answered; `again` where it said something else when asked again.

    Attributes:
        when: what was other when it was asked again.
        is_elsewhere: whether that was in a process that was started anew, which was asked a few questions.
        compared: by a precision and choices, in what the answer differs from them; kept, as many conventions make the same choices.
    """

    question: Question
    answer: Answered | Failure
    again: Answered | Failure | None = None
    when: str = AGAIN_AS_BEFORE
    is_elsewhere: bool = False
    compared: dict[tuple[str, Choices], Sequence[Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def numbers(self) -> dict[str | None, float]:
        """The numbers of the answer, by query; none of what failed, or was another one when asked again."""
        return dict(numbers_in(self.answer)) if self.again is None else {}

    @property
    def told(self) -> QuestionNumbers | None:
        """The same, as defects are looked for in them; None where there are none."""
        asked, case, numbers = self.question, self.question.case, self.numbers
        return QuestionNumbers(case.id, case.input, asked.measure, numbers, asked.extreme is None) if numbers else None

    @property
    def left_out(self) -> bool:
        """Whether nothing was learnt: it was not asked, or took longer than such a question may."""
        if not isinstance(self.answer, Failure):
            return False
        return _is_not_asked(self.answer) or (self.question.takes_long and self.answer.kind in TOO_LONG)


def _is_not_asked(answer: Answered | Failure) -> bool:
    return isinstance(answer, Failure) and answer.text == NOT_ASKED


def questions(
    target: Target, measure: Measure, cases: Sequence[Case], assumed: Sequence[Trait] = ()
) -> Iterator[Question]:
    """Every question that the function can be asked: each case as far as it can be told, at each cutoff.

    Args:
        target: how it is called.
        measure: what it computes.
        cases: what is asked.
        assumed: what no input has; where that is a rel above 1, rels are made 0 and 1.
    """
    met = set()
    for case in cases:
        told = narrowed(target.form, case)
        if told is None:
            continue
        if BINARY_ONLY in assumed and BINARY_ONLY in traits(target.form, told.input):
            told = replace(told, id=f"{told.id} {AS_BINARY}", input=binarised(told.input))
        reference = recalled(told.input)
        for cutoff in _cutoffs(target, measure, told):
            asked = cut_at(measure, cutoff)
            has = traits(target.form, told.input, cutoff_of(asked))
            may_be = is_asked(target, told.input, cutoff_of(asked)) and not set(has) & set(assumed)
            if may_be and (told.input, asked) not in met:
                met.add((told.input, asked))
                telling = cutoff in {TELLING, measure.cutoff} or cutoff not in SMALL_CUTOFFS
                yield Question(told, asked, reference, telling, has)


def _cutoffs(target: Target, measure: Measure, case: Case) -> list[int | float | None]:
    """The cutoff asked; where the function takes any, those of the case and small ones, too."""
    if measure.of_labels or not target.any_k or cutoff_of(measure) is None:
        return [measure.cutoff]
    own = [cutoff_of(m) for m in map(parse_measure, case.measures) if m.name == measure.name]
    longest = max((row[3] for row in case.input.run), default=0)
    small = [k for k in SMALL_CUTOFFS if k < longest]
    return list(dict.fromkeys([measure.cutoff, *(k for k in own if k is not None), *small]))


def answered(
    session: Session, asked: Sequence[Question], progress: Progress | None = None, *, of_object: bool = False
) -> list[Seen]:
    """What a function answers, asked twice, what is ordinary first; and some of it once more, in another order and another process.

    `progress` is told how many questions are done, and of how many; `of_object` says that an object is made for each question, and asked
    once more after its `reset`.
    """
    session.share = FOR_QUESTIONS
    in_order = sorted(_by_turns(asked), key=lambda one: (one.patience, one.extreme is not None, not one.telling))
    usual = [question for question in in_order if not question.takes_long]
    seen: list[Seen] = []
    took: list[float] = []
    since = time.monotonic()
    for question, said in zip(usual, session.twice([_call(question) for question in usual]), strict=True):
        seen.append(Seen(question, *said))
        now = time.monotonic()
        if isinstance(said[0], Answered):
            took.append(now - since)
        since = now
        if progress is not None:
            progress(len(seen), len(asked))
    session.share = FOR_ALL
    seen = _with_causes(session, _in_another_order(session, seen), SAME_OBJECT if of_object else SAME_LISTS)
    if took and median(took) > SLOW * session.limits.question:
        seen = [_not_asked_if_late(one) for one in seen]
    long = in_order[len(usual) :]
    for question, said in zip(long, session.briefly([_call(question) for question in long], BRIEFLY), strict=True):
        seen.append(Seen(question, *said))
    return seen


def _not_asked_if_late(one: Seen) -> Seen:
    """The same; of a function that is slow throughout, what came too late is no hang, and counts as not asked."""
    if _is_late(one.answer):
        return replace(one, answer=Failure("timeout", NOT_ASKED))
    return replace(one, again=None) if _is_late(one.again) else one


def _is_late(answer: Answered | Failure | None) -> bool:
    return isinstance(answer, Failure) and answer.kind == "timeout"


def _by_turns(asked: Sequence[Question]) -> list[Question]:
    """A question of each topic of the corpus, then another one of each, and so on: so the first decide of everything something."""
    turns: defaultdict[str, Iterator[int]] = defaultdict(count)
    return sorted(asked, key=lambda one: next(turns[one.case.id.partition("/")[0]]))


def _with_causes(session: Session, seen: Sequence[Seen], cause: str) -> list[Seen]:
    """The same; where what was asked twice wavers only as the lists, or the object, of the first call are taken again, that is said."""
    wavering = [one for one in seen if isinstance(one.answer, Answered) and _came_back(one.again)]
    shown = sorted(wavering, key=lambda one: one.question.weight)[:ANEW]
    if not shown:
        return list(seen)
    if not all(answers_identical(one.answer, session.anew(_call(one.question))) for one in shown for _ in range(TIMES)):
        if not _only_of_ties(seen, wavering):
            return list(seen)
        cause = TIES_AT_RANDOM
    return [replace(one, when=cause) if _came_back(one.again) else one for one in seen]


def _only_of_ties(seen: Sequence[Seen], wavering: Sequence[Seen]) -> bool:
    """Whether docs are tied wherever it wavers, perhaps as float32 only, and enough was asked where none are."""
    untied = [one for one in seen if isinstance(one.answer, Answered) and not _may_tie(one.question.case.input)]
    return len(untied) >= len(wavering) >= ANEW and all(_may_tie(one.question.case.input) for one in wavering)


def _may_tie(data: Input) -> bool:
    """Whether two docs of a query have one score to who computes in float32."""
    return any(len({as_float32(score) for _, score, _ in rows}) < len(rows) for rows in data.scored.values())


def _came_back(again: Answered | Failure | None) -> bool:
    """Whether something else was said, and not nothing, as by a process that ended."""
    return again is not None and not (isinstance(again, Failure) and again.kind in TOO_LONG)


def in_a_new_process(session: Session, seen: Sequence[Seen], some: Sequence[Seen]) -> list[Seen]:
    """The same, with what is answered otherwise in a process that was started anew."""
    asked = [one for one in some if one.again is None and isinstance(one.answer, Answered)]
    asked = asked[:: max(1, len(asked) // AGAIN)]
    answers = session.elsewhere([_call(one.question) for one in asked]) if asked else []
    pairs = zip(asked, answers, strict=False)
    other = {id(one): answer for one, answer in pairs if not answers_identical(one.answer, answer)}
    changed = partial(replace, when=NEW_PROCESS.format(len(answers)), is_elsewhere=True)
    return [changed(one, again=other[id(one)]) if id(one) in other else one for one in seen]


def _call(question: Question) -> Call:
    return question.case.input, cutoff_of(question.measure)


def _in_another_order(session: Session, seen: Sequence[Seen]) -> list[Seen]:
    """The same, with what was answered otherwise by a new process that was asked other questions before."""
    steady = [at for at, one in enumerate(seen) if one.again is None and isinstance(one.answer, Answered)]
    some = steady[:: max(1, len(steady) // AGAIN)][::-1]
    session.end()  # what follows is asked in a process that was asked nothing yet
    found = list(seen)
    for at, (answer, again) in zip(some, session.twice([_call(seen[at].question) for at in some]), strict=True):
        said = [one for one in (answer, again) if one is not None and not _is_not_asked(one)]
        other = next((one for one in said if not answers_identical(seen[at].answer, one)), None)
        if other is not None:
            found[at] = replace(seen[at], again=other)
    return found
