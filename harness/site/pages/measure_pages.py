"""The measures: all of them, and each by itself: its formula, a ranking drawn, what is disputed, who computes what."""

import inspect
import sys
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from rankproof.grouping import grouped
from rankproof.inference.equivalent_choices import can_matter
from rankproof.measure_forms import name_of, named, written
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.measures import MEASURES
from rankproof.report import measure_text
from rankproof.report.convention_words import label
from rankproof.report.library_sentence import told as clauses_of
from rankproof.report.run_report import Disagreement, known_measure
from rankproof.site.drawn_example import example
from rankproof.site.matrix import shown_form
from rankproof.site.page_sources import Told
from rankproof.site.search_index import names_elsewhere

SHOWN = 5
"""So many of the disagreements about a measure are told on its page."""
SMALL = 14
"""A case with more judgments and rows than this is read by few."""


def index(told: Told) -> Mapping[str, Any]:
    """The list of measures, with the forms of each that were asked."""
    by_name = grouped((name_of(key), key) for key in told.forms)
    libraries = grouped((name_of(one.key), one.library) for one in told.findings.fingerprints)
    lines = [
        {
            "name": name,
            "what": measure_text.what(name),
            "elsewhere": names_elsewhere(name),
            "count": len({*libraries.get(name, ())}),
            "forms": [(shown_form(key), told.form_pages[key]) for key in sorted(by_name.get(name, ()), key=len)],
        }
        for name in told.measures
    ]
    return {
        "of_runs": [line for line in lines if line["name"] in MEASURES],
        "of_labels": [line for line in lines if line["name"] in CLUSTERINGS],
    }


def page(told: Told, name: str) -> Mapping[str, Any]:
    """One measure."""
    keys = [key for key in told.forms if name_of(key) == name]
    return {
        "name": name,
        "written": written(name),
        "what": measure_text.what(name),
        "said": list(parts(name)),
        "elsewhere": names_elsewhere(name),
        "example": example(name),
        "disputes": _disputes(told, name),
        "whys": any(kind.startswith("disputed") for kind, _ in parts(name)),
        "forms": [(key, shown_form(key), told.form_pages[key], list(_who(told, key))) for key in keys],
        "axes": [(axis, label(axis)) for axis in can_matter(named(name))],
        "compared": [(shown_form(key), place) for key, place in told.compared.items() if name_of(key) == name],
    }


def parts(name: str) -> Iterator[tuple[str, str]]:
    """What the module of a measure says of it, in order, as (kind, text): formula, disputed, disputed lines, text, source."""
    text = inspect.cleandoc(sys.modules[measure_text.defined(name).formula.__module__].__doc__ or "")
    paragraphs = [
        list(lines) for blank, lines in groupby(text.splitlines(), key=lambda line: not line.strip()) if not blank
    ]
    for lines in paragraphs[1:]:
        first = lines[0]
        if all(line.startswith("    ") for line in lines):
            yield "formula", inspect.cleandoc("\n" + "\n".join(lines))
        elif first.startswith("Source"):
            yield "source", " ".join(line.strip() for line in lines).removeprefix("Source: ")
        elif first.startswith("Disputed"):
            yield from _disputed("\n".join(lines).removeprefix("Disputed: ").removeprefix("Disputed, "))
        else:
            yield "text", " ".join(line.strip() for line in lines)


def _disputed(text: str) -> Iterator[tuple[str, str]]:
    """What is disputed: prose as paragraphs, and what is indented line by line."""
    for indented, lines in groupby(text.splitlines(), key=lambda line: line.startswith("    ")):
        own = list(lines)
        yield ("disputed lines", inspect.cleandoc("\n" + "\n".join(own))) if indented else ("disputed", " ".join(own))


def _disputes(told: Told, name: str) -> list[Disagreement]:
    """The questions about a measure that divide libraries most, the shortest of the input first among equals."""
    own = [one for one in told.report.disagreements if _name(one.measure) == name]
    own.sort(
        key=lambda one: (one.case.input.size > SMALL, -len(one.sayings), -one.spread, one.case.input.size, one.case.id)
    )
    by_case = grouped((one.case.id, one) for one in own)
    return [first for first, *_ in by_case.values()][:SHOWN]


def _name(measure: str) -> str:
    known = known_measure(measure)
    return measure if known is None else known.name


def _who(told: Told, key: str) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """Who computes a form, those together that are told by the same clauses: (library, what it is called), and the clauses."""
    computing = (one for one in told.findings.fingerprints if one.key == key)
    groups = grouped((tuple(text for _, text in clauses_of(one)[:6]), one) for one in computing)
    for said, found in sorted(groups.items(), key=lambda item: -len(item[1])):
        yield [(one.library, told.called_as(one)) for one in found], "; ".join(said)
