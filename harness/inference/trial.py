"""Values of measures with a defect, and how many observed values they explain."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import isnan

from rankproof.cases.inputs import Input
from rankproof.defects.catalogue import catalogue
from rankproof.defects.defect import BrokenMeasure, Defect, Way
from rankproof.inference.comparing import gives
from rankproof.inference.deciding_axes import Facts, axes_that_may_matter, values_of
from rankproof.inference.fewest_changes import without_idle_choices
from rankproof.inference.recalled import Choices, Recalled, Varied, recalled
from rankproof.inference.reference_answers import Answers, Values, collection, said
from rankproof.inference.signatures import axes_of
from rankproof.measure_forms import another
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure

COMMONEST_FIRST = sorted(AXES, key=lambda axis: not AXES[axis].headline)
"""The order in which axes are tried. Axes on which more implementations differ come first and win if both explain as much."""


def is_telling(number: float) -> bool:
    """Return whether a number differs from 0, 1 and NaN, which many formulas give."""
    return number not in {0.0, 1.0} and not isnan(number)


@dataclass(frozen=True)
class QuestionNumbers:
    """Numbers that a function or a library returned for a measure of one input.

    Attributes:
        case: the id of the case.
        numbers: the value of each query, and the value over all queries under None.
        is_ordinary: whether the input is ordinary. Values on extreme input prove no defect.
    """

    case: str
    input: Input
    measure: Measure
    numbers: Mapping[str | None, float]
    is_ordinary: bool = True

    @property
    def is_telling(self) -> bool:
        """Whether any of the numbers is telling."""
        return any(map(is_telling, self.numbers.values()))

    @property
    def weight(self) -> tuple[int, str]:
        """A sort key that puts the simplest input first."""
        return self.input.size + 2 * len(self.input.queries), self.case


@dataclass(frozen=True, eq=False)
class Suspect:
    """A defect that a measure can have, in one of its forms."""

    defect: Defect
    way: Way


@lru_cache(maxsize=512)
def suspects(measure: Measure) -> tuple[Suspect, ...]:
    """Return the defects that a measure can have. All trials share them, because their values are cached."""
    return tuple(
        Suspect(defect, way) for defect in catalogue().values() if defect.concerns(measure) for way in defect.ways
    )


@lru_cache(maxsize=8_192)
def asked_of(suspect: Suspect | None, measure: Measure) -> Measure:
    """Return the measure that a suspect computes. It is cached, because a broken measure is slow to build."""
    if suspect is None:
        return measure
    return another(measure, suspect.way.other) if suspect.way.other else BrokenMeasure(measure, suspect.way)


def answers_of(
    way: Way, measure: Measure, data: Collection, conventions: Conventions, changed: Collection | None = None
) -> Answers:
    """Return the values of a broken measure, or why the reference gives none. `changed` is the changed data, if cached."""
    return said(lambda: _values(way, measure, data, conventions, changed or _changed_data(way, data)))


def _changed_data(way: Way, data: Collection) -> Collection:
    return data if way.change_data is None else way.change_data(data)


def _values(way: Way, measure: Measure, data: Collection, conventions: Conventions, changed: Collection) -> Values:
    answer = changed.answer(measure, conventions)
    per_query = {query: None if value is None else way.transform(value) for query, value in answer.per_query.items()}
    mean = None if answer.mean is None else way.transform(answer.mean)
    numbers = {query: value for query, value in per_query.items() if value is not None}
    if way.mean is not None and mean is not None:
        mean = way.mean(list(numbers.values()) or [Fraction(0)])
    if way.weights is not None and not (way.undefined_with_one and mean is None):
        mean = _weighted_mean(numbers, way.weights(data))
    # The changed data may have other queries.
    return Values({query: value for query, value in per_query.items() if query in {*data.qrels, *data.run}}, mean)


def _weighted_mean(values: Mapping[str, Fraction], weights: Mapping[str, Fraction]) -> Fraction:
    whole = sum((weights.get(query, Fraction(0)) for query in values), Fraction(0))
    total = sum((value * weights.get(query, 0) for query, value in values.items()), Fraction(0))
    return total / whole if whole else Fraction(0)


@dataclass
class SuspectAnswers:
    """Values of all suspects on one input, cached for all trials. The suspect None is the correct measure."""

    input: Input
    _matter: dict[tuple[bool, Measure], Varied] = field(default_factory=dict)
    _answers: dict[tuple[Suspect, Measure, Choices], Answers] = field(default_factory=dict)
    _changed: dict[Suspect, Collection] = field(default_factory=dict)

    def matter(self, suspect: Suspect | None, measure: Measure) -> Varied:
        """Return the axes that can change the values of a suspect: all axes of the measure if the suspect changes the data."""
        if suspect is None or suspect.way.other:
            return self._recalled.varied(asked_of(suspect, measure))
        is_same_data = suspect.way.change_data is None
        varied = self._matter.get((is_same_data, measure))
        if varied is None:
            axes = axes_that_may_matter(self._facts, measure) if is_same_data else axes_of(measure)
            varied = self._matter[is_same_data, measure] = Varied(axes)
        return varied

    def answers(self, suspect: Suspect | None, measure: Measure, conventions: Conventions) -> Answers:
        """Return the values of a suspect under these conventions."""
        if suspect is None or suspect.way.other:
            return self._recalled.answers(asked_of(suspect, measure), conventions)
        key = (suspect, measure, self.matter(suspect, measure).of(conventions))
        answers = self._answers.get(key)
        if answers is None:
            changed = self._changed.get(suspect)
            if changed is None:
                changed = self._changed[suspect] = _changed_data(suspect.way, self._data)
            answers = answers_of(suspect.way, asked_of(suspect, measure), self._data, conventions, changed)
            self._answers[key] = answers
        return answers

    @cached_property
    def _recalled(self) -> Recalled:
        return recalled(self.input)

    @cached_property
    def _facts(self) -> Facts:
        return Facts.of(self.input)

    @cached_property
    def _data(self) -> Collection:
        return collection(self.input)


@lru_cache(maxsize=512)
def answers_on(data: Input) -> SuspectAnswers:
    """Return the values of suspects on an input. All trials share them."""
    return SuspectAnswers(data)


Places = frozenset[tuple[int, str | None]]
"""The index of the question and the query of some numbers."""


@dataclass(frozen=True)
class _Misses:
    """The queries whose numbers a suspect misses in one question, by the choices on the axes that can matter."""

    matter: Varied
    by_choices: dict[Choices, frozenset[str | None]] = field(default_factory=dict)


@dataclass
class Trial:
    """A comparison of suspects with the numbers of some questions, at one precision."""

    questions: Sequence[QuestionNumbers]
    precision: str
    _misses: dict[tuple[Suspect | None, int], _Misses] = field(default_factory=dict)

    @cached_property
    def ordinary(self) -> list[int]:
        """The questions with ordinary input."""
        return [i for i, question in enumerate(self.questions) if question.is_ordinary]

    def count(self, among: Iterable[int]) -> int:
        """Count the numbers of some questions."""
        return sum(len(self.questions[i].numbers) for i in among)

    def missed(self, suspect: Suspect | None, conventions: Conventions, among: Iterable[int]) -> Places:
        """Return the numbers that a suspect does not give under these conventions."""
        return frozenset((i, query) for i in among for query in self._missed_queries(suspect, conventions, i))

    def cost(self, suspect: Suspect, conventions: Conventions, among: Sequence[int], most: int) -> int:
        """Return how many numbers are missed, or `most` if there are that many."""
        missed = 0
        for i in among:
            missed += len(self._missed_queries(suspect, conventions, i))
            if missed >= most:
                return most
        return missed

    def _missed_queries(self, suspect: Suspect | None, conventions: Conventions, i: int) -> frozenset[str | None]:
        misses = self._misses_of(suspect, i)
        choices = misses.matter.of(conventions)
        queries = misses.by_choices.get(choices)
        if queries is None:
            answers = self.answers(suspect, conventions, i)
            numbers = self.questions[i].numbers.items()
            queries = misses.by_choices[choices] = frozenset(
                query for query, number in numbers if not gives(answers, query, number, self.precision)
            )
        return queries

    def _misses_of(self, suspect: Suspect | None, i: int) -> _Misses:
        misses = self._misses.get((suspect, i))
        if misses is None:
            matter = self._answers[i].matter(suspect, self.questions[i].measure)
            misses = self._misses[suspect, i] = _Misses(matter)
        return misses

    def answers(self, suspect: Suspect | None, conventions: Conventions, i: int) -> Answers:
        """Return the values of a suspect for one question."""
        return self._answers[i].answers(suspect, self.questions[i].measure, conventions)

    @cached_property
    def _answers(self) -> list[SuspectAnswers]:
        return [answers_on(question.input) for question in self.questions]

    def nearest(
        self, suspect: Suspect, starts: Iterable[Conventions], among: Sequence[int], most: int
    ) -> Conventions | None:
        """Return the conventions that make a suspect miss the fewest numbers, or None if it misses `most` or more."""
        every = self.count(among) + 1
        # Starts that give the same values for all of these questions lead to the same result.
        choices = [self._misses_of(suspect, i).matter.of for i in among]
        distinct: dict[tuple[Choices, ...], Conventions] = {}
        for start in starts:
            distinct.setdefault(tuple(of(start) for of in choices), start)
        costs = [self._descend(suspect, start, among, every) for start in distinct.values()]
        fewest, profile = min(costs, key=lambda pair: pair[0])
        return profile if fewest < most else None

    def simplest(self, suspect: Suspect, profile: Conventions) -> Conventions:
        """Return the conventions without choices that explain nothing on any input."""
        every = range(len(self.questions))
        return without_idle_choices(profile, lambda simpler: len(self.missed(suspect, simpler, every)))

    def _descend(
        self, suspect: Suspect, start: Conventions, among: Sequence[int], every: int
    ) -> tuple[int, Conventions]:
        """Change one axis after another while that reduces the numbers that are missed."""
        fewest, profile = self.cost(suspect, start, among, every), start
        touched = self._touched(suspect, among)
        while fewest:
            missed = {i: len(self._missed_queries(suspect, profile, i)) for i in among}
            total, better = fewest, None
            for axis, questions in touched.items():
                # Questions with misses come first, so that a change that does not reduce them is rejected early.
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
        """Return the questions whose values each axis can change."""
        matter = [(i, frozenset(self._misses_of(suspect, i).matter.names)) for i in among]
        touched = {axis: [i for i, axes in matter if axis in axes] for axis in COMMONEST_FIRST}
        return {axis: questions for axis, questions in touched.items() if questions}


def _changes(profile: Conventions, axis: str) -> Iterator[Conventions]:
    """Yield the conventions with each other value of an axis, except `rejected`, which gives no numbers."""
    current = getattr(profile, axis)
    return (profile.replace(**{axis: value}) for value in values_of(axis) if value not in {"rejected", current})
