"""Which defect explains the answers that no convention does.

Nothing is said that is not borne out. A defect is named only if it explains, on ordinary input, nearly all numbers that the nearest
conventions miss and every number that they give; and if no conventions are found that explain as many.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from rankproof.defects.defect import Defect, Way
from rankproof.defects.trial import Places, QuestionNumbers, Suspect, Trial, suspects
from rankproof.matching.comparing import UNSPECIFIED, reading_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Reading

NEARLY_ALL = 0.95
"""The share of the unexplained numbers on ordinary input that a defect must explain."""
FEWEST, DIFFERENT = 5, 3
"""So many numbers must be unexplained, and so many of them differ, in what was answered or in what is right there."""
OF_ONE_KIND, OF_TWO_VALUES = 2, 20
"""Where there are but two numbers, as the 0 and 1 of Success, or 0 and 100, so many must be unexplained; what is undefined is no number."""
STEPS = ((3, 0.7), (8, 0.4), (16, 0.25), (40, 0.15))
"""How many questions are asked of every suspect, of those that explain enough of these, and so on; and what share they may miss."""
FEW = 40
"""A suspect that, fitted to these, misses more of all ordinary numbers than this, and than are unexplained, is dropped.

One axis that these questions do not decide may cost as many.
"""

PERCENT = (1, 2)
"""The decimals that people round a percentage to."""


@dataclass(frozen=True)
class DefectWitness:
    """The simplest question that shows a defect: what was answered, and what is right under the same conventions."""

    told: QuestionNumbers
    query: str | None
    got: float
    right: Reading | None


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong.

    Attributes:
        defects: the defect; several where the questions do not tell them apart.
        profile: the conventions under which it explains the answers.
        explained: how many of the unexplained answers it explains.
        unexplained: how many answers the nearest conventions leave unexplained.
        witness: the simplest question that shows it.
        places: each number that it explains and the nearest conventions do not: the case, the measure and the query.
        without_ties: whether that is so, and was asked, of input without ties alone.
        remaining: by axis on which these conventions are not as in `standard`, the values that explain as much; one where it is decided.
    """

    defects: tuple[Defect, ...]
    profile: Conventions
    explained: int
    unexplained: int
    witness: DefectWitness
    places: frozenset[tuple[str, str, str | None]] = frozenset()
    without_ties: bool = False
    remaining: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The slugs of the defects."""
        return tuple(defect.name for defect in self.defects)

    @property
    def plain_sentence(self) -> str:
        """What is wrong, in plain words."""
        return ", or ".join(defect.sentence for defect in self.defects)

    @property
    def mend(self) -> str:
        """What to do instead."""
        return ", or ".join(dict.fromkeys(defect.mend for defect in self.defects if defect.mend))

    @property
    def is_another_measure(self) -> bool:
        """Whether it is right, but of another measure than was asked."""
        return all(defect.is_another_measure for defect in self.defects)

    @property
    def sentence(self) -> str:
        """What is wrong, and how much that explains."""
        return self._said("")

    @property
    def sentence_with_profile(self) -> str:
        """The same, with the conventions under which it is so: what is nDCG by another discount is not just nDCG."""
        spec = " ".join(f"{axis}={'/'.join(values)}" for axis, values in sorted(self.remaining.items()))
        return self._said(f", with {spec}" if spec else "")

    def _said(self, by: str) -> str:
        what = self.plain_sentence
        where = " to input without ties" if self.without_ties else ""
        return f"{what}{by}: {self.explained} of {self.unexplained} unexplained answers{where}"


@dataclass(frozen=True)
class _Guilty:
    suspect: Suspect
    profile: Conventions
    remaining: Mapping[str, tuple[str, ...]]
    missed: Places
    """What it leaves unexplained, on any input."""


def diagnosed(
    measure: Measure,
    told: Sequence[QuestionNumbers],
    nearest: Conventions,
    precision: str,
    also: Iterable[Conventions] = (),
) -> Diagnosis | None:
    """The defect that explains what the nearest conventions do not; None where none does.

    Args:
        measure: what is asked, at any cutoff.
        told: all that was answered with numbers.
        nearest: the conventions that explain most of it.
        precision: how exactly numbers are compared.
        also: other conventions from which a defect's own are looked for.
    """
    if measure.of_labels:
        return None
    trial = Trial(told, precision)
    every = range(len(told))
    unexplained = trial.missed(None, nearest, every)
    open_ones = frozenset(place for place in unexplained if told[place[0]].is_ordinary)
    if not _enough(trial, open_ones, nearest):
        return None
    # Where no order of tied docs is kept, there is one that is right by all formulas, or none.
    starts = [one.replace(ties="input") if one.ties == UNSPECIFIED else one for one in (nearest, *also, STANDARD)]
    look = _chosen(trial, open_ones)
    guilty = [
        found
        for suspect in suspects(measure)
        if (found := _convicted(trial, suspect, starts, look, open_ones)) is not None
    ]
    most = _most(guilty, set(trial.ordinary))
    if not most or _is_explained(trial, most[0], starts, look):
        return None
    return _told(trial, most, unexplained)


def _enough(trial: Trial, places: Places, profile: Conventions) -> bool:
    """Whether there is enough to be explained: many numbers, and not the same one instead of another again and again."""
    pairs = {(trial.told[i].numbers[query], _right(trial, profile, i, query)) for i, query in places}
    kinds = {number for one in trial.told for number in one.numbers.values() if not math.isnan(number)}
    if not any(one.tells for one in trial.told) or (len(kinds) <= OF_ONE_KIND and len(pairs) < DIFFERENT):
        return len(places) >= OF_TWO_VALUES
    return len(places) >= FEWEST and len(pairs) >= DIFFERENT


def _right(trial: Trial, profile: Conventions, i: int, query: str | None) -> Reading | None:
    return reading_of(trial.answers(None, profile, i), query)


def _convicted(
    trial: Trial, suspect: Suspect, starts: Sequence[Conventions], look: Sequence[int], unexplained: Places
) -> _Guilty | None:
    """The suspect, with its conventions, if it explains what is to be explained."""
    near = _nearest(trial, suspect, starts, look, max(len(unexplained), FEW))
    if near is None:
        return None
    profile, missed = near
    if missed - unexplained or len(missed) > (1 - NEARLY_ALL) * len(unexplained):
        return None
    if not _enough(trial, trial.missed(None, profile, trial.ordinary) - missed, profile):
        return None
    profile = trial.simplest(suspect, profile)
    remaining = trial.remaining(suspect, profile)
    return _Guilty(suspect, profile, remaining, trial.missed(suspect, profile, range(len(trial.told))))


def _nearest(
    trial: Trial, suspect: Suspect, starts: Sequence[Conventions], look: Sequence[int], limit: float
) -> tuple[Conventions, Places] | None:
    """The conventions under which it explains most of ordinary input, and what it misses there; None where it is far off.

    It is far off where it misses too many of the questions that are looked at first, or then more than `limit` of all.
    """
    for most, share in STEPS:
        among = look[:most]
        near = trial.nearest(suspect, starts, among, int(share * len(trial.places(among))) + 1)
        if near is None:
            return None
        starts = [near, *(start for start in starts if start != near)]
    profile, again = starts[0], set(look)
    missed = trial.missed(suspect, profile, trial.ordinary)
    if len(missed) > limit:
        return None
    while not again.issuperset(i for i, _ in missed):
        again.update(i for i, _ in missed)
        among = sorted(again)
        profile = trial.nearest(suspect, starts, among, len(trial.places(among)) + 1) or profile
        missed = trial.missed(suspect, profile, trial.ordinary)
    return profile, missed


def _is_explained(trial: Trial, one: _Guilty, starts: Sequence[Conventions], look: Sequence[int]) -> bool:
    """Whether some conventions explain ordinary input as well: then nothing is wrong. What the mean over no query is excuses none."""
    right = Suspect(one.suspect.defect, Way(None))
    near = _nearest(trial, right, [*starts, one.profile], look, math.inf)
    if near is None or near[0].no_query != one.profile.no_query:
        return False
    return len(near[1]) <= sum(trial.told[i].is_ordinary for i, _ in one.missed)


def _chosen(trial: Trial, unexplained: Places) -> list[int]:
    """Some questions that tell much: the simplest without ties first, and others from all over."""
    first, most = STEPS[1][0], STEPS[-1][0]
    open_ones = {i for i, _ in unexplained}
    telling = sorted((i for i in trial.ordinary if trial.told[i].tells), key=lambda i: trial.told[i].weight)
    plain = [i for i in telling if not trial.told[i].input.has_ties and len(trial.told[i].input.queries) == 1]
    glance = ([i for i in plain if i in open_ones] or [i for i in telling if i in open_ones] or telling)[:first]
    rest = [i for i in telling if i not in glance] + [i for i in trial.ordinary if not trial.told[i].tells]
    step = max(1, len(rest) // (most - len(glance)))
    return [*glance, *rest[::step]][:most]


def _most(guilty: Sequence[_Guilty], ordinary: AbstractSet[int]) -> list[_Guilty]:
    """Those that explain most, what is common first, by the fewest choices; a defect of this measure before another measure."""

    def rank(one: _Guilty) -> tuple[int, int, bool, bool, int]:
        usual, defect = sum(i in ordinary for i, _ in one.missed), one.suspect.defect
        choices = len(STANDARD.differences(one.profile))
        return usual, len(one.missed), defect.is_another_measure, defect.is_rare, choices

    best = min(map(rank, guilty), default=None)
    return [one for one in guilty if rank(one) == best]


def _told(trial: Trial, most: Sequence[_Guilty], unexplained: Places) -> Diagnosis:
    defects = {one.suspect.defect.name: one.suspect.defect for one in most}
    open_ones = {i for i, _ in unexplained}
    left = {i for i, _ in most[0].missed}
    places = frozenset(
        (trial.told[i].case, str(trial.told[i].measure), query) for i, query in unexplained - most[0].missed
    )
    return Diagnosis(
        tuple(defects.values()),
        most[0].profile,
        len(open_ones - left),
        len(open_ones),
        _witness(trial, most[0]),
        places,
        remaining=most[0].remaining,
    )


def _witness(trial: Trial, one: _Guilty) -> DefectWitness:
    """The simplest question on which the right formula answers otherwise, by the same conventions; if there is one, by all that remain."""
    every = range(len(trial.told))

    def weight(place: tuple[int, str | None]) -> tuple[object, ...]:
        told = trial.told[place[0]]
        return not told.is_ordinary, told.weight, place[0], str(place[1] or "")

    shown = sorted(trial.missed(None, one.profile, every) - one.missed, key=weight)
    i, query = next((place for place in shown if _is_decided(trial, one, *place)), shown[0])
    told = trial.told[i]
    return DefectWitness(told, query, told.numbers[query], _right(trial, one.profile, i, query))


def _is_decided(trial: Trial, one: _Guilty, i: int, query: str | None) -> bool:
    """Whether what is right is the same by all conventions that remain beside the defect."""
    others = (one.profile.replace(**{axis: v}) for axis, values in one.remaining.items() for v in values)
    return len({_right(trial, other, i, query) for other in (one.profile, *others)}) == 1


def defect_in(
    measure: Measure,
    told: Sequence[QuestionNumbers],
    nearest: Conventions,
    precisions: Iterable[str],
    also: Iterable[Conventions] = (),
) -> Diagnosis | None:
    """The defect that explains what was told and the nearest conventions do not, at the finest precision at which one does.

    A sort that keeps no order of tied docs spoils what it could explain; so what has no ties is looked at by itself, too.
    """
    untied = [one for one in told if not one.input.has_ties]
    exactly = list(dict.fromkeys((*precisions, *_percents(told))))
    for among in (told, untied) if len(untied) < len(told) else (told,):
        for precision in exactly:
            found = diagnosed(measure, among, nearest, precision, also)
            if found is not None:
                return found if among is told else replace(found, without_ties=True)
    return None


def _percents(told: Sequence[QuestionNumbers]) -> list[str]:
    """How exactly values of 0 to 100 are told where they are rounded: to a share, two decimals are four."""
    numbers = [number for one in told for number in one.numbers.values() if math.isfinite(number)]
    if max(numbers, default=0.0) <= 1:
        return []
    return [f"{n} decimals" for n in PERCENT if all(round(number, n) == number for number in numbers)][:1]
