"""Values are told as 0 to 100.

    RR of a ranking that begins with a relevant doc: 100 instead of 1.

Source: ML.NET's NDCG was one of 100 until 1.0.
"""

from rankproof.defects.defect import Defect, Way, seen_on
from rankproof.meaning.measure_facts import bounds_of
from rankproof.reference_impl.notation import Measure


def up_to_one(measure: Measure) -> bool:
    """Whether its greatest value is 1."""
    bounds = bounds_of(measure)
    return bounds is not None and bounds[1] == 1 and not measure.of_labels


DEFECTS = [
    Defect(
        "percent",
        "the values are told as 0 to 100",
        up_to_one,
        (Way(seen_on("RR", "a1 b0", "100"), told=lambda value: 100 * value),),
        "https://github.com/dotnet/machinelearning/pull/2697",
        mend="give a share of 1, and not per cent",
    ),
]
