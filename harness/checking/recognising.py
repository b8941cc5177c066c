"""Recognising how a function is to be called: by trying the ways that may fit, one after another."""

import math
from collections.abc import Mapping

from rankproof.asking.observations import Answered, Failure
from rankproof.cases.inputs import Input
from rankproof.checking.call_candidates import CALLED, Candidates
from rankproof.checking.call_forms import FORMS, LABELINGS, expressed
from rankproof.checking.call_sessions import Session
from rankproof.checking.functions import call
from rankproof.checking.targets import BadFunction, Form, Target
from rankproof.meaning.deciding_axes import possible
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import conventions_of

_FORMS = f"name its form by --form: {', '.join(f'{form.name} for {form.call}' for form in FORMS.values())}"
MOST_TRIED = 2
"""How many of the calls that were tried in vain are told."""
_TRIAL = Input(
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q1", "c", 1), ("q1", "d", 0)),
    run=(("q1", "a", 0.9, 1), ("q1", "b", 0.8, 2), ("q1", "c", 0.7, 3), ("q1", "d", 0.6, 4)),
)
_TRIAL_OF_LABELS = Input(true=(0, 0, 1, 1), predicted=(0, 1, 1, 1))


def claimed(profile: str | Conventions, measure: Measure) -> Conventions:
    """The conventions that are claimed of a function.

    Raises:
        UnknownConvention: there is no such profile.
        NotPooled: the profile asks for a pooled mean of what is no ratio, so that nothing could be held to it.
    """
    found = conventions_of(profile, measure)
    if not possible(measure, "mean", found.mean):
        raise NotPooled(f"{measure.name} is no ratio of counts, so it has no pooled mean")
    return found


def recognised(session: Session) -> Target:
    """How a function is to be called: by the first way in which it gives a number.

    Raises:
        BadFunction: it cannot be found, or no form fits.
    """
    source, candidates = session.source, session.candidates()
    k = cutoff_of(source.measure)
    zero: int | None = None
    tried: dict[str, str] = {}
    for which, target in enumerate(candidates.targets):
        trial = expressed(target.form, _TRIAL_OF_LABELS if target.form is LABELINGS else _TRIAL)
        if trial is None:
            continue
        answer = session.tried(which, (trial, k))
        if isinstance(answer, Answered) and all(map(math.isfinite, _numbers(answer))):
            if any(_numbers(answer)) or source.measure.of_labels:
                return session.chosen(which, (trial, k))
            # Docs taken for ids, or the other way round, are nowhere relevant; so this counts if nothing else fits.
            zero = which if zero is None else zero
            continue
        said = answer.text if isinstance(answer, Failure) else f"it gave {next(iter(_numbers(answer)), 'nothing')}"
        tried.setdefault(said, _call(target, trial, k))
    if zero is not None:
        return session.chosen(zero, None)
    raise BadFunction(_refusal(candidates, tried, source.form))


def _numbers(answer: Answered) -> list[float]:
    return [*([] if answer.mean is None else [answer.mean]), *(answer.per_query or {}).values()]


def _call(target: Target, trial: Input, k: int | None) -> str:
    return call(target, trial, k) if target.form in CALLED or target.form is LABELINGS else target.form.call


def _refusal(candidates: Candidates, tried: Mapping[str, str], wanted: Form | None) -> str:
    """What was tried, what came of it, and the mend."""
    name = candidates.name
    if candidates.foreign:
        return (
            f"{name} needs {', '.join(candidates.foreign)}: bind what no form gives, as by functools.partial; {_FORMS}"
        )
    if not tried:
        return f"{name} cannot be called; {_FORMS}"
    came = "; ".join(f"{call}: {said}" for said, call in list(tried.items())[:MOST_TRIED])
    which = f"as {wanted.name}" if wanted else "by any form known here"
    return f"{name} gives no number {which} ({came}); mend it, or {_FORMS}"
