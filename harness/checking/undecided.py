"""What no question asked of a function decides: the axes of which another value would have been answered alike.

A question decides an axis if the function's answer to it is right by the conventions that it follows, and would not be by another value.
What a form never tells (ids, queries that the run lacks, a mean over the queries) is decided by no question, and so stays open by itself.
"""

from collections.abc import Iterator, Sequence

from rankproof.asking.observations import Failure
from rankproof.calling.targets import Form
from rankproof.checking.case_questions import Seen
from rankproof.checking.differing import differences
from rankproof.inference.search import OF_ROWS
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.meaning.deciding_axes import free_axes, possible, values_of
from rankproof.meaning.equivalent_choices import settled
from rankproof.meaning.measure_facts import Profile
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.notation import Measure

OF_CALLER = frozenset({"missing", "extra", "no_judgments", "mean"})
"""What a function that is called once for each query cannot be asked: which queries there are is its caller's choice."""


def undecided(
    measure: Measure, seen: Sequence[Seen], follows: Conventions, precision: str, form: Form
) -> dict[str, tuple[str, ...]]:
    """Each axis that is open, with the values that remain, the one that is followed first; without any where all do.

    The answers `seen` are explained by what the function `follows`. What the caller settles by what the function is told holds whatever is
    asked, but for `OF_CALLER`; and no answer decides an axis of which the form tells nothing, though it may look so where another axis
    gives the value a meaning: a negative rel is no unjudged doc to a function that is told the rel.
    """
    right = [one for one in seen if one.again is None and not differences([one], follows, precision)]
    of_axis = {axis: [] if axis in form.untold else _asked_of(axis, right) for axis in free_axes(measure)}
    found = {}
    for axis, asked in of_axis.items():
        if axis in form.settled and axis not in OF_CALLER:
            continue
        beside = follows.replace(**_settled_beside(axis, form))
        others = list(_others(measure, beside, axis))
        still = [v for v in others if not _excluded(asked, follows.replace(**{axis: v}), precision)]
        if still:
            found[axis] = () if still == others else (getattr(beside, axis), *still)
    if follows.ties in OF_ROWS and not any(one.question.case.input.tells_sorts for one in of_axis.get("ties", ())):
        found.setdefault("ties", (follows.ties, UNSPECIFIED))
    return found


def _settled_beside(axis: str, form: Form) -> dict[str, str]:
    """What the caller settles; beside an axis that is never told, not what it only seems to settle: whoever calls may do otherwise.

    That only retrieved docs are known makes many choices one (AP over R is AP over the hits): these were told apart by nothing.
    """
    return {
        other: value
        for other, value in form.settled.items()
        if other != "known" and (axis not in form.untold or other not in OF_CALLER)
    }


def _asked_of(axis: str, right: Sequence[Seen]) -> list[Seen]:
    """The questions to which an axis may matter, numbers before errors and simple before large."""
    asked = (one for one in right if axis in one.question.reference.axes(one.question.measure))
    return sorted(asked, key=lambda one: (isinstance(one.answer, Failure), one.question.weight))


def _others(measure: Measure, follows: Conventions, axis: str) -> Iterator[str]:
    """The other values that an axis may have; not those that are the same to this measure, beside its other choices."""
    now = _settled(measure, follows)
    for value in values_of(axis):
        if value != getattr(follows, axis) and possible(measure, axis, value):
            other = _settled(measure, follows.replace(**{axis: value}))
            if other != now:
                yield value


def _settled(measure: Measure, conventions: Conventions) -> Profile:
    return settled(measure, {axis: getattr(conventions, axis) for axis in AXES})


def _excluded(asked: Sequence[Seen], other: Conventions, precision: str) -> bool:
    return any(differences([one], other, precision) for one in asked)
