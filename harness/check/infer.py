"""Inference of the conventions that a call follows, from all of its values."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from types import MappingProxyType

from rankproof.check.observe import Value
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.inference.search import Search, best
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import PROFILES
from rankproof.workers.observations import ABSENT

DECIMALS = range(2, 7)
"""The numbers of decimals that functions may round to."""
GLANCE = 60
"""The number of values in a quick first search."""
HOPELESS = 0.6
"""If the first search leaves more than this share unexplained, there is no further search."""
THOROUGH = 120
"""The number of unexplained values, and of explained values, in a thorough search."""
Fixed = Mapping[str, str]
"""Conventions that the search does not change."""
NOTHING: Fixed = MappingProxyType({})
ALL_JUDGMENTS: Fixed = MappingProxyType({"known": "all"})
FEW_DECIMALS, MANY_NUMBERS = 2, 12
"""Halves and quarters have two decimals by chance, so rounding is assumed only for many different numbers."""


@dataclass(frozen=True, eq=False)
class Inference:
    """The conventions that explain most of a call's values.

    Attributes:
        profile: the conventions. If several explain the same values, those with the fewest changes of `standard`.
        precision: the precision of comparisons of numbers.
        missed: the values that the profile does not explain.
        values: all values that the profile was inferred from.
    """

    measure: Measure
    profile: Conventions
    precision: str
    missed: tuple[Value, ...]
    values: tuple[Value, ...]
    search: Search

    @classmethod
    def of_profile(cls, measure: Measure, profile: Conventions, precision: str, values: Sequence[Value]) -> "Inference":
        """Return the inference of a profile that explains all values."""
        search = Search([measure], [value.evidence(precision) for value in values])
        return cls(measure, profile, precision, (), tuple(values), search)

    @property
    def explained(self) -> int:
        """The number of values that the profile explains."""
        return len(self.values) - len(self.missed)

    @property
    def differences(self) -> tuple[str, ...]:
        """The axes on which the profile differs from `standard`."""
        return tuple(STANDARD.differences(self.profile))

    @cache  # noqa: B019 - an inference lives as long as its check
    def undetermined(self) -> Mapping[str, tuple[str, ...]]:
        """Return the remaining conventions of each axis that no value decides, beginning with the profile's."""
        profile = self.search.canonicalize(vars(self.profile))
        remaining: dict[str, list[str]] = {}
        for axis, other in self.search.changes(profile, self.search.axes):
            if next(self.search.broken(profile, other), None) is None:
                remaining.setdefault(axis, [profile[axis]]).append(other[axis])
        return {axis: tuple(values) for axis, values in remaining.items()}


def infer_profile(measure: Measure, values: Sequence[Value], fixed: Fixed = NOTHING) -> Inference:
    """Infer the conventions that explain most values, at the finest precision possible.

    Exceptions that no convention explains are left out of the search, so that they do not distort the result.
    """
    exact = min(precisions(values), key=lambda precision: _glance(measure, values, precision, fixed)[0])
    inference = _at_precision(measure, values, exact, fixed)
    returned = {value: None for value in values if value.failure != "error"}
    if inference.missed and len(returned) < len(values):
        numbers = _at_precision(measure, [*returned], exact, fixed)
        missed = missed_under(values, numbers.profile, exact)
        left = tuple(value for value in missed if value in returned or not _is_over_no_query(value, numbers.profile))
        if not left or len(numbers.missed) < sum(value in returned for value in inference.missed):
            return Inference(measure, numbers.profile, exact, left, tuple(values), numbers.search)
    return inference


def _is_over_no_query(value: Value, profile: Conventions) -> bool:
    """Return whether the profile leaves out all queries, so that an exception is as good as NaN."""
    expected = value.question.expected(vars(profile))
    named = [of for query, of in expected.items() if query is not None] if isinstance(expected, dict) else []
    return bool(named) and all(reading == ABSENT for reading in named)


