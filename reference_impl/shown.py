"""Text from outside, formatted for messages."""

import difflib
from collections.abc import Iterable

LONGEST = 80
"""Maximum number of characters of an id, measure or convention in a message."""


def shortened(text: object, longest: int = LONGEST) -> str:
    """Return the beginning of a long text and its length; return a short text unchanged.

    >>> shortened("a doc"), shortened("d" * 5000, 5)
    ('a doc', 'ddddd… (5,000 characters)')
    """
    whole = str(text)
    return whole if len(whole) <= longest else f"{whole[:longest]}… ({len(whole):,} characters)"


ROOM = 120
"""Maximum number of characters of a list of names in a message."""


def did_you_mean(name: str, known: Iterable[str], listed: Iterable[str] | None = None, all_by: str = "") -> str:
    """Return a hint for an unknown name: the most similar known name in any case, or a list of known names.

    >>> did_you_mean("TREC_EVL", ["standard", "trec_eval", "trec_eval-9"]), did_you_mean("x", ["standard", "other"])
    ('did you mean trec_eval?', 'choose from standard, other')

    Args:
        name: the unknown name.
        known: the names to compare with.
        listed: the names to list without a similar name, by default all known names.
        all_by: the command that lists all names, shown if the message has not enough room for them.
    """
    known = list(known)
    near = nearest_of(name, known)
    return f"did you mean {near}?" if near else f"choose from {first_of(known if listed is None else listed, all_by)}"


def nearest_of(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to a name in any case, or None without a similar name.

    >>> nearest_of("TREC_EVL", ["standard", "trec_eval"]), nearest_of("x", ["standard"])
    ('trec_eval', None)
    """
    by_case = {word.casefold(): word for word in reversed(list(known))}  # if names differ only in case, the first wins
    near = difflib.get_close_matches(name.casefold()[:LONGEST], by_case, n=1)
    return by_case[near[0]] if near else None


def first_of(names: Iterable[str], all_by: str = "") -> str:
    """Return as many names as fit in a message, and the number of the others.

    >>> first_of(["a", "b"]), first_of(["a" * 100, "b" * 10, "c" * 10, "d"], "names --all")[100:]
    ('a, b', ', bbbbbbbbbb and 2 more (`names --all`)')
    """
    names = list(names)
    fits = next((i for i in range(1, len(names)) if len(", ".join(names[: i + 1])) > ROOM), len(names))
    more = f" and {len(names) - fits} more{all_by and f' (`{all_by}`)'}" if fits < len(names) else ""
    return f"{', '.join(names[:fits])}{more}"
