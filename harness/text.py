"""Formatting of numbers and text for people. Each output (terminal, Markdown, CI, website) escapes its own markup."""

import math
import re

from rankproof.reference_impl.shown import shortened

NOISE = 1e-12
"""The largest relative error of a float that counts as a whole number."""
SMALL = 1e-4
"""Smaller numbers need more than four decimals."""
MOST_DIGITS = 17
"""Numbers with more decimals are written in powers of ten."""
COUNTS = 2
"""Whole numbers from 2 on are counts, printed without decimals."""
LARGE = 1e15
"""Larger floats are printed in powers of ten."""
COLUMNS = 80
"""The width of a terminal."""
_BREAKS = re.compile(r"(?<=\s)(?=\S)|(?<=\|)(?=\S)")
LONGEST_WORD, LONGEST_MESSAGE = 250, 2_000
"""Maximum length of a word, such as a path, and of an error message."""


def number_of(count: int, what: str, more: str = "") -> str:
    """Return a count with its noun; `more` is the plural if it does not end with s.

    >>> number_of(1, "case"), number_of(1200, "case"), number_of(2, "query", "queries")
    ('1 case', '1,200 cases', '2 queries')
    """
    return f"{count:,} {what if count == 1 else more or f'{what}s'}"


def printable(text: object) -> str:
    r"""Escape characters that do not print: control characters, direction marks and lone surrogates.

    >>> print(printable("tab\t, null\0, half \ud800, right to left \u202e"))
    tab\t, null\x00, half \ud800, right to left \u202e
    """
    if (whole := str(text)).isprintable():
        return whole
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in whole)


def printable_lines(text: object) -> str:
    r"""Escape characters that do not print, except line breaks.

    >>> print(printable_lines("two\nlines\x1b[2J"))
    two
    lines\x1b[2J
    """
    return "\n".join(printable(line) for line in str(text).split("\n"))


def one_line(text: object) -> str:
    r"""Return text on one line, with single spaces and escapes for characters that do not print.

    >>> one_line("two\n  lines\x1b[2J")
    'two lines\\x1b[2J'
    """
    return printable(" ".join(str(text).split()))


def folded(text: str, indent: int = 0) -> str:
    r"""Fold a line to the width of a terminal, at spaces and after bars of signatures, with a hanging indent.

    A folded signature can still be parsed.

    >>> print(folded("signature  nDCG@10|" + "ties:?docid-desc/docid-asc|" * 3 + "by:me", 11))
    signature  nDCG@10|ties:?docid-desc/docid-asc|ties:?docid-desc/docid-asc|
               ties:?docid-desc/docid-asc|by:me
    """
    lines = [""]
    for part in _BREAKS.split(text):
        if lines[-1].strip() and len(lines[-1]) + len(part.rstrip()) > COLUMNS:
            lines.append(" " * indent)
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def as_written(value: object) -> str:
    r"""Return the repr of a value on one line, shortened, or its type if `repr` fails.

    >>> as_written("a\nb"), as_written(1.5), as_written(10**5000)
    ("'a\\nb'", '1.5', 'an int that is not written out')
    """
    if isinstance(value, str):
        return printable(repr(shortened(value)))
    try:
        return shortened(one_line(repr(value)))
    except Exception:  # noqa: BLE001 - whatever the value's own code raises
        return f"an {type(value).__name__} that is not written out"


def message(error: object) -> str:
    """Return the text of an error on one line, shortened to fit a screen.

    >>> message("no doc " + "d" * 5000)[:20], len(message("no doc " + "d" * 5000)) < 300
    ('no doc ddddddddddddd', True)
    """
    words = (shortened(word, LONGEST_WORD) for word in str(error).split())
    return shortened(printable(" ".join(words)), LONGEST_MESSAGE)


def short(value: float | str | None) -> str:
    """Format a number with four decimals, or more if it would look like a whole number; return a word unchanged.

    >>> short(1 / 3), short(1.0), short(12.0), short(1e-7), short(0.99999999), short(None), short("absent")
    ('0.3333', '1.0000', '12', '1e-07', '0.99999999', 'refused', 'absent')
    """
    if value is None or isinstance(value, str):
        return "refused" if value is None else value
    if not math.isfinite(value) or abs(value) >= LARGE:
        return f"{float(value):.4g}"
    is_whole = abs(value - round(value)) <= NOISE * abs(value)
    if is_whole and abs(value) >= COUNTS:
        return str(round(value))
    if 0 < abs(value) < SMALL:
        return f"{value:.4g}"
    text = f"{value or 0.0:.4f}"
    return repr(value) if not is_whole and float(text).is_integer() else text


def short_pair(a: float | str | None, b: float | str | None) -> tuple[str, str]:
    """Format two values with four decimals, or with all digits if they would look equal.

    >>> short_pair(0.25, None), short_pair(0.5, 0.500001), short_pair(1.0, 1.0)
    (('0.2500', 'refused'), ('0.5', '0.500001'), ('1.0000', '1.0000'))
    """
    both = short(a), short(b)
    if both[0] != both[1] or a == b or not isinstance(a, float | int) or not isinstance(b, float | int):
        return both
    return repr(a), repr(b)


def signed(value: float) -> str:
    """Format a number with its sign.

    >>> signed(0.25), signed(-0.00001), signed(0.0)
    ('+0.2500', '-1e-05', '+0.0000')
    """
    return f"{'-' if value < 0 else '+'}{short(abs(value))}"


def distinct_texts(a: float, b: float) -> tuple[str, str]:
    """Format two numbers with four decimals, or with more if they would look equal.

    >>> distinct_texts(0.25, 0.5), distinct_texts(0.000075, 0.0000751), distinct_texts(1e-30, 2e-30)
    (('0.2500', '0.5000'), ('0.0000750', '0.0000751'), ('1e-30', '2e-30'))
    """
    gap = abs(a - b)
    digits = max(4, math.ceil(-math.log10(gap))) if 0 < gap < math.inf else 4
    return (repr(a), repr(b)) if digits > MOST_DIGITS else (f"{a:.{digits}f}", f"{b:.{digits}f}")
