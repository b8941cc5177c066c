"""One number for all that is asked: nothing shows what such a function looks at, and conventions can be found by which it is right."""

from collections.abc import Sequence

from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.differing import precisions
from rankproof.checking.looking import ANYTHING, Blindness
from rankproof.matching.comparing import reading_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.text import short
from rankproof.workers.same_answers import same

MANY, WRONG = 20, 3
"""How many questions are answered by one number at least, and how many of them wrongly: a few are so by chance."""


def constant_answer(seen: Sequence[Seen], claimed: Conventions) -> Blindness | None:
    """That one number is the answer to many questions, to several of which it is wrong by what is claimed; None where it is not.

    Who gives no number to some of them, as it raises there, looks at something: no more is said than which number it gives elsewhere.
    """
    told = [(one.question, query, value) for one in seen for query, value in one.numbers.items()]
    count = sum(bool(one.numbers) for one in seen)
    if count < MANY or len({value for *_, value in told}) != 1:
        return None
    got, exactly = told[0][2], precisions(seen)[-1]
    readings = [(q, reading_of(q.answers(claimed), query)) for q, query, _ in sorted(told, key=_plainness)]
    right = [(question, value) for question, value in readings if value is not None]
    wrong = [(question, value) for question, value in right if not same(got, value, exactly)]
    if len({id(question) for question, _ in wrong}) < WRONG:
        return None
    first, second = wrong[0], next((one for one in right if same(got, one[1], exactly)), wrong[-1])
    sentence = f"it looks at nothing: it gives {short(got)} to each of {count:,} questions"
    if count < len(seen):
        sentence = f"it gives {short(got)} wherever it gives a number, to {count:,} of {len(seen):,} questions"
    return Blindness(ANYTHING, sentence, first[0], second[0], got, (first[1], second[1]))


def _plainness(told: tuple[Question, str | None, float]) -> tuple[bool, tuple[int, str]]:
    """Means and only queries first: what is shown of a question is said of no query."""
    question, query, _ = told
    return query is not None and len(question.case.queries) > 1, question.weight
