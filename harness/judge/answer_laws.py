"""Answers, compared: whether two of them say the same, query by query and over all."""

from collections.abc import Collection, Iterator, Mapping

from rankproof.workers.observations import ABSENT, Answered, Failure, Reading
from rankproof.workers.same_answers import alike
from rankproof.workers.sheets import steady

Answer = Answered | Failure | None


def compared(
    a: Answer, b: Answer, precisions: Collection[str], names: Mapping[str, str] | None = None
) -> tuple[str | None, Reading, Reading] | None:
    """The first query (None for the mean) of which the two say different things, and what; `names` are those of the queries in b.

    >>> compared(Answered({"1": 1.0}, 1.0), Answered({"1": 0.5}, 0.5), ["float64"])
    ('1', 1.0, 0.5)
    """
    if a is None or b is None:
        return None
    if isinstance(a, Failure) or isinstance(b, Failure):
        both = isinstance(a, Failure) and isinstance(b, Failure) and a.kind == b.kind
        return None if both else (None, failed(a), failed(b))
    for query, x, y in _pairs(a, b, names or {}):
        if not alike(x, y, precisions):
            return query, x, y
    return None


def _pairs(a: Answered, b: Answered, names: Mapping[str, str]) -> Iterator[tuple[str | None, Reading, Reading]]:
    if a.per_query is not None and b.per_query is not None:
        given = {new: old for old, new in names.items()}
        for query in dict.fromkeys([*a.per_query, *(given.get(name, name) for name in b.per_query)]):
            yield query, a.per_query.get(query, ABSENT), b.per_query.get(names.get(query, query), ABSENT)
    if a.mean is not None and b.mean is not None:
        yield None, a.mean, b.mean


def equal(a: Answer, b: Answer, precisions: Collection[str]) -> bool:
    """Whether two answers are numbers, and the same ones."""
    return isinstance(a, Answered) and isinstance(b, Answered) and compared(a, b, precisions) is None


def failed(answer: Answered | Failure) -> str:
    """A failure in words; a number is not told."""
    return f"{answer.kind}: {steady(answer.text)}" if isinstance(answer, Failure) else "a number"


def overall(answer: Answer) -> Reading:
    """The mean, or the first query's value where there is none; `absent` of what is no number."""
    if not isinstance(answer, Answered):
        return ABSENT
    return answer.mean if answer.mean is not None else next(iter((answer.per_query or {}).values()), ABSENT)
