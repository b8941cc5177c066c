"""What each choice of a function that is not as claimed does: a sentence, and the simplest input on which it shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankproof.checking.case_questions import Question, Seen
from rankproof.matching.comparing import reading_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.workers.observations import ABSENT, Answered, Reading, readings
from rankproof.workers.same_answers import same


@dataclass(frozen=True)
class AxisWitness:
    """An input that shows one choice.

    Attributes:
        sentence: the choice in plain words, and the one that was claimed.
        question: the simplest question on which it matters by itself.
        query: of which the numbers are; None for the value over all queries.
        got: what the function gives.
        other: what is given with the choice that was claimed, and all else alike; None where the input is refused then.
        values: what it may follow on that axis; several where no answer tells them apart.
    """

    axis: str
    sentence: str
    question: Question
    query: str | None
    got: Reading
    other: Reading | None
    values: tuple[str, ...] = ()


def axis_witnesses(
    seen: Sequence[Seen], claimed: Conventions, follows: Conventions, precision: str
) -> list[AxisWitness]:
    """A witness for each axis on which what a function follows is not what is claimed; none for a choice that no answer shows."""
    found = []
    for axis in claimed.differences(follows):
        other = follows.replace(**{axis: getattr(claimed, axis)})
        shown = (one for each in seen for one in _shown(each, axis, claimed, follows, other, precision))
        simplest = min(shown, key=_weight, default=None)
        if simplest is not None:
            found.append(simplest)
    return found


def _shown(
    seen: Seen, axis: str, claimed: Conventions, follows: Conventions, other: Conventions, precision: str
) -> Iterator[AxisWitness]:
    question, answer = seen.question, seen.answer
    if not isinstance(answer, Answered) or seen.again is not None:
        return
    mine, others = question.answers(follows), question.answers(other)
    if mine == others:
        return
    for query, got in readings(answer, tuple(map(str, question.case.queries))):
        expected, instead = reading_of(mine, query), reading_of(others, query)
        explained = expected is not None and got != ABSENT and same(got, expected, precision)
        if explained and (instead is None or not same(got, instead, precision)):
            values = (getattr(follows, axis),)
            yield AxisWitness(axis, sentence(axis, values, claimed), question, query, got, instead, values)


def sentence(axis: str, values: Sequence[str], claimed: Conventions) -> str:
    """The choices that may be followed on an axis, and the one that was claimed, in plain words.

    >>> from rankproof.reference_impl.conventions import STANDARD
    >>> sentence("norel", ["1"], STANDARD)
    'What is a query without relevant docs worth? 1, and not 0'
    >>> sentence("norel", ["nan", "1"], STANDARD)
    'What is a query without relevant docs worth? undefined, or 1, and not 0'
    """
    mine, other = ", or ".join(map(AXES[axis].meaning, values)), AXES[axis].meaning(getattr(claimed, axis))
    return f"{AXES[axis].question} {mine}, and not {other}"


def _weight(shown: AxisWitness) -> tuple[bool, bool, bool, bool, tuple[int, str]]:
    """Ordinary input first, numbers before refusals, one query before the value over all; then a case about the axis; then the simplest.

    A case that says what another value of the axis gives is about that.
    """
    question = shown.question
    of_all = shown.query is None and len(question.case.queries) > 1
    return question.extreme is not None, shown.other is None, of_all, not question.is_about(shown.axis), question.weight
