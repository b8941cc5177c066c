"""The mean leaves out queries without a hit. It is 0 if no query has a hit.

    RR of two queries, with relevant documents at rank 2 and not retrieved: 1/2 instead of 1/4.

Source: an MRR that counted only queries with a relevant document retrieved.
"""

from collections.abc import Sequence
from fractions import Fraction

from rankproof.defects.defect import Defect, Way, Witness, is_mean, is_share


def mean_of_others(values: Sequence[Fraction]) -> Fraction:
    """Return the mean of the values that are not 0."""
    above = [value for value in values if value]
    return sum(above, Fraction(0)) / len(above) if above else Fraction(0)


WITNESS = Witness("RR", {"1": {"b": 1}, "2": {"d": 1}}, {"1": "a b", "2": "c"}, "1/2")
DEFECT = Defect(
    "mean-over-hits",
    "it leaves queries without a hit out of the mean",
    lambda measure: is_share(measure) and is_mean(measure),
    (Way(WITNESS, mean=mean_of_others),),
    "https://github.com/SweetSophia/noosphere/pull/320",
    fix="count queries without a hit as 0 and divide by the number of all queries",
)
