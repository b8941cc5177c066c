"""Values of an imaginary library that follows given conventions, computed by the reference."""

from collections.abc import Collection, Iterable, Iterator

from reference_values import PlainReference

from rankproof.cases import Case
from rankproof.inference.reference_answers import Answers, Refused, Values
from rankproof.measure_forms import key_of
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure, Observation
from rankproof.workers.subjects import Subject

MADE = Subject("made", "default", "1")


def as_answer(answers: Answers) -> Answered | Failure:
    """Return the value of a library that computes these values of the reference."""
    if isinstance(answers, Refused):
        return Failure("error", "ValueError: refused")
    assert isinstance(answers, Values), answers
    return Answered({query: to_float(value) for query, value in answers.per_query.items()}, to_float(answers.mean))


def following(spec: str, case: Case, measure: str) -> Observation:
    """Return the observation of a library under these conventions for a measure of a case."""
    return Observation(case.id, MADE, measure, as_answer(PlainReference(case.input).answers(parse(measure), spec)))


def answers_to(spec: str, keys: Collection[str], cases: Iterable[Case]) -> Iterator[Observation]:
    """Yield the observations of a library under these conventions for measures of the given forms."""
    for case in cases:
        oracle = PlainReference(case.input)
        for measure in case.measures:
            if key_of(parse(measure)) in keys:
                yield Observation(case.id, MADE, measure, as_answer(oracle.answers(parse(measure), spec)))
