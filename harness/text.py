"""Numbers and text as people read them, in the terminal, Markdown, CI systems and pages, each of which escapes its own markup."""

import math
import re

from rankproof.reference_impl.shown import shortened

NOISE = 1e-12
"""The relative error of a float that still counts as a whole number."""
SMALL = 1e-4
"""Smaller numbers need more than four decimals."""
MOST_DIGITS = 17
"""Numbers with more decimals are written in powers of ten."""
COUNTS = 2
"""Whole numbers from here on are counts and have no decimals."""
LARGE = 1e15
"""Larger floats are whole numbers."""
COLUMNS = 80
"""The width of a terminal."""
_BREAKS = re.compile(r"(?<=\s)(?=\S)|(?<=\|)(?=\S)")
LONGEST_WORD, LONGEST_MESSAGE = 250, 2_000
"""The most characters of a word, such as a path, and of an error message."""


def number_of(count: int, what: str, more: str = "") -> str:
    """Return a count and what is counted; `more` is the plural if it does not end with s.

    >>> number_of(1, "case"), number_of(1200, "case"), number_of(2, "query", "queries")
    ('1 case', '1,200 cases', '2 queries')
    """
    return f"{count:,} {what if count == 1 else more or f'{what}s'}"


def printable(text: object) -> str:
    r"""Return text with escapes for what does not print: control characters, marks of direction, lone surrogates.

    >>> print(printable("tab\t, null\0, half \ud800, right to left \u202e"))
    tab\t, null\x00, half \ud800, right to left \u202e
    """
    if (whole := str(text)).isprintable():
        return whole
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in whole)


def printable_lines(text: object) -> str:
    r"""Return text with escapes for what does not print except line breaks.

    >>> print(printable_lines("two\nlines\x1b[2J"))
    two
    lines\x1b[2J
    """
    return "\n".join(printable(line) for line in str(text).split("\n"))


def one_line(text: object) -> str:
    r"""Return text in one line, with escapes for what does not print and one space for each gap.

    >>> one_line("two\n  lines\x1b[2J")
    'two lines\\x1b[2J'
    """
    return printable(" ".join(str(text).split()))


def folded(text: str, indent: int = 0) -> str:
    r"""Return a line as lines that fit a terminal, all but the first indented; it is broken at blanks and after the bars of a signature.

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
    r"""Return the repr of a value, in one line and shortened, or its type if it has no repr.

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
    """Return the text of an error in one line that fits a screen, whatever ids and texts it contains.

    >>> message("no doc " + "d" * 5000)[:20], len(message("no doc " + "d" * 5000)) < 300
    ('no doc ddddddddddddd', True)
    """
    words = (shortened(word, LONGEST_WORD) for word in str(error).split())
    return shortened(printable(" ".join(words)), LONGEST_MESSAGE)


def short(value: float | str | None) -> str:
    """Return a number with a leading zero and four decimals, or with as many digits as tell it from a whole number; a word unchanged.

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
    """Return two values with four decimals, or with all their digits if they would look equal.

    >>> short_pair(0.25, None), short_pair(0.5, 0.500001), short_pair(1.0, 1.0)
    (('0.2500', 'refused'), ('0.5', '0.500001'), ('1.0000', '1.0000'))
    """
    both = short(a), short(b)
    if both[0] != both[1] or a == b or not isinstance(a, float | int) or not isinstance(b, float | int):
        return both
    return repr(a), repr(b)


def signed(value: float) -> str:
    """Return a number with its sign.

    >>> signed(0.25), signed(-0.00001), signed(0.0)
    ('+0.2500', '-1e-05', '+0.0000')
    """
    return f"{'-' if value < 0 else '+'}{short(abs(value))}"


def distinct_texts(a: float, b: float) -> tuple[str, str]:
    """Return two numbers with four decimals, or with as many as their difference has zeros.

    >>> distinct_texts(0.25, 0.5), distinct_texts(0.000075, 0.0000751), distinct_texts(1e-30, 2e-30)
    (('0.2500', '0.5000'), ('0.0000750', '0.0000751'), ('1e-30', '2e-30'))
    """
    gap = abs(a - b)
    digits = max(4, math.ceil(-math.log10(gap))) if 0 < gap < math.inf else 4
    return (repr(a), repr(b)) if digits > MOST_DIGITS else (f"{a:.{digits}f}", f"{b:.{digits}f}")
