"""The libraries: all of them, and each by itself."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.judging.verdicts import Row
from rankproof.reference_impl.conventions import AXES
from rankproof.site.axis_knowledge import Finding, Fingerprint
from rankproof.site.page_sources import VERDICTS, Choice, Told, Variant, choices


def index(told: Told) -> Mapping[str, Any]:
    """The list of libraries."""
    return {"lines": [_library_line(told, name) for name in told.library_names]}


def _library_line(told: Told, name: str) -> Mapping[str, Any]:
    described = told.report.results.header["libraries"].get(name, {})
    rows = [row for row in told.report.results.rows if row.library == name]
    variants = list(dict.fromkeys([*described.get("variants", {}), *(row.variant for row in rows if row.variant)]))
    return {
        "name": name,
        "title": told.sheets[name].sheet.title if name in told.sheets else name,
        "described": described,
        "variants": [(v, described.get("variants", {}).get(v, ""), tally(told, rows, v)) for v in variants],
    }


@dataclass(frozen=True, slots=True)
class Tally:
    """How often which verdict; and the parts of a bar, in percent: (kind, from, width)."""

    counts: Mapping[str, int]
    parts: tuple[tuple[str, float, float], ...]
    answered: int


def tally(told: Told, rows: Iterable[Row], variant: str) -> Tally:
    """The verdicts of a variant."""
    counts = Counter(told.kind(row) for row in rows if row.variant == variant)
    kinds = [kind for kind in VERDICTS if counts[kind]]
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


def _shared(fingerprints: Sequence[Fingerprint]) -> dict[tuple[str, str], Finding]:
    """What differs from `standard` in every group of measures of a variant that the axis can matter to."""
    if len(fingerprints) < 2:  # noqa: PLR2004 - nothing is shared by one
        return {}
    values: dict[str, list[Finding]] = defaultdict(list)
    for fingerprint in fingerprints:
        for finding in fingerprint.findings:
            values[finding.axis].append(finding)
    return {
        (axis, found[0].value): next((f for f in found if f.witness), found[0])
        for axis, found in values.items()
        if found[0].value is not None and not found[0].standard and len(found) > 1
        and all(f.value == found[0].value for f in found)
    }  # fmt: skip


def _grouped(
    fingerprints: Sequence[Fingerprint], shared: Mapping[tuple[str, str], Finding]
) -> list[tuple[list[Fingerprint], tuple[Finding, ...]]]:
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


def _with_witness(fingerprints: Sequence[Fingerprint], axis: str, value: str | None) -> Finding:
    found = [f for one in fingerprints for f in one.findings if (f.axis, f.value) == (axis, value)]
    return next((f for f in found if f.witness), found[0])


def _divided(told: Told, variant: Variant) -> list[tuple[str, list[Choice]]]:
    """The axes on which a variant differs between its own measures."""
    found = []
    for axis, by_variant in told.findings.by_axis.items():
        several = [choice for choice in choices(by_variant.get(variant, ())) if choice.value is not None]
        if len(several) > 1:
            found.append((axis, several))
    return found
