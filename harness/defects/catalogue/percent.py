"""Values are percentages.

    RR of a ranking with a relevant document at rank 1: 100 instead of 1.

Source: the NDCG of ML.NET was a percentage before 1.0.
"""

from rankproof.defects.defect import Defect, Way, seen_on
from rankproof.measure_facts import bounds_of
from rankproof.reference_impl.notation import Measure


def has_maximum_1(measure: Measure) -> bool:
    """Return whether the maximum of a measure of rankings is 1."""
    bounds = bounds_of(measure)
    return bounds is not None and bounds[1] == 1 and not measure.of_labels


DEFECT = Defect(
    "percent",
    "its values are percentages, from 0 to 100 instead of 0 to 1",
    has_maximum_1,
    (Way(seen_on("RR", "a1 b0", "100"), transform=lambda value: 100 * value),),
    "https://github.com/dotnet/machinelearning/pull/2697",
    fix="return a value between 0 and 1, not a percentage",
)
