"""What is found of a function: from the verdict (`Assessed`) to what shows it, which is all that is known of the function (`Checked`).

The records before it are `Examined`, what was asked; `Followed`, the nearest conventions; `Faulted`; `LeftOpen`; and `Assessed`.
Each has all of the one before it.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

from rankproof.checking.assessed import Assessed
from rankproof.checking.axis_witnesses import AxisWitness, axis_witnesses, sentence
from rankproof.checking.case_questions import Question
from rankproof.checking.differing import Difference, differences, plainest
from rankproof.checking.looking import Blindness
from rankproof.checking.nearest import Nearest, nearest
from rankproof.matching.comparing import reading_of
from rankproof.meaning.signatures import axes_of


@dataclass(frozen=True, kw_only=True)
class Checked(Assessed):
    """What was found of a function.

    What shows the verdict is looked for when it is read, as it asks what is open; and so is the nearest library, as each is asked what it
    supports.

    Attributes:
        summary: what is said of it in a few sentences, once that was written.
    """

    summary: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        """The sentences, or all of it where none were written."""
        return self.summary or repr(self)

    @cached_property
    def witness(self) -> Difference | None:
        """What shows that something is wrong; or the simplest ordinary question that shows it to differ."""
        return _witness(self)

    @cached_property
    def differing(self) -> list[AxisWitness]:
        """What each choice does that is not as claimed; nothing where no conventions give its answers."""
        return _differing(self)

    @cached_property
    def nearest(self) -> Nearest | None:
        """The libraries whose sheets claim what comes nearest to its answers."""
        return nearest(self.measure, self.answered, self.precision, self.follows)


def question_shown(known: Assessed) -> Question | None:
    """The question that shows what is wrong with it; None where nothing is."""
    if known.made is not None and (known.fault is None or known.is_cheap_first):
        return known.made.question
    if known.breaks_its_claim_first:
        return None
    if known.fault is not None:
        return known.fault.question
    if known.defect is None or not known.is_by_catalogue:
        return None
    told = known.defect.witness.told
    same = (one.question for one in known.usual if one.question.case.id == told.case)
    return next((one for one in same if one.measure == told.measure and one.case.input == told.input), None)


def _witness(known: Assessed) -> Difference | None:
    """What shows that something is wrong; or the simplest ordinary question that shows it to differ.

    Of these, rather one that a single convention explains, the formula's first.
    """
    question = question_shown(known)
    if question is not None:
        return _wrong(known, question)
    if known.wrong_beyond is not None:
        return known.wrong_beyond
    shown = known.ordinary.differences or known.whole.differences
    if known.whole.wavering and not known.holds_strictly:
        unsteady = {id(one.question) for one in known.answered if one.again is not None}
        return next((one for one in shown if id(one.question) in unsteady), min(shown, key=plainest, default=None))
    if known.is_unknown:  # rather what no conventions give than what the nearest ones do
        missed = {id(miss.question) for miss in known.ordinary.misses}
        shown = [one for one in shown if id(one.question) in missed] or shown
    elif shown and (by_one := _by_one_choice(known, shown)) is not None:
        return by_one
    return min(shown, key=plainest, default=None)


def _by_one_choice(known: Assessed, shown: list[Difference]) -> Difference | None:
    """The first of the differences that one choice explains by itself."""
    in_order = sorted(shown, key=lambda one: (not one.question.is_plain, one.question.strangeness, *one.rank))
    for axis in dict.fromkeys([*(axis for axis, _ in known.odd_choices), *axes_of(known.measure)]):
        value = getattr(known.follows, axis)
        if value != getattr(known.claimed, axis):
            left = differences(known.ordinary.seen, known.claimed.replace(**{axis: value}), known.precision)
            still = {id(one.question) for one in left}
            explained = next((one for one in in_order if id(one.question) not in still), None)
            if explained is not None:
                return explained
    return None


def _wrong(known: Assessed, shown: Question) -> Difference:
    """What is given there, and what is right."""
    told, fault = known.shown_by_defect, None if known.is_cheap_first else known.fault
    if isinstance(fault, Blindness):
        return Difference(shown, None, fault.right[0], fault.got)
    if fault is not None:
        return Difference(shown, fault.query, reading_of(shown.answers(known.claimed), fault.query), fault.got)
    return Difference(shown, None, None, "") if told is None else Difference(shown, told.query, told.right, told.got)


def _differing(known: Assessed) -> list[AxisWitness]:
    """What each choice does that is not as claimed; nothing where no conventions give its answers."""
    if known.is_unknown or known.whole.wavering:
        return []
    shown = [
        replace(one, values=values, sentence=sentence(one.axis, values, known.claimed))
        for one in axis_witnesses(known.answered, known.claimed, known.follows, known.precision)
        if (values := known.undecided.get(one.axis, (getattr(known.follows, one.axis),)))
        and getattr(known.claimed, one.axis) not in values
    ]
    in_order = [axis for axis, _ in known.odd_choices] if shown else []
    return sorted(shown, key=lambda one: in_order.index(one.axis) if one.axis in in_order else len(in_order))
