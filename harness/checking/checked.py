"""What is found of a function: from all that is known of it (`LeftOpen`) to the verdict, and what shows that (`Checked`).

The records before it are `Examined`, what was asked; `Followed`, the nearest conventions; `Faulted`, what is wrong; and `LeftOpen`. Each
has all of the one before it.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

from rankproof.checking.axis_witnesses import AxisWitness, axis_witnesses, sentence
from rankproof.checking.case_questions import Question
from rankproof.checking.differing import Difference, differences, plainest
from rankproof.checking.left_open import LeftOpen
from rankproof.checking.looking import Blindness
from rankproof.checking.mixing import Mixed
from rankproof.checking.nearest import Nearest, nearest
from rankproof.checking.tier import AGREES, CONVENTION
from rankproof.defects.diagnosis import DefectWitness
from rankproof.judging.verdicts import Verdict
from rankproof.matching.comparing import reading_of
from rankproof.meaning.signatures import axes_of

MADE = "made/"
"""The topic of questions that were made for one function, and stand in no corpus."""


@dataclass(frozen=True)
class Made:
    """A question that was made to show what is wrong, and what was answered."""

    question: Question
    witness: DefectWitness


@dataclass(frozen=True, kw_only=True)
class Checked(LeftOpen):
    """What was found of a function.

    What shows the verdict is looked for when it is read, as it asks what is open; and so is the nearest library, as each is asked what it
    supports.

    Attributes:
        mixed: what it gives for several queries at once, where that is known not to be their mean; None where it is not.
        made: a question that was made to show what is wrong; None where none was, or none shows it.
        summary: what is said of it in a few sentences, once that was written.
    """

    mixed: Mixed | None = None
    made: Made | None = None
    summary: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        """The sentences, or all of it where none were written."""
        return self.summary or repr(self)

    @property
    def verdict(self) -> Verdict:
        """That of all questions: `agrees` needs every one of them, and all that the measure looks at."""
        if self.lead not in {AGREES, CONVENTION}:
            return self.lead
        return CONVENTION if self.whole.verdict == AGREES and self.withheld is not None else self.whole.verdict

    @property
    def holds(self) -> bool:
        """Whether it is, on ordinary input, what it claims to be; or follows what somebody is known to follow, where nothing is claimed."""
        followed = self.fault is None and not self.is_unanswered and self._is_enough(self.ordinary.verdict)
        return followed and self.finding is None and self.mixed is None and self.wrong_beyond is None

    @property
    def holds_strictly(self) -> bool:
        """The same, on all input that was asked."""
        return self.holds and self._is_enough(self.whole.verdict)

    def _is_enough(self, verdict: Verdict) -> bool:
        return verdict == AGREES or (self.claim is None and verdict == CONVENTION)

    @property
    def is_cheap_first(self) -> bool:
        """Whether a score is odd by its conventions, which is told and shown before a doc that it credits twice."""
        made = self.made is not None and self.finding is not None and self.finding.score is not None
        return made and self.is_wrong_of_repeats_alone

    @property
    def shown_by_defect(self) -> DefectWitness | None:
        """What was answered where its defect shows, and what is right there; None where it has none."""
        if self.made is not None:
            return self.made.witness
        return None if self.defect is None else self.defect.witness

    @cached_property
    def witness(self) -> Difference | None:
        """What shows that something is wrong; or the simplest ordinary question that shows it to differ.

        Of these, rather one that a single convention explains, the formula's first.
        """
        question = question_shown(self)
        if question is not None:
            return _wrong(self, question)
        if self.wrong_beyond is not None:
            return self.wrong_beyond
        shown = self.ordinary.differences or self.whole.differences
        if self.whole.wavering and not self.holds_strictly:
            unsteady = {id(one.question) for one in self.answered if one.again is not None}
            return next((one for one in shown if id(one.question) in unsteady), min(shown, key=plainest, default=None))
        if self.is_unknown:  # rather what no conventions give than what the nearest ones do
            missed = {id(miss.question) for miss in self.ordinary.misses}
            shown = [one for one in shown if id(one.question) in missed] or shown
        elif self.ordinary.misses:  # what it follows is no error: what is left is one, beside that
            shown = self.ordinary.misses
        elif shown and (by_one := _by_one_choice(self, shown)) is not None:
            return by_one
        return min(shown, key=plainest, default=None)

    @cached_property
    def differing(self) -> list[AxisWitness]:
        """What each choice does that is not as claimed; nothing where no conventions give its answers."""
        if self.is_unknown or self.whole.wavering:
            return []
        shown = [
            replace(one, values=values, sentence=sentence(one.axis, values, self.claimed))
            for one in axis_witnesses(self.answered, self.claimed, self.follows, self.precision)
            if (values := self.undecided.get(one.axis, (getattr(self.follows, one.axis),)))
            and getattr(self.claimed, one.axis) not in values
        ]
        in_order = [axis for axis, _ in self.odd_choices] if shown else []
        return sorted(shown, key=lambda one: in_order.index(one.axis) if one.axis in in_order else len(in_order))

    @cached_property
    def nearest(self) -> Nearest | None:
        """The libraries whose sheets claim what comes nearest to its answers."""
        return nearest(self.measure, self.answered, self.precision, self.follows)


def question_shown(known: Checked) -> Question | None:
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


def _by_one_choice(known: Checked, shown: list[Difference]) -> Difference | None:
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


def _wrong(known: Checked, shown: Question) -> Difference:
    """What is given there, and what is right."""
    told, fault = known.shown_by_defect, None if known.is_cheap_first else known.fault
    if isinstance(fault, Blindness):
        return Difference(shown, None, fault.right[0], fault.got)
    if fault is not None:
        return Difference(shown, fault.query, reading_of(shown.answers(known.claimed), fault.query), fault.got)
    return Difference(shown, None, None, "") if told is None else Difference(shown, told.query, told.right, told.got)
