"""Whether what the reference says is what was answered: the one comparison that every verdict stands on."""

from rankproof.inference.reference_answers import Answers, Values
from rankproof.reference_impl.exact import to_float
from rankproof.workers.observations import ABSENT, Reading
from rankproof.workers.same_answers import between, same

UNSPECIFIED = "unspecified"
"""The convention on ties of a library whose sort keeps no order that could be named: any order of the tied docs may come."""


def reading_of(answers: Answers, query: str | None) -> Reading | None:
    """What the reference says of a query, as a float; `absent` if nothing; None if it refuses the input, or cannot tell."""
    if not isinstance(answers, Values):
        return None
    if query is None:
        return to_float(answers.mean)
    return to_float(answers.per_query[query]) if query in answers.per_query else ABSENT


def gives(answers: Answers, query: str | None, reading: Reading, precision: str) -> bool:
    """Whether the reference says this of a query, by the precision of who answered."""
    expected = reading_of(answers, query)
    return expected is not None and same(reading, expected, precision)


def some_order_gives(reading: Reading, worst: Reading | None, best: Reading | None, precision: str = "float64") -> bool:
    """Whether ties matter to a value, and it lies between what the worst and the best order of the tied docs give.

    >>> some_order_gives(0.5, 0.25, 1.0), some_order_gives(0.2, 0.25, 1.0), some_order_gives(0.5, None, 1.0)
    (True, False, False)
    """
    if isinstance(reading, str) or not isinstance(worst, float) or not isinstance(best, float) or worst == best:
        return False
    return between(reading, worst, best, precision)
