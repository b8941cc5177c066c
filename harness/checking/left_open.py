"""What the answers of a function leave open: from what is wrong with it (`Faulted`) to what no question decided (`LeftOpen`).

A question decides an axis if the function's answer to it is right by the conventions that it follows, and would not be by another value.
What a form never tells (ids, queries that the run lacks, a mean over the queries) is decided by no question, and so stays open by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rankproof.calling.targets import Form
from rankproof.checking.case_questions import Seen
from rankproof.checking.differing import differences, misses, refuses_in_the_top_alone
from rankproof.checking.faulted import Faulted
from rankproof.checking.findings import Finding, finding_of
from rankproof.checking.known_habits import FORMULA, NO_QUERY, followers
from rankproof.checking.tied_rows import Unnamed, unnamed
from rankproof.checking.tier import AGREES, CONVENTION
from rankproof.inference.search import OF_ROWS, plain
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.meaning.deciding_axes import free_axes, possible, values_of
from rankproof.meaning.equivalent_choices import settled
from rankproof.meaning.signatures import Signature, axes_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.evaluation import OF_MEANS
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Failure

OF_CALLER = frozenset({"missing", "extra", "no_judgments", *OF_MEANS})
"""What a function that is called once for each query cannot be asked: which queries there are is its caller's choice."""


@dataclass(frozen=True, kw_only=True)
class LeftOpen(Faulted):
    """What is wrong with a function, and what is open.

    Nothing is worked out before it is read: which axes no answer decides takes as long as a third of the questions, and where a claim holds
    nobody asks.
    """

    @cached_property
    def unnamed(self) -> Unnamed | None:
        """What shows that it keeps no order of tied docs that has a name, where none explains its answers; None where nothing does."""
        if self.follows.ties != UNSPECIFIED:
            return None
        within = [one for one in self.reordered if not {*self.assumed}.intersection(*(q.traits for q in one.questions))]
        return unnamed(within, self.follows, self.precision)

    @property
    def has_ties_open(self) -> bool:
        """Whether no order of tied docs that has a name explains its answers, and nothing shows that it keeps none."""
        return self.follows.ties == UNSPECIFIED and self.unnamed is None

    @cached_property
    def undecided(self) -> dict[str, tuple[str, ...]]:
        """The axes that no question asked of it decides, with the values that remain; without any where all do."""
        return self._undecided_by(self.answered, self.follows)

    def _undecided_by(self, seen: Sequence[Seen], follows: Conventions) -> dict[str, tuple[str, ...]]:
        found = open_axes(self.measure, seen, follows, self.precision, self.target.form)
        return {**found, "ties": ()} if self.has_ties_open else found

    @cached_property
    def remaining(self) -> dict[str, tuple[str, ...]]:
        """By axis of the measure, what it may follow on ordinary input; without what its caller decides, or nothing decides."""
        follows = self.ordinary.follows
        still_open = self.undecided if follows == self.follows else self._undecided_by(self.usual, follows)
        left = {axis: still_open.get(axis, (getattr(follows, axis),)) for axis in axes_of(self.measure)}
        return {axis: values for axis, values in left.items() if values and axis not in self.target.form.settled}

    @cached_property
    def finding(self) -> Finding | None:
        """What is odd about the conventions that it follows, where nothing is claimed: nobody follows them, or a perfect score is cheap."""
        is_explained = self.ordinary.verdict in {AGREES, CONVENTION} and not self.is_unknown
        if self.claim is not None or self.measure.of_labels or not is_explained:
            return None
        return finding_of(self.measure, self.target.form, self.ordinary.follows, self.claimed, self.remaining)

    @cached_property
    def odd_choices(self) -> list[tuple[str, tuple[str, ...]]]:
        """What it does otherwise than is claimed, the most surprising first: what makes a score cheap, then what fewest do."""
        cheap = set(self.finding.axes) if self.finding is not None else set()
        odd = [(axis, values) for axis, values in self.remaining.items() if getattr(self.claimed, axis) not in values]

        def rank(one: tuple[str, tuple[str, ...]]) -> tuple[bool, bool, bool, int]:
            axis, values = one
            is_formula = AXES[axis].stage == FORMULA
            return axis not in cheap, axis == NO_QUERY, not is_formula, followers(self.measure, axis, values)

        return sorted(odd, key=rank)

    @cached_property
    def refuses_in_the_top_alone(self) -> bool:
        """Whether it refuses docs without a judgment within the cutoff alone: more than that is not said of it."""
        return refuses_in_the_top_alone(self.answered, self.follows)

    @property
    def signature(self) -> Signature | None:
        """What reproduces its numbers, but for exceptions; None where nothing does, or they are others when asked again."""
        by = "".join("_" if c.isspace() or c == "|" else c for c in self.target.name.strip(":")) or "function"
        if self.is_unknown or self.whole.wavering or self.refuses_in_the_top_alone:
            return None
        return Signature(self.measure, self.profile, by, remaining=tuple(self.undecided.items()))


def open_axes(
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
        still = [v for v in others if not misses(asked, follows.replace(**{axis: v}), precision, 0)]
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
    """The questions to which an axis may matter, those first that are likely to decide it: of cases about it, with numbers, simple ones."""
    asked = (one for one in right if axis in one.question.reference.axes(one.question.measure) and _can_tell(one, axis))
    return sorted(
        asked, key=lambda one: (isinstance(one.answer, Failure), not one.question.is_about(axis), one.question.weight)
    )


def _can_tell(one: Seen, axis: str) -> bool:
    """Whether the answer has what the axis is about: no values of queries tell how a mean is taken, though some means refuse some."""
    return axis not in OF_MEANS or isinstance(one.answer, Failure) or one.answer.mean is not None


def _others(measure: Measure, follows: Conventions, axis: str) -> Iterator[str]:
    """The other values that an axis may have; not those that are the same to this measure, beside its other choices."""
    now = settled(measure, plain(follows))
    for value in values_of(axis):
        if possible(measure, axis, value) and settled(measure, plain(follows.replace(**{axis: value}))) != now:
            yield value
