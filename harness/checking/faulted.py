"""What is wrong with a function: from what it follows (`Followed`) to the defects and faults that are in its answers (`Faulted`)."""

from dataclasses import dataclass

from rankproof.calling.call_forms import says_ranks
from rankproof.checking.differing import Difference, differences, plainest, precisions
from rankproof.checking.examined import OF_SCORES, with_more
from rankproof.checking.exceeding import Excess, excess
from rankproof.checking.followed import Followed
from rankproof.checking.inferring import defect_of
from rankproof.checking.looking import Blindness
from rankproof.checking.tier import AGREES, CONVENTION, DEFECT, TIMEOUT, UNEXPLAINED
from rankproof.checking.withheld import Withheld, withheld
from rankproof.defects.diagnosis import Diagnosis
from rankproof.judging.verdicts import Verdict
from rankproof.meaning.measure_facts import fixed_by_parameters
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import STANDARD

EXCEPTIONS = 0.1
"""What fits nothing, up to this share of the answers, is an exception."""


@dataclass(frozen=True, kw_only=True)
class Faulted(Followed):
    """What a function follows, and what is wrong with it.

    Attributes:
        defect: what is wrong with it by its name, where that explains the ordinary answers that no convention does.
        excess: a value beyond the bounds of the measure.
        fault: what is wrong with it whatever it follows: it looks at nothing, or gives what no ranking is worth.
        withheld: what its form tells it nothing of, though the measure looks at it.
        lead: the verdict on ordinary questions, by which it holds or does not.
        wrong_beyond: the simplest number that it gives to rels that were found to be beyond it, where the measure tells rels apart.
    """

    defect: Diagnosis | None
    excess: Excess | None
    fault: Blindness | Excess | None
    withheld: Withheld | None
    lead: Verdict
    wrong_beyond: Difference | None

    @property
    def is_blind(self) -> bool:
        """Whether what is wrong is that it never looks at something: what it follows beside that is so by chance."""
        return isinstance(self.fault, Blindness)

    @property
    def is_unknown(self) -> bool:
        """Whether it follows no convention known, not even but for exceptions; what it raises excepts itself, where all numbers fit.

        What has a defect follows none: those that come nearest to its answers are there by chance.
        """
        unexplained = self.ordinary.asked - self.ordinary.explained
        most = 0.5 if self.raises else EXCEPTIONS
        is_much = unexplained > most * self.ordinary.asked
        return self.is_blind or self.is_by_catalogue or self.ordinary.is_silent or is_much

    @property
    def is_by_catalogue(self) -> bool:
        """Whether its numbers are those of a defect that has a name."""
        return self.lead == DEFECT and self.fault is None

    @property
    def is_wrong_of_repeats_alone(self) -> bool:
        """Whether what is wrong whatever it follows is so only where a doc is retrieved twice."""
        excess = self.excess
        return self.fault is not None and self.fault is excess and excess.repeats and not self.ordinary.misses

    @property
    def breaks_its_claim_first(self) -> bool:
        """Whether it is not as claimed on ordinary input, beside what it does with a doc that is retrieved twice."""
        return self.is_wrong_of_repeats_alone and bool(self.claim) and bool(self.ordinary.differences)


def faulted(followed: Followed) -> Faulted:
    """What is wrong with a function beside what it follows."""
    defect = defect_in(followed)
    beyond = excess(followed.measure, followed.answered, followed.follows, followed.precision)
    fault = _fault(followed, defect, beyond)
    untold = withheld(followed.measure, followed.ordinary.follows, followed.target)
    return with_more(
        Faulted,
        followed,
        defect=defect,
        excess=beyond,
        fault=fault,
        withheld=untold,
        lead=_lead(followed, defect, fault, untold),
        wrong_beyond=_wrong_beyond(followed),
    )


def defect_in(followed: Followed) -> Diagnosis | None:
    """What is wrong by its name; looked for where ordinary answers are not explained, and that was not plain at a glance."""
    if followed.plain_fault is not None or not followed.ordinary.misses:
        return None
    if followed.proved is not None and followed.proved.defect is not None:
        return followed.proved.defect
    exactly = (followed.precision, precisions(followed.usual)[-1])
    return defect_of(followed.measure, followed.usual, followed.follows, exactly, followed.claimed)


def _fault(followed: Followed, defect: Diagnosis | None, beyond: Excess | None) -> Blindness | Excess | None:
    """What is wrong whatever it follows; what the catalogue of defects says of its numbers is more than that one of them cannot be."""
    if followed.plain_fault is not None:
        return followed.plain_fault
    if not followed.is_steady or defect is not None:
        return None
    unseen = next((one for one in followed.unseen if not _is_a_choice(followed, one)), None)
    return unseen or (beyond if beyond is not None and not beyond.is_followed else None)


def _is_a_choice(followed: Followed, unseen: Blindness) -> bool:
    """Whether that it never looks at scores is what it claims; or the whole of what it follows, as a library does with the measure.

    Where rows say their ranks, it may follow these but for some answers, as where two rows say one rank.
    """
    if unseen.about not in OF_SCORES:
        return False
    if followed.claimed.order != STANDARD.order:
        return True
    order, tier = followed.ordinary.follows.order, followed.ordinary
    is_by_ranks = order == "rank" and says_ranks(followed.target)
    most = EXCEPTIONS * tier.asked if is_by_ranks else 0
    return order in followed.orders_of_libraries and tier.asked - tier.explained <= most


def _lead(
    followed: Followed, defect: Diagnosis | None, fault: Blindness | Excess | None, untold: Withheld | None
) -> Verdict:
    if fault is not None:
        return DEFECT
    if followed.is_unanswered:
        return TIMEOUT
    lead = followed.ordinary.verdict
    if lead == UNEXPLAINED and defect is not None:
        return DEFECT
    return CONVENTION if lead == AGREES and untold is not None else lead


def _wrong_beyond(followed: Followed) -> Difference | None:
    """P, R, AP and RR look at flags, and most code sums them: what sums other rels there was not made for them. A gain is."""
    if "gain" not in axes_of(followed.measure) or "gain" in fixed_by_parameters(followed.measure):
        return None
    wrong = differences(followed.beyond, followed.claimed, followed.precision)
    return min((one for one in wrong if isinstance(one.got, float)), key=plainest, default=None)
