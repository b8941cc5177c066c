"""Matrix of a form of a measure: libraries by conventions, with a link from each cell to the case that proves it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.measure_forms import measure_of, name_of
from rankproof.reference_impl.conventions import AXES
from rankproof.report.convention_words import (
    COMMON_AXES,
    common_first,
    different_choices,
    known_by,
    label,
    standard_first,
    word,
)
from rankproof.report.site.number_lines import number_line
from rankproof.report.site.site_data import LEADING_LIBRARIES, SiteData

STAGES = {
    "order": "Order: from rows to a ranking",
    "judge": "Judge: from a ranking to judged documents",
    "measure": "Measure: the formula",
    "aggregate": "Aggregate: from queries to one number",
}
"""Stage of an axis -> its heading in lists and tables."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The convention of a variant on an axis.

    Attributes:
        choices: the values that explain the results, with the value of `standard` first; empty if undetermined.
        words: the choices in words.
        open: the remaining values in words, if undetermined.
        why: why the axis is undetermined.
        witness: the case that excludes other values.
        standard: whether the choices include the value of `standard`.
        matters: whether the axis can matter next to the other conventions of the variant.
    """

    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    why: str = ""
    witness: str = ""
    standard: bool = True
    matters: bool = True


def shown_form(key: str) -> str:
    """Return a form with the usual cutoff.

    >>> shown_form("nDCG@k"), shown_form("AP")
    ('nDCG@10', 'AP')
    """
    return str(measure_of(key))


def cells_of(fingerprint: Fingerprint) -> dict[str, Cell]:
    """Return the cells of a fingerprint by axis, common axes first."""
    return {axis: _cell(fingerprint, axis) for axis in common_first(fingerprint.axes) if axis in AXES}


def _cell(fingerprint: Fingerprint, axis: str) -> Cell:
    finding, known = fingerprint.axes[axis], known_by(fingerprint)
    choices = standard_first(finding)
    words = tuple(
        dict.fromkeys(word(axis, value, known) for value in different_choices(fingerprint, axis) or finding.open)
    )
    if not choices:
        return Cell(open=words, why=finding.why)
    return Cell(choices, words, witness=finding.witness, standard=AXES[axis].default in choices)


def form_view(data: SiteData, key: str) -> Mapping[str, Any]:
    """Return the data of the matrix of a form, with the most used variant of each library that computes it."""
    first = {library: at for at, library in enumerate(LEADING_LIBRARIES)}
    by_title = sorted(data.main_prints(key), key=lambda column: data.title(column[0][0]).casefold())
    columns = sorted(by_title, key=lambda column: first.get(column[0][0], len(first)))
    cells = [cells_of(fingerprint) for _, fingerprint in columns]
    none = Cell(matters=False)
    rows = ((axis, label(axis), [own.get(axis, none) for own in cells]) for axis in common_first(AXES))
    return {
        "form": shown_form(key),
        "measure": name_of(key),
        "columns": [
            (library, data.title(library), name if len(data.variants[library]) > 1 else "", fingerprint.subject.version)
            for (library, name), fingerprint in columns
        ],
        "rows": [row for row in rows if row[2] != [none] * len(cells)],
        "common": COMMON_AXES,
        "shown": len(LEADING_LIBRARIES),
        "picked": [(form, shown_form(form), data.form_pages[form], form == key) for form in data.leading],
    }


def home_view(data: SiteData) -> Mapping[str, Any]:
    """Return the data of the home page: the first matrix and the first disagreements."""
    report, cases = data.report, data.cases
    cards = [
        (d, number_line(report, cases[d.case], d.measure, report.by_question[d.case, d.measure]))
        for d in report.leading
    ]
    matrix = form_view(data, data.forms[0]) if data.forms else {"rows": [], "columns": []}
    return {
        **matrix,
        "cards": cards,
        "questions": len(report.by_question),
        "divided": len(report.disagreements),
        "cases": len(report.cases),
        "libraries": len({fingerprint.library for fingerprint in data.fingerprints}),
    }
