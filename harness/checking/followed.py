"""What a function follows: from its answers (`Examined`) the conventions that come nearest to them (`Followed`)."""

from dataclasses import dataclass
from functools import cached_property

from rankproof.checking.differing import PRECISIONS, differences, precisions
from rankproof.checking.examined import Examined, with_more
from rankproof.checking.inferring import Inferred, extended, found_of
from rankproof.checking.tier import Tier
from rankproof.reference_impl.conventions import Conventions
from rankproof.workers.observations import Failure


@dataclass(frozen=True, kw_only=True)
class Followed(Examined):
    """What was asked of a function, and the conventions that it follows.

    Attributes:
        proved: what its ordinary answers prove; None where they are as claimed, or what is wrong is plain, so that nothing was looked for.
        precision: how exactly its numbers are compared: float64, unless all that it says fits at a coarser one alone.
        follows: the conventions that it follows on ordinary input, or those that come nearest; and on extreme input as far as that goes.
        ordinary: the questions of ordinary input; all of them where every input is extreme.
        extreme: the questions of extreme input.
        whole: all questions.
    """

    proved: Inferred | None
    precision: str
    follows: Conventions
    ordinary: Tier
    extreme: Tier
    whole: Tier

    @cached_property
    def found(self) -> Inferred:
        """What its ordinary answers prove, also where they are as claimed.

        Worked out when it is read: a program is told all that a claim proves, and to find that takes as long as all questions.
        """
        return self.proved or found_of(self.target, self.measure, self.usual, self.claimed)

    @property
    def profile(self) -> Conventions:
        """What it follows, with what its caller decides by what it is told."""
        return self.follows.replace(**self.target.form.settled)

    @property
    def spec(self) -> str:
        """What it follows on all input, as a change of `standard`."""
        return self.whole.spec

    @property
    def on_extreme(self) -> str:
        """What it follows on extreme input beside what it follows on ordinary input, or instead; "" where that is the same."""
        changed = self.ordinary.follows.differences(self.follows)
        return " ".join(f"{axis}={now}" for axis, now in sorted(changed.items()))

    @property
    def is_unanswered(self) -> bool:
        """Whether the time was used up before any ordinary question was answered: then nothing is known of it."""
        return self.is_incomplete and not self.ordinary.asked

    @property
    def raises(self) -> str:
        """What it raises wherever it does not give what it follows; "" where it gives other numbers, or several errors."""
        said = {
            miss.got.text if isinstance(miss.got, Failure) and miss.got.kind == "error" else ""
            for miss in self.ordinary.misses
        }
        return said.pop() if len(said) == 1 else ""


def followed_by(examined: Examined) -> Followed:
    """The conventions that come nearest to the answers, those that are claimed before all others."""
    claimed, usual, unusual = examined.claimed, examined.usual, examined.unusual
    is_plain = examined.plain_fault is not None
    agrees_at = next((one for one in precisions(usual) if not differences(usual, claimed, one)), None)
    proved = None
    if agrees_at is None and not is_plain:
        proved = found_of(examined.target, examined.measure, usual, claimed)
    precision = proved.precision if proved is not None else agrees_at or PRECISIONS[0]
    own = claimed if proved is None else proved.profile
    follows = claimed if is_plain else extended(examined.target, own, usual, unusual, precision)
    return with_more(
        Followed,
        examined,
        proved=proved,
        precision=precision,
        follows=follows,
        ordinary=Tier(usual, claimed, own, precision),
        extreme=Tier(unusual, claimed, follows, precision),
        whole=Tier(examined.answered, claimed, follows, precision),
    )
