"""What reading makes: the rows of each query, and where each stood; and what may stand for an id or a number."""

import math
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, Generic, TypeVar

from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rel
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import as_written

QRELS, RUN = "the qrels", "the run"
"""What they are called in a message, where they are no file."""


class BadInput(Unusable):
    """Qrels or a run that cannot be used: `where: what`, one line, with the mend."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(where, what)
        self.where, self.what = where, what

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


LARGEST = int(sys.float_info.max)
"""No number is larger, whatever type it is of."""
INFINITE = (math.inf, -math.inf)
T = TypeVar("T", Judgment, QueryRow)


@dataclass(frozen=True)
class Rows(Generic[T]):
    """The rows of each query in the order given, and where each stood."""

    name: str
    """The path of the file, or `the qrels`, `the run`."""
    of: Mapping[str, Sequence[T]]
    numbers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The line (of a file) or row (of a frame, of records) of each, from 1 on; nothing for a dict."""
    unit: str = ""

    def place(self, query: str, index: int) -> str:
        """Where a row stood, for a message."""
        return f"{self.unit} {self.numbers[query][index]}" if query in self.numbers else f"query {as_written(query)}"

    def where(self, query: str, index: int) -> str:
        """Where a row stood, with the name of what holds it, for the beginning of a message."""
        place = self.place(query, index)
        return f"{self.name}:{self.numbers[query][index]}" if self.unit == "line" else f"{self.name}, {place}"

    def refuse_duplicates(self, axis: str) -> None:
        """Refuse a doc that stands twice under a query.

        Raises:
            BadInput: there is one; the message names both places.
        """
        for query, rows in self.of.items():
            if len({row.doc for row in rows}) == len(rows):
                continue
            seen: dict[str, int] = {}
            for i, row in enumerate(rows):
                if row.doc in seen:
                    what = f"doc {as_written(row.doc)} stands twice under query {as_written(query)}"
                    mend = f"remove one, or say which counts, by the profile {axis}=first or {axis}=last"
                    first = self.place(query, seen[row.doc])
                    raise BadInput(self.where(query, i), f"{what}, first on {first}; {mend}")
                seen[row.doc] = i


def rows_apart(rows: Rows[QueryRow]) -> tuple[str, ...]:
    """The queries between whose rows those of another one stand; none of what has no rows but those of each query."""
    ends = {query: (min(numbers), max(numbers)) for query, numbers in rows.numbers.items() if len(numbers)}
    wide = [query for query, (first, last) in ends.items() if last - first + 1 > len(rows.numbers[query])]
    if not wide:
        return ()
    lines = sorted(number for numbers in rows.numbers.values() for number in numbers)
    within = {query: bisect_right(lines, ends[query][1]) - bisect_left(lines, ends[query][0]) for query in wide}
    return tuple(query for query in wide if within[query] > len(rows.numbers[query]))


def scored(conventions: Conventions) -> bool:
    """Whether anything depends on the score; if so, NaN is no score."""
    return conventions.order == "score" or conventions.score_sign == "positive"


def id_text(value: Any, where: str, what: str) -> str:  # noqa: ANN401 - whatever stands there
    """An id as text; whole numbers are their text."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(_whole(int(value), where, what))
    raise BadInput(where, f"the {what} is {as_written(value)}, a {type(value).__name__}; ids are text or whole numbers")


def number(value: Any, where: str, what: str) -> Rel:  # noqa: ANN401 - whatever stands there
    """A finite number as given, without the types of other libraries."""
    if isinstance(value, Integral):
        return _whole(int(value), where, what)
    if isinstance(value, Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))
        _whole(int(exact), where, what)
        return exact
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    raise BadInput(where, f"the {what} is {as_written(value)}, no {'finite ' * (value in INFINITE)}number")


def _whole(value: int, where: str, what: str) -> int:
    if abs(value) > LARGEST:
        raise BadInput(where, f"the {what} is a whole number too large for a float")
    return value


def score_of(value: Any, where: str, *, nan: bool = False) -> float:  # noqa: ANN401 - whatever stands there
    """A score as a float."""
    if isinstance(value, Real) and not isinstance(value, Rational) and (nan or not math.isnan(value)):
        return float(value)
    return float(number(value, where, "score"))


def whole(value: Any, where: str) -> int:  # noqa: ANN401 - whatever stands there
    """A rank."""
    found = number(value, where, "rank")
    if found % 1:
        raise BadInput(where, f"the rank is {as_written(value)}, no whole number")
    return int(found)
