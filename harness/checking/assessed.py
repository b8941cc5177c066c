"""Whether a function is what it claims to be: from what is wrong with it and what is open (`LeftOpen`) to the verdict (`Assessed`)."""

from dataclasses import dataclass

from rankproof.checking.case_questions import Question
from rankproof.checking.left_open import LeftOpen
from rankproof.checking.tier import AGREES, CONVENTION
from rankproof.defects.diagnosis import DefectWitness
from rankproof.judging.verdicts import Verdict

MADE = "made/"
"""The topic of questions that were made for one function, and stand in no corpus."""


@dataclass(frozen=True)
class Made:
    """A question that was made to show what is wrong, and what was answered."""

    question: Question
    witness: DefectWitness


@dataclass(frozen=True, kw_only=True)
class Assessed(LeftOpen):
    """What is known of a function, and the verdict.

    Attributes:
        mixed: what it gives for two queries at once that it takes for one, and what their mean is; None where it does not.
        made: a question that was made to show what is wrong; None where none was, or none shows it.
    """

    mixed: tuple[float, float] | None = None
    made: Made | None = None

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
