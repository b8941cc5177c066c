"""Recognising how a function is called: of the ways that were tried the best, unless answers show that it is none, or not the only one."""

from collections.abc import Sequence
from dataclasses import replace

from rankproof.calling import refusing
from rankproof.calling.call_forms import is_asked
from rankproof.calling.targets import Target
from rankproof.checking.call_notes import defaults_of, explains, notes_of
from rankproof.checking.call_search import BREAKS, CallSearch
from rankproof.checking.recognition_limits import CONCORD_NAMED, CONCORD_OF_CHANCE, OTHERWISE, SHARE_OF_CHANCE
from rankproof.checking.trials import Tried, TriedWay
from rankproof.evaluating.read_profiles import read_profile
from rankproof.isolating.call_sessions import FOR_ALL, FOR_TRIALS, Session
from rankproof.meaning.deciding_axes import possible
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import PROFILES, UnknownProfile, conventions_of
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.same_answers import answers_identical

OF_SCORES = frozenset({"y_score", "all_scores", "scores_with_rels", "score_of_doc"})
"""The roles that hold scores."""


def claimed(profile: str | Conventions, measure: Measure) -> Conventions:
    """The conventions that are claimed of a function.

    Raises:
        UnknownConvention: there is no such profile.
        NotPooled: the profile asks for a pooled mean of what is no ratio, so that nothing could be held to it.
    """
    try:
        found = conventions_of(profile, measure)
    except UnknownProfile as unknown:
        raise _of_a_tool(str(profile).split()[0]) or unknown from None
    if not possible(measure, "mean", found.mean):
        raise NotPooled(f"{measure.name} is no ratio of counts, so it has no pooled mean")
    return found


def _of_a_tool(name: str) -> UnknownProfile | None:
    """What is said of a profile that answers or a source tell, so that choices may be open; None of any other name."""
    from rankproof.evaluating.library_profiles import is_published  # noqa: PLC0415 - all fingerprints are read for it

    if not is_published(name) and read_profile(name) is None:
        return None
    why = f"{name} is the profile of a tool, which may leave choices undetermined, so that no function is held to it"
    mend = f"name one that is whole, {', '.join(PROFILES)}, or write choices, as 'standard ties=input'"
    return UnknownProfile(f"{why}: {mend}; `rankproof profiles {name}` shows those of the tool")


def recognised(session: Session) -> Target:
    """How a function is to be called: by the way whose answers are explained best.

    Raises:
        BadFunction: it cannot be found, no form fits, or none that fits explains anything.
    """
    source, candidates = session.source, session.candidates()
    search = CallSearch(session, candidates, source.measure, cutoff_of(source.measure))
    session.share = FOR_TRIALS
    best = _hanging_on_a_set(session, search.run(), search.ways)
    said_nothing = best is None and all(failure.kind not in BREAKS for _, _, failure in search.vain.values())
    if session.is_over and not said_nothing and (best is None or not best.is_explained):
        raise refusing.too_slow(candidates, session.limits.budget, is_named=source.form is not None)
    session.share = FOR_ALL
    if best is None or (_is_by_chance(best, source.measure) and not _is_unsteady(session, best)):
        closest = None if best is None else best.target
        raise refusing.refused(candidates, list(search.vain.values()), (source.form, search.k), closest)
    _order_is_told(best, search.ways)
    trial = next(one for one in best.tried if isinstance(one.answer, Answered))
    best.target = replace(best.target, of_fractions=_raises_for_whole_scores(session, best, trial))
    session.chosen(best.which, (trial.input, trial.k))
    notes, seems = tuple(notes_of(best, search.ways, search.alone)), str(best.other or "")
    return replace(
        best.target,
        notes=notes,
        by_default=seems if defaults_of(best) else "",
        seems=seems,
        is_explained=best.is_explained,
        explains=best.fit.explained,
    )


def _raises_for_whole_scores(session: Session, best: TriedWay, trial: Tried) -> bool:
    """Whether it raises for what it gives a number for, once the same order is that of whole numbers, as who takes these for classes.

    A trial of which that would be no news, as its own scores are whole numbers, is none.
    """
    if OF_SCORES.isdisjoint(best.target.form.roles):
        return False
    if not is_asked(replace(best.target, of_fractions=True), trial.input, trial.k):
        return False
    places = {score: float(at) for at, score in enumerate(sorted({row[2] for row in trial.input.run}), start=1)}
    data = replace(trial.input, run=tuple((*row[:2], places[row[2]], row[3]) for row in trial.input.run))
    answer = session.tried(best.which, (data, trial.k))
    return isinstance(answer, Failure) and answer.kind == "error"


def _order_is_told(best: TriedWay, ways: Sequence[TriedWay]) -> None:
    """See that answers tell which list is which, where no name does.

    Raises:
        BadFunction: another order of the same arguments explains as much, and gives other answers.
    """
    for way in () if best.is_named else ways:
        if _is_as_good_in_another_order(way, best):
            raise refusing.undecided_order(best.target, way.target, explains(best))


def _is_as_good_in_another_order(way: TriedWay, best: TriedWay) -> bool:
    target, of = way.target, best.target
    alike = replace(target, order=of.order, names=of.names, docs=of.docs, k_alone=of.k_alone)
    if target.order == of.order or alike != of:
        return False
    if (way.is_explained, way.fit.share) < (best.is_explained, best.fit.share):
        return False
    if not best.is_explained and way.concord < best.concord - CONCORD_NAMED:
        return False
    answers = {(one.input, one.k): one.answer for one in best.tried}
    both = [(one.answer, answers[one.input, one.k]) for one in way.tried if (one.input, one.k) in answers]
    return any(not answers_identical(a, b) for a, b in both)


def _is_unsteady(session: Session, way: TriedWay) -> bool:
    """Whether it answers otherwise when asked again: then that is what is to be said of it."""
    first = next((one for one in way.tried if isinstance(one.answer, Answered)), None)
    return first is not None and not answers_identical(first.answer, session.tried(way.which, (first.input, first.k)))


def _hanging_on_a_set(session: Session, best: TriedWay | None, ways: Sequence[TriedWay]) -> TriedWay | None:
    """The best way; or where it explains not all and passes no ids, one that does and is answered otherwise in a new process.

    What hangs on the order of a set of texts is explained by no form, and in some processes better by one whose numbers have one order.
    """
    if best is None or not best.is_named or best.is_explained or _passes_ids(best):
        return best
    others = (way for way in ways if way.is_named and way.is_plain and _passes_ids(way))
    for way in sorted(others, key=lambda way: way.rank)[:OTHERWISE]:
        answered = [one for one in way.tried if isinstance(one.answer, Answered)]
        session.chosen(way.which, (answered[0].input, answered[0].k))
        anew = session.elsewhere([(one.input, one.k) for one in answered])
        if not all(answers_identical(one.answer, answer) for one, answer in zip(answered, anew, strict=False)):
            return way
    return best


def _passes_ids(way: TriedWay) -> bool:
    return "ranked" in way.target.form.roles


def _is_by_chance(way: TriedWay, measure: Measure) -> bool:
    """Whether it gives numbers that have nothing to do with the measure, by a form that no name tells."""
    if way.is_named or way.is_explained or way.is_right_of_flags or measure.of_labels:
        return False
    is_much = way.fit.share >= SHARE_OF_CHANCE and way.fit.explained > 1
    return not (way.is_plain and (is_much or way.concord > CONCORD_OF_CHANCE))
