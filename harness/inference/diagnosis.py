"""The defect that explains values which no conventions explain.

A defect is reported only if, on ordinary input, it explains nearly all numbers that the nearest conventions miss and all numbers that they
give, and if no other conventions explain as many.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rankproof.defects.defect import Defect, Way
from rankproof.inference.comparing import UNSPECIFIED, reading_of
from rankproof.inference.trial import Places, QuestionNumbers, Suspect, Trial, suspects
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure

NEARLY_ALL = 0.95
"""The minimum share of the unexplained numbers on ordinary input that a defect explains."""
FEWEST, DIFFERENT = 5, 3
"""The minimum count of unexplained numbers, and of different pairs of an observed and a correct value among them."""
TWO_VALUES, FEWEST_OF_TWO_VALUES = 2, 20
"""The minimum count of unexplained numbers if the function returns only two numbers apart from NaN, as Success does."""
STEPS = ((3, 0.7), (8, 0.4), (16, 0.25), (40, 0.15))
"""The count of questions in each step of the search, and the share of their numbers that a suspect may miss to stay in it."""
FEW = 40
"""Unexplained numbers that a suspect may always miss after the steps: one axis that they do not decide can cost as many."""
PERCENT = (1, 2)
"""Decimals of percentages that are rounded."""


@dataclass(frozen=True)
class Diagnosis:
    """A defect, and the unexplained values that it explains.

    Attributes:
        defects: the defect, or several defects that explain the same values.
        profile: the conventions that the function follows apart from the defect.
        explained: how many of the unexplained values it explains.
        unexplained: how many values the nearest conventions do not explain.
        places: the case, the measure and the query of each number that only the defect explains.
        without_ties: whether only input without ties was examined, because the defect does not explain input with ties.
    """

    defects: tuple[Defect, ...]
    profile: Conventions
    explained: int
    unexplained: int
    places: frozenset[tuple[str, str, str | None]] = frozenset()
    without_ties: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The slugs of the defects."""
        return tuple(defect.name for defect in self.defects)

    @property
    def sentence(self) -> str:
        """A description of the defect, with the number of values that it explains."""
        clauses = ", or ".join(defect.sentence for defect in self.defects)
        where = " on input without ties" if self.without_ties else ""
        return f"{clauses}: {self.explained} of {self.unexplained} unexplained values{where}"


@dataclass(frozen=True)
class _Fit:
    """A suspect with the conventions that explain most, and the numbers that it still misses."""

    suspect: Suspect
    profile: Conventions
    missed: Places


def diagnosed(
    measure: Measure,
    questions: Sequence[QuestionNumbers],
    nearest: Conventions,
    precision: str,
    also: Iterable[Conventions] = (),
) -> Diagnosis | None:
    """Return the defect that explains the numbers which the nearest conventions miss, or None.

    Args:
        measure: the measure, at any cutoff.
        questions: all questions with numbers.
        nearest: the conventions that explain most numbers.
        precision: the precision of the comparison.
        also: more starting points of the search for conventions.
    """
    if measure.of_labels:
        return None
    trial = Trial(questions, precision)
    unexplained = trial.missed(None, nearest, range(len(questions)))
    on_ordinary = frozenset(place for place in unexplained if questions[place[0]].is_ordinary)
    if not _are_enough(trial, on_ordinary, nearest):
        return None
    # Without a consistent order of tied documents, input order is as good as any other.
    starts = [c.replace(ties="input") if c.ties == UNSPECIFIED else c for c in (nearest, *also, STANDARD)]
    sample = _sample(trial, on_ordinary)
    fits = [_fit(trial, suspect, starts, sample, on_ordinary) for suspect in suspects(measure)]
    best = _best(trial, [fit for fit in fits if fit is not None])
    if not best or _do_conventions_explain(trial, best[0], starts, sample):
        return None
    defects = {fit.suspect.defect.name: fit.suspect.defect for fit in best}
    missed = best[0].missed
    unsolved, left = {i for i, _ in unexplained}, {i for i, _ in missed}
    explained = ((questions[i], query) for i, query in unexplained - missed)
    places = frozenset((question.case, str(question.measure), query) for question, query in explained)
    return Diagnosis(tuple(defects.values()), best[0].profile, len(unsolved - left), len(unsolved), places)


def _are_enough(trial: Trial, places: Places, profile: Conventions) -> bool:
    """Return whether there are many unexplained numbers, and not the same wrong number again and again."""
    questions = trial.questions
    pairs = {(questions[i].numbers[q], reading_of(trial.answers(None, profile, i), q)) for i, q in places}
    values = {number for question in questions for number in question.numbers.values() if not math.isnan(number)}
    is_telling = any(question.is_telling for question in questions)
    if not is_telling or (len(values) <= TWO_VALUES and len(pairs) < DIFFERENT):
        return len(places) >= FEWEST_OF_TWO_VALUES
    return len(places) >= FEWEST and len(pairs) >= DIFFERENT


