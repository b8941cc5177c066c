"""What a function answered to the questions of one tier, and its verdict on them."""

from dataclasses import dataclass
from functools import cached_property

from rankproof.checking.case_questions import Seen
from rankproof.checking.differing import Difference, count, differences
from rankproof.judging.verdicts import Verdict
from rankproof.reference_impl.conventions import Conventions
from rankproof.workers.observations import Failure

AGREES, CONVENTION, UNEXPLAINED, DEFECT = Verdict.AGREES, Verdict.CONVENTION, Verdict.UNEXPLAINED, Verdict.DEFECT
UNSTABLE, CRASH, MEMORY, TIMEOUT = Verdict.UNSTABLE, Verdict.CRASH, Verdict.MEMORY, Verdict.TIMEOUT
"""Of a function, no more than these is said."""
BREAKS = {"crash": CRASH, "memory": MEMORY, "timeout": TIMEOUT}
"""What it is called where a function does not come back, by the kind of failure; the gravest first."""


@dataclass(frozen=True)
class Tier:
    """The questions of one tier with their answers, and what is made of them.

    Attributes:
        claimed: the conventions that the function is held to.
        follows: those that it follows, or that come nearest.
        precision: how exactly its numbers are compared.
    """

    seen: tuple[Seen, ...]
    claimed: Conventions
    follows: Conventions
    precision: str

    @property
    def spec(self) -> str:
        """What the function follows on it, as a change of `standard`."""
        return self.follows.spec() or "standard"

    @property
    def asked(self) -> int:
        """How many questions were asked."""
        return len(self.seen)

    @cached_property
    def differences(self) -> list[Difference]:
        """Where the answers are not what is claimed, the simplest first."""
        return differences(self.seen, self.claimed, self.precision)

    @cached_property
    def misses(self) -> list[Difference]:
        """Where not even what it follows gives its answers."""
        return differences(self.seen, self.follows, self.precision)

    @property
    def explained(self) -> int:
        """How many questions what it follows answers alike."""
        return self.asked - count(self.misses)

    @property
    def wavering(self) -> int:
        """How many questions got another answer when asked again."""
        return sum(one.again is not None for one in self.seen)

    @property
    def verdict(self) -> Verdict:
        """`agrees` with the claim, follows another `convention`, or `unexplained`: none gives all of its answers.

        Before these, `unstable`: it answered otherwise when asked again; `crash`, `memory` and `timeout`: it did not come back.
        """
        if not self.differences:
            return AGREES
        if self.wavering:
            return UNSTABLE
        kinds = {one.answer.kind for one in self.seen if isinstance(one.answer, Failure)}
        broken = next((verdict for kind, verdict in BREAKS.items() if kind in kinds), None)
        return broken or (UNEXPLAINED if self.misses or self.is_silent else CONVENTION)

    @property
    def is_silent(self) -> bool:
        """Whether it gave no number, though to some of this it might have: what refuses everything follows no convention."""
        of_numbers = any(one.question.extreme is None for one in self.seen)
        return of_numbers and all(isinstance(one.answer, Failure) for one in self.seen)
