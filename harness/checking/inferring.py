"""The conventions that a function's answers prove, or come nearest to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankproof.checking.differing import PRECISIONS, count, differences
from rankproof.checking.nearest import nearest_claims
from rankproof.checking.questions import Seen
from rankproof.checking.targets import Target
from rankproof.observations import Failure, Observation, readings
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import Measure
from rankproof.signature import axes_of

if TYPE_CHECKING:
    from rankproof.fingerprint import Fingerprint

GLANCE = 60
"""How many answers that tell something are looked at before a fingerprint is taken."""
HOPELESS = 0.6
"""Where more than this share of them fits nothing, there is no convention to be found."""


@dataclass(frozen=True)
class Found:
    """The conventions that come nearest to the answers.

    Attributes:
        fingerprint: with a finding for every axis; None where nothing comes near.
    """

    profile: Conventions
    precision: str
    fingerprint: "Fingerprint | None" = None


def found_of(target: Target, measure: Measure, seen: Sequence[Seen], claimed: Conventions) -> Found:
    """The conventions that explain most answers, with a fingerprint if they explain much of what tells."""
    telling = sorted(filter(_tells, seen), key=lambda one: one.question.weight)[:GLANCE]
    starts = [claimed, *nearest_claims(measure, seen, PRECISIONS[-1])[:1]]
    for precision in PRECISIONS:
        near = min((glance(measure, telling, start, precision) for start in starts), key=lambda found: found[0])
        if near[0] <= len(telling) * HOPELESS:
            fingerprint = inferred(target, [one for one in seen if one.question.telling], precision)
            if differences(seen, fingerprint.profile, PRECISIONS[-1]):
                fingerprint = inferred(target, seen, precision)
            exact = _exactly(seen, fingerprint.profile, precision)
            return Found(fingerprint.profile, exact, fingerprint)
    return Found(near[1], PRECISIONS[0])


def _tells(seen: Seen) -> bool:
    """Whether an answer tells something: 0 and 1 are right by many conventions, and an error is no number."""
    if isinstance(seen.answer, Failure) or seen.again is not None:
        return False
    return any(isinstance(value, float) and value not in {0.0, 1.0} for _, value in readings(seen.answer, ()))


def _exactly(seen: Sequence[Seen], profile: Conventions, precision: str) -> str:
    coarser = PRECISIONS[-1]
    return coarser if differences(seen, profile, precision) and not differences(seen, profile, coarser) else precision


def glance(measure: Measure, seen: Sequence[Seen], start: Conventions, precision: str) -> tuple[int, Conventions]:
    """The fewest misses that changing one axis after another comes to, and the profile that has them."""
    profile, fewest = start, count(differences(seen, start, precision))
    while fewest:
        changed = (
            profile.replace(**{axis: value})
            for axis in axes_of(measure)
            for value in AXES[axis].values
            if value != getattr(profile, axis)
        )
        counted = ((_misses_at(seen, one, precision), one) for one in changed)
        best, better = min(counted, key=lambda pair: pair[0])
        if best >= fewest:
            break
        profile, fewest = better, best
    return fewest, profile


def _misses_at(seen: Sequence[Seen], conventions: Conventions, precision: str) -> int:
    try:
        return count(differences(seen, conventions, precision))
    except NotPooled:
        return len(seen) + 1


def inferred(target: Target, seen: Sequence[Seen], precision: str) -> "Fingerprint":
    """The fingerprint of the answers."""
    from rankproof import fingerprint  # noqa: PLC0415 - needed only where a claim does not hold, or all is told

    observations = [
        Observation(
            one.question.case.id, target.name, target.form.name, str(one.question.measure), one.answer, "", one.again
        )
        for one in seen
    ]
    cases = {one.question.case.id: one.question.case for one in seen}
    found = fingerprint.infer(
        observations,
        cases,
        library=target.name,
        variant=target.form.name,
        version="",
        precision=lambda _measure: precision,
    )
    return max(found, key=lambda one: one.asked)
