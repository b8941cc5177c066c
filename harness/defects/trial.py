"""What a measure with a defect answers, and how much of what was answered that explains."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import isnan

from rankproof.cases.inputs import Input
from rankproof.defects.catalogue import catalogue
from rankproof.defects.defect import BrokenMeasure, Defect, Way
from rankproof.matching.comparing import gives
from rankproof.matching.fewest_changes import without_idle_choices
from rankproof.matching.recalled import Choices, Recalled, Varied, recalled
from rankproof.matching.reference_answers import Answers, Values, collection, said
from rankproof.meaning.deciding_axes import Facts, axes_that_may_matter, values_of
from rankproof.meaning.measure_forms import another
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure

COMMONEST_FIRST = sorted(AXES, key=lambda axis: not AXES[axis].headline)
"""The axes in the order in which they are tried: of two that explain as much the one on which more implementations differ is told."""


def is_telling(number: float) -> bool:
    """Whether it is neither 0 nor 1, which are right by many formulas; nor undefined, which is right wherever a query is left out."""
    return number not in {0.0, 1.0} and not isnan(number)


@dataclass(frozen=True)
class QuestionNumbers:
    """A question, and the numbers that were answered.

    Attributes:
        case: the id of the case, by which it is shown.
        numbers: by query; under None the value over all of them.
        is_ordinary: whether its input is as most are; the extreme proves nothing.
    """

    case: str
    input: Input
    measure: Measure
    numbers: Mapping[str | None, float]
    is_ordinary: bool = True

    @property
    def tells(self) -> bool:
        """Whether a number tells something."""
        return any(map(is_telling, self.numbers.values()))

    @property
    def weight(self) -> tuple[int, str]:
        """By which the simplest is found."""
        return self.input.size + 2 * len(self.input.queries), self.case


@dataclass(frozen=True, eq=False)
class Suspect:
    """A defect that a measure can have, in one of its ways."""

    defect: Defect
    way: Way


@lru_cache(maxsize=512)
def suspects(measure: Measure) -> tuple[Suspect, ...]:
    """The defects that a measure can have; one for all trials, as what they answer is kept."""
    return tuple(
        Suspect(defect, way) for defect in catalogue().values() if defect.concerns(measure) for way in defect.ways
    )


@lru_cache(maxsize=8_192)
def asked_of(suspect: Suspect, measure: Measure) -> Measure:
    """What is measured instead of a measure; one for all inputs, as to break a formula takes a while."""
    return another(measure, suspect.way.other) if suspect.way.other else BrokenMeasure(measure, suspect.way)


def answers_of(way: Way, asked: Measure, gathered: Collection, conventions: Conventions) -> Answers:
    """What the reference answers where a measure is broken in that way."""
    return said(lambda: _values(way, asked, gathered, conventions, _measured_by(way, gathered)))


def _measured_by(way: Way, gathered: Collection) -> Collection:
    """What is measured where a measure is broken in that way."""
    return gathered if way.instead is None else way.instead(gathered)


def _values(way: Way, asked: Measure, gathered: Collection, conventions: Conventions, measured: Collection) -> Values:
    answer = measured.answer(asked, conventions)
    per_query = {query: None if value is None else way.told(value) for query, value in answer.per_query.items()}
    mean = None if answer.mean is None else way.told(answer.mean)
    numbers = {query: value for query, value in per_query.items() if value is not None}
    if way.mean is not None and mean is not None:
        mean = way.mean(list(numbers.values()) or [Fraction(0)])
    if way.weights is not None and not (way.undefined_with_one and mean is None):
        mean = _weighted(numbers, way.weights(gathered))
    # What is measured instead may have other queries than those that were asked.
    return Values(
        {query: value for query, value in per_query.items() if query in {*gathered.qrels, *gathered.run}}, mean
    )


def _weighted(values: Mapping[str, Fraction], weights: Mapping[str, Fraction]) -> Fraction:
    """Their weighted mean; 0 where nothing weighs."""
    whole = sum((weights.get(query, Fraction(0)) for query in values), Fraction(0))
    total = sum((value * weights.get(query, 0) for query, value in values.items()), Fraction(0))
    return total / whole if whole else Fraction(0)


@dataclass
class SuspectAnswers:
    """What suspects answer to one input, worked out once for all trials; None is no suspect, but what is right."""

    input: Input
    _matter: dict[tuple[bool, Measure], Varied] = field(default_factory=dict)
    _answers: dict[tuple[Suspect, Measure, Choices], Answers] = field(default_factory=dict)
    _measured: dict[Suspect, Collection] = field(default_factory=dict)

    def matter(self, suspect: Suspect | None, measure: Measure) -> Varied:
        """The axes that can matter where the measure is broken in the suspect's way; all, where something else is measured."""
        if suspect is None or suspect.way.other:
            return self._recalled.varied(_instead(suspect, measure))
        key = (suspect.way.instead is None, measure)
        found = self._matter.get(key)
        if found is None:
            axes = axes_that_may_matter(self._facts, measure) if suspect.way.instead is None else axes_of(measure)
            found = self._matter[key] = Varied(axes)
        return found

    def answers(self, suspect: Suspect | None, measure: Measure, conventions: Conventions) -> Answers:
        """What the reference answers where the measure is broken in the suspect's way."""
        if suspect is None or suspect.way.other:
            return self._recalled.answers(_instead(suspect, measure), conventions)
        key = (suspect, measure, self.matter(suspect, measure).of(conventions))
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = said(lambda: self._values_of(suspect, measure, conventions))
        return found

    def _values_of(self, suspect: Suspect, measure: Measure, conventions: Conventions) -> Values:
        asked, measured = asked_of(suspect, measure), self._measured_instead(suspect)
        return _values(suspect.way, asked, self._gathered, conventions, measured)

    def _measured_instead(self, suspect: Suspect) -> Collection:
        # What a collection knows of itself is kept with it.
        found = self._measured.get(suspect)
        if found is None:
            found = self._measured[suspect] = _measured_by(suspect.way, self._gathered)
        return found

    @cached_property
    def _recalled(self) -> Recalled:
        return recalled(self.input)

    @cached_property
    def _facts(self) -> Facts:
        return Facts.of(self.input)

    @cached_property
    def _gathered(self) -> Collection:
        return collection(self.input)


