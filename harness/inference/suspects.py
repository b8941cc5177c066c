"""Suspects: the defects that a measure can have, and what the reference computes with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from rankproof.defects.catalogue import catalogue
from rankproof.defects.defect import BrokenMeasure, Defect, Way
from rankproof.inference.reference_answers import Answers, Values, said
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure


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
    return _another(measure, suspect.way.other) if suspect.way.other else BrokenMeasure(measure, suspect.way)


def _another(measure: Measure, name: str) -> Measure:
    """Return the measure of a name with the cutoff and the relevance threshold of another."""
    definition = MEASURES[name]
    params = tuple((param, value) for param, value in measure.params if param in definition.params)
    return Measure(name, params, None if definition.cutoff == "none" else measure.cutoff)


def broken_answers(measure: BrokenMeasure, data: Collection, conventions: Conventions) -> Answers:
    """Return the values of a measure with a defect, or why the reference gives none."""
    return said(lambda: _values(measure, data, conventions))


def _values(measure: BrokenMeasure, data: Collection, conventions: Conventions) -> Values:
    way = measure.way
    answer = (data if way.change_data is None else way.change_data(data)).answer(measure, conventions)
    per_query = {query: None if value is None else way.transform(value) for query, value in answer.per_query.items()}
    mean = None if answer.mean is None else way.transform(answer.mean)
    numbers = {query: value for query, value in per_query.items() if value is not None}
    if way.mean is not None and mean is not None:
        mean = way.mean(list(numbers.values()) or [Fraction(0)])
    if way.weights is not None and not (way.undefined_with_one and mean is None):
        mean = _weighted_mean(numbers, way.weights(data))
    # The changed data may have other queries.
    return Values({query: value for query, value in per_query.items() if query in {*data.qrels, *data.run}}, mean)


def _weighted_mean(values: Mapping[str, Fraction], weights: Mapping[str, Fraction]) -> Fraction:
    whole = sum((weights.get(query, Fraction(0)) for query in values), Fraction(0))
    total = sum((value * weights.get(query, 0) for query, value in values.items()), Fraction(0))
    return total / whole if whole else Fraction(0)
