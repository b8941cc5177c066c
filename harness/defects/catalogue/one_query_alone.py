"""Only one of several queries counts: the first if the loop returns too early, or the last if the loop overwrites the value.

    RR of three queries, with relevant documents at ranks 1, 2 and 4: 1 or 1/4 instead of 7/12.

Source: an evaluation that returned the value of the last batch.
"""

from fractions import Fraction

from rankproof.defects.defect import Defect, Way, Witness, is_mean

QRELS = {"1": {"a": 1}, "2": {"b": 1}, "3": {"d": 1}}
RUN = {"1": "a b", "2": "a b", "3": "a b c d"}


def _defect(which: str, index: int, value: str) -> Defect:
    return Defect(
        f"{which}-query-alone",
        f"it returns the value of the {which} query instead of the mean over queries",
        is_mean,
        (Way(Witness("RR", QRELS, RUN, value), mean=lambda values: values[index] if values else Fraction(0)),),
        "https://github.com/mingkaid/rl-prompt/issues/42",
        is_rare=True,
        fix="take the mean over all queries",
    )


DEFECTS = [_defect("first", 0, "1"), _defect("last", -1, "1/4")]
