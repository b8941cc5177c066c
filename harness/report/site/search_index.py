"""Search index of the website: libraries, measures with all names, axes with descriptions, cases and documents."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankproof.explain import lookup
from rankproof.grouping import grouped
from rankproof.measure_names import AMBIGUOUS, NOT_COVERED, NOT_MEASURED, TREC_EVAL, USUAL, called, why_unknown
from rankproof.reference_impl.conventions import AXES
from rankproof.report.convention_words import label, word
from rankproof.report.site.documentation import Document
from rankproof.report.site.matrix import cells_of, shown_form
from rankproof.report.site.rendering import axis_page, case_page, library_page, measure_page
from rankproof.report.site.site_data import ALL_MEASURES, SiteData

ABOUT = {
    "install": "How to install rankproof (pip)",
    "source": "Source code (GitHub) and licence",
    "cite": "How to cite rankproof (BibTeX)",
    "observed": "When and on what data the libraries were observed",
    "proof": "How values are proved",
    "wrong": "How to report a wrong claim or a bug",
}
"""Anchor -> heading of the sections of the page about rankproof."""


def search_index(data: SiteData, documents: Iterable[Document]) -> dict[str, Any]:
    """Return the search index for the script of the pages."""
    return {
        "libraries": [[name, data.title(name), library_page(name), data.summary(name)] for name in data.library_names],
        "forms": {key: [shown_form(key), data.form_pages[key]] for key in data.forms},
        "measures": [[name, lookup.sentence_of(name), measure_page(name), other_names(name)] for name in ALL_MEASURES],
        "names": {name: [kind, text, page] for name, kind, text, page in _names()},
        "axes": {axis: _axis(axis) for axis in AXES},
        "cases": [[case.id, case.question, case_page(case.id), " ".join(case.tags)] for case in data.report.cases],
        "facts": {key: _facts(data, key) for key in data.leading},
        "history": sorted(data.history),
        "documents": [
            [document.title, heading, f"{document.page}#{anchor}" if anchor else document.page, text]
            for document in documents
            for heading, anchor, text in document.sections
        ]
        + [["About", heading, f"about.html#{anchor}", ""] for anchor, heading in ABOUT.items()],
    }


def _names() -> Iterator[tuple[str, str, str, str]]:
    """Yield names that are not those of a measure: the name, a kind, what the command line says about it, and a page."""
    for name in (*NOT_COVERED, *NOT_MEASURED, *AMBIGUOUS):
        yield name, "not covered", why_unknown(name).partition(". `")[0], "measures.html"
    for name in ("gmap", "acc@1", "accuracy@1", *(name for name, meant in TREC_EVAL.items() if meant.changes)):
        first = called(name)[0]
        changes = f" with {first.changes}" if first.changes else ""
        yield name, "measure", f"{name} is {first.measure}{changes}", measure_page(first.measure.name)


def other_names(name: str) -> list[str]:
    """Return the names of a measure in other tools, without duplicates.

    >>> other_names("RR")
    ['MRR', 'reciprocal_rank', 'recip_rank', 'mean_reciprocal_rank']
    """
    in_trec_eval = ((called, meant.ours.partition("(")[0]) for called, meant in TREC_EVAL.items() if not meant.changes)
    theirs = [called for called, ours in in_trec_eval if ours == name]
    names = [*lookup.aliases_of(name), *(called for called, meant in USUAL.items() if meant == name), *theirs]
    by_letters = grouped((called.casefold(), called) for called in names)
    return [first for letters, (first, *_) in by_letters.items() if letters != name.casefold()]


def _axis(axis: str) -> dict[str, object]:
    known, also = AXES[axis], lookup.synonyms()
    values = {v: [word(axis, v), known.meaning(v), also.get(f"{axis}={v}", "")] for v in known.values}
    return {
        "label": label(axis),
        "asks": known.question,
        "page": axis_page(axis),
        "also": also.get(axis, ""),
        "values": values,
    }


def _facts(data: SiteData, key: str) -> Mapping[str, Mapping[str, list[Any]]]:
    """Return, for each library and axis, the convention in words, its case, and the values that explain the results."""
    return {
        library: {
            axis: [" or ".join(cell.words[:2]), cell.witness, *cell.choices]
            for axis, cell in cells_of(fingerprint).items()
        }
        for (library, _), fingerprint in data.main_prints(key)
    }
