"""Interface of the fast formulas, which compute all queries of a run at once in floats.

A measure for runs of a million documents has a second formula in floats (`Definition.in_floats`), next to the exact
one. It computes with columns: one number for each query, or for each document. The columns can come from any array
library, because the reference imports none. This module lists the operations that they need.

    n, R, k                     as in `Ranking`; n and R are columns of queries
    total(worths, weight)       the sum over the documents within the cutoff: value times the weight of the rank
    over(a, b)                  a / b, or 0 if b is 0
    NO_RELEVANT                 marks a query if the exact formula raises `NoRelevant` for it
    NaN                         marks a query for the exact formula: floats would lose digits or cannot hold its value

If all orders of tied documents count, `total` returns the mean over these orders. A formula without such a mean raises
`NoFloatForm`, and so does a formula that does not know a convention. The exact formula is used then.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, TypeVar

Column: TypeAlias = Any
"""Numbers that are added, multiplied and compared element by element."""
Weight: TypeAlias = Callable[[Column], Column]
"""A function from a column of ranks to their weights."""
NO_RELEVANT = math.inf
T = TypeVar("T")


class NoFloatForm(Exception):
    """A measure or convention without a formula in floats."""


def known(value: str, values: Mapping[str, T]) -> T:
    """Return the entry for a value of an axis.

    >>> known("k", {"k": 10, "min-k-n": 3})
    10

    Raises:
        NoFloatForm: the value has no entry.
    """
    if value not in values:
        raise NoFloatForm
    return values[value]


class Worths(Protocol):
    """A value for each of some documents, such as its gain."""

    def within(self, k: Column | None) -> "Worths":
        """Return the same values, with 0 for documents below rank k."""


class Hits(Protocol):
    """The relevant documents by query and rank, without ties or in one order."""

    rank: Column
    nth: Column
    """Position of each document among the relevant documents of its query, starting at 1."""

    def of(self, column: Column) -> Column:
        """Return the entry of each document's query in a column of queries."""

    def down_to(self, worths: Worths) -> Column:
        """Count the documents with a value other than 0 at the rank of each document or above."""

    def total(self, values: Column) -> Column:
        """Return the sum of these values by query."""

    def highest(self, values: Column) -> Column:
        """Return the highest of these values by query, or 0 if a query has none."""


class AllQueries(Protocol):
    """Queries of a run, ordered, cut and judged."""

    k: int | None
    n: Column
    R: Column

    @property
    def depth(self) -> Column:
        """The cutoff, or the number of retrieved documents if there is none."""

    @property
    def relevant(self) -> Worths:
        """1 for each retrieved relevant document."""

    @property
    def hits(self) -> Hits:
        """The retrieved relevant documents, within the cutoff or not."""

    def cut_at(self, k: Column | None) -> "AllQueries":
        """Return the same queries with another cutoff, for all queries or for each."""

    def of_docs(self, worth: Callable[..., Any], **arguments: object) -> Worths:
        """Return `worth(doc, **arguments)` for each retrieved document."""

    def of_judgments(self, worth: Callable[..., Any], **arguments: object) -> Worths:
        """Return `worth(doc, **arguments)` for each judged document, retrieved or not."""

    def combined_with_column(
        self, worths: Worths, column: Column, worth: Callable[[Fraction, Fraction], Fraction]
    ) -> Worths:
        """Return `worth(a, b)` for each document: a is its value, b the entry of its query in the column."""

    def total(self, worths: Worths, weight: Weight | None = None) -> Column:
        """Return the sum, over the documents within the cutoff, of the value times the weight of the rank."""

    def total_in_best_order(self, worths: Worths, weight: Weight, depth: Column | None) -> Column:
        """Return the same sum for the documents in descending order of their values, down to a depth."""

    def total_of_weights(self, weight: Weight, depth: Column) -> Column:
        """Return the sum of the weights of the ranks from 1 to a depth."""

    def highest(self, worths: Worths) -> Column:
        """Return the highest value of these documents by query, or 0 if a query has none."""

    def count(self, worths: Worths) -> Column:
        """Count the documents with a value other than 0."""

    def first_hit(self, worth: Weight) -> Column:
        """Return `worth` of the rank of the first relevant document within the cutoff, or 0 if there is none."""

    def total_of_precisions(self) -> Column:
        """Return the sum of the precisions at the relevant documents within the cutoff."""

    def hit_count(self) -> Column:
        """Count the relevant documents within the cutoff."""

    def pairs(self) -> tuple[Column, Column]:
        """Count the pairs of a relevant and a non-relevant retrieved document: those in the wrong order, and all."""

    def cascade(self, worths: Worths) -> Column:
        """Return the sum over ranks i of worth_i / i times the product of 1 - worth_j over the ranks j above."""

    def by_relevant_count(self, number: Callable[[int], int]) -> Column:
        """Return `number(R)` for each query."""

    def over(self, a: Column, b: Column) -> Column:
        """Return the quotients a / b, with 0 if b is 0."""

    def least(self, a: Column, b: Column) -> Column:
        """Return the smaller of a and b, element by element."""

    def most(self, a: Column, b: Column) -> Column:
        """Return the larger of a and b, element by element."""

    def where(self, condition: Column, a: Column, b: Column) -> Column:
        """Return a for elements that meet the condition, and b for the others."""

    def ln(self, x: Column) -> Column:
        """Return natural logarithms."""

    def log2(self, x: Column) -> Column:
        """Return logarithms to base 2."""

    def power(self, base: float, exponent: Column) -> Column:
        """Return powers of a number from 0 to 1, or NaN if an exponent is so large that floats would lose digits."""
