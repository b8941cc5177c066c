"""The function correctly computes another measure than its name says.

    AP under the name RR: relevant documents at ranks 1 and 3 score (1 + 2/3)/2 instead of 1.
    DCG under the name nDCG: one document of grade 3 scores 3 instead of 1.

All measures of rankings with a mean over queries are tried, at the same cutoff.

Source: an MRR that was LRAP, a recall that was precision, and a recall that was success.
"""

from functools import partial

from rankproof.defects.defect import Defect, Way
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure

RARE = frozenset({"Judged"})
"""Measures that are computed by mistake only rarely. Judged equals P if the qrels list relevant documents only."""


def can_be(other: str, measure: Measure) -> bool:
    """Return whether a function for a measure can compute another measure by mistake."""
    if measure.of_labels or measure.name == other:
        return False
    cutoff = MEASURES[other].cutoff
    return cutoff in {"none", "optional"} or (cutoff == "required" and measure.k is not None)


DEFECTS = [
    Defect(
        f"is-{name}",
        f"it computes {name}",
        partial(can_be, name),
        (Way(None, other=name),),
        "https://github.com/Jyonn/Legommenders/issues/19",
        is_another_measure=True,
        is_rare=name in RARE,
        fix=f"check it as {name}, or compute the measure that its name says",
    )
    for name, definition in MEASURES.items()
    if definition.total == "mean" and definition.cutoff != "recall"
]
