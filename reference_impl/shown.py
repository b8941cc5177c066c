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


def did_you_mean(name: str, known: Iterable[str], listed: Iterable[str] | None = None) -> str:
    """What a message says of a name that nobody has: the nearest that somebody has, in any case; else what is known.

    >>> did_you_mean("TREC_EVL", ["standard", "trec_eval", "trec_eval-9"]), did_you_mean("x", ["standard", "other"])
    ('did you mean trec_eval?', 'known are standard, other')

    Args:
        name: what was asked.
        known: the names that could be meant.
        listed: those that are told where none is near, if not all of them.
    """
    known = list(known)
    by_case = {one.casefold(): one for one in reversed(known)}  # of two names alike, the first is meant
    near = difflib.get_close_matches(name.casefold()[:LONGEST], by_case, n=1)
    return (
        f"did you mean {by_case[near[0]]}?" if near else f"known are {', '.join(known if listed is None else listed)}"
    )
