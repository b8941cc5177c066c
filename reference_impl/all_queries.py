"""What a formula in floats is handed: all queries of a run at once, ordered, cut and judged.

A measure that people ask of a million docs has its formula a second time, in floats, beside the readable one (`Definition.in_floats`). It
computes with columns: one number for each query, or for each doc. What they are made of is no business of the reference, which needs no
array library; here stands what they can be asked.

    n, R, k                     as of a `Ranking`; n and R are columns of queries
    total(worths, weight)       the sum over the docs within the cutoff of what each is worth, times the weight of its rank
    over(a, b)                  a / b, and 0 where b is 0
    NO_RELEVANT                 where the readable formula raises `NoRelevant`
    NaN                         where the readable formula is to be asked, as floats would lose digits, or cannot say it

Where tied docs stand in all orders, `total` gives the mean over these orders. What has no such mean raises `NoFloatForm`, and so does a
convention that the formula does not know: then the readable formula is asked.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, TypeVar

Column: TypeAlias = Any
"""Numbers that can be added, multiplied and compared one by one."""
Weight: TypeAlias = Callable[[Column], Column]
"""What a doc at each of these ranks weighs."""
NO_RELEVANT = math.inf
T = TypeVar("T")


class NoFloatForm(Exception):
    """The formula in floats does not know what is asked."""


def known(value: str, values: Mapping[str, T]) -> T:
    """What stands for a value of an axis.

    >>> known("k", {"k": 10, "min-k-n": 3})
    10

    Raises:
        NoFloatForm: nothing does.
    """
    if value not in values:
        raise NoFloatForm
    return values[value]


class Worths(Protocol):
    """What each of some docs is worth."""

    def within(self, k: Column | None) -> "Worths":
        """The same, those below rank k being worth nothing."""


class Hits(Protocol):
    """The relevant docs, query by query and by rank; none of them is tied, or they stand in one order."""

    rank: Column
    nth: Column
    """Which relevant doc of its query each is, from 1 on."""

    def of(self, column: Column) -> Column:
        """What stands in a column of queries, for each of these docs."""

    def down_to(self, worths: Worths) -> Column:
        """How many docs that are worth something stand at the rank of each, or above."""

    def total(self, values: Column) -> Column:
        """The sum of these values, by query."""

    def highest(self, values: Column) -> Column:
        """The highest of these values, by query; 0 where there is none."""


class AllQueries(Protocol):
    """All queries, ordered, cut and judged."""

    k: int | None
    n: Column
    R: Column

    @property
    def depth(self) -> Column:
        """The cutoff; without one, how many docs were retrieved."""

    @property
    def relevant(self) -> Worths:
        """1 for each relevant doc of the run."""

    @property
    def hits(self) -> Hits:
        """The relevant docs of the run, cut or not."""

    def cut_at(self, k: Column | None) -> "AllQueries":
        """The same with another cutoff, for all queries or for each."""

    def of_docs(self, worth: Callable[..., Any], **arguments: object) -> Worths:
        """`worth(doc, **arguments)` of each doc of the run."""

    def of_judgments(self, worth: Callable[..., Any], **arguments: object) -> Worths:
        """The same of each judged doc, retrieved or not."""

    def combined_with_column(
        self, worths: Worths, column: Column, worth: Callable[[Fraction, Fraction], Fraction]
    ) -> Worths:
        """`worth(a, b)`, a being what a doc is worth and b what stands in the column for its query."""

    def total(self, worths: Worths, weight: Weight | None = None) -> Column:
        """The sum, over the docs of the run within the cutoff, of what each is worth times the weight of its rank."""

    def total_in_best_order(self, worths: Worths, weight: Weight, depth: Column | None) -> Column:
        """The same of any docs by what they are worth, the best first, down to a depth."""

    def total_of_weights(self, weight: Weight, depth: Column) -> Column:
        """The sum of the weights of the ranks from 1 to a depth."""

    def highest(self, worths: Worths) -> Column:
        """What the best of these docs is worth; 0 where there is none."""

    def count(self, worths: Worths) -> Column:
        """How many of these docs are worth something."""

    def first_hit(self, worth: Weight) -> Column:
        """What the rank of the first relevant doc within the cutoff is worth; 0 where there is none."""

    def total_of_precisions(self) -> Column:
        """The sum of the precisions at the relevant docs within the cutoff."""

    def hit_count(self) -> Column:
        """How many relevant docs stand within the cutoff."""

    def pairs(self) -> tuple[Column, Column]:
        """How many pairs of a relevant doc of the run and another one are in the wrong order, and how many there are."""

    def cascade(self, worths: Worths) -> Column:
        """The sum over ranks i of worth_i / i times the product of 1 - worth_j over the ranks j above."""

    def by_relevant_count(self, number: Callable[[int], int]) -> Column:
        """`number(R)` for each query."""

    def over(self, a: Column, b: Column) -> Column:
        """The quotients a / b; 0 where b is 0."""

    def least(self, a: Column, b: Column) -> Column:
        """The lesser of two, one by one."""

    def most(self, a: Column, b: Column) -> Column:
        """The greater of two, one by one."""

    def where(self, condition: Column, a: Column, b: Column) -> Column:
        """The one where the condition holds, and the other where it does not."""

    def ln(self, x: Column) -> Column:
        """Natural logarithms."""

    def log2(self, x: Column) -> Column:
        """Logarithms to base 2."""

    def power(self, base: float, exponent: Column) -> Column:
        """Powers of a number from 0 to 1; NaN where it has so many factors that floats would lose digits."""
