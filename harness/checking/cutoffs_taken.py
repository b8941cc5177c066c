"""The cutoffs that a function takes: one that raises at every deep cutoff has a limit of its own, as a table of so many discounts has."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from rankproof.calling.targets import Target
from rankproof.checking.case_questions import Seen
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Answered, Failure


def at_cutoffs_taken(target: Target, measure: Measure, seen: Sequence[Seen]) -> tuple[Target, tuple[Seen, ...]]:
    """The function, with its limit and a note of it where it has one, and what it was asked below that."""
    limit = _refused_from(measure, seen)
    if limit is None:
        return target, tuple(seen)
    note = f"it raises at every cutoff asked from {target.k}={limit} on: judged at lesser ones"
    within = tuple(one for one in seen if _cutoff(one) < limit)
    return replace(target, k_below=limit, notes=(*target.notes, note)), within


def _refused_from(measure: Measure, seen: Sequence[Seen]) -> int | None:
    """The cutoff from which on it raises, whatever it is asked; None where there is none that is deeper than that of the measure.

    An error counts only where the same input is answered at the cutoff of the measure: others are about the input.
    """
    own = cutoff_of(measure)
    if own is None:
        return None
    answered = {one.question.case.input for one in seen if _cutoff(one) == own and isinstance(one.answer, Answered)}

    def raises(k: int) -> bool:
        there = [one for one in seen if _cutoff(one) == k]
        errors = [one for one in there if isinstance(one.answer, Failure) and one.answer.kind == "error"]
        return len(errors) == len(there) and all(one.question.case.input in answered for one in there)

    return min(takewhile(raises, sorted({*map(_cutoff, seen)}, reverse=True)), default=None)


def _cutoff(seen: Seen) -> int:
    return cutoff_of(seen.question.measure) or 0
