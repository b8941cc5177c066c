"""The matrix of a measure as an SVG picture, for light or dark pages."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankproof.reference_impl.conventions import AXES
from rankproof.report.choice_matrix import HEADS, LibraryChoice, LibraryRow, Matrix

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).resolve().parent / "templates"
MOST_AXES = 9
"""Columns of the picture; tables show more."""
LONGEST = 13
"""Characters of a cell."""


class Colours(NamedTuple):
    """The colours of a page, of its text and lines, and of the cells."""

    page: str
    text: str
    quiet: str
    line: str
    standard: str
    other: str
    ink: str


LIGHT = Colours("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#f6f8fa", "#ffe3b3", "#5a3600")
DARK = Colours("#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#151b23", "#5c3d0a", "#ffdf9e")


def svg(matrix: Matrix, version: str, *, dark: bool = False) -> str:
    """Return the picture of a matrix; each cell has a word, and a title with the meaning and the case that proves it.

    Args:
        matrix: the matrix.
        version: the version of rankproof whose published run proved it.
        dark: use the colours of a dark page.
    """
    return _template().render(
        matrix=matrix,
        axes=[(HEADS.get(axis, axis), axis, AXES[axis].question) for axis in matrix.axes[:MOST_AXES]],
        rows=[(_label(row), _title(row), [_cell(choice) for choice in row.choices[:MOST_AXES]]) for row in matrix.rows],
        version=version,
        colours=DARK if dark else LIGHT,
    )


@cache
def _template() -> "jinja2.Template":
    import jinja2  # noqa: PLC0415 - only a picture needs it

    loader = jinja2.FileSystemLoader(TEMPLATES)
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True).get_template("matrix.svg.j2")


def _label(row: LibraryRow) -> str:
    return row.library if len(row.ways) > 1 or row.ways[0] in {"", "default"} else f"{row.library}/{row.ways[0]}"


def _title(row: LibraryRow) -> str:
    ways = ", ".join(way for way in row.ways if way)
    return f"{row.library} {row.version}: {ways}" if ways else f"{row.library} {row.version}"


def _cell(choice: LibraryChoice) -> tuple[str, str, str]:
    """Return the word of a cell, its title, and its kind: `none`, `standard` or `other`."""
    if not choice.matters:
        return "·", "cannot change a value here", "none"
    if not choice.determined:
        return "?", f"undetermined: {', '.join(choice.values)}", "none"
    value = choice.values[0]
    proof = f"; proved by {choice.witness}" if choice.witness else ""
    word = value if len(value) <= LONGEST + 1 else f"{value[:LONGEST]}…"
    title = f"{choice.axis}={value}: {AXES[choice.axis].meaning(value)}{proof}"
    return word, title, "standard" if choice.standard else "other"
