"""Examining a function: everything that is asked of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankproof import cases as corpus
from rankproof.calling import call_forms, refusing
from rankproof.calling.call_candidates import Source
from rankproof.calling.targets import BadFunction, Target
from rankproof.cases import Case
from rankproof.checking import recognising
from rankproof.checking.case_questions import Progress, Seen, answered, in_a_new_process, questions
from rankproof.checking.checked import Checked
from rankproof.checking.cutoffs_taken import at_cutoffs_taken
from rankproof.checking.examined import Examined, with_more
from rankproof.checking.faulted import Faulted, defect_in, faulted
from rankproof.checking.followed import Followed, followed_by
from rankproof.checking.inferring import Inferred, tells
from rankproof.checking.left_open import LeftOpen
from rankproof.checking.looking import ORDER, RELEVANCE, Blindness, blindness
from rankproof.checking.made_witness import made_for
from rankproof.checking.mixing import mixes_queries
from rankproof.checking.own_defaults import default_that_blinds
from rankproof.checking.tied_rows import reordered
from rankproof.checking.tier import UNEXPLAINED
from rankproof.defects.diagnosis import Diagnosis
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.meaning.input_traits import BINARY_ONLY, Trait, assumptions
from rankproof.meaning.measure_names import measure_called, measure_of_function
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import Measure

ENOUGH = 20
"""How many answers that tell something a narrower domain must have."""


def examine(  # noqa: PLR0913 - one for each thing that a person may say
    function: Any,  # noqa: ANN401 - anything that can be called
    measure: str,
    profile: str | Conventions | None = None,
    form: str | None = None,
    *,
    assume: str = "",
    name: str = "",
    cases: Sequence[Case] | None = None,
    progress: Progress | None = None,
    limits: Limits | None = None,
    given: Mapping[str, Any] | None = None,
) -> Checked:
    """Ask a function every case, and look what its answers show.

    Without a function, the one of that name is imported where it runs; without a profile, it may follow any. What is `given` is
    passed in every call, by name.
    """
    asked, of_name = measure_of_function(measure)
    assumed = assumptions(assume)
    claimed = recognising.claimed(STANDARD if profile is None else profile, asked)
    wanted = call_forms.form_named(form) if form else None
    order = call_forms.order_named(form, wanted) if form and wanted is not None else ()
    claim = profile if isinstance(profile, str | None) else profile.spec() or "standard"
    cases = whole_corpus() if cases is None else cases
    with Session(Source(name, asked, wanted, function, given or {}, order), limits or Limits()) as session:
        session.tick = None if progress is None else lambda: progress(0, 0)
        target = recognising.recognised(session)
        target = replace(target, notes=(*target.notes, of_name)) if of_name else target
        session.tick = None
        if target.of_flags and BINARY_ONLY not in assumed:
            assumed = (*assumed, BINARY_ONLY)
        if claim is None and target.by_default:
            asked = measure_called(target.by_default)
            claimed = recognising.claimed(STANDARD, asked)
        every = list(questions(target, asked, cases, assumed))
        said = answered(session, every, progress, of_object=target.of_class and "compute" in target.form.call)
        target, seen = at_cutoffs_taken(target, asked, said)
        if not seen:
            raise BadFunction(f"no case of the corpus can be asked of {target.name} as {target.form.call}")
        first = Examined(target=target, measure=asked, claim=claim, claimed=claimed, seen=seen, assumed=assumed)
        followed = _steady(session, first)
        if followed.is_steady:
            unseen = blindness(session, target, asked, assumed)
            if unseen:  # first what most hangs on
                _refuse_where_that_is_no_fault(unseen[0], session, target, asked, assumed)
            if any(one.about == ORDER for one in unseen):
                followed = _again(session, followed, followed.usual)  # that may be why the order given is nothing to it
        if followed.is_steady:
            others = reordered(session, target, asked, assumed)
            followed = replace(followed, unseen=unseen, reordered=others)
            followed = followed if followed.plain_fault is None else followed_by(followed)
        if followed.plain_fault is not None:
            return with_more(Checked, faulted(followed))
        left = with_more(LeftOpen, _narrowed(session, followed, cases))
        mixed = None
        if left.is_steady and not left.is_unknown:
            mixed = mixes_queries(session, target, asked, left.profile)
        return with_more(Checked, left, mixed=mixed, made=made_for(session, left))


def _refuse_where_that_is_no_fault(
    unseen: Blindness, session: Session, target: Target, measure: Measure, assumed: Sequence[Trait]
) -> None:
    """See that who does not look at the relevance or the order of docs is called as it is meant to be.

    Raises:
        BadFunction: a default of its own keeps it from looking, or no name says that it is called so.
    """
    if unseen.about in {RELEVANCE, ORDER} and (found := default_that_blinds(unseen, session, target, measure, assumed)):
        raise refusing.blinded_by_a_default(target, unseen.about, *found)
    if unseen.about == RELEVANCE and session.source.form is None and not target.is_named:
        raise refusing.looks_at_nothing(target)


def _steady(session: Session, examined: Examined) -> Followed:
    """What is followed; or where something is not explained, by what is answered otherwise in a process of another order of sets.

    What explains all answers explains no answers that hang on such an order: these were other ones in half of the questions.
    """
    if examined.wavers:
        return followed_by(examined)
    if not examined.target.is_explained:
        return followed_by(_anew(session, examined, examined.usual))
    followed = followed_by(examined)
    missed = {id(miss.question) for miss in followed.ordinary.misses}
    return _again(session, followed, [one for one in examined.seen if id(one.question) in missed])


def _again(session: Session, followed: Followed, some: Sequence[Seen]) -> Followed:
    """What is followed; by what is answered otherwise, where something is."""
    other = _anew(session, followed, some)
    return followed if other is followed else followed_by(other)


def _anew(session: Session, examined: Examined, some: Sequence[Seen]) -> Examined:
    """The same; or with what is answered otherwise in a process of another order of sets, where it is told ids."""
    if "known" in examined.target.form.settled:
        return examined
    found = in_a_new_process(session, examined.seen, some)
    return replace(examined, seen=tuple(found)) if any(one.again is not None for one in found) else examined


def _narrowed(session: Session, followed: Followed, cases: Sequence[Case]) -> Faulted:
    """What is wrong; or what is found on rels of 0 and 1, where these are explained and others are not: it may sum flags."""
    wide = faulted(followed)
    if wide.ordinary.verdict != UNEXPLAINED or (wide.defect is not None and not _is_far_fetched(wide.defect)):
        return wide
    met = {(one.question.case.input, one.question.measure) for one in wide.seen}
    assumed = (*wide.assumed, BINARY_ONLY)
    asked = questions(wide.target, wide.measure, cases, assumed)
    more = [one for one in asked if one.extreme is None and (one.case.input, one.measure) not in met]
    within = [one for one in wide.seen if BINARY_ONLY not in one.question.traits]
    beyond = tuple(one for one in wide.usual if BINARY_ONLY in one.question.traits)
    inside = replace(followed, seen=(*within, *answered(session, more)), assumed=assumed, beyond=beyond)
    if not beyond or sum(map(tells, inside.usual)) < ENOUGH:
        return wide
    narrow = faulted(followed_by(inside))
    if narrow.ordinary.misses:  # what is wrong with it of flags has a name, perhaps, that a sum of other rels hides
        is_named = narrow.defect is not None and not _is_far_fetched(narrow.defect)
        return narrow if is_named or (wide.is_unknown and not narrow.is_unknown) else wide
    wrong = defect_in(replace(followed, proved=None, follows=narrow.ordinary.follows))
    if wrong is None or _is_far_fetched(wrong):
        return narrow
    return faulted(replace(followed, proved=Inferred(wide.ordinary.follows, wide.precision, None, wrong)))


def _is_far_fetched(defect: Diagnosis) -> bool:
    """Whether it is another measure by a formula that is not standard: flags are summed far more often than that is meant."""
    changed = STANDARD.differences(defect.profile)
    return defect.is_another_measure and any(AXES[axis].stage == "measure" for axis in changed)


def whole_corpus() -> tuple[Case, ...]:
    """All cases."""
    return tuple(corpus.load_all())
