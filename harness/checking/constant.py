"""One number for all that is asked: nothing shows what such a function looks at, and conventions can be found by which it is right."""

from collections.abc import Sequence

from rankproof.checking.case_questions import Seen
from rankproof.checking.looking import ANYTHING, Blindness
from rankproof.matching.comparing import reading_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.text import short

MANY, WRONG = 20, 3
"""How many questions are answered by one number at least, and how many of them wrongly: a few are so by chance."""


def constant_answer(seen: Sequence[Seen], claimed: Conventions) -> Blindness | None:
    """That one number is the answer to many questions, to which several are right by what is claimed; None where it is not."""
    told = [(one.question, query, value) for one in seen for query, value in one.numbers.items()]
    if len({value for *_, value in told}) != 1:
        return None
    asked = {id(question) for question, *_ in told}
    got = told[0][2]
    right = {id(question): reading_of(question.answers(claimed), query) for question, query, _ in told}
    wrong = sorted((q for q, *_ in told if right[id(q)] != got), key=lambda question: question.weight)
    if len(asked) < MANY or len({id(question) for question in wrong}) < WRONG:
        return None
    first, second = wrong[0], next((q for q, *_ in told if right[id(q)] == got), wrong[-1])
    sentence = f"it looks at nothing: it gives {short(got)} to each of {len(asked):,} questions"
    return Blindness(ANYTHING, sentence, first, second, got, (right[id(first)], right[id(second)]))
