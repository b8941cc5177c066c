"""The matrix: for the measure that most people ask for on the home page, and for each form of a measure on a page of its own."""

from collections.abc import Mapping
from typing import Any

from rankproof.measure_forms import name_of
from rankproof.site.lines import number_line
from rankproof.site.matrix import matrix, shown_form
from rankproof.site.page_sources import Told


def index(told: Told) -> Mapping[str, Any]:
    """The home page: the first matrix, and the disagreements that lead."""
    report = told.report
    leading = report.headlines or report.disagreements[:8]
    headlines = [(d, number_line(report, d.case, d.measure, report.by_question[d.case.id, d.measure])) for d in leading]
    first = next(iter(told.forms), None)
    return {
        **(page(told, first) if first else {"matrix": None}),
        "report": report,
        "headlines": headlines,
        "questions": len(report.by_question),
        "divided": len(report.disagreements),
        "libraries": len({variant[0] for variant in told.variants}),
    }


def page(told: Told, key: str) -> Mapping[str, Any]:
    """The matrix of one form of a measure."""
    found = matrix(told, key)
    return {
        "matrix": found,
        "base": (shown_form(found.base), told.form_pages[found.base]) if found.base else None,
        "measure": name_of(key),
        "leading": [(form, shown_form(form), told.form_pages[form]) for form in told.leading],
        "all_forms": {key: shown_form(key)},
        "compare": told.compared.get(key, ""),
    }
