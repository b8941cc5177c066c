"""What was found of a function: its verdict on ordinary and on extreme input, what it follows, and what shows that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rankproof.asking.observations import Failure
from rankproof.calling.call_forms import OF_TABLES
from rankproof.calling.targets import Target
from rankproof.checking.axis_witnesses import AxisWitness, axis_witnesses, sentence
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.diagnosing import defect_of
from rankproof.checking.differing import PRECISIONS, Difference, differences, precisions
from rankproof.checking.exceeding import Excess, excess
from rankproof.checking.findings import Finding, finding_of
from rankproof.checking.inferring import Inferred, extended, found_of
from rankproof.checking.known_habits import FORMULA, followers
from rankproof.checking.looking import CUT_RELEVANT, CUT_ROWS, RELEVANCE, SCORES, Blindness
from rankproof.checking.mixing import Mixed
from rankproof.checking.nearest import Nearest, claims_of, nearest
from rankproof.checking.tied_rows import Reordered, Unnamed, unnamed
from rankproof.checking.tier import AGREES, BREAKS, CONVENTION, DEFECT, TIMEOUT, UNEXPLAINED, Tier
from rankproof.checking.undecided import undecided
from rankproof.checking.withheld import Withheld, withheld
from rankproof.defects.diagnosis import DefectWitness, Diagnosis
from rankproof.judging.verdicts import Verdict
from rankproof.matching.comparing import UNSPECIFIED, reading_of
from rankproof.meaning.input_traits import Trait
from rankproof.meaning.measure_facts import fixed_by_parameters
from rankproof.meaning.signatures import Signature, axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import Measure

OF_SCORES = frozenset({SCORES, CUT_ROWS})
MADE = "made/"
"""The topic of questions that were made for one function, and stand in no corpus."""
EXCEPTIONS = 0.1
"""What fits nothing, up to this share of the answers, is an exception."""


@dataclass(frozen=True)
class Made:
    """A question that was made to show what is wrong, and what was answered."""

    question: Question
    witness: DefectWitness


@dataclass(frozen=True)
class Checked:
    """What was found of a function.

    Attributes:
        claim: the profile it is held to, as it was written; None where it may follow any.
        claimed: its conventions; those of `standard` where nothing is claimed.
        seen: the questions and the answers.
        assumed: what no input had, as the caller said; or what was found to be beyond the function.
        beyond: the answers to inputs that have that, where it was found.
        unseen: what it never looks at, of what the measure looks at.
        reordered: what it answers to the same docs in several orders of the rows.
        mixed: what it gives for several queries at once that it takes for one, or adds up; None where it does not.
        made: a question that was made to show what is wrong; None where none was, or none shows it.
        summary: what is said of it in a few sentences, once that was written.
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
    mixed: Mixed | None = None
    made: Made | None = None
    summary: str = field(default="", repr=False, compare=False)
    _proved: dict[int, tuple[tuple[Seen, ...], Inferred]] = field(default_factory=dict, repr=False, compare=False)
    """What answers prove is found once, though more is learnt beside them."""
    _open: dict[tuple[int, int, Conventions, str], tuple[tuple[Seen, ...], Mapping[str, tuple[str, ...]]]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """And so is what they leave open."""

    def __str__(self) -> str:
        """The sentences, or all of it where none were written."""
        return self.summary or repr(self)

    # -- the tiers -----------------------------------------------------------------------------------------------------

    @cached_property
    def answered(self) -> tuple[Seen, ...]:
        """What was asked, and learnt from."""
        return tuple(one for one in self.seen if not one.left_out)

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

    @cached_property
    def whole(self) -> Tier:
        """All questions."""
        return self._tier(self.answered, self.follows)

    @cached_property
    def ordinary(self) -> Tier:
        """The questions of ordinary input; all of them where every input is extreme."""
        return self._tier(self._ordinary, self.found.profile if self._is_to_be_found else self.claimed)

    @cached_property
    def extreme(self) -> Tier:
        """The questions of extreme input."""
        return self._tier(self._extreme, self.follows)

    @cached_property
    def _ordinary(self) -> tuple[Seen, ...]:
        return tuple(one for one in self.answered if one.question.extreme is None) or self.answered

    @cached_property
    def _extreme(self) -> tuple[Seen, ...]:
        ordinary = set(map(id, self._ordinary))
        return tuple(one for one in self.answered if id(one) not in ordinary)

    def _tier(self, seen: Sequence[Seen], follows: Conventions) -> Tier:
        return Tier(tuple(seen), self.claimed, follows, self.precision)

    # -- the verdict ---------------------------------------------------------------------------------------------------

    @property
    def verdict(self) -> Verdict:
        """That of all questions: `agrees` needs every one of them, and all that the measure looks at."""
        if self.lead not in {AGREES, CONVENTION}:
            return self.lead
        return CONVENTION if self.whole.verdict == AGREES and self.withheld is not None else self.whole.verdict

    @cached_property
    def lead(self) -> Verdict:
        """That of ordinary questions, by which it holds or does not."""
        if self.fault is not None:
            return DEFECT
        if self.is_unanswered:
            return TIMEOUT
        lead = self.ordinary.verdict
        if lead == UNEXPLAINED and self.defect is not None:
            return DEFECT
        return CONVENTION if lead == AGREES and self.withheld is not None else lead

    @property
    def is_steady(self) -> bool:
        """Whether it always came back, and said the same when it was asked again."""
        return not self.whole_wavers and not any(
            isinstance(one.answer, Failure) and one.answer.kind in BREAKS for one in self.answered
        )

    @property
    def whole_wavers(self) -> bool:
        """Whether it gave another answer to a question that it was asked again."""
        return any(one.again is not None for one in self.answered)

    @property
    def looks_at_nothing(self) -> bool:
        """Whether it never looks at which docs are relevant: then no convention says anything of it."""
        return any(one.about == RELEVANCE for one in self.unseen)

    @cached_property
    def cut(self) -> Blindness | None:
        """That it leaves out rows or relevant docs before it looks at them, where that is neither claimed nor a library's order."""
        for one in self.unseen:
            if one.about == CUT_RELEVANT:
                return one
            if one.about in OF_SCORES and self.claimed.order == STANDARD.order and not self._orders_of_libraries:
                return one
        return None

    @property
    def is_plainly_wrong(self) -> bool:
        """Whether what is wrong is plain whatever it follows: then no conventions are looked for."""
        return self.looks_at_nothing or self.cut is not None

    @property
    def is_blind(self) -> bool:
        """Whether what is wrong is that it never looks at something: what it follows beside that is so by chance."""
        return isinstance(self.fault, Blindness)

    @cached_property
    def fault(self) -> Blindness | Excess | None:
        """What is wrong with it whatever it follows: it looks at nothing, or gives what no ranking is worth.

        What the catalogue of defects says of its numbers is more than that one of them cannot be.
        """
        if self.looks_at_nothing:
            return self.unseen[0]
        if self.cut is not None:
            return self.cut
        if not self.is_steady or (self.ordinary.misses and self.defect is not None):
            return None
        unseen = [one for one in self.unseen if not self._is_a_choice(one)]
        if unseen:
            return unseen[0]
        return self.excess if self.excess is not None and not self.excess.is_followed else None

    def _is_a_choice(self, unseen: Blindness) -> bool:
        """Whether that it never looks at scores is what it claims; or the whole of what it follows, as a library does with the measure."""
        if unseen.about not in OF_SCORES:
            return False
        if self.claimed.order != STANDARD.order:
            return True
        order = self.ordinary.follows.order
        return not self.ordinary.misses and order in self._orders_of_libraries

    @cached_property
    def _orders_of_libraries(self) -> set[str]:
        """The orders, other than that of scores, that libraries take of a table: who is given scores alone has no other order.

        Many a library is given ids in the order of their ranks, and no score that it could pass over: that is nobody's excuse.
        """
        if self.target.form not in OF_TABLES:
            return set()
        return {claim.order for claim in claims_of(self.measure)} - {STANDARD.order}

    @cached_property
    def excess(self) -> Excess | None:
        """A value beyond the bounds of the measure."""
        return excess(self.measure, self.answered, self.follows, self.precision)

    @cached_property
    def remaining(self) -> dict[str, tuple[str, ...]]:
        """By axis of the measure, what it may follow on ordinary input; without what its caller decides, or nothing decides."""
        follows, settled = self.ordinary.follows, self.target.form.settled
        still_open = self._undecided_of(self._ordinary, follows) if follows != self.follows else self.undecided
        found = {
            axis: still_open.get(axis, (getattr(follows, axis),))
            for axis in axes_of(self.measure)
            if axis not in settled
        }
        return {axis: values for axis, values in found.items() if values}

    @cached_property
    def odd_choices(self) -> list[tuple[str, tuple[str, ...]]]:
        """What it does otherwise than is claimed, the most surprising first: what makes a score cheap, then what fewest do."""
        cheap = set(self.finding.axes) if self.finding is not None else set()
        odd = [(axis, values) for axis, values in self.remaining.items() if getattr(self.claimed, axis) not in values]
        return sorted(
            odd, key=lambda one: (one[0] not in cheap, AXES[one[0]].stage != FORMULA, followers(self.measure, *one))
        )

    @cached_property
    def finding(self) -> Finding | None:
        """What is odd about the conventions that it follows, where nothing is claimed: nobody follows them, or a perfect score is cheap."""
        if (
            self.claim is not None
            or self.is_unknown
            or self.measure.of_labels
            or self.ordinary.verdict not in {AGREES, CONVENTION}
        ):
            return None
        return finding_of(self.measure, self.target.form, self.ordinary.follows, self.claimed, self.remaining)

    @cached_property
    def withheld(self) -> Withheld | None:
        """What its form tells it nothing of, though the measure looks at it."""
        return withheld(self.measure, self.ordinary.follows, self.target.form)

    @cached_property
    def defect(self) -> Diagnosis | None:
        """What is wrong with it by its name, where that explains the ordinary answers that no convention does."""
        if self.is_plainly_wrong:
            return None
        if not self.ordinary.misses or self.found.defect is not None:
            return self.found.defect if self.ordinary.misses else None
        exactly = (self.precision, precisions(self._ordinary)[-1])
        return defect_of(self.measure, self._ordinary, self.follows, exactly, [self.claimed])

    @cached_property
    def wrong_beyond(self) -> Difference | None:
        """The simplest number that it gives to rels that were found to be beyond it, where the measure tells rels apart.

        P, R, AP and RR look at flags, and most code sums them: what sums other rels there was not made for them. A gain is.
        """
        if "gain" not in axes_of(self.measure) or "gain" in fixed_by_parameters(self.measure):
            return None
        wrong = differences(self.beyond, self.claimed, self.precision)
        return min((one for one in wrong if isinstance(one.got, float)), key=_simplest, default=None)

    @property
    def is_unanswered(self) -> bool:
        """Whether the time was used up before any ordinary question was answered: then nothing is known of it."""
        return self.is_incomplete and not self.ordinary.asked

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
    def is_unknown(self) -> bool:
        """Whether it follows no convention known, not even but for exceptions; what it raises excepts itself, where all numbers fit."""
        unexplained = self.ordinary.asked - self.ordinary.explained
        is_much = unexplained > EXCEPTIONS * self.ordinary.asked and (
            not self.raises or 2 * unexplained > self.ordinary.asked
        )
        return self.is_blind or self.ordinary.is_silent or is_much

    @cached_property
    def raises(self) -> str:
        """What it raises wherever it does not give what it follows; "" where it gives other numbers, or several errors."""
        said = {
            miss.got.text if isinstance(miss.got, Failure) and miss.got.kind == "error" else ""
            for miss in self.ordinary.misses
        }
        return said.pop() if len(said) == 1 else ""

    # -- what it follows -----------------------------------------------------------------------------------------------

    @cached_property
    def _agrees_at(self) -> str | None:
        """The precision at which ordinary answers are what is claimed; None if they are not."""
        exactly = (one for one in precisions(self._ordinary) if not differences(self._ordinary, self.claimed, one))
        return next(exactly, None)

    @property
    def _is_to_be_found(self) -> bool:
        """Whether it follows something that is not claimed; of what is plainly wrong, nothing is looked for."""
        return self._agrees_at is None and not self.is_plainly_wrong

    @cached_property
    def found(self) -> Inferred:
        """The conventions that the ordinary answers prove."""
        kept = self._proved.get(id(self.seen))  # kept with `seen`, so that no other takes its `id`
        if kept is None:
            found = found_of(self.target, self.measure, self._ordinary, self.claimed)
            kept = self._proved[id(self.seen)] = self.seen, found
        return kept[1]

    @cached_property
    def precision(self) -> str:
        """How exactly its numbers are compared: float64, unless all that it says fits at a coarser one alone."""
        return self.found.precision if self._is_to_be_found else self._agrees_at or PRECISIONS[0]

    @cached_property
    def follows(self) -> Conventions:
        """The conventions that it follows on ordinary input, or those that come nearest; and on extreme input as far as that goes."""
        if self.is_plainly_wrong:
            return self.claimed
        return extended(self.target, self.ordinary.follows, self._ordinary, self._extreme, self.precision)

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
        return " ".join(
            f"{axis}={now}" for axis, now in sorted(self.ordinary.follows.differences(self.follows).items())
        )

    @property
    def signature(self) -> Signature | None:
        """What reproduces its numbers, but for exceptions; None where nothing does, or they are others when asked again."""
        by = "".join("_" if c.isspace() or c == "|" else c for c in self.target.name.strip(":")) or "function"
        if self.is_unknown or self.whole.wavering:
            return None
        return Signature(self.measure, self.profile, by, remaining=tuple(self.undecided.items()))

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
        return self._undecided_of(self.answered, self.follows)

    def _undecided_of(self, seen: Sequence[Seen], follows: Conventions) -> dict[str, tuple[str, ...]]:
        """What these answers leave open beside these conventions: on ordinary input it may follow others than on all."""
        key = id(self.seen), len(seen), follows, self.precision
        kept = self._open.get(key)  # kept with `seen`, as above
        if kept is None:
            found = undecided(self.measure, seen, follows, self.precision, self.target.form)
            kept = self._open[key] = self.seen, found
        return {**kept[1], "ties": ()} if self.has_ties_open else dict(kept[1])

    @cached_property
    def nearest(self) -> Nearest | None:
        """The libraries whose sheets claim what comes nearest to its answers."""
        return nearest(self.measure, self.answered, self.precision, self.follows)

    # -- what shows it -------------------------------------------------------------------------------------------------

    @cached_property
    def witness(self) -> Difference | None:
        """What shows that something is wrong; or the simplest ordinary question that shows it to differ.

        Of these, rather one that a single convention explains, the formula's first.
        """
        if self.shown is not None:
            return self._wrong(self.shown)
        if self.wrong_beyond is not None:
            return self.wrong_beyond
        shown = self.ordinary.differences or self.whole.differences
        if self.whole.wavering and not self.holds_strictly:
            unsteady = {id(one.question) for one in self.answered if one.again is not None}
            return next((one for one in shown if id(one.question) in unsteady), min(shown, key=_simplest, default=None))
        if self.is_unknown:  # rather what no conventions give than what the nearest ones do
            missed = {id(miss.question) for miss in self.ordinary.misses}
            shown = [one for one in shown if id(one.question) in missed] or shown
        in_order = sorted(shown, key=lambda d: (not d.question.is_plain, d.question.strangeness, *d.rank))
        axes = [*(axis for axis, _ in self.odd_choices), *axes_of(self.measure)] if not self.is_unknown else []
        for axis in dict.fromkeys(axes):
            value = getattr(self.follows, axis)
            if value != getattr(self.claimed, axis):
                left = differences(self.ordinary.seen, self.claimed.replace(**{axis: value}), self.precision)
                still = {id(difference.question) for difference in left}
                found = next((difference for difference in in_order if id(difference.question) not in still), None)
                if found is not None:
                    return found
        return min(shown, key=_simplest, default=None)

    @cached_property
    def differing(self) -> list[AxisWitness]:
        """What each choice does that is not as claimed; nothing where no conventions give its answers."""
        if self.is_unknown or self.whole.wavering:
            return []
        found = axis_witnesses(self.answered, self.claimed, self.follows, self.precision)
        shown = [replace(one, values=values, sentence=sentence(one.axis, values, self.claimed))
                for one in found if (values := self.undecided.get(one.axis, (getattr(self.follows, one.axis),)))
                and getattr(self.claimed, one.axis) not in values]  # fmt: skip
        in_order = [axis for axis, _ in self.odd_choices]
        return sorted(shown, key=lambda one: in_order.index(one.axis) if one.axis in in_order else len(in_order))

    @property
    def is_by_catalogue(self) -> bool:
        """Whether its numbers are those of a defect that has a name."""
        return self.lead == DEFECT and self.fault is None

    @property
    def is_cheap_first(self) -> bool:
        """Whether a score is odd by its conventions, which is told and shown before a doc that it credits twice."""
        made = self.made is not None and self.finding is not None and self.finding.score is not None
        return made and self.is_wrong_of_repeats_alone

    @property
    def is_wrong_of_repeats_alone(self) -> bool:
        """Whether what is wrong whatever it follows is so only where a doc is retrieved twice."""
        excess = self.excess
        return self.fault is not None and self.fault is excess and excess.repeats and not self.ordinary.misses

    @property
    def breaks_its_claim_first(self) -> bool:
        """Whether it is not as claimed on ordinary input, beside what it does with a doc that is retrieved twice."""
        return self.is_wrong_of_repeats_alone and bool(self.claim) and bool(self.ordinary.differences)

    @property
    def shown_by_defect(self) -> DefectWitness | None:
        """What was answered where its defect shows, and what is right there; None where it has none."""
        if self.made is not None:
            return self.made.witness
        return None if self.defect is None else self.defect.witness

    @cached_property
    def shown(self) -> Question | None:
        """The question that shows what is wrong with it; None where nothing is."""
        if self.made is not None and (self.fault is None or self.is_cheap_first):
            return self.made.question
        if self.breaks_its_claim_first:
            return None
        if self.fault is not None:
            return self.fault.question
        if self.defect is None or not self.is_by_catalogue:
            return None
        told = self.defect.witness.told
        same = (one.question for one in self._ordinary if one.question.case.id == told.case)
        return next((one for one in same if one.measure == told.measure and one.case.input == told.input), None)

    def _wrong(self, shown: Question) -> Difference:
        """What is given there, and what is right."""
        told = self.shown_by_defect
        if self.is_cheap_first and told is not None:
            return Difference(shown, told.query, told.right, told.got)
        if isinstance(self.fault, Blindness):
            return Difference(shown, None, self.fault.right[0], self.fault.got)
        if self.fault is not None:
            return Difference(
                shown, self.fault.query, reading_of(shown.answers(self.claimed), self.fault.query), self.fault.got
            )
        return (
            Difference(shown, told.query, told.right, told.got)
            if told is not None
            else Difference(shown, None, None, "")
        )

    def of_defect_under(self, follows: Conventions) -> "Checked | None":
        """The same with the defect that explains it beside conventions that explain a part of it; None where none does."""
        precision = self.ordinary.precision
        wrong = defect_of(
            self.measure, self._ordinary, follows, (precision, precisions(self._ordinary)[-1]), [self.claimed]
        )
        if wrong is None:
            return None
        found = Inferred(self.ordinary.follows, precision, None, wrong)
        return replace(self, _proved={id(self.seen): (self.seen, found)})

    def within(self, trait: Trait, more: Sequence[Seen]) -> "Checked":
        """The same, of inputs alone that do not have a trait, with more of these."""
        inside = [one for one in self.seen if trait not in one.question.traits]
        outside = [one for one in self._ordinary if trait in one.question.traits]
        return replace(self, seen=(*inside, *more), assumed=(*self.assumed, trait), beyond=tuple(outside))


def _simplest(found: Difference) -> tuple[bool, tuple[bool, int, str]]:
    return not found.question.is_plain, found.rank
