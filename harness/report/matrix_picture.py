"""The matrix of one measure as a picture: SVG that needs nothing but itself, for light or dark pages.

No cell is told by its colour alone: each has its word, and a title with the meaning and the case that proves it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from rankproof.reference_impl.conventions import AXES
from rankproof.report.choice_matrix import HEADS, LibraryChoice, LibraryRow, Matrix

MOST_AXES = 9
"""How many columns are drawn: what has more is read in tables."""
WIDE, LABEL, HIGH, TOP, MARGIN = 92, 196, 24, 76, 12
LONGEST = 13
"""How many characters a cell has room for."""
WORDS = {
    "absent-as-0": "absent, as 0",
    "nan-as-0": "nan, as 0",
    "nan-dropped": "nan, left out",
    "expectation": "averaged",
    "unspecified": "no order",
    "dropped": "left out",
    "docid-desc": "docid desc.",
    "docid-asc": "docid asc.",
}
"""How long or strange values are said in a cell; all others as they are."""


@dataclass(frozen=True, slots=True)
class Colours:
    """What a page has behind and before it."""

    page: str
    text: str
    quiet: str
    line: str
    standard: str
    other: str
    other_text: str


LIGHT = Colours("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#f6f8fa", "#ffe3b3", "#5a3600")
DARK = Colours("#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#151b23", "#5c3d0a", "#ffdf9e")


def svg(found: Matrix, version: str, *, dark: bool = False) -> str:
    """The picture of a matrix.

    Args:
        found: what is drawn.
        version: of rankproof, by whose published run the choices were proved.
        dark: for a dark page.
    """
    colours = DARK if dark else LIGHT
    axes = found.axes[:MOST_AXES]
    width, height = LABEL + WIDE * len(axes) + MARGIN, TOP + HIGH * len(found.rows) + 34
    title = f"{found.measure}: which library makes which choice"
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
            'aria-labelledby="title" font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">'
        ),
        f'<title id="title">{escape(title)}</title>',
        f'<rect width="{width}" height="{height}" fill="{colours.page}"/>',
        _text(MARGIN, 24, title, colours.text, size=16, bold=True),
        *_heads(axes, colours),
    ]
    for i, row in enumerate(found.rows):
        lines += _drawn(row, TOP + HIGH * i, len(axes), colours)
    lines += _legend(TOP + HIGH * len(found.rows) + 22, version, colours)
    return "\n".join([*lines, "</svg>\n"])


def _heads(axes: tuple[str, ...], colours: Colours) -> Iterator[str]:
    yield _text(MARGIN, TOP - 12, "library", colours.quiet)
    for i, axis in enumerate(axes):
        middle = LABEL + WIDE * i + WIDE // 2
        head = _text(middle, TOP - 26, HEADS.get(axis, axis), colours.text, middle=True, bold=True)
        yield f"<g><title>{escape(AXES[axis].question)}</title>{head}{_text(middle, TOP - 12, axis, colours.quiet, middle=True)}</g>"


def _drawn(row: LibraryRow, y: int, count: int, colours: Colours) -> Iterator[str]:
    right = LABEL + WIDE * count
    yield f'<path d="M{MARGIN} {y}H{right}" stroke="{colours.line}"/>'
    name, ways = f"{row.library} {row.version}", ", ".join(way for way in row.ways if way)
    label = row.library if len(row.ways) > 1 or row.ways[0] in {"", "default"} else f"{row.library}/{row.ways[0]}"
    yield f"<g><title>{escape(f'{name}: {ways}' if ways else name)}</title>{_text(MARGIN, y + 16, label, colours.text, size=13)}</g>"
    for i, choice in enumerate(row.choices[:count]):
        yield _cell(choice, LABEL + WIDE * i, y, colours)


def _cell(choice: LibraryChoice, x: int, y: int, colours: Colours) -> str:
    if not choice.matters:
        shown, fill, ink, told = "·", colours.page, colours.quiet, "it cannot matter here"
    elif not choice.determined:
        shown, fill, ink, told = "?", colours.page, colours.quiet, f"no answer decides: {', '.join(choice.values)}"
    else:
        value = choice.values[0]
        shown = WORDS.get(value, value)
        fill, ink = (colours.standard, colours.quiet) if choice.standard else (colours.other, colours.other_text)
        by = f"; proved by {choice.witness}" if choice.witness else ""
        told = f"{choice.axis}={value}: {AXES[choice.axis].meaning(value)}{by}"
    shown = shown if len(shown) <= LONGEST + 1 else f"{shown[:LONGEST]}…"
    box = f'<rect x="{x + 2}" y="{y + 2}" width="{WIDE - 4}" height="{HIGH - 4}" rx="3" fill="{fill}"/>'
    return f"<g><title>{escape(told)}</title>{box}{_text(x + WIDE // 2, y + 16, shown, ink, middle=True)}</g>"


def _legend(y: int, version: str, colours: Colours) -> Iterator[str]:
    yield f'<rect x="{MARGIN}" y="{y - 11}" width="14" height="14" rx="3" fill="{colours.other}"/>'
    said = f"not as in the profile standard    ? no answer decides    · cannot matter there    published run, rankproof {version}"
    yield _text(MARGIN + 20, y, said, colours.quiet)


def _text(x: int, y: int, said: str, ink: str, *, size: int = 12, bold: bool = False, middle: bool = False) -> str:
    more = (' font-weight="600"' if bold else "") + (' text-anchor="middle"' if middle else "")
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{ink}"{more} xml:space="preserve">{escape(said)}</text>'
