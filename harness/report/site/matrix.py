"""The matrix of one form of a measure: libraries by conventions, with a link from each cell to the case that proves it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.measure_forms import measure_of, name_of
from rankproof.reference_impl.conventions import AXES
from rankproof.report.convention_words import label, rows, word
from rankproof.report.library_sentence import known_by, standard_first
from rankproof.report.site.number_lines import number_line
from rankproof.report.site.site_data import SiteData

HEADLINES = 8
"""So many disagreements are on the home page, if no case is tagged as a headline."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The convention of a variant on an axis.

    Attributes:
        choices: the values that explain its results, that of `standard` first; empty if undetermined.
        words: the same in words.
        open: the remaining values in words, if it is undetermined.
        why: the reason for that.
        witness: the case that excludes other values.
        standard: whether one of the values is that of `standard`.
        matters: whether the axis can matter next to the other conventions of the variant.
    """

    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    why: str = ""
    witness: str = ""
    standard: bool = True
    matters: bool = True

    @property
    def text(self) -> str:
        """All values in words."""
        return " or ".join(self.words) if self.matters else "does not matter"


@dataclass(frozen=True, slots=True)
class AxisRow:
    """The cells of one axis."""

    axis: str
    label: str
    cells: tuple[Cell, ...]


def shown_form(key: str) -> str:
    """Return a form as people write it, with the usual cutoff.

    >>> shown_form("nDCG@k"), shown_form("AP")
    ('nDCG@10', 'AP')
    """
    return str(measure_of(key))


def cells_of(fingerprint: Fingerprint) -> dict[str, Cell]:
    """Return the cells of a fingerprint by axis, in the order of the rows of the matrix."""
    return {axis: _cell(fingerprint, axis) for axis in rows() if axis in fingerprint.axes}


def _cell(fingerprint: Fingerprint, axis: str) -> Cell:
    finding, known = fingerprint.axes[axis], known_by(fingerprint)
    choices = standard_first(finding)
    words = tuple(dict.fromkeys(word(axis, value, known) for value in choices))
    if not choices:
        return Cell(open=tuple(word(axis, value, known) for value in finding.open), why=finding.why)
    return Cell(choices, words, witness=finding.witness, standard=AXES[axis].default in choices)


def form_view(data: SiteData, key: str) -> Mapping[str, Any]:
    """Return what the page of the matrix of a form shows: the most used variant of each library that computes it."""
    columns = sorted(data.main_prints(key), key=lambda column: data.title(column[0][0]).casefold())
    cells = [cells_of(fingerprint) for _, fingerprint in columns]
    by_group: dict[str, list[AxisRow]] = {}
    for axis, group in rows().items():
        row = AxisRow(axis, label(axis), tuple(own.get(axis, Cell(matters=False)) for own in cells))
        if any(cell.matters for cell in row.cells):
            by_group.setdefault(group, []).append(row)
    return {
        "form": shown_form(key),
        "measure": name_of(key),
        "columns": [
            (library, data.title(library), name if len(data.variants[library]) > 1 else "", fingerprint.subject.version)
            for (library, name), fingerprint in columns
        ],
        "groups": list(by_group.items()),
        "picked": [(form, shown_form(form), data.form_pages[form], form == key) for form in data.leading],
    }


def home_view(data: SiteData) -> Mapping[str, Any]:
    """Return what the home page shows: the first matrix, and the leading disagreements."""
    report = data.report
    leading = report.headlines or report.disagreements[:HEADLINES]
    cards = [(d, number_line(report, d.case, d.measure, report.by_question[d.case.id, d.measure])) for d in leading]
    matrix = form_view(data, data.forms[0]) if data.forms else {"groups": [], "columns": []}
    return {
        **matrix,
        "cards": cards,
        "questions": len(report.by_question),
        "divided": len(report.disagreements),
        "cases": len(report.cases),
        "libraries": len({fingerprint.library for fingerprint in data.fingerprints}),
    }
