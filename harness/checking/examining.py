"""Examining a function: everything that is asked of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankproof import cases as corpus
from rankproof.calling import call_forms, refusing
from rankproof.calling.call_candidates import Source
from rankproof.calling.targets import BadFunction
from rankproof.cases import Case
from rankproof.checking import recognising
from rankproof.checking.case_questions import Progress, answered, in_a_new_process, questions
from rankproof.checking.checked import Checked
from rankproof.checking.inferring import tells
from rankproof.checking.looking import ORDER, RELEVANCE, blindness
from rankproof.checking.made_witness import made_for
from rankproof.checking.mixing import mixes_queries
from rankproof.checking.tied_rows import reordered
from rankproof.checking.tier import UNEXPLAINED
from rankproof.defects.diagnosis import Diagnosis
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.meaning.input_traits import BINARY_ONLY, assumptions
from rankproof.meaning.measure_names import measure_called, measure_of_function
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions

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
        if claim is None and target.by_default:
            asked = measure_called(target.by_default)
            claimed = recognising.claimed(STANDARD, asked)
        every = list(questions(target, asked, cases, assumed))
        seen = tuple(answered(session, every, progress, of_object=target.of_class and "compute" in target.form.call))
        if not seen:
            raise BadFunction(f"no case of the corpus can be asked of {target.name} as {target.form.call}")
        checked = _steady(session, Checked(target, asked, claim, claimed, seen, assumed))
        if checked.is_steady:
            unseen = blindness(session, target, asked, assumed)
            if any(one.about == RELEVANCE for one in unseen) and wanted is None and not target.is_named:
                raise refusing.looks_at_nothing(target)
            if any(one.about == ORDER for one in unseen):
                checked = _elsewhere(session, checked)
        if checked.is_steady:
            checked = replace(checked, unseen=unseen, reordered=reordered(session, target, asked, assumed))
        if checked.is_plainly_wrong:
            return checked
        narrowed = _narrowed(session, checked, cases)
        if narrowed.is_steady and not narrowed.is_unknown:
            mixed = mixes_queries(session, target, asked, narrowed.profile)
            narrowed = replace(narrowed, mixed=mixed)
        return replace(narrowed, made=made_for(session, narrowed))


def _steady(session: Session, checked: Checked) -> Checked:
    """The same; or where something is not explained, with what is answered otherwise in a process of another order of sets.

    What explains all answers explains no answers that hang on such an order: these were other ones in half of the questions.
    """
    told_ids = "known" not in checked.target.form.settled
    if not told_ids or checked.whole_wavers:
        return checked
    if not checked.target.is_explained:
        found = in_a_new_process(
            session, checked.seen, [one for one in checked.answered if one.question.extreme is None]
        )
    elif checked.ordinary.misses:
        missed = {id(miss.question) for miss in checked.ordinary.misses}
        found = in_a_new_process(session, checked.seen, [one for one in checked.seen if id(one.question) in missed])
    else:
        return checked
    return replace(checked, seen=tuple(found)) if any(one.again is not None for one in found) else checked


def _elsewhere(session: Session, checked: Checked) -> Checked:
    """The same, with what is answered otherwise in a process of another order of sets: that may be why the order given is nothing to it."""
    if "known" in checked.target.form.settled:
        return checked
    usual = [one for one in checked.answered if one.question.extreme is None]
    return replace(checked, seen=tuple(in_a_new_process(session, checked.seen, usual)))


def _narrowed(session: Session, checked: Checked, cases: Sequence[Case]) -> Checked:
    """The same; or what was found on rels of 0 and 1, where these are explained and others are not: it may sum flags."""
    if checked.ordinary.verdict != UNEXPLAINED or (checked.defect is not None and not _is_far_fetched(checked.defect)):
        return checked
    met = {(one.question.case.input, one.question.measure) for one in checked.seen}
    asked = questions(checked.target, checked.measure, cases, (*checked.assumed, BINARY_ONLY))
    more = [one for one in asked if one.extreme is None and (one.case.input, one.measure) not in met]
    narrower = checked.within(BINARY_ONLY, answered(session, more))
    told = sum(map(tells, narrower.ordinary.seen))
    if not narrower.beyond or told < ENOUGH:
        return checked
    if narrower.ordinary.misses:  # what is wrong with it of flags has a name, perhaps, that a sum of other rels hides
        return narrower if narrower.defect is not None and not _is_far_fetched(narrower.defect) else checked
    wrong = checked.of_defect_under(narrower.ordinary.follows)
    return narrower if wrong is None or wrong.defect is None or _is_far_fetched(wrong.defect) else wrong


def _is_far_fetched(defect: Diagnosis) -> bool:
    """Whether it is another measure by a formula that is not standard: flags are summed far more often than that is meant."""
    return defect.is_another_measure and any(
        AXES[axis].stage == "measure" for axis in STANDARD.differences(defect.profile)
    )


def whole_corpus() -> tuple[Case, ...]:
    """All cases."""
    return tuple(corpus.load_all())