def _fit(
    trial: Trial, suspect: Suspect, starts: Sequence[Conventions], sample: Sequence[int], unexplained: Places
) -> _Fit | None:
    """Return the suspect with its best conventions if it explains enough."""
    nearest = _nearest(trial, suspect, starts, sample, max(len(unexplained), FEW))
    if nearest is None:
        return None
    profile, missed = nearest
    if missed - unexplained or len(missed) > (1 - NEARLY_ALL) * len(unexplained):
        return None
    if not _are_enough(trial, trial.missed(None, profile, trial.ordinary) - missed, profile):
        return None
    profile = trial.simplest(suspect, profile)
    return _Fit(suspect, profile, trial.missed(suspect, profile, range(len(trial.questions))))


def _nearest(
    trial: Trial, suspect: Suspect, starts: Sequence[Conventions], sample: Sequence[int], limit: float
) -> tuple[Conventions, Places] | None:
    """Return the best conventions of a suspect and the numbers that it misses on ordinary input.

    Return None if it misses too much of the sample, or then more than `limit` numbers.
    """
    for count, share in STEPS:
        among = sample[:count]
        nearest = trial.nearest(suspect, starts, among, int(share * trial.count(among)) + 1)
        if nearest is None:
            return None
        starts = [nearest, *(start for start in starts if start != nearest)]
    profile, covered = starts[0], set(sample)
    missed = trial.missed(suspect, profile, trial.ordinary)
    if len(missed) > limit:
        return None
    while not covered.issuperset(i for i, _ in missed):
        covered.update(i for i, _ in missed)
        among = sorted(covered)
        profile = trial.nearest(suspect, starts, among, trial.count(among) + 1) or profile
        missed = trial.missed(suspect, profile, trial.ordinary)
    return profile, missed


def _do_conventions_explain(trial: Trial, fit: _Fit, starts: Sequence[Conventions], sample: Sequence[int]) -> bool:
    """Return whether the correct formula explains ordinary input as well as the defect, with the same value for no queries."""
    correct = Suspect(fit.suspect.defect, Way(None))
    nearest = _nearest(trial, correct, [*starts, fit.profile], sample, math.inf)
    if nearest is None or nearest[0].no_query != fit.profile.no_query:
        return False
    return len(nearest[1]) <= sum(trial.questions[i].is_ordinary for i, _ in fit.missed)


def _sample(trial: Trial, unexplained: Places) -> list[int]:
    """Return questions that distinguish suspects well: a few simple ones without ties, and then a spread of all others."""
    first, most = STEPS[1][0], STEPS[-1][0]
    questions, unsolved = trial.questions, {i for i, _ in unexplained}
    informative = sorted((i for i in trial.ordinary if questions[i].is_telling), key=lambda i: questions[i].weight)
    plain = [i for i in informative if not questions[i].input.has_ties and len(questions[i].input.queries) == 1]
    glance = ([i for i in plain if i in unsolved] or [i for i in informative if i in unsolved] or informative)[:first]
    rest = [i for i in informative if i not in glance] + [i for i in trial.ordinary if not questions[i].is_telling]
    step = max(1, len(rest) // (most - len(glance)))
    return [*glance, *rest[::step]][:most]


def _best(trial: Trial, fits: Sequence[_Fit]) -> list[_Fit]:
    """Return the fits that explain most. Ties prefer a defect to another measure, common defects, and few conventions."""

    def rank(fit: _Fit) -> tuple[int, int, bool, bool, int]:
        on_ordinary, defect = sum(trial.questions[i].is_ordinary for i, _ in fit.missed), fit.suspect.defect
        choices = len(STANDARD.differences(fit.profile))
        return on_ordinary, len(fit.missed), defect.is_another_measure, defect.is_rare, choices

    best = min(map(rank, fits), default=None)
    return [fit for fit in fits if rank(fit) == best]


def defect_in(
    measure: Measure,
    told: Sequence[QuestionNumbers],
    nearest: Conventions,
    precisions: Iterable[str],
    also: Iterable[Conventions] = (),
) -> Diagnosis | None:
    """Return the defect that explains what the nearest conventions do not, at the finest precision that shows one, or None.

    If no defect explains all input, it examines input without ties alone: an unstable order of tied documents hides defects.
    """
    untied = [question for question in told if not question.input.has_ties]
    exactly = list(dict.fromkeys((*precisions, *_percent_precisions(told))))
    for questions in (told, untied) if len(untied) < len(told) else (told,):
        for precision in exactly:
            diagnosis = diagnosed(measure, questions, nearest, precision, also)
            if diagnosis is not None:
                return diagnosis if questions is told else replace(diagnosis, without_ties=True)
    return None


def _percent_precisions(questions: Sequence[QuestionNumbers]) -> list[str]:
    """Return the precision of values from 0 to 100 that are rounded to a few decimals."""
    numbers = [number for question in questions for number in question.numbers.values() if math.isfinite(number)]
    if max(numbers, default=0.0) <= 1:
        return []
    return [f"{n} decimals" for n in PERCENT if all(round(number, n) == number for number in numbers)][:1]
