"""Diagnosis of the defect that explains values which no conventions explain.

A defect is one more formula, and its conventions are searched like those of the correct one
(`rankproof.inference.search`). It is reported if, on ordinary input, it explains all numbers that the nearest
conventions explain and nearly all others. Also, no conventions may explain as many numbers without a defect.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from rankproof.defects.catalogue import catalogue
from rankproof.defects.defect import BrokenMeasure, Defect, Way
from rankproof.inference.evidence import Evidence
from rankproof.inference.input_traits import is_ordinary
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.inference.search import Search, changed
from rankproof.measure_facts import Profile
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure

NEARLY_ALL = 0.95
"""The minimum share of the unexplained numbers on ordinary input that a defect explains."""
FEWEST, DIFFERENT = 5, 3
"""The minimum count of unexplained numbers, and of different pairs of an observed and a correct value among them."""
TWO_VALUES, FEWEST_OF_TWO_VALUES = 2, 20
"""The minimum count of unexplained numbers if the function returns only two numbers apart from NaN, as Success does."""
STEPS = ((3, 0.7), (8, 0.4), (16, 0.25), (40, 0.15))
"""The number of tests in each step of the search, and the share of their numbers that a suspect may miss."""
FEW = 40
"""The unexplained numbers that a suspect may always miss after the steps. One undecided axis can cost as many."""
PERCENT = (1, 2)
"""Decimals of percentages that are rounded."""

Places = frozenset[tuple[int, str | None]]
"""Places of numbers: the index of the test, and the query."""


@dataclass(frozen=True, eq=False)
class Suspect:
    """A defect that a measure can have, in one of its forms."""

    defect: Defect
    way: Way


@lru_cache(maxsize=512)
def suspects(measure: Measure) -> tuple[Suspect, ...]:
    """Return the defects that a measure can have."""
    return tuple(
        Suspect(defect, way) for defect in catalogue().values() if defect.concerns(measure) for way in defect.ways
    )


@lru_cache(maxsize=8_192)
def formula_of(suspect: Suspect, measure: Measure) -> Measure:
    """Return the measure that a suspect computes. It is cached, because a broken measure is slow to build."""
    name = suspect.way.other
    if not name:
        return BrokenMeasure(measure, suspect.way)
    definition = MEASURES[name]
    params = tuple((param, value) for param, value in measure.params if param in definition.params)
    return Measure(name, params, None if definition.cutoff == "none" else measure.cutoff)


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
        """The names of the defects."""
        return tuple(defect.name for defect in self.defects)

    @property
    def sentence(self) -> str:
        """A description of the defect, with the number of values that it explains."""
        clauses = ", or ".join(defect.sentence for defect in self.defects)
        where = " on input without ties" if self.without_ties else ""
        return f"{clauses}: {self.explained} of {self.unexplained} unexplained values{where}"


@dataclass(frozen=True, eq=False)
class _Trial:
    """Observed numbers, compared with the correct formula and with suspects.

    Attributes:
        pieces: the numbers of each test, as evidence for the correct formula.
    """

    pieces: tuple[Evidence, ...]
    _evidence: dict[tuple[Suspect, int], Evidence] = field(default_factory=dict)

    @cached_property
    def ordinary(self) -> tuple[int, ...]:
        """The tests with ordinary input, or all tests if there are none."""
        indices = tuple(i for i, piece in enumerate(self.pieces) if is_ordinary(piece.question.case.input))
        return indices or tuple(range(len(self.pieces)))

    def search(self, suspect: Suspect | None, among: Iterable[int]) -> Search:
        """Return the search for the conventions of a suspect, or of the correct formula, on some tests."""
        evidence = [self._of(suspect, i) for i in among]
        measures = list(dict.fromkeys(piece.question.measure for piece in evidence))
        return Search(measures, evidence, of_numbers=True)

    def _of(self, suspect: Suspect | None, i: int) -> Evidence:
        if suspect is None:
            return self.pieces[i]
        if (suspect, i) not in self._evidence:
            self._evidence[suspect, i] = self.pieces[i].of(formula_of(suspect, self.pieces[i].question.measure))
        return self._evidence[suspect, i]

    def missed(self, suspect: Suspect | None, profile: Profile, among: Iterable[int]) -> Places:
        """Return the numbers that a suspect does not give under these conventions."""
        return frozenset((i, query) for i in among for query in self._of(suspect, i).missed(profile))


@dataclass(frozen=True)
class _Fit:
    """A suspect with the conventions that explain most, and the numbers that it still misses."""

    suspect: Suspect
    profile: Profile
    missed: Places


def diagnosed(
    measure: Measure,
    pieces: Sequence[Evidence],
    nearest: Conventions,
    precision: str,
    also: Iterable[Conventions] = (),
) -> Diagnosis | None:
    """Return the defect that explains the numbers which the nearest conventions miss, or None.

    Args:
        measure: the measure, at any cutoff.
        pieces: all tests with numbers.
        nearest: the conventions that explain most numbers.
        precision: the precision of the comparison.
        also: more starting points of the search for conventions.
    """
    if measure.of_labels:
        return None
    trial = _Trial(tuple(piece.numbers.at(precision) for piece in pieces))
    unexplained = trial.missed(None, vars(nearest), range(len(pieces)))
    on_ordinary = frozenset(place for place in unexplained if place[0] in trial.ordinary)
    if not _are_enough(trial, on_ordinary, vars(nearest)):
        return None
    # Without a consistent order of tied documents, input order is as good as any other.
    starts = [vars(c.replace(ties="input") if c.ties == UNSPECIFIED else c) for c in (nearest, *also, STANDARD)]
    sample = _sample(trial, on_ordinary)
    fits = [_fit(trial, suspect, starts, sample, on_ordinary) for suspect in suspects(measure)]
    best = _best(trial, [fit for fit in fits if fit is not None])
    if not best or _do_conventions_explain(trial, best[0], starts, sample):
        return None
    defects = {fit.suspect.defect.name: fit.suspect.defect for fit in best}
    missed = best[0].missed
    unsolved, left = {i for i, _ in unexplained}, {i for i, _ in missed}
    explained = ((trial.pieces[i].question, query) for i, query in unexplained - missed)
    places = frozenset((question.case.id, str(question.measure), query) for question, query in explained)
    profile = Conventions(**best[0].profile)
    return Diagnosis(tuple(defects.values()), profile, len(unsolved - left), len(unsolved), places)


def _are_enough(trial: _Trial, places: Places, profile: Profile) -> bool:
    """Return whether there are enough unexplained numbers, and enough different ones."""
    pairs = {(dict(trial.pieces[i].rows)[query], trial.pieces[i].reading(profile, query)) for i, query in places}
    numbers = {number for piece in trial.pieces for number in _numbers(piece) if not math.isnan(number)}
    if not any(map(_is_informative, trial.pieces)) or (len(numbers) <= TWO_VALUES and len(pairs) < DIFFERENT):
        return len(places) >= FEWEST_OF_TWO_VALUES
    return len(places) >= FEWEST and len(pairs) >= DIFFERENT


def _is_informative(piece: Evidence) -> bool:
    """Return whether a number differs from 0, 1 and NaN, which many formulas give."""
    return any(number not in {0.0, 1.0} and not math.isnan(number) for number in _numbers(piece))


def _numbers(piece: Evidence) -> Iterator[float]:
    return (number for _, number in piece.rows if isinstance(number, float))


def _fit(
    trial: _Trial, suspect: Suspect, starts: Sequence[Profile], sample: Sequence[int], unexplained: Places
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
    every = range(len(trial.pieces))
    profile = trial.search(suspect, every).simplest(dict(profile))
    return _Fit(suspect, profile, trial.missed(suspect, profile, every))


def _nearest(
    trial: _Trial, suspect: Suspect | None, starts: Sequence[Profile], sample: Sequence[int], limit: float
) -> tuple[Profile, Places] | None:
    """Return the best conventions of a suspect and the numbers that it misses on ordinary input.

    Return None if it misses too much of the sample, or then more than `limit` numbers.
    """
    for count, share in STEPS:
        search = trial.search(suspect, sample[:count])
        # Starts that give the same values on these tests lead to the same result.
        distinct = {tuple(piece.question.key(start) for piece in search.evidence): start for start in reversed(starts)}
        profile = min((search.climb(start) for start in reversed(distinct.values())), key=search.cost)
        if search.cost(profile) > share * search.size:
            return None
        starts = [profile, *starts]
    if len(trial.missed(suspect, starts[0], trial.ordinary)) > limit:
        return None
    profile = trial.search(suspect, trial.ordinary).climb(starts[0])
    return profile, trial.missed(suspect, profile, trial.ordinary)


def _do_conventions_explain(trial: _Trial, fit: _Fit, starts: Sequence[Profile], sample: Sequence[int]) -> bool:
    """Return whether the correct formula explains ordinary input as well as the defect does.

    Both must have the same value for an input without queries.
    """
    nearest = _nearest(trial, None, [*starts, fit.profile], sample, math.inf)
    if nearest is None or nearest[0]["no_query"] != fit.profile["no_query"]:
        return False
    return len(nearest[1]) <= sum(i in trial.ordinary for i, _ in fit.missed)


def _sample(trial: _Trial, unexplained: Places) -> list[int]:
    """Return tests that distinguish suspects well: a few simple ones without ties, then an even sample of the rest."""
    first, most = STEPS[1][0], STEPS[-1][0]
    inputs, unsolved = [piece.question.case.input for piece in trial.pieces], {i for i, _ in unexplained}
    informative = {i for i in trial.ordinary if _is_informative(trial.pieces[i])}
    by_size = sorted(
        informative, key=lambda i: (inputs[i].size + 2 * len(inputs[i].queries), trial.pieces[i].question.case.id)
    )
    plain = [i for i in by_size if not inputs[i].has_ties and len(inputs[i].queries) == 1]
    glance = ([i for i in plain if i in unsolved] or [i for i in by_size if i in unsolved] or by_size)[:first]
    rest = [i for i in by_size if i not in glance] + [i for i in trial.ordinary if i not in informative]
    step = max(1, len(rest) // (most - len(glance)))
    return [*glance, *rest[::step]][:most]


def _best(trial: _Trial, fits: Sequence[_Fit]) -> list[_Fit]:
    """Return the fits that explain most; prefer defects to other measures, then common defects, then few changes."""

    def rank(fit: _Fit) -> tuple[int, int, bool, bool, int]:
        on_ordinary, defect = sum(i in trial.ordinary for i, _ in fit.missed), fit.suspect.defect
        choices = changed(fit.profile)
        return on_ordinary, len(fit.missed), defect.is_another_measure, defect.is_rare, choices

    best = min(map(rank, fits), default=None)
    return [fit for fit in fits if rank(fit) == best]


def defect_in(
    measure: Measure,
    pieces: Sequence[Evidence],
    nearest: Conventions,
    precisions: Iterable[str],
    also: Iterable[Conventions] = (),
) -> Diagnosis | None:
    """Return the defect that explains what the nearest conventions miss, at the first precision that shows it, or None.

    If no defect is found, input without ties is examined alone, because an unstable order of ties hides defects.
    """
    untied = [piece for piece in pieces if not piece.question.case.input.has_ties]
    exactly = list(dict.fromkeys((*precisions, *_percent_precisions(pieces))))
    for some in (pieces, untied) if len(untied) < len(pieces) else (pieces,):
        for precision in exactly:
            diagnosis = diagnosed(measure, some, nearest, precision, also)
            if diagnosis is not None:
                return diagnosis if some is pieces else replace(diagnosis, without_ties=True)
    return None


def _percent_precisions(pieces: Sequence[Evidence]) -> list[str]:
    """Return the precision of values from 0 to 100 that are rounded to a few decimals."""
    numbers = [number for piece in pieces for number in _numbers(piece) if math.isfinite(number)]
    if max(numbers, default=0.0) <= 1:
        return []
    return [f"{n} decimals" for n in PERCENT if all(round(number, n) == number for number in numbers)][:1]
