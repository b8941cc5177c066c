"""What a function was asked, and what it answered (`Examined`): the first of the records of a check, each of which adds to the last."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar

from rankproof.calling.call_forms import OF_TABLES, says_ranks
from rankproof.calling.targets import Target
from rankproof.checking.case_questions import Seen
from rankproof.checking.constant import constant_answer
from rankproof.checking.looking import CUT_RELEVANT, CUT_ROWS, RELEVANCE, SCORES, Blindness
from rankproof.checking.nearest import claims_of
from rankproof.checking.tied_rows import Reordered
from rankproof.checking.tier import BREAKS
from rankproof.meaning.input_traits import Trait
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Failure

OF_SCORES = frozenset({SCORES, CUT_ROWS})
Record = TypeVar("Record", bound="Examined")


@dataclass(frozen=True, kw_only=True)
class Examined:
    """A function, what it is held to, and what it answered.

    Attributes:
        claim: the profile it is held to, as it was written; None where it may follow any.
        claimed: its conventions; those of `standard` where nothing is claimed.
        seen: the questions and the answers.
        assumed: what no input had, as the caller said; or what was found to be beyond the function.
        beyond: the answers to inputs that have that, where it was found.
        unseen: what it never looks at, of what the measure looks at.
        reordered: what it answers to the same docs in several orders of the rows.
    """

    target: Target
    measure: Measure
    claim: str | None
    claimed: Conventions
    seen: tuple[Seen, ...]
    assumed: tuple[Trait, ...] = ()
    beyond: tuple[Seen, ...] = ()
    unseen: tuple[Blindness, ...] = ()
    reordered: tuple[Reordered, ...] = ()

    @property
    def answered(self) -> tuple[Seen, ...]:
        """What was asked, and learnt from."""
        return tuple(one for one in self.seen if not one.left_out)

    @property
    def usual(self) -> tuple[Seen, ...]:
        """The answers to ordinary questions; to all of them where every input is extreme."""
        return tuple(one for one in self.answered if one.question.extreme is None) or self.answered

    @property
    def unusual(self) -> tuple[Seen, ...]:
        """The answers to the others."""
        usual = set(map(id, self.usual))
        return tuple(one for one in self.answered if id(one) not in usual)

    @property
    def asked(self) -> int:
        """How many questions were asked."""
        return len(self.answered)

    @property
    def skipped(self) -> int:
        """How many were not, or took too long to wait for."""
        return len(self.seen) - self.asked

    @property
    def is_incomplete(self) -> bool:
        """Whether the time was used up before all ordinary questions were asked."""
        return any(one.left_out and one.question.extreme is None for one in self.seen)

    @property
    def wavers(self) -> bool:
        """Whether it gave another answer to a question that it was asked again."""
        return any(one.again is not None for one in self.answered)

    @property
    def is_steady(self) -> bool:
        """Whether it always came back, and said the same when it was asked again."""
        failed = (one.answer.kind for one in self.answered if isinstance(one.answer, Failure))
        return not self.wavers and BREAKS.keys().isdisjoint(failed)

    @property
    def orders_of_libraries(self) -> set[str]:
        """The orders, other than that of scores, that libraries take of a table: who is given scores alone has no other order.

        Of a file whose lines say a rank, that of the ranks is one more, whoever takes it. Many a library is given ids in the order of
        their ranks, and no score that it could pass over: that is nobody's excuse.
        """
        if self.target.form not in OF_TABLES:
            return set()
        of_ranks = {"rank"} if says_ranks(self.target) else set[str]()
        return of_ranks | {claim.order for claim in claims_of(self.measure)} - {STANDARD.order}

    @cached_property
    def constant(self) -> Blindness | None:
        """That it gives one number whatever it is asked."""
        return constant_answer(self.answered, self.claimed)

    @property
    def plain_fault(self) -> Blindness | None:
        """What is wrong whatever it follows, so that no conventions are looked for.

        It never looks at which docs are relevant, or at anything; or it leaves out rows or relevant docs before it looks at them, where
        that is neither claimed nor a library's order.
        """
        if any(one.about == RELEVANCE for one in self.unseen):
            return self.unseen[0]
        if self.constant is not None:
            return self.constant
        cuts = self.claimed.order == STANDARD.order and not self.orders_of_libraries
        plain = {CUT_RELEVANT, *(OF_SCORES if cuts else ())}
        return next((one for one in self.unseen if one.about in plain), None)


def with_more(kind: type[Record], before: Examined, **more: Any) -> Record:  # noqa: ANN401 - the fields that are added
    """A record of the next step: all that the one before has, and more; what was worked out of that holds as before."""
    known = {one.name: getattr(before, one.name) for one in fields(before)}
    record = kind(**(known | more))
    vars(record).update({name: value for name, value in vars(before).items() if name not in known})
    return record
