"""The questions of a check: every input of the corpus that the call can be passed, at each cutoff, and inputs made for it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.check.ingredients import REPEATS
from rankproof.check.made_inputs import made_cases
from rankproof.check.visibility import Shows, visible_inputs
from rankproof.inference.evidence import ReferenceQuestion
from rankproof.inference.input_traits import BY_STEPS, Trait, traits_of
from rankproof.measure_forms import cut_at, cutoff_of, name_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.observations import Reading

SMALL_CUTOFFS = (2, 5)
TELLING = 2
"""The small cutoff that tells conventions apart most often."""


@dataclass(frozen=True, eq=False)
class Question:
    """A measure of one input that the call sees.

    Attributes:
        case: the case that it is from, with the input that the call sees.
        measure: at the cutoff that is tested.
        traits: what the input has that is extreme, or may be.
        is_telling: whether conventions are inferred from it first.
    """

    case: Case
    measure: Measure
    traits: tuple[Trait, ...]
    is_telling: bool = True

    @property
    def input(self) -> Input:
        """The input that the call sees."""
        return self.case.input

    @property
    def is_ordinary(self) -> bool:
        """Whether the input has nothing extreme."""
        return not any(trait.is_extreme for trait in self.traits)

    @property
    def repeats_a_document(self) -> bool:
        """Whether all that is extreme is a document retrieved twice."""
        extreme = {trait.assumption for trait in self.traits if trait.is_extreme}
        return extreme == {"distinct"} and len({row[:2] for row in self.input.qrels}) == len(self.input.qrels)

    @cached_property
    def reference(self) -> ReferenceQuestion:
        """The reference's values, under any profile."""
        return ReferenceQuestion(self.case, self.measure)

    @property
    def size(self) -> tuple[int, int, str]:
        """By which the simplest question is chosen."""
        return len(self.input.queries), self.input.size + len(self.input.true or ()), self.case.id

    def expected(self, conventions: Conventions) -> dict[str | None, Reading] | str:
        """Return the reference's values by query and, under None, the mean; or why it gives none."""
        values = self.reference.expected(vars(conventions))
        return values if isinstance(values, dict) else values.reason


@lru_cache(maxsize=4096)
def _traits(data: Input, k: int | None) -> tuple[Trait, ...]:
    return traits_of(data, k)


@lru_cache(maxsize=16)
def questions_of(measure: Measure, shows: Shows, *, of_all: bool, any_cutoff: bool) -> tuple[Question, ...]:
    """Return the questions that a call can be passed; each once, ordinary and simple ones first.

    Args:
        measure: the requested measure.
        shows: what the call shows.
        of_all: whether the call is of all queries.
        any_cutoff: whether the call reads the cutoff, so that other cutoffs can be tested.
    """
    seen: dict[tuple[Input, Measure], Question] = {}
    threshold = 1.0 if measure.of_labels else measure.rel
    for case in (*made_cases(measure, twice=REPEATS in shows), *corpus.load_all()):
        if case.input.of_labels is not measure.of_labels or not _is_feasible(case.input):
            continue
        for data in visible_inputs(case.input, shows, threshold, of_all=of_all):
            for question in _at_cutoffs(case, data, measure, any_cutoff=any_cutoff):
                seen.setdefault((data, question.measure), question)
    return tuple(_by_topics(seen.values()))


def _is_feasible(data: Input) -> bool:
    """Return whether no grade is so high that 2 to its power would take long."""
    return all(abs(grade) <= BY_STEPS for _, _, grade in data.qrels)


def _at_cutoffs(case: Case, data: Input, measure: Measure, *, any_cutoff: bool) -> Iterator[Question]:
    own = replace(case, input=data)
    k = cutoff_of(measure)
    yield Question(own, measure, _traits(data, k))
    if not any_cutoff or k is None:
        return
    named = [cutoff_of(parse(text)) for text in case.measures if name_of(text) == measure.name]
    longest = max(map(len, data.scored.values()), default=0)
    for cutoff in dict.fromkeys([*named, *(small for small in SMALL_CUTOFFS if small < longest)]):
        if cutoff is not None and cutoff != k:
            yield Question(own, cut_at(measure, cutoff), _traits(data, cutoff), cutoff == TELLING or cutoff in named)


def _by_topics(questions: Iterable[Question]) -> list[Question]:
    """Return a question of each topic of the corpus, then another of each, so that the first ones decide something of everything."""
    turns: defaultdict[str, Iterator[int]] = defaultdict(count)
    return sorted(
        questions,
        key=lambda question: (not question.is_ordinary, next(turns[question.case.id.partition("/")[0]])),
    )
