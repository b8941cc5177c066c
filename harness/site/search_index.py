"""What the search of the site looks through: libraries, measures by all their names, axes by all words for them, cases, facts."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rankproof.grouping import grouped
from rankproof.measure_names import TREC_EVAL, USUAL
from rankproof.reference_impl.conventions import AXES
from rankproof.report import measure_text
from rankproof.report.convention_words import label, synonyms, word
from rankproof.site.matrix import cell_of, shown_form
from rankproof.site.page_sources import Told
from rankproof.site.page_text import axis_page, case_page, library_page, measure_page


def written(told: Told) -> str:
    """The index as a script that a page loads when somebody looks for something."""
    return f"window.rankproofIndex = {json.dumps(index(told), ensure_ascii=True, separators=(',', ':'))};\n"


def index(told: Told) -> dict[str, Any]:
    """All that can be found."""
    return {
        "libraries": [_library(told, name) for name in told.library_names],
        "forms": {key: [shown_form(key), told.form_pages[key]] for key in told.forms},
        "measures": [[one, measure_text.what(one), measure_page(one), names_elsewhere(one)] for one in told.measures],
        "axes": {axis: _axis(axis) for axis in AXES},
        "cases": [[case.id, case.question, case_page(case.id), " ".join(case.tags)] for case in told.report.cases],
        "facts": {key: dict(_facts(told, key)) for key in told.leading},
        "history": sorted(told.history),
        "compare": dict(told.compared),
    }


def names_elsewhere(name: str) -> list[str]:
    """What a measure is called by other tools, each name once.

    >>> names_elsewhere("RR")
    ['MRR', 'reciprocal_rank', 'recip_rank']
    """
    plain = ((called, meant.ours.partition("(")[0]) for called, meant in TREC_EVAL.items() if not meant.changes)
    theirs = [called for called, ours in plain if ours == name]
    found = [*measure_text.others(name), *(called for called, meant in USUAL.items() if meant == name), *theirs]
    by_letters = grouped((called.casefold(), called) for called in found)
    return [first for letters, (first, *_) in by_letters.items() if letters != name.casefold()]


def _library(told: Told, name: str) -> list[str]:
    version = next((told.version(one) for one in told.ways(name)), "")
    return [name, told.title(name), version, library_page(name), told.sentence(name)]


def _axis(axis: str) -> dict[str, object]:
    known, also = AXES[axis], synonyms()
    values = {
        value: [word(axis, value), known.meaning(value), also.get(f"{axis}={value}", "")] for value in known.values
    }
    return {
        "label": label(axis),
        "asks": known.question,
        "page": axis_page(axis),
        "also": also.get(axis, ""),
        "values": values,
    }


def _facts(told: Told, key: str) -> Iterator[tuple[str, Mapping[str, list[str]]]]:
    """By library what it does in a form: by axis what that is called, and the values that the answers leave."""
    for (library, _), one in told.of_form(key):
        cells = {axis: cell_of(one, axis) for axis in one.axes}
        yield library, {axis: [cell.shown, *cell.values] for axis, cell in cells.items()}
