"""Of several queries one alone counts: the first, whose value is returned within the loop, or the last, whose value overwrites the others.

    RR of three queries, whose relevant docs are at ranks 1, 2 and 4: 1 or 1/4 instead of 7/12.

Source: an evaluation that gave what the last batch was worth.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Way, Witness
from rankproof.reference_impl.notation import Measure


def is_mean(measure: Measure) -> bool:
    """Whether it is a mean over queries."""
    return not measure.of_labels and measure.definition.total == "mean"


def _alone(which: str, place: int, value: str) -> Defect:
    judged, run = {"1": {"a": 1}, "2": {"b": 1}, "3": {"d": 1}}, {"1": "a b", "2": "a b", "3": "a b c d"}
    return Defect(
        f"{which}-query-alone",
        f"of several queries the {which} alone counts",
        is_mean,
        (Way(Witness("RR", judged, run, value), mean=lambda values: values[place] if values else Fraction(0)),),
        "https://github.com/mingkaid/rl-prompt/issues/42",
        is_rare=True,
        mend="take the mean of what each query is worth",
    )


DEFECTS = [_alone("first", 0, "1"), _alone("last", -1, "1/4")]
