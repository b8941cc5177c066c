"""Where answers are not what the reference says under some conventions."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.wording import apart, gives, overall
from rankproof.matching.comparing import UNSPECIFIED, reading_of, some_order_gives
from rankproof.matching.reference_answers import Answers, CannotTell, Obstacle, Refused, Values
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.workers.observations import ABSENT, Answered, Failure, Reading, numbers_in, readings
from rankproof.workers.same_answers import same

PRECISIONS = ("float64", "float32")
ROUNDED = range(2, 7)
"""The decimals that people round to; numbers with fewer are so by chance."""
FEW_DECIMALS, MANY_NUMBERS = 2, 12
"""Numbers with so few decimals are so by chance, too, as halves and fourths are, unless there are many unlike ones."""


@dataclass(frozen=True)
class Difference:
    """An answer that is not what conventions say.

    Attributes:
        query: None for the value over all queries.
        expected: None where the reference refuses the input, or cannot tell; `note` says why it cannot.
        got: a number, `absent`, or what went wrong.
    """

    question: Question
    query: str | None
    expected: Reading | None
    got: Reading | Failure
    note: str = ""

    @property
    def rank(self) -> tuple[bool, int, str]:
        """Its place among others: numbers before errors, simple before large."""
        return isinstance(self.got, Failure), *self.question.weight


def plainest(difference: Difference) -> tuple[bool, tuple[bool, int, str]]:
    """By which the simplest is found: of a question of nothing special first."""
    return not difference.question.is_plain, difference.rank


def precisions(seen: Sequence[Seen]) -> tuple[str, ...]:
    """How exactly numbers may be compared, the finest first: a function may round, to as many decimals as its numbers have.

    Those are the numbers of one query: a mean of rounded ones has more decimals, and is as far off at most. Where these have too few to
    tell, as the 0 and 1 of a hit rate, means may be what is rounded.
    """
    told = [(len(one.question.case.queries), *number) for one in seen for number in numbers_in(one.answer)]
    alone = _decimals([value for queries, query, value in told if queries == 1 or query is not None])
    decimals = alone or _decimals([value for *_, value in told], fewest=2)
    return (*PRECISIONS, f"{decimals} decimals") if decimals in ROUNDED else PRECISIONS


def _decimals(values: Sequence[float], fewest: int = 1) -> int:
    """The most decimals that as many of these unlike numbers have; 0 where they are so few that it is by chance."""
    found = {value: -int(Decimal(repr(value)).as_tuple().exponent) for value in values if math.isfinite(value)}
    most = max(found.values(), default=0)
    by_chance = sum(n == most for n in found.values()) < (MANY_NUMBERS if most <= FEW_DECIMALS else fewest)
    return 0 if by_chance else most


def differences(seen: Sequence[Seen], conventions: Conventions, precision: str) -> list[Difference]:
    """Where answers are not what the reference says under these conventions, the simplest first."""
    found = [difference for one in seen for difference in _kept(one, conventions, precision)]
    return sorted(found, key=lambda d: d.rank)


def _kept(seen: Seen, conventions: Conventions, precision: str) -> Sequence[Difference]:
    """The same of one answer, worked out once for all conventions that agree wherever they can matter to it."""
    key = precision, seen.question.choices(conventions)
    found = seen.compared.get(key)
    if found is None:
        found = seen.compared[key] = tuple(_differences(seen, conventions, precision))
    return found


def _differences(seen: Seen, conventions: Conventions, precision: str) -> Iterator[Difference]:
    question, answer = seen.question, seen.answer
    expected = _expected(question, answer, conventions)
    if seen.again is not None:
        query, first, then = apart(answer, seen.again)
        yield Difference(question, query, reading_of(expected, query), first, f"asked again it {gives(then)}")
        return
    if isinstance(answer, Failure) and answer.kind != "error":
        yield Difference(question, None, reading_of(expected, None), answer)
        return
    if isinstance(expected, CannotTell):
        if expected.obstacle is not Obstacle.TOO_MANY_ORDERS:  # which are not held against anybody
            yield Difference(question, None, None, overall(answer), f"the reference cannot tell: {expected.reason}")
        return
    if isinstance(answer, Failure):
        if not isinstance(expected, Refused) and not is_over_no_query(expected):
            yield Difference(question, None, reading_of(expected, None), answer)
        return
    for query, reading in readings(answer, question.queries):
        wanted = reading_of(expected, query)
        if not (reading == ABSENT == wanted) and (wanted is None or not same(reading, wanted, precision)):
            if conventions.ties == UNSPECIFIED and _in_some_order(question, query, reading, conventions, precision):
                continue
            yield Difference(question, query, wanted, reading)


def is_over_no_query(expected: Answers) -> bool:
    """Whether there is no mean, as no query is left: to raise says so as well as NaN does, and no convention is about it."""
    return isinstance(expected, Values) and not expected.per_query and expected.mean is None


def _expected(question: Question, answer: Answered | Failure, conventions: Conventions) -> Answers:
    """What is right; of docs without a judgment that are refused, those below the cutoff are no concern of who looks no further."""
    expected = question.answers(conventions)
    if _is_beyond_the_refusal(question, answer, expected):
        return question.answers(conventions.replace(unjudged="non-relevant"))
    return expected


def _is_beyond_the_refusal(question: Question, answer: Answered | Failure, expected: Answers) -> bool:
    """Whether an answer is given though docs without a judgment are to be refused, all of which are below the cutoff."""
    is_refused = isinstance(expected, Refused) and expected.axis == "unjudged" and isinstance(answer, Answered)
    return is_refused and not _is_unjudged_met(question)


def refuses_in_the_top_alone(seen: Sequence[Seen], conventions: Conventions) -> bool:
    """Whether some answers show that docs without a judgment are refused within the cutoff alone, which no convention says."""
    return any(_is_beyond_the_refusal(one.question, one.answer, one.question.answers(conventions)) for one in seen)


def _is_unjudged_met(question: Question) -> bool:
    """Whether a doc without a judgment may stand within the cutoff."""
    data, k = question.case.input, cutoff_of(question.measure)
    judged = {(str(query), doc) for query, doc, _ in data.qrels}
    for query in {str(row[0]) for row in data.run}:
        scored = sorted(((row[2], (query, row[1]) in judged) for row in data.run if str(row[0]) == query), reverse=True)
        lowest = scored[min(k or len(scored), len(scored)) - 1][0]
        if any(score >= lowest and not is_judged for score, is_judged in scored):
            return True
    return False


def _in_some_order(
    question: Question, query: str | None, got: Reading, conventions: Conventions, precision: str
) -> bool:
    """Whether ties matter to a value, and it lies between what their worst and best order give, or there are too many orders to tell."""
    ends = [question.answers(conventions.replace(ties=ties)) for ties in ("worst", "best")]
    if any(isinstance(end, CannotTell) and end.obstacle is Obstacle.TOO_MANY_ORDERS for end in ends):
        return True  # which are not held against anybody
    worst, best = (reading_of(end, query) for end in ends)
    return some_order_gives(got, worst, best, precision)


def count(found: Sequence[Difference]) -> int:
    """How many questions they are about."""
    return len({(d.question.case.id, str(d.question.measure)) for d in found})


def misses(seen: Sequence[Seen], conventions: Conventions, precision: str, most: float = math.inf) -> int:
    """How many questions are answered otherwise; where they are more than `most`, one more than that: the rest is not looked at."""
    missed = 0
    for one in seen:
        if _kept(one, conventions, precision):
            missed += 1
            if missed > most:
                break
    return missed


def missed(seen: Sequence[Seen], conventions: Conventions, precision: str) -> list[Seen]:
    """What is answered otherwise than these conventions say."""
    return [one for one in seen if _kept(one, conventions, precision)]


def missed_first(seen: Sequence[Seen], conventions: Conventions, precision: str) -> list[Seen]:
    """The same, what is answered otherwise than these conventions say before all else."""
    return sorted(seen, key=lambda one: not _kept(one, conventions, precision))
