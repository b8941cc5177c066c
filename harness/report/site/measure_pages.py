"""Pages of measures: the list, and for each measure its formula, disagreements and the conventions of libraries."""

import inspect
import sys
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from rankproof.explain import lookup
from rankproof.grouping import grouped
from rankproof.inference.equivalent_choices import can_matter
from rankproof.measure_forms import name_of, named, written
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.measures import MEASURES
from rankproof.report.convention_words import clauses_of, label
from rankproof.report.run_report import Disagreement, known_measure
from rankproof.report.site.case_pages import plainness
from rankproof.report.site.matrix import shown_form
from rankproof.report.site.search_index import other_names
from rankproof.report.site.site_data import ALL_MEASURES, SiteData

DISPUTES = 5
"""Maximum number of disagreements on the page of a measure."""
CLAUSES = 6


def list_view(data: SiteData) -> Mapping[str, Any]:
    """Return the data of the list of measures."""
    forms = grouped((name_of(key), (shown_form(key), data.form_pages[key])) for key in sorted(data.forms, key=len))
    libraries = grouped((name_of(fingerprint.key), fingerprint.library) for fingerprint in data.fingerprints)
    lines = {
        name: {
            "name": name,
            "what": lookup.sentence_of(name),
            "other_names": other_names(name),
            "libraries": len({*libraries.get(name, ())}),
            "forms": forms.get(name, []),
        }
        for name in ALL_MEASURES
    }
    return {
        "groups": [
            ("Of a run and qrels", [lines[name] for name in MEASURES]),
            ("Of two labelings of the same items", [lines[name] for name in CLUSTERINGS]),
        ]
    }


def measure_view(data: SiteData, name: str) -> Mapping[str, Any]:
    """Return the data of the page of a measure."""
    keys = [key for key in data.forms if name_of(key) == name]
    return {
        "name": name,
        "written": written(name),
        "what": lookup.sentence_of(name),
        "other_names": other_names(name),
        "parts_of": list(docstring_parts(name)),
        "disputes": _disputes(data, name),
        "forms": [(shown_form(key), data.form_pages[key], list(_computed_by(data, key))) for key in keys],
        "axes": [(axis, label(axis)) for axis in can_matter(named(name))],
    }


def docstring_parts(name: str) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of the docstring of a measure's module, except the first, as (kind, text).

    Kinds are `formula`, `text`, `lines` (indented lines below a text) and `source`.
    """
    text = inspect.cleandoc(sys.modules[lookup.defined(name).formula.__module__].__doc__ or "")
    for number, paragraph in enumerate(text.split("\n\n")[1:]):
        for indented, block in groupby(paragraph.strip("\n").splitlines(), key=lambda line: line.startswith("    ")):
            lines = list(block)
            if indented:
                yield "lines" if number else "formula", inspect.cleandoc("\n" + "\n".join(lines))
                continue
            text = " ".join(lines)
            for head in ("Source: ", "Disputed: ", "Disputed, "):
                text = text.removeprefix(head)
            yield "source" if lines[0].startswith("Source") else "text", text


def _disputes(data: SiteData, name: str) -> list[Disagreement]:
    """Return the most disputed test of each case about a measure, plain cases first."""
    own = [d for d in data.report.disagreements if (m := known_measure(d.measure)) is not None and m.name == name]
    own.sort(key=lambda dispute: plainness(data.cases[dispute.case]))
    return [first for first, *_ in grouped((dispute.case, dispute) for dispute in own).values()][:DISPUTES]


def _computed_by(data: SiteData, key: str) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """Yield groups of variants (library, name) that compute a form in the same way, with their conventions."""
    prints = [fingerprint for fingerprint in data.fingerprints if fingerprint.key == key]
    by_clauses = grouped((tuple(clause for _, clause in clauses_of(p)[:CLAUSES]), p) for p in prints)
    for clauses, own in sorted(by_clauses.items(), key=lambda item: -len(item[1])):
        variants = [data.fingerprinted[fingerprint.subject] for fingerprint in own]
        yield [(variant[0], data.names.get(variant, "/".join(variant))) for variant in variants], "; ".join(clauses)
