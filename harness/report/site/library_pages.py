"""Pages of libraries: the list, and for each library its conventions, history, probe findings and known exceptions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge.verdicts import MARKS
from rankproof.report.convention_words import clauses_of
from rankproof.report.site.matrix import shown_form
from rankproof.report.site.site_data import SiteData
from rankproof.text import short_pair
from rankproof.workers.subjects import Variant, variants_of


def list_view(data: SiteData) -> Mapping[str, Any]:
    """Return the data of the list of libraries."""
    return {"lines": [_summary(data, name) for name in data.library_names]}


def library_view(data: SiteData, name: str) -> Mapping[str, Any]:
    """Return the data of the page of a library."""
    summary = _summary(data, name)
    sheet = data.sheets[name].sheet if name in data.sheets else None
    exceptions = grouped((pin.known, pin) for pin in (sheet.pins if sheet else {}).values())
    return {
        **summary,
        "past": data.history.get(name),
        "comparable": any(library == name for key in data.leading for (library, _), _ in data.main_prints(key)),
        "sheet": sheet,
        "details": [
            {
                "name": variant[1],
                "means": means,
                "tally": [(mark, count) for mark in MARKS if (count := data.tally(variant)[mark])],
                "rows": _rows(data, data.prints_of.get(variant, ())),
                "probes": list(_probes(data, variant)),
            }
            for variant, means in summary["variants"]
        ],
        "exceptions": sorted(exceptions.items(), key=lambda entry: (entry[0].reason, entry[0].link)),
    }


def _summary(data: SiteData, name: str) -> dict[str, Any]:
    """Return the data of a library for both the list and its page."""
    runs = data.report.results.libraries.get(name, ())
    variant_of = data.report.results.variants
    means = {variant_of[run.subject(variant)]: text for run in runs for variant, text in run.variants.items()}
    others = [
        variant
        for variant in [*data.variants.get(name, ()), *data.rows_of_variant]
        if variant[0] == name and variant[1]
    ]
    return {
        "name": name,
        "title": data.title(name),
        "runs": runs,
        "version": ", ".join(dict.fromkeys(run.version for run in runs if run.version)),
        "why_not": next((run.why_not for run in runs if run.why_not), ""),
        "sentence": data.summary(name),
        "notes": list(dict.fromkeys(text for run in runs for text in run.notes.values())),
        "variants": [(variant, means.get(variant, "")) for variant in dict.fromkeys([*means, *others])],
    }


def _rows(data: SiteData, fingerprints: Sequence[Fingerprint]) -> list[Mapping[str, Any]]:
    """Return a row for each set of conventions with the forms that follow it, the most common form first."""
    order = {key: at for at, key in enumerate(data.forms)}
    in_order = sorted(fingerprints, key=lambda fingerprint: order[fingerprint.key])
    alike = grouped((tuple(clause for _, clause in clauses_of(fingerprint)), fingerprint) for fingerprint in in_order)
    return [
        {
            "forms": [(shown_form(fingerprint.key), data.form_pages[fingerprint.key]) for fingerprint in own],
            "clauses": clauses,
            "signatures": [(fingerprint.signature, fingerprint.undecided) for fingerprint in own],
        }
        for clauses, own in alike.items()
    ]


def _probes(data: SiteData, variant: Variant) -> Iterator[Mapping[str, Any]]:
    """Yield the probe findings on a variant, each with its smallest input."""
    variant_of = variants_of(data.probes)
    own = [
        finding for subject, findings in data.probes.items() if variant_of[subject] == variant for finding in findings
    ]
    for (kind, text), findings in grouped(((finding.kind, finding.says), finding) for finding in own).items():
        smallest = min(findings, key=lambda finding: finding.input.size)
        yield {
            "kind": str(kind),
            "text": text,
            "measures": list(dict.fromkeys(finding.measure for finding in findings)),
            "results": list(zip(smallest.asked, short_pair(*smallest.answers), strict=True)),
            "input": json.dumps(smallest.input.as_json()),
        }
