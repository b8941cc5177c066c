"""Text layout for terminals of 80 columns: wrapped sentences, labelled rows, lists of names, symbols."""

import sys
from collections.abc import Iterable, Sequence
from textwrap import wrap

COLUMNS = 80
LABEL = 21
"""The width of the label of a row."""
MOST_LINES = 12
MOST_NAMES = 3


def sentence(text: str, indent: int = 0, hanging: int = 2) -> list[str]:
    """Wrap a sentence, with a hanging indent."""
    lines = wrap(text, COLUMNS, initial_indent=" " * indent, subsequent_indent=" " * hanging, break_on_hyphens=False)
    return lines or [""]


def row(label: str, text: str, indent: int = 2, width: int = LABEL + 2) -> list[str]:
    """Return a row: a label, and text from column `width` on. The text begins below a label that is too long."""
    start, margin = " " * indent + label, " " * width
    above = [start] if len(start) >= width else []
    first = margin if above else start.ljust(width)
    lines = wrap(text, COLUMNS, initial_indent=first, subsequent_indent=margin, break_on_hyphens=False)
    return [*above, *(lines or ([] if above else [start]))]


def signature_row(label: str, signature: str) -> list[str]:
    """Return a row with a signature, wrapped after its bars."""
    lines = [f"  {label}".ljust(LABEL + 2)]
    for part in signature.replace("|", "|\n").split("\n"):
        if len(lines[-1]) + len(part) > COLUMNS and lines[-1].strip():
            lines.append(" " * (LABEL + 2))
        lines[-1] += part
    return lines


def joined(items: Sequence[str]) -> str:
    """Join a list with commas and "and".

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def some_names(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return at most three names and the number of the others.

    >>> some_names(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    more = len(names) - most
    return joined(list(names)) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def symbol(mark: str) -> str:
    """Return a symbol and a space on a terminal that supports it, and an empty text elsewhere."""
    encoding = (getattr(sys.stdout, "encoding", "") or "").lower()
    return f"{mark} " if sys.stdout.isatty() and encoding.startswith("utf") else ""


def fitted(parts: Iterable[Sequence[str]], most: int = MOST_LINES) -> list[str]:
    """Join parts of a text with blank lines, leaving out the last blank lines if the text would be too long."""
    own = [list(part) for part in parts if part]
    blanks = max(0, min(len(own) - 1, most - sum(map(len, own))))
    return [line for number, part in enumerate(own) for line in ([""] if 0 < number <= blanks else []) + part]


def chosen(blocks: Sequence[Sequence[str]], room: int, ranks: Sequence[float] = ()) -> list[int]:
    """Return the indices of the blocks of lines that fit, chosen by lowest rank, in input order.

    >>> chosen([["a"], ["b", "c"], ["d"]], 2), chosen([["a"], ["b", "c"], ["d"]], 2, [1, 0, 2])
    ([0, 2], [1])
    """
    places: list[int] = []
    for place in sorted(range(len(blocks)), key=(ranks or range(len(blocks))).__getitem__):
        if len(blocks[place]) <= room:
            places.append(place)
            room -= len(blocks[place])
    return sorted(places)


def aligned(rows: Sequence[Sequence[str]], names: int, gap: str = "   ") -> list[str]:
    """Align cells as lines: the first columns, which hold names, to the left, and the others to the right.

    >>> aligned([["measure", "mean"], ["AP", "0.5000"]], 1)
    ['measure     mean', 'AP        0.5000']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ([*map(str.ljust, row[:names], widths), *map(str.rjust, row[names:], widths[names:])] for row in rows)
    return [gap.join(row).rstrip() for row in cells]