def _at_precision(measure: Measure, values: Sequence[Value], precision: str, fixed: Fixed) -> Inference:
    """Search values at the most decisive cutoffs, then add unexplained values at other cutoffs."""
    decisive = [value for value in values if value.question.is_decisive]
    search, profile = _searched(measure, decisive, precision, fixed)
    others = [value for value in values if not value.question.is_decisive and value.evidence(precision).mask(profile)]
    if others and len(others) < HOPELESS * (len(values) - len(decisive)):
        search, profile = _searched(measure, [*decisive, *others], precision, fixed)
    missed = tuple(missed_under(values, Conventions(**profile), precision))
    return Inference(measure, Conventions(**profile), precision, missed, tuple(values), search)


def _searched(measure: Measure, values: Sequence[Value], precision: str, fixed: Fixed) -> tuple[Search, dict[str, str]]:
    """Search for the profile that explains most values, first among functions that use all judgments."""
    share, near = _glance(measure, values, precision, fixed)
    search = Search([measure], [value.evidence(precision) for value in values], {**ALL_JUDGMENTS, **fixed})
    if share > HOPELESS:
        return search, near
    profile = _best_profile(search, near)
    if not search.cost(profile):
        return search, profile
    free = Search([measure], search.evidence, fixed)
    other = _best_profile(free, near)
    return (free, other) if free.cost(other) < search.cost(profile) else (search, profile)


def _glance(measure: Measure, values: Iterable[Value], precision: str, fixed: Fixed) -> tuple[float, dict[str, str]]:
    """Search a few distinctive values; return the unexplained share and the nearest profile."""
    few = sorted(filter(is_distinctive, values), key=lambda value: value.question.simplicity)[:GLANCE]
    glance = Search([measure], [value.evidence(precision) for value in few], {**ALL_JUDGMENTS, **fixed})
    near = min(map(glance.descend, _starts()), key=glance.cost)
    return glance.cost(near) / max(1, sum(piece.size for piece in glance.evidence)), near


def _best_profile(search: Search, near: Mapping[str, str]) -> dict[str, str]:
    """Search for the best profile from a near profile, thoroughly for the values that it does not explain."""
    profile = search.descend(near)
    if search.cost(profile):
        missed = [piece for piece in search.evidence if piece.mask(profile)][:THOROUGH]
        rest = [piece for piece in search.evidence if not piece.mask(profile)]
        chosen = [*missed, *rest[:: max(1, len(rest) // THOROUGH)]]
        thorough = best(Search(search.measures, chosen, search.fixed))[1]
        better = thorough if thorough["ties"] == UNSPECIFIED else search.descend(thorough)
        profile = min(profile, better, key=search.cost)
    return profile


def _starts() -> Sequence[Mapping[str, str]]:
    """Return the profiles that start a quick search."""
    trec_eval = PROFILES["trec_eval-9"].single or STANDARD
    return [vars(STANDARD), vars(trec_eval), vars(STANDARD.replace(ties="input", gain="exp"))]


def is_distinctive(value: Value) -> bool:
    """Return whether a value has a number other than 0, 1 and NaN, which few conventions give."""
    return any(number not in {0.0, 1.0} and not math.isnan(number) for number in value.numbers.values())


def precisions(values: Iterable[Value]) -> tuple[str, ...]:
    """Return the possible precisions of comparisons, finest first, including the decimals of rounded values."""
    numbers = {number for value in values for number in value.numbers.values() if math.isfinite(number)}
    decimals = {number: -int(Decimal(repr(number)).as_tuple().exponent) for number in numbers}
    most = max(decimals.values(), default=0)
    enough = sum(count == most for count in decimals.values()) >= (MANY_NUMBERS if most <= FEW_DECIMALS else 1)
    return ("float64", "float32", f"{most} decimals") if most in DECIMALS and enough else ("float64", "float32")


def missed_under(values: Iterable[Value], conventions: Conventions, precision: str) -> list[Value]:
    """Return the values that differ from the reference under some conventions."""
    profile = vars(conventions)
    return [value for value in values if value.evidence(precision).mask(profile)]
