"""What is odd about conventions: a run that gets a perfect score for little, or is denied it; and what nobody known follows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankproof.calling.targets import Form
from rankproof.checking.cheap import OddScore, cheap_score, denied_score
from rankproof.checking.known_habits import doers, unfollowed
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure


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
    nobodys = unfollowed(measure, remaining)
    axes = () if nobodys is None else tuple(axis for axis in nobodys.axes if axis in odd)
    if nobodys is None or not axes:
        return None
    who = "" if nobodys.together else doers({axis: remaining[axis] for axis in axes})
    return Finding(axes, None, nobodys.together, who)
