"""Text that came from outside, as a message shows it."""

import difflib
from collections.abc import Iterable

LONGEST = 80
"""How many characters of an id, a measure or a convention a message has room for."""


def shortened(text: object, longest: int = LONGEST) -> str:
    """Text of any length: its beginning, and how long it is.

    >>> shortened("a doc"), shortened("d" * 5000, 5)
    ('a doc', 'ddddd… (5,000 characters)')
    """
    whole = str(text)
    return whole if len(whole) <= longest else f"{whole[:longest]}… ({len(whole):,} characters)"


ROOM = 120
"""How many characters of a list of names a message has room for."""


def did_you_mean(name: str, known: Iterable[str], listed: Iterable[str] | None = None, all_by: str = "") -> str:
    """What a message says of a name that nobody has: the nearest that somebody has, in any case; else what is known.

    >>> did_you_mean("TREC_EVL", ["standard", "trec_eval", "trec_eval-9"]), did_you_mean("x", ["standard", "other"])
    ('did you mean trec_eval?', 'known are standard, other')

    Args:
        name: what was asked.
        known: the names that could be meant.
        listed: those that are told where none is near, if not all of them.
        all_by: the command that lists them all, for a list that is too long for a message.
    """
    known = list(known)
    near = nearest_of(name, known)
    return f"did you mean {near}?" if near else f"known are {first_of(known if listed is None else listed, all_by)}"


def nearest_of(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to a name in any case, or None if none is similar.

    >>> nearest_of("TREC_EVL", ["standard", "trec_eval"]), nearest_of("x", ["standard"])
    ('trec_eval', None)
    """
    by_case = {word.casefold(): word for word in reversed(list(known))}  # of two names alike, the first is meant
    near = difflib.get_close_matches(name.casefold()[:LONGEST], by_case, n=1)
    return by_case[near[0]] if near else None


def first_of(names: Iterable[str], all_by: str = "") -> str:
    """Names, as many as a message has room for, and how many more there are.

    >>> first_of(["a", "b"]), first_of(["a" * 100, "b" * 10, "c" * 10, "d"], "names --all")[100:]
    ('a, b', ', bbbbbbbbbb and 2 more, by `names --all`')
    """
    names = list(names)
    fits = next((i for i in range(1, len(names)) if len(", ".join(names[: i + 1])) > ROOM), len(names))
    more = f" and {len(names) - fits} more{all_by and f', by `{all_by}`'}" if fits < len(names) else ""
    return f"{', '.join(names[:fits])}{more}"
