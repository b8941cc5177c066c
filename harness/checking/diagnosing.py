"""Which defect a function has, by what it answered."""

from collections.abc import Iterable, Sequence

from rankproof.checking.case_questions import Seen
from rankproof.defects.diagnosis import Diagnosis, defect_in
from rankproof.defects.trial import QuestionNumbers
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure


def defect_of(
    measure: Measure,
    seen: Sequence[Seen],
    nearest: Conventions,
    precisions: Iterable[str],
    also: Iterable[Conventions] = (),
) -> Diagnosis | None:
    """The defect that explains the answers of a function that the nearest conventions do not."""
    return defect_in(measure, [one for one in map(told_of, seen) if one is not None], nearest, precisions, also)


def told_of(seen: Seen) -> QuestionNumbers | None:
    """The numbers of an answer; None where there are none, or others when asked again."""
    question, numbers = seen.question, seen.numbers
    if not numbers:
        return None
    return QuestionNumbers(question.case.id, question.case.input, question.measure, numbers, question.extreme is None)
