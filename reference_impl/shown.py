"""Text that came from outside, as a message shows it."""

LONGEST = 80
"""How many characters of an id, a measure or a convention a message has room for."""


def shortened(text: object, longest: int = LONGEST) -> str:
    """Text of any length: its beginning, and how long it is.

    >>> shortened("a doc"), shortened("d" * 5000, 5)
    ('a doc', 'ddddd… (5,000 characters)')
    """
    whole = str(text)
    return whole if len(whole) <= longest else f"{whole[:longest]}… ({len(whole):,} characters)"
