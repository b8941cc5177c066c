"""The conventions that a function's answers prove, or come nearest to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from rankproof.calling.targets import Target
from rankproof.checking.case_questions import Seen
from rankproof.checking.differing import differences, is_over_no_query, missed, misses, precisions
from rankproof.checking.nearest import nearest_claims
from rankproof.defects.diagnosis import Diagnosis, defect_in
from rankproof.defects.trial import is_telling
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.matching.fewest_changes import without_idle_choices
from rankproof.meaning.deciding_axes import values_of
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Failure, Observation
from rankproof.workers.subjects import Subject

if TYPE_CHECKING:
    from rankproof.inference.fingerprint_file import Fingerprint
    from rankproof.inference.fingerprints import ExplainedForm

GLANCE = 60
"""How many answers that tell something are looked at before a fingerprint is taken."""
BORNE_OUT = 0.75
"""The share of the answers touched by a choice that more than which it must explain."""
HOPELESS = 0.6
"""Where more than this share of them fits nothing, there is no convention to be found."""
WRONG = 0.25
"""Where more than this share of them fits nothing, a defect is looked for before all conventions are tried."""


@dataclass(frozen=True)
class Inferred:
    """The conventions that come nearest to the answers.

    Attributes:
        explained: the answers that it was inferred from; None where nothing comes near, or something is wrong.
        defect: what is wrong, where that was plain at a glance.
    """

    profile: Conventions
    precision: str
    explained: "ExplainedForm | None" = None
    defect: Diagnosis | None = None

    @property
    def fingerprint(self) -> "Fingerprint | None":
        """A finding for every axis, worked out where it is read; None where nothing was inferred."""
        return None if self.explained is None else self.explained.fingerprint


def defect_of(
    measure: Measure, seen: Sequence[Seen], nearest: Conventions, precisions: Iterable[str], claimed: Conventions
) -> Diagnosis | None:
    """The defect that explains the answers of a function that the nearest conventions do not."""
    return defect_in(measure, [told for one in seen if (told := one.told) is not None], nearest, precisions, [claimed])


def found_of(target: Target, measure: Measure, seen: Sequence[Seen], claimed: Conventions) -> Inferred:
    """The conventions that explain most answers, with a fingerprint if they explain much of what tells.

    A precision at which a few choices explain all that tells comes before a finer one at which they explain a part: ties in any order
    explain much of what is not exact.
    """
    telling = sorted(filter(tells, seen), key=lambda one: one.question.weight)[:GLANCE]
    every = precisions(seen)
    nears: dict[str, tuple[int, Conventions]] = {}
    for precision in every:
        nears[precision] = glance(measure, telling, claimed, precision)
        if not nears[precision][0]:
            break
    for precision in sorted(nears, key=lambda exact: nears[exact][0] > 0):
        near = nears[precision]
        if near[0] > len(telling) * HOPELESS:
            starts = nearest_claims(measure, telling, precision, near[1])[:1]
            near = min([near, *(glance(measure, telling, start, precision) for start in starts)], key=itemgetter(0))
        if near[0] <= len(telling) * HOPELESS:
            may_be_wrong = near[0] > len(telling) * WRONG
            if may_be_wrong and (wrong := defect_of(measure, seen, near[1], [precision], claimed)) is not None:
                return Inferred(minimised(seen, near[1], precision), precision, None, wrong)
            explained = _explained(target, _that_tell(measure, seen, near[1], precision), precision)
            if explained is None:
                return Inferred(near[1], precision)
            profile = borne_out(seen, explained.profile, precision)
            if profile.no_query != claimed.no_query and (known := _error(measure, seen, profile, claimed, precision)):
                return known
            exactly = next((one for one in every if not differences(seen, profile, one)), precision)
            return Inferred(profile, exactly, explained)
    wrong = defect_of(measure, seen, near[1], every, claimed)
    return Inferred(minimised(seen, near[1], every[0]), every[0], None, wrong)


def _that_tell(measure: Measure, seen: Sequence[Seen], near: Conventions, precision: str) -> Sequence[Seen]:
    """The answers without errors over no query, if others prove that queries are left out and not refused: such an error is no refusal."""
    takes_means = any(None in one.numbers for one in seen)  # who is asked one query at a time leaves out none
    if not takes_means or not any(isinstance(one.answer, Failure) for one in seen):
        return seen
    fewest, profile = glance(measure, seen, near, precision)
    left_out = [axis for axis in AXES if getattr(profile, axis) == "dropped" and "rejected" in AXES[axis].values]
    if not left_out or fewest >= misses(seen, profile.replace(**dict.fromkeys(left_out, "rejected")), precision):
        return seen
    return [
        one for one in seen if not (isinstance(one.answer, Failure) and is_over_no_query(one.question.answers(profile)))
    ]


def _error(
    measure: Measure, seen: Sequence[Seen], profile: Conventions, claimed: Conventions, precision: str
) -> Inferred | None:
    """The error with a name that explains what these conventions explain by what a mean over no query is; None where there is none.

    Who leaves out queries by mistake gives 0 where all are left out, and each of these alone would be a convention.
    """
    plain = minimised(seen, borne_out(seen, profile.replace(no_query=claimed.no_query), precision), precision)
    wrong = defect_of(measure, seen, plain, [precision], claimed)
    return None if wrong is None else Inferred(plain, precision, None, wrong)


def _explained(target: Target, seen: Sequence[Seen], precision: str) -> "ExplainedForm | None":
    """From the answers at the cutoffs that tell, and those at others that these do not explain, in cases that they do."""
    telling = [one for one in seen if one.question.telling]
    first = inferred(target, telling, precision)
    if first is None:
        return None
    cases = {place.case for place in first.missed}
    more = [one for one in missed(seen, first.profile, precision) if one.question.case.id not in cases]
    return inferred(target, [*telling, *more], precision) if more else first


def borne_out(seen: Sequence[Seen], profile: Conventions, precision: str) -> Conventions:
    """The profile, without a choice that leaves too many of the answers unexplained that it touches.

    Where some answers fit nothing, one of them may fit a choice by chance. An order of tied docs is left as it was inferred: that has
    a share of its own to reach, and no order is more likely than the others.
    """
    for axis in STANDARD.differences(profile):
        if axis == "ties":
            continue
        left = [one.question for one in missed(seen, profile, precision)]
        if not left:
            return profile
        plain = profile.replace(**{axis: getattr(STANDARD, axis)})
        without = {id(one.question) for one in missed(seen, plain, precision)}
        touched = [one for one in left if repr(one.answers(profile)) != repr(one.answers(plain))]
        gained = len(without - set(map(id, left)))
        if gained <= BORNE_OUT * (gained + len(touched)):
            profile = plain
    return profile


def minimised(seen: Sequence[Seen], profile: Conventions, precision: str) -> Conventions:
    """The profile without the choices that explain no answer."""
    return without_idle_choices(profile, lambda one: misses(seen, one, precision))


def tells(seen: Seen) -> bool:
    """Whether an answer holds a number that tells something; an error is no number."""
    return any(map(is_telling, seen.numbers.values()))


def glance(measure: Measure, seen: Sequence[Seen], start: Conventions, precision: str) -> tuple[int, Conventions]:
    """The fewest misses that changing one axis after another comes to, and the profile that has them."""
    profile, fewest = start, misses(seen, start, precision)
    choices = [(axis, value) for axis in axes_of(measure) for value in values_of(axis)]
    while fewest:
        better, before = profile, fewest
        for axis, value in choices:
            if value in {getattr(profile, axis), UNSPECIFIED}:
                continue  # no order at all explains what no order does, and so proves nothing
            one = profile.replace(**{axis: value})
            if (left := misses(seen, one, precision, fewest)) < fewest:
                better, fewest = one, left
        if fewest == before:
            break
        profile = better
    return fewest, profile


def extended(
    target: Target, profile: Conventions, ordinary: Sequence[Seen], extreme: Sequence[Seen], precision: str
) -> Conventions:
    """The profile, with what else explains answers to extreme questions and changes none to ordinary ones.

    One choice is added after the other, the one that explains most of what is left; chance explains few of many. Of what the function
    is told nothing, nothing is added; nor that tied docs have no order, which excuses nearly all answers: ordinary ones show that.
    """
    if not extreme or misses(ordinary, profile, precision, 0):
        return profile
    while open_ones := missed(extreme, profile, precision):
        left = sorted(_left_by(open_ones, profile, precision, target.form.untold), key=itemgetter(0))
        better = (one for n, one in left if n < len(open_ones) and _is_borne_out(extreme, one, profile, precision))
        found = next((one for one in better if not misses(ordinary, one, precision, 0)), None)
        if found is None:
            break
        profile = found
    return profile


def _left_by(
    open_ones: Sequence[Seen], profile: Conventions, precision: str, untold: frozenset[str]
) -> Iterator[tuple[int, Conventions]]:
    """Each change of one axis that can matter to what is missed, and how much is missed after it."""
    axes = {axis for one in open_ones for axis in one.question.reference.axes(one.question.measure)} - untold
    for axis in AXES:
        for value in AXES[axis].values if axis in axes else ():
            if value not in {getattr(profile, axis), UNSPECIFIED}:
                changed = profile.replace(**{axis: value})
                yield misses(open_ones, changed, precision), changed


def _is_borne_out(seen: Sequence[Seen], changed: Conventions, profile: Conventions, precision: str) -> bool:
    """Whether a choice explains enough of what it touches."""
    touched = [one for one in seen if repr(one.question.answers(changed)) != repr(one.question.answers(profile))]
    return len(touched) - misses(touched, changed, precision) > BORNE_OUT * len(touched)


def inferred(target: Target, seen: Sequence[Seen], precision: str) -> "ExplainedForm | None":
    """The profile behind the answers; None where none of them says anything, as all are others when asked again."""
    from rankproof.inference import fingerprints  # noqa: PLC0415 - needed only where a claim does not hold, or all is told

    subject = Subject(target.name, target.form.name)
    observations = [
        Observation(one.question.case.id, subject, str(one.question.measure), one.answer, "", one.again) for one in seen
    ]
    cases = {one.question.case.id: one.question.case for one in seen}
    return fingerprints.explained(
        observations, cases, subject, precision=lambda _measure: precision, untold=target.form.untold
    )
