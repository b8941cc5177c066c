"""A perfect score that is cheap: conventions by which a run that misses a relevant doc gets all there is."""

from dataclasses import dataclass

from rankproof.calling.call_forms import expressed
from rankproof.calling.targets import Form
from rankproof.cases.inputs import Input
from rankproof.defects.defect import seen_on
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.meaning.measure_facts import bounds_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.text import short

RUNS = (
    ("a1 b1", "a x y", "that finds one of two relevant docs"),
    ("a1 b1 c1", "a", "of one relevant doc alone"),
    ("a2 b1", "b x", "that misses the best doc"),
)
"""Judgments, the docs of a run, and what is to be said of it."""


@dataclass(frozen=True)
class CheapScore:
    """A perfect score for a run that is not perfect.

    Attributes:
        run: what the run does, after "a run".
        data: that run, as far as the function is told of it.
        right: what it is worth by what is claimed.
    """

    run: str
    data: Input
    right: float
    most: float

    @property
    def sentence(self) -> str:
        """That, in plain words."""
        return f"a run {self.run} gets {short(self.most)}, and not {short(self.right)}"


def cheap_score(measure: Measure, form: Form, follows: Conventions, claimed: Conventions) -> CheapScore | None:
    """The first of some runs that gets the highest value by what is followed, and less by what is claimed; None where none does.

    A run is told as far as the form tells it: who is told of retrieved docs alone cannot know what was missed.
    """
    bounds = bounds_of(measure)
    if measure.of_labels or bounds is None:
        return None
    for judged, docs, said in RUNS:
        told = expressed(form, _input(judged, docs))
        if told is not None:
            mine, right = (_value(measure, told, one) for one in (follows, claimed))
            if mine == bounds[1] and right is not None and right < bounds[1]:
                return CheapScore(said, told, right, mine)
    return None


def _input(judged: str, docs: str) -> Input:
    rels = seen_on("", judged, "").input.qrels
    return Input(rels, tuple(("q", doc, 1 / rank, rank) for rank, doc in enumerate(docs.split(), start=1)))


def _value(measure: Measure, told: Input, conventions: Conventions) -> float | None:
    found = reading_of(recalled(told).answers(measure, conventions), None)
    return found if isinstance(found, float) else None
