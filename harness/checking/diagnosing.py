"""Which defect a function has, by what it answered."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankproof.asking.observations import Answered, readings
from rankproof.checking.case_questions import Seen
from rankproof.defects.diagnosis import Diagnosis, diagnosed
from rankproof.defects.trial import Told
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure

PERCENT = (1, 2)
"""The decimals that people round a percentage to."""


def defect_of(
    measure: Measure,
    seen: Sequence[Seen],
    nearest: Conventions,
    precisions: Iterable[str],
    also: Iterable[Conventions] = (),
) -> Diagnosis | None:
    """The defect that explains the answers of a function that the nearest conventions do not."""
    return defect_in(measure, [one for one in map(told_of, seen) if one is not None], nearest, precisions, also)


def defect_in(
    measure: Measure,
    told: Sequence[Told],
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


def told_of(seen: Seen) -> Told | None:
    """The numbers of an answer; None where there are none, or others when asked again."""
    if not isinstance(seen.answer, Answered) or seen.again is not None:
        return None
    numbers = {query: value for query, value in readings(seen.answer, ()) if isinstance(value, float)}
    question = seen.question
    if not numbers:
        return None
    return Told(question.case.id, question.case.input, question.measure, numbers, question.extreme is None)


def _percents(told: Sequence[Told]) -> list[str]:
    """How exactly values of 0 to 100 are told where they are rounded: to a share, two decimals are four."""
    numbers = [number for one in told for number in one.numbers.values() if math.isfinite(number)]
    if max(numbers, default=0.0) <= 1:
        return []
    return [f"{n} decimals" for n in PERCENT if all(round(number, n) == number for number in numbers)][:1]
