"""A value beyond the bounds of its measure, where no convention can excuse it: on ordinary input, or where a doc is retrieved twice."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankproof.checking.case_questions import Question, Seen
from rankproof.matching.comparing import reading_of
from rankproof.meaning.input_traits import ASSUMPTIONS, BINARY_ONLY, has_a_doc_twice
from rankproof.meaning.measure_facts import bounds_of, can_look_at
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.same_answers import same

ROUNDING = 1e-6
"""By how much of the bound a sum of floats may be beyond it."""
REPEATED = ASSUMPTIONS["distinct"]


@dataclass(frozen=True)
class Excess:
    """A value that no ranking can be worth.

    Attributes:
        question: the simplest question that shows it.
        query: of which the value is; None for the value over all queries.
        repeats: whether it is so only where a doc is retrieved twice.
        is_credited_twice: whether the value is the measure's once each row of such a doc counts.
        is_followed: whether no doc is retrieved twice, and the conventions that are followed give the value: then it is theirs.
    """

    question: Question
    query: str | None
    got: float
    bound: float
    repeats: bool
    is_credited_twice: bool
    is_followed: bool = False

    @property
    def sentence(self) -> str:
        """That, in plain words."""
        measure = self.question.measure
        side = "above" if self.got > self.bound else "below"
        where = ""
        if self.repeats:
            where = ", where a doc is retrieved twice" + (" and credited each time" if self.is_credited_twice else "")
        return f"its {measure} is {self.got:.4g}, {side} {self.bound:g}, beyond which no {measure.name} is{where}"


def excess(measure: Measure, seen: Sequence[Seen], follows: Conventions, precision: str) -> Excess | None:
    """The simplest value beyond the bounds; None where there is none, or the measure has no bounds.

    What is no convention's comes first, then ordinary input: the ERR of a scale up to 2 is above 1 where a rel is 3.
    """
    bounds = bounds_of(measure)
    if bounds is None:
        return None
    found = [one for each in seen for one in _beyond(each, bounds, follows, precision)]
    return min(found, key=lambda one: (one.is_followed, one.repeats, one.question.weight), default=None)


def _counts(question: Question) -> bool:
    """Whether nothing is extreme about its input but that a ranking names a doc twice.

    Nor may a rel be above 1 where the measure looks at none: who sums flags gives no bound to other rels, and never meant them.
    """
    if BINARY_ONLY in question.traits and can_look_at(question.measure).isdisjoint({"gains", "rels"}):
        return False
    is_usual = all(trait is REPEATED or not trait.is_extreme for trait in question.traits)
    return is_usual and not has_a_doc_twice(question.case.input.qrels)


def _beyond(seen: Seen, bounds: tuple[float, float], follows: Conventions, precision: str) -> Iterator[Excess]:
    least, most = bounds
    for query, value in seen.numbers.items():
        if not math.isfinite(value):
            continue
        bound = most if value > most + ROUNDING * abs(most) else least if value < least - ROUNDING else None
        if bound is not None and _counts(seen.question):
            twice = reading_of(seen.question.answers(follows.replace(run_duplicates="both")), query)
            repeats = REPEATED in seen.question.traits
            credited = repeats and twice is not None and same(value, twice, precision)
            by_it = None if repeats else reading_of(seen.question.answers(follows), query)
            followed = by_it is not None and same(value, by_it, precision)
            yield Excess(seen.question, query, value, bound, repeats, credited, followed)
