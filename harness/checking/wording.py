"""Numbers, answers and lists as a sentence has them."""

from collections.abc import Sequence

from rankproof.text import short, short_pair
from rankproof.workers.observations import ABSENT, Answered, Failure, Reading, identical, readings


def reading(value: Reading | None, *, exact: bool = False) -> str:
    """What the reference says, in words."""
    return "refuses the input" if value is None else gives(value, exact=exact)


def gives(got: Reading | Failure, *, exact: bool = False) -> str:
    """What a function says, in words."""
    if isinstance(got, Failure):
        said = {"error": f"raises {got.text}", "timeout": f"gives {got.text}"}
        return said.get(got.kind, got.text.removeprefix("it "))
    return "says nothing" if isinstance(got, str) else f"gives {repr(got) if exact else short(got)}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def apart(
    answer: Answered | Failure, again: Answered | Failure
) -> tuple[str | None, Reading | Failure, Reading | Failure]:
    """The first query (None: the value over all of them) of which two answers differ, and what each says of it."""
    if isinstance(answer, Failure) or isinstance(again, Failure):
        return None, overall(answer), overall(again)
    first, then = dict(readings(answer, ())), dict(readings(again, ()))
    pairs = {query: (first.get(query, ABSENT), then.get(query, ABSENT)) for query in [*first, *then]}
    return next((query, a, b) for query, (a, b) in pairs.items() if not identical(a, b))


def overall(answer: Answered | Failure) -> Reading | Failure:
    """The mean, or the first query's value where there is none; a failure as it is."""
    return answer if isinstance(answer, Failure) else next((value for _, value in readings(answer, ())), ABSENT)


def told_apart(answer: Answered | Failure, again: Answered | Failure) -> str:
    """What a function says first and then, where that is not the same."""
    query, a, b = apart(answer, again)
    of = "" if query is None else f" for {query}"
    if isinstance(a, Failure | str) or isinstance(b, Failure | str):
        return f"{gives(a)} and then {gives(b)}{of}"
    one, other = short_pair(a, b)
    return f"gives {one} and then {other}{of}"
