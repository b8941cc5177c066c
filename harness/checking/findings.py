"""What is odd about conventions: a run that gets a perfect score for little, or is denied it; and what nobody known follows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankproof.calling.call_forms import expressed
from rankproof.calling.targets import Form
from rankproof.cases.inputs import Input
from rankproof.checking.known_habits import doers, unfollowed
from rankproof.defects.defect import Witness, seen_on
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.meaning.measure_facts import bounds_of
from rankproof.meaning.measure_forms import parts_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.text import short

RUNS = (
    ("a1 b1", "a x y", "that finds one of two relevant docs"),
    ("a1 b1 c1", "a", "of one relevant doc alone"),
    ("a2 b1", "b x", "that misses the best doc"),
)
"""Judgments, the docs of a run, and what is to be said of it."""
DEEPEST, MORE = 50, 2
"""The deepest cutoff at which a run is made that cannot be better, and how many relevant docs it leaves."""


@dataclass(frozen=True)
class OddScore:
    """A perfect score for a run that is not perfect, or less for one that is.

    Attributes:
        run: what the run does, after "a run".
        data: that run, as far as the function is told of it.
        right: what it is worth by what is claimed.
        got: what it is worth by what is followed.
    """

    run: str
    data: Input
    right: float
    got: float

    @property
    def sentence(self) -> str:
        """That, in plain words."""
        comma = "," * ("," in self.run)
        return f"a run {self.run}{comma} gets {short(self.got)}, and not {short(self.right)}"


@dataclass(frozen=True)
class Finding:
    """What is odd about the conventions that a function follows.

    Attributes:
        axes: on which it is like nobody known, or which make a perfect score cheap, or keep it from who deserves it.
        score: the run that shows the latter.
        together: whether each of these choices is somebody's, and nobody known makes all of them.
        who: who does it under the name of the measure, after "which"; "" where nobody known does.
    """

    axes: tuple[str, ...]
    score: OddScore | None
    together: bool = False
    who: str = ""


def finding_of(
    measure: Measure, form: Form, follows: Conventions, claimed: Conventions, remaining: Mapping[str, tuple[str, ...]]
) -> Finding | None:
    """What is odd about what a function follows, the gravest alone; None where nothing is.

    Args:
        measure: the measure it is asked as.
        form: how it is called.
        follows: the conventions it follows on ordinary input.
        claimed: those it is held against.
        remaining: by axis, the values that its answers leave.
    """
    odd = [axis for axis, values in remaining.items() if getattr(claimed, axis) not in values]

    def by(score_of: Callable[..., OddScore | None]) -> Finding | None:
        """What is odd as a run shows it, and the choices without which it would not be so."""
        score = score_of(measure, form, follows, claimed)
        if score is None:
            return None
        righted = {axis: follows.replace(**{axis: getattr(claimed, axis)}) for axis in odd}
        to_blame = [axis for axis, other in righted.items() if score_of(measure, form, other, claimed) is None]
        return Finding(tuple(to_blame or odd), score)

    return by(cheap_score) or _nobodys(measure, remaining, odd) or by(denied_score)


def _nobodys(measure: Measure, remaining: Mapping[str, tuple[str, ...]], odd: list[str]) -> Finding | None:
    """What is odd as nobody known does it."""
    nobodys, together = unfollowed(measure, remaining)
    axes = tuple(axis for axis in nobodys if axis in odd)
    who = "" if together else doers({axis: remaining[axis] for axis in axes})
    return Finding(axes, None, together, who) if axes else None


def cheap_score(measure: Measure, form: Form, follows: Conventions, claimed: Conventions) -> OddScore | None:
    """The first of some runs that gets all there is by what is followed, be it of a part alone, and less by what is claimed; or None.

    A run is told as far as the form tells it: who is told of retrieved docs alone cannot know what was missed.
    """
    if measure.of_labels:
        return None
    for given, said in _runs(measure):
        told = expressed(form, given)
        if told is not None and any(_is_cheap(one, told, follows, claimed) for one in (measure, *parts_of(measure))):
            mine, right = (_value(measure, told, one) for one in (follows, claimed))
            return None if mine is None or right is None else OddScore(said, told, right, mine)
    return None


def _runs(measure: Measure) -> Iterator[tuple[Input, str]]:
    """Runs that are not perfect, and what is to be said of each; who is told of retrieved docs alone sees what is below the cutoff."""
    yield from ((replace(seen_on("", judged, ""), run={"q": docs}).input, said) for judged, docs, said in RUNS)
    if measure.k is not None and measure.k <= DEEPEST:
        docs = ["a", *(f"x{place}" for place in range(2, measure.k + 1)), "b"]
        given = _ranked({**dict.fromkeys(docs, 0), "a": 1, "b": 1}, docs)
        yield given, f"that ranks one of two relevant docs below {measure.k}"


def _is_cheap(measure: Measure, told: Input, follows: Conventions, claimed: Conventions) -> bool:
    """Whether a run gets all there is by what is followed, and less by what is claimed."""
    bounds = bounds_of(measure)
    mine, right = (_value(measure, told, one) for one in (follows, claimed))
    return bounds is not None and mine == bounds[1] and right is not None and right < bounds[1]


def denied_score(measure: Measure, form: Form, follows: Conventions, claimed: Conventions) -> OddScore | None:
    """A run of nothing but relevant docs, more than the cutoff, that gets all there is by what is claimed, and not by what is followed."""
    bounds = bounds_of(measure)
    if measure.of_labels or bounds is None or measure.k is None or measure.k > DEEPEST:
        return None
    docs = [f"d{place}" for place in range(1, measure.k + MORE + 1)]
    told = expressed(form, _ranked(dict.fromkeys(docs, 1), docs))
    if told is None:
        return None
    mine, right = (_value(measure, told, one) for one in (follows, claimed))
    if mine is None or right is None or right != bounds[1] or mine >= right:
        return None
    return OddScore(f"of {len(docs)} docs, all of them relevant", told, right, mine)


def _ranked(rels: Mapping[str, int], docs: Sequence[str]) -> Input:
    return Witness("", {"q": rels}, {"q": " ".join(docs)}, "").input


def _value(measure: Measure, told: Input, conventions: Conventions) -> float | None:
    found = reading_of(recalled(told).answers(measure, conventions), None)
    return found if isinstance(found, float) else None
