"""What reading makes: the rows of each query, and where each stood; and what may stand for an id or a number."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, Generic, NoReturn, TypeVar

from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, Rel, Row


class BadInput(ValueError):
    """Qrels or a run that cannot be used: `where: what`, one line, with the mend."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(where, what)
        self.where, self.what = where, what

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


T = TypeVar("T", Judgment, Row)


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
        return f"{self.unit} {self.numbers[query][index]}" if query in self.numbers else f"query {query!r}"

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
                    self._refuse_twice(axis, query, row.doc, (seen[row.doc], i))
                seen[row.doc] = i

    def _refuse_twice(self, axis: str, query: str, doc: str, at: tuple[int, int]) -> NoReturn:
        first, second = (self.place(query, i) for i in at)
        where = f"{self.name}:{self.numbers[query][at[1]]}" if self.unit == "line" else f"{self.name}, {second}"
        what = f"doc {doc!r} stands twice under query {query!r}, first on {first}"
        raise BadInput(where, f"{what}; remove one, or say which counts: {axis}=first or {axis}=last")


def scored(conventions: Conventions) -> bool:
    """Whether anything depends on the score; if so, NaN is no score."""
    return conventions.order == "score" or conventions.score_sign == "positive"


def id_text(value: Any, where: str, what: str) -> str:  # noqa: ANN401 - whatever stands there
    """An id as text; whole numbers are their text."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    raise BadInput(where, f"the {what} is {value!r}, a {type(value).__name__}; ids are text or whole numbers")


def number(value: Any, where: str, what: str, *, nan: bool = False) -> Rel:  # noqa: ANN401 - whatever stands there
    """A rel or a score as given, without the types of other libraries."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Real) and (nan or not math.isnan(value)):
        return float(value)
    raise BadInput(where, f"the {what} is {value!r}, no number")


def score_of(value: Any, where: str, *, nan: bool = False) -> float:  # noqa: ANN401 - whatever stands there
    """A score as a float."""
    try:
        return float(number(value, where, "score", nan=nan))
    except OverflowError:
        raise BadInput(where, "the score is a whole number too large for a float") from None


def whole(value: Any, where: str) -> int:  # noqa: ANN401 - whatever stands there
    """A rank."""
    found = number(value, where, "rank")
    if found % 1:
        raise BadInput(where, f"the rank is {value!r}, no whole number")
    return int(found)
