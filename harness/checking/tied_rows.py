"""Rows given in two orders: what shows that the order of tied docs has no name.

A value between the best and the worst order of tied docs may come of much else. So that a function keeps no order that has a name is said
only of one that was seen to: of the same docs in two orders of the rows it makes two values, though nothing but ties can be the cause,
and no order that has a name gives both. An order that is made of the docs, as by docid, gives one value whatever the order of the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from rankproof.calling.targets import Target
from rankproof.cases.inputs import Input
from rankproof.checking.case_questions import Question
from rankproof.checking.looking import question_of
from rankproof.inference.search import OF_ROWS
from rankproof.isolating.call_sessions import Session
from rankproof.matching.comparing import reading_of
from rankproof.meaning.input_traits import Trait
from rankproof.meaning.measure_facts import can_look_at
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Answered, Failure, Reading, numbers_in
from rankproof.workers.same_answers import same

SHAPES = ((4, 3), (8, 1), (18, 3), (24, 1), (40, 3), (40, 1))
"""How many docs a query has, and the highest rel: most sorts keep the order of 16 rows, and not of more."""
RELS = (0, 2, 1, 0, 3, 0, 0, 1, 0)
LEVELS = 2
"""How many scores there are where docs are tied."""
CASE = "tied rows"


@dataclass(frozen=True)
class Reordered:
    """A question asked with its rows in two orders, and the answers.

    Attributes:
        is_tied: whether its docs are tied; if not, the order of the rows is nothing to a ranking.
    """

    questions: tuple[Question, Question]
    answers: tuple[Answered | Failure, Answered | Failure]
    is_tied: bool

    def apart(self, precision: str) -> tuple[str | None, Reading, Reading] | None:
        """The query of which two values are given, and these; None where each has one."""
        first, second = (dict(numbers_in(answer)) for answer in self.answers)
        if first.keys() != second.keys():
            return None
        pairs = ((query, one, second[query]) for query, one in first.items())
        return next((pair for pair in pairs if not same(*pair[1:], precision)), None)


@dataclass(frozen=True)
class Unnamed:
    """That no order with a name gives the answers to two questions that differ in the order of the rows alone.

    Attributes:
        got: the two answers.
        named: what each order of the rows that has a name gives there.
    """

    questions: tuple[Question, Question]
    query: str | None
    got: tuple[Reading, Reading]
    named: tuple[tuple[str, tuple[Reading, Reading]], ...]


def reordered(
    session: Session, target: Target, measure: Measure, assumed: Sequence[Trait] = ()
) -> tuple[Reordered, ...]:
    """What a function that is told scores answers to the same docs in several orders of the rows."""
    if measure.of_labels or "order" not in can_look_at(measure) or "ties" in target.form.untold:
        return ()
    k = cutoff_of(measure)
    found = []
    for shape, tied in product(SHAPES, (True, False)):
        inputs = _orders(*shape, tied=tied)
        group = [one for data in inputs for one in question_of(CASE, target, measure, data, k, assumed)]
        said = session.twice([(one.case.input, k) for one in group])
        steady = [(one, answer) for one, (answer, again) in zip(group, said, strict=True) if again is None]
        for (first, answer), (second, other) in pairwise(steady):
            if first.case.input.has_ties is second.case.input.has_ties is tied:
                found.append(Reordered((first, second), (answer, other), tied))
    return tuple(found)


def unnamed(seen: Sequence[Reordered], follows: Conventions, precision: str) -> Unnamed | None:
    """The simplest pair that shows that no order with a name is kept, by all else that is followed; None where none does."""
    if any(one.apart(precision) is not None for one in seen if not one.is_tied):
        return None  # what looks at the order of rows that are not tied is not told by its ties
    found = (_unnamed(one, follows, precision) for one in seen if one.is_tied)
    return next((one for one in found if one is not None), None)


def _unnamed(one: Reordered, follows: Conventions, precision: str) -> Unnamed | None:
    differs = one.apart(precision)
    if differs is None:
        return None
    query, *got = differs
    named: list[tuple[str, tuple[Reading, Reading]]] = []
    for ties in sorted(OF_ROWS):
        first, second = (reading_of(asked.answers(follows.replace(ties=ties)), query) for asked in one.questions)
        if first is None or second is None or (same(got[0], first, precision) and same(got[1], second, precision)):
            return None
        named.append((ties, (first, second)))
    return Unnamed(one.questions, query, (got[0], got[1]), tuple(named))


def _orders(n: int, highest: int, *, tied: bool) -> Iterator[Input]:
    """So many docs of unlike rels, tied or not; the rows in several orders."""
    docs = [f"d{i * 37 % 101}" for i in range(n)]
    rels = [min(RELS[i % len(RELS)], highest) for i in range(n)]
    scores = [i % LEVELS / 2 + 0.25 if tied else (i * 7 % n) / 64 + 0.25 for i in range(n)]
    places = list(range(n))
    turned, by_threes = [*places[n // 3 :], *places[: n // 3]], [*places[1::3], *places[::3], *places[2::3]]
    for order in (places, places[::-1], turned, by_threes):
        yield Input(
            qrels=tuple(("q", docs[i], rels[i]) for i in order),
            run=tuple(("q", docs[i], scores[i], rank) for rank, i in enumerate(order, start=1)),
        )
