"""Text of a command for a terminal of 80 columns: wrapped sentences, rows with labels, symbols."""

import sys
from collections.abc import Iterable, Sequence
from textwrap import wrap

COLUMNS = 80
LABEL = 21
"""The column at which the text of a row begins."""
MOST_LINES = 12


def sentence(text: str, indent: int = 0, hanging: int = 2) -> list[str]:
    """Return a sentence as lines; all but the first are indented further."""
    lines = wrap(text, COLUMNS, initial_indent=" " * indent, subsequent_indent=" " * hanging, break_on_hyphens=False)
    return lines or [""]


def row(label: str, text: str, indent: int = 2) -> list[str]:
    """Return a row: a label, and text that goes on below itself."""
    start = f"{' ' * indent}{label}".ljust(LABEL + 2)
    return wrap(
        text,
        COLUMNS,
        initial_indent=start,
        subsequent_indent=" " * (LABEL + 2),
        break_on_hyphens=False,
        break_long_words=True,
    ) or [start.rstrip()]


def signature_row(label: str, signature: str) -> list[str]:
    """Return a row with a signature, broken after its bars."""
    parts = [f"{part}|" for part in signature.split("|")]
    parts[-1] = parts[-1].removesuffix("|")
    lines = [f"  {label}".ljust(LABEL + 2)]
    for part in parts:
        if len(lines[-1]) + len(part) > COLUMNS and lines[-1].strip():
            lines.append(" " * (LABEL + 2))
        lines[-1] += part
    return lines


def number(value: float | str | None) -> str:
    """Return a number with a leading zero and at most four digits behind the point; text unchanged.

    >>> number(0.63093), number(1.0), number(None)
    ('0.6309', '1.0000', 'nothing')
    """
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else f"{value:.4f}"


def numbers(first: float, second: float) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to tell them apart."""
    short = number(first), number(second)
    return short if short[0] != short[1] or first == second else (repr(first), repr(second))


def joined(items: Sequence[str]) -> str:
    """Return a list in words.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def some_names(names: Sequence[str], most: int = 3) -> str:
    """Return at most three names, and how many more there are."""
    more = len(names) - most
    return joined(list(names)) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def symbol(mark: str) -> str:
    """Return a symbol with a blank on a terminal that can show it, and nothing elsewhere."""
    encoding = (getattr(sys.stdout, "encoding", "") or "").lower()
    return f"{mark} " if sys.stdout.isatty() and encoding.startswith("utf") else ""


def fitted(parts: Iterable[Sequence[str]], most: int = MOST_LINES) -> list[str]:
    """Return parts of a text with blank lines between them, without these if the text would be too long."""
    own = [list(part) for part in parts if part]
    spaced = [line for number_, part in enumerate(own) for line in ([""] if number_ else []) + part]
    return spaced if len(spaced) <= most else [line for part in own for line in part]
