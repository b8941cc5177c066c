"""It is another measure: right, but not the one that it is said to be.

    AP called RR: relevant docs at ranks 1 and 3 are worth (1 + 2/3)/2 instead of 1.
    DCG called nDCG: one doc of rel 3 is worth 3 instead of 1.

Every measure of rankings is tried that gives a mean over queries, at the cutoff that was asked.

Source: an MRR that was LRAP; a recall that was precision; a recall that was success.
"""

from functools import partial

from rankproof.defects.defect import Defect, Way
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure

RARE = frozenset({"Judged"})
"""What nobody means by a function that is told of relevant docs alone: there it is P by another name."""


def can_be(other: str, measure: Measure) -> bool:
    """Whether one may be taken for the other."""
    if measure.of_labels or measure.name == other:
        return False
    cutoff = MEASURES[other].cutoff
    return cutoff in {"none", "optional"} or (cutoff == "required" and measure.k is not None)


DEFECTS = [
    Defect(
        f"is-{name}",
        f"it is {name}",
        partial(can_be, name),
        (Way(None, other=name),),
        "https://github.com/Jyonn/Legommenders/issues/19",
        is_another_measure=True,
        is_rare=name in RARE,
        mend=f"ask for {name}, or divide as the measure that is asked does",
    )
    for name, definition in MEASURES.items()
    if definition.total == "mean" and definition.cutoff != "recall"
]