def _instead(suspect: Suspect | None, measure: Measure) -> Measure:
    """The measure whose right formula a suspect has."""
    return measure if suspect is None else another(measure, suspect.way.other)


@lru_cache(maxsize=512)
def evidence(given: Input) -> SuspectAnswers:
    """One for all who try the answers to an input."""
    return SuspectAnswers(given)


Places = frozenset[tuple[int, str | None]]
"""Numbers, by the question and the query."""


@dataclass(frozen=True)
class _OneQuestion:
    """A suspect and a question: the axes that can matter, and by the choices on them the queries whose numbers are missed."""

    matter: Varied
    missed: dict[Choices, frozenset[str | None]] = field(default_factory=dict)


@dataclass
class Trial:
    """Suspects, held against the answers at one precision."""

    told: Sequence[QuestionNumbers]
    precision: str
    _questions: dict[tuple[Suspect | None, int], _OneQuestion] = field(default_factory=dict)

    @cached_property
    def ordinary(self) -> list[int]:
        """The questions whose input is as most are."""
        return [i for i, told in enumerate(self.told) if told.is_ordinary]

    def places(self, among: Iterable[int]) -> Places:
        """All numbers of some questions."""
        return frozenset((i, query) for i in among for query in self.told[i].numbers)

    def missed(self, suspect: Suspect | None, conventions: Conventions, among: Iterable[int]) -> Places:
        """The numbers that are not what it answers under these conventions; None: what is right."""
        return frozenset((i, query) for i in among for query in self._missed_of(suspect, conventions, i))

    def cost(self, suspect: Suspect, conventions: Conventions, among: Sequence[int], most: int) -> int:
        """How many numbers are missed; no more is counted from `most` on."""
        missed = 0
        for i in among:
            missed += len(self._missed_of(suspect, conventions, i))
            if missed >= most:
                return most
        return missed

    def _missed_of(self, suspect: Suspect | None, conventions: Conventions, i: int) -> frozenset[str | None]:
        question = self._question_of(suspect, i)
        choices = question.matter.of(conventions)
        found = question.missed.get(choices)
        if found is None:
            answers = self.answers(suspect, conventions, i)
            numbers = self.told[i].numbers.items()
            found = question.missed[choices] = frozenset(
                query for query, number in numbers if not gives(answers, query, number, self.precision)
            )
        return found

    def answers(self, suspect: Suspect | None, conventions: Conventions, i: int) -> Answers:
        """What it answers to a question."""
        return self._evidence[i].answers(suspect, self.told[i].measure, conventions)

    @cached_property
    def _evidence(self) -> list[SuspectAnswers]:
        return [evidence(told.input) for told in self.told]

    # -- the conventions under which a suspect explains most ---------------------------------------------------------

    def nearest(
        self, suspect: Suspect, starts: Iterable[Conventions], among: Sequence[int], most: int
    ) -> Conventions | None:
        """The conventions under which the fewest numbers are missed; None where `most` or more are."""
        every = len(self.places(among)) + 1
        # Starts that no question here tells apart lead to the same.
        choices = [self._question_of(suspect, i).matter.of for i in among]
        apart: dict[tuple[Choices, ...], Conventions] = {}
        for start in starts:
            apart.setdefault(tuple(of(start) for of in choices), start)
        found = [self._descended(suspect, start, among, every) for start in apart.values()]
        best = min(found, key=lambda pair: pair[0])
        return best[1] if best[0] < most else None

    def simplest(self, suspect: Suspect, profile: Conventions) -> Conventions:
        """The conventions without the choices that explain nothing, whatever the input."""
        every = range(len(self.told))
        return without_idle_choices(profile, lambda one: len(self.missed(suspect, one, every)))

    def remaining(self, suspect: Suspect, profile: Conventions) -> dict[str, tuple[str, ...]]:
        """By axis on which the profile is not as in `standard`, each value that explains as much as the one that it has."""
        every = range(len(self.told))
        missed = len(self.missed(suspect, profile, every)) + 1
        return {
            axis: tuple(
                value
                for value, one in _with_each_value(profile, axis)
                if self.cost(suspect, one, every, missed) < missed
            )
            for axis in STANDARD.differences(profile)
        }

    def _descended(
        self, suspect: Suspect, start: Conventions, among: Sequence[int], every: int
    ) -> tuple[int, Conventions]:
        fewest, profile = self.cost(suspect, start, among, every), start
        touched = self._touched(suspect, among)
        while fewest:
            missed = {i: len(self._missed_of(suspect, profile, i)) for i in among}
            total, better = fewest, None
            for axis, questions in touched.items():
                # What was missed comes first: a change that mends nothing of it is seen soon.
                first = sorted(questions, key=missed.__getitem__, reverse=True)
                others = total - sum(missed[i] for i in questions)
                for changed in _changes(profile, axis) if others < fewest else ():
                    cost = others + self.cost(suspect, changed, first, fewest - others)
                    if cost < fewest:
                        fewest, better = cost, changed
            if better is None:
                break
            profile = better
        return fewest, profile

    def _touched(self, suspect: Suspect, among: Sequence[int]) -> dict[str, list[int]]:
        """The questions to which each axis can matter."""
        matter = [(i, frozenset(self._question_of(suspect, i).matter.names)) for i in among]
        found = {axis: [i for i, axes in matter if axis in axes] for axis in COMMONEST_FIRST}
        return {axis: questions for axis, questions in found.items() if questions}

    def _question_of(self, suspect: Suspect | None, i: int) -> _OneQuestion:
        found = self._questions.get((suspect, i))
        if found is None:
            found = self._questions[suspect, i] = _OneQuestion(self._evidence[i].matter(suspect, self.told[i].measure))
        return found


def _changes(profile: Conventions, axis: str) -> Iterator[Conventions]:
    """The conventions with the axis changed; what refuses inputs explains no number."""
    return (one for value, one in _with_each_value(profile, axis) if value != getattr(profile, axis))


def _with_each_value(profile: Conventions, axis: str) -> Iterator[tuple[str, Conventions]]:
    """Each value of an axis that gives numbers, and the conventions with that."""
    return ((value, profile.replace(**{axis: value})) for value in values_of(axis) if value != "rejected")
