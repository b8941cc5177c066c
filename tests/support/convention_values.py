"""What a library answers that follows some conventions: what the reference gives by them."""

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
    """What a library says that follows the conventions of these answers."""
    if isinstance(answers, Refused):
        return Failure("error", "ValueError: refused")
    assert isinstance(answers, Values), answers
    return Answered({query: to_float(value) for query, value in answers.per_query.items()}, to_float(answers.mean))


def following(spec: str, case: Case, measure: str) -> Observation:
    """What it says of a case."""
    return Observation(case.id, MADE, measure, as_answer(PlainReference(case.input).answers(parse(measure), spec)))


def answers_to(spec: str, keys: Collection[str], cases: Iterable[Case]) -> Iterator[Observation]:
    """What it says of these cases, asked the forms of measures that are named."""
    for case in cases:
        oracle = PlainReference(case.input)
        for measure in case.measures:
            if key_of(parse(measure)) in keys:
                yield Observation(case.id, MADE, measure, as_answer(oracle.answers(parse(measure), spec)))
