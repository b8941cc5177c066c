"""The libraries: all of them, and each by itself."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.asking.subjects import Variant
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.reference_impl.conventions import AXES
from rankproof.site.page_sources import VERDICTS, Choice, Told, choices, of_one_mind


def index(told: Told) -> Mapping[str, Any]:
    """The list of libraries."""
    return {"lines": [_library_line(told, name) for name in told.library_names]}


def _library_line(told: Told, name: str) -> Mapping[str, Any]:
    asked = told.report.results.libraries.get(name, ())
    rows = [row for row in told.report.results.rows if row.library == name]
    means = {told.called[one.subject(variant)]: said for one in asked for variant, said in one.variants.items()}
    variants = list(dict.fromkeys([*means, *(told.variant(row) for row in rows if row.variant)]))
    return {
        "name": name,
        "title": told.sheets[name].sheet.title if name in told.sheets else name,
        "asked": asked,
        "version": ", ".join(dict.fromkeys(one.version for one in asked if one.version)),
        "why_not": next((one.why_not for one in asked if one.why_not), ""),
        "notes": list(dict.fromkeys(text for one in asked for text in one.notes.values())),
        "variants": [(variant[1], means.get(variant, ""), _tally(told.counts[variant])) for variant in variants],
    }


@dataclass(frozen=True, slots=True)
class Tally:
    """How often which verdict; and the parts of a bar, in percent: (kind, from, width)."""

    counts: Mapping[str, int]
    parts: tuple[tuple[str, float, float], ...]
    answered: int


def _tally(counts: Mapping[str, int]) -> Tally:
    kinds = [kind for kind in VERDICTS if counts.get(kind)]
    total = sum(counts[kind] for kind in kinds)
    parts, start = [], 0.0
    for kind in kinds:
        width = 100 * counts[kind] / total
        parts.append((kind, round(start, 3), round(width, 3)))
        start += width
    return Tally({kind: counts[kind] for kind in kinds}, tuple(parts), total)


def page(told: Told, name: str) -> Mapping[str, Any]:
    """One library: versions, fingerprints in words, exceptions."""
    line = _library_line(told, name)
    exceptions = [(reason, link, pins) for lib, reason, link, pins in told.report.exceptions if lib.name == name]
    return {
        "line": line,
        "sheet": told.sheets[name].sheet if name in told.sheets else None,
        "variants": [
            {
                "name": variant, "means": means, "tally": counted, "shared": (shared := _shared(found)),
                "fingerprints": _grouped(found, shared),
                "divided": _divided(told, (name, variant)),
                "probes": told.probes.get((name, variant), []),
            }
            for variant, means, counted in line["variants"]
            for found in [told.findings.by_variant.get((name, variant), [])]
        ],
        "exceptions": exceptions,
        "known_cases": told.known_cases,
        "AXES": AXES,
    }  # fmt: skip


def _shared(fingerprints: Sequence[Fingerprint]) -> dict[tuple[str, str], AxisFinding]:
    """What differs from `standard` in every group of measures of a variant that the axis can matter to."""
    if len(fingerprints) < 2:  # noqa: PLR2004 - nothing is shared by one
        return {}
    values: dict[str, list[AxisFinding]] = defaultdict(list)
    for fingerprint in fingerprints:
        for finding in fingerprint.axes.values():
            values[finding.axis].append(finding)
    return {
        (axis, found[0].value): next((f for f in found if f.witness), found[0])
        for axis, found in values.items()
        if found[0].value is not None and not found[0].standard and len(found) > 1
        and all(f.value == found[0].value for f in found)
    }  # fmt: skip


def _grouped(
    fingerprints: Sequence[Fingerprint], shared: Mapping[tuple[str, str], AxisFinding]
) -> list[tuple[list[Fingerprint], tuple[AxisFinding, ...]]]:
    """Groups of measures that differ from `standard` alike, with what they differ in beyond what all share."""
    groups: dict[tuple[tuple[str, str | None], ...], list[Fingerprint]] = defaultdict(list)
    for fingerprint in fingerprints:
        own = tuple((f.axis, f.value) for f in fingerprint.differing if (f.axis, f.value) not in shared)
        groups[own].append(fingerprint)
    found = []
    for own, alike in groups.items():
        shown = tuple(_with_witness(alike, axis, value) for axis, value in own)
        found.append((alike, shown))
    return sorted(found, key=lambda pair: (len(pair[1]) == 0, -len(pair[0])))


def _with_witness(fingerprints: Sequence[Fingerprint], axis: str, value: str | None) -> AxisFinding:
    found = [f for one in fingerprints for f in one.axes.values() if (f.axis, f.value) == (axis, value)]
    return next((f for f in found if f.witness), found[0])


def _divided(told: Told, variant: Variant) -> list[tuple[str, list[Choice]]]:
    """The axes on which a variant differs between its own measures."""
    found = []
    for axis, by_variant in told.findings.by_axis.items():
        several = [choice for choice in choices(by_variant.get(variant, ())) if choice.value is not None]
        if not of_one_mind(several):
            found.append((axis, several))
    return found
