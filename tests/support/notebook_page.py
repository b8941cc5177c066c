"""The page on the notebooks that rankproof began with: every printed value, and how to compute it again.

`python tests/support/notebook_page.py` writes `reports/notebooks.md` from `tests/notebooks/cells.toml`;
`test_notebooks.py` runs every row.
"""

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import rankproof
from rankproof.files import publish
from rankproof.reference_impl.examples import ranked
from rankproof.reference_impl.measures.cumulated_gain import discounted_cumulated_gain
from rankproof.report.run_report import markdown_safe

HERE = Path(__file__).resolve().parent.parent
CELLS = HERE / "notebooks" / "cells.toml"
PAGE = HERE.parent / "reports" / "notebooks.md"
LAST_DIGIT = 1e-15
"""Tolerance for the last digits of a float that was computed in other steps."""
HEAD = """# The documents that rankproof grew from

Written by `python tests/support/notebook_page.py`; do not edit. Four notebooks and a page of a manual met by hand what rankproof is about.
Here is every value that they print, and the call that gives it again; the tests run each of these rows. What a *library* printed is
asked of the library itself, by `rankproof cases repro`. Of {all} values {had} are had again; {cannot} cannot be, for the reason given.
"""


@dataclass(frozen=True)
class Value:
    """A printed value of a cell; one of `how`, `repro`, `test` and `cannot` has the way to compute it again."""

    what: str
    printed: str
    how: str = ""
    repro: Sequence[str] = ()
    test: str = ""
    cannot: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: its input as Python, and its output."""

    document: str
    cell: str
    prints: tuple[Value, ...]
    given: str = ""
    decimals: int | None = None

    def names(self) -> dict[str, Any]:
        """Return the names that expressions of the cell may use."""
        names = {
            "rankproof": rankproof,
            "ranked": ranked,
            "pairwise": pairwise,
            "discounted_cumulated_gain": discounted_cumulated_gain,
        }
        exec(self.given, names)  # noqa: S102 - the cells are our own
        return names


def cells() -> tuple[Mapping[str, str], list[Cell]]:
    """Return the titles of the notebooks, and their cells in order."""
    read = tomllib.loads(CELLS.read_text(encoding="utf-8"))
    found = [Cell(**{**cell, "prints": tuple(Value(**value) for value in cell["prints"])}) for cell in read["cell"]]
    return read["documents"], found


def is_printed(value: object, printed: str, decimals: int | None = None) -> bool:
    """Return whether a value, or each of several values, equals the printed text: in full, or to so many decimals."""
    found = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    texts = printed.split()
    return len(found) == len(texts) and all(_is(one, text, decimals) for one, text in zip(found, texts, strict=True))


def _is(value: Any, text: str, decimals: int | None) -> bool:
    if isinstance(value, str):
        return value == text
    if decimals is not None:
        return f"{value:.{decimals}f}" == f"{float(text):.{decimals}f}"
    return math.isclose(value, float(text), rel_tol=LAST_DIGIT)


def page() -> str:
    """Return the page as Markdown."""
    documents, found = cells()
    values = [value for cell in found for value in cell.prints]
    cannot = sum(bool(value.cannot) for value in values)
    lines = [HEAD.format(all=len(values), had=len(values) - cannot, cannot=cannot)]
    for name, title in documents.items():
        lines += _section(title, [cell for cell in found if cell.document == name])
    return "\n".join(lines)


def _section(title: str, found: Sequence[Cell]) -> Iterator[str]:
    yield f"## {title[0].upper()}{title[1:]}\n"
    yield "| cell | value | printed | how it is had again |"
    yield "|---|---|---|---|"
    for cell in found:
        for value in cell.prints:
            cells_ = (cell.cell, markdown_safe(value.what), f"`{value.printed}`", _how(value))
            yield f"| {' | '.join(cells_)} |"
    yield "\n<details><summary>What the cells are given</summary>\n"
    for cell in found:
        if cell.given:
            yield f"Cell {cell.cell}:\n\n```python\n{cell.given.strip()}\n```\n"
    yield "</details>\n"


def _how(value: Value) -> str:
    if value.cannot:
        return f"it cannot be: {markdown_safe(value.cannot)}"
    if value.test:
        return f"the test `{value.test}`"
    if value.repro:
        library, _, case, measure = value.repro
        return f'`rankproof cases repro {case} {library} "{measure}"`'
    return f"`{value.how}`"


if __name__ == "__main__":
    publish(PAGE, page())
    print(f"{PAGE.relative_to(HERE.parent)} written")
