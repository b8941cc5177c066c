"""Queries without a hit are left out of the mean; 0 where no query has one.

    RR of two queries, whose relevant docs are at rank 2 and not retrieved: 1/2 instead of 1/4.

Source: an MRR that counted only the queries in which something relevant was found.
"""

from collections.abc import Sequence
from fractions import Fraction

from rankproof.defects.defect import Defect, Way, Witness, is_share
from rankproof.reference_impl.notation import Measure


def of_the_others(values: Sequence[Fraction]) -> Fraction:
    """The mean of the values that are not 0."""
    above = [value for value in values if value]
    return sum(above, Fraction(0)) / len(above) if above else Fraction(0)


def is_mean(measure: Measure) -> bool:
    """Whether it is 0 for a query without a hit, and a mean over queries."""
    return is_share(measure) and measure.definition.total == "mean"


DEFECTS = [
    Defect(
        "mean-over-hits",
        "queries without a hit are left out of the mean",
        is_mean,
        (
            Way(
                Witness("RR", {"1": {"b": 1}, "2": {"d": 1}}, {"1": "a b", "2": "c"}, "1/2"),
                mean=of_the_others,
            ),
        ),
        "https://github.com/SweetSophia/noosphere/pull/320",
        mend="count a query without a hit as 0, and divide by the number of queries",
    ),
]
