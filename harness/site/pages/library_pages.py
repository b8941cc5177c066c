"""The libraries: all of them, and each by itself."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.report.library_sentence import told as clauses_of
from rankproof.site.matrix import WayOnAxis, cells_of, shown_form
from rankproof.site.page_sources import VERDICTS, Choice, Told, choices, of_one_mind
from rankproof.workers.sheets import Pin
from rankproof.workers.subjects import Variant


def index(told: Told) -> Mapping[str, Any]:
    """The list of libraries."""
    return {"lines": [_library_line(told, name) for name in told.library_names]}


def _library_line(told: Told, name: str) -> Mapping[str, Any]:
    asked = told.report.results.libraries.get(name, ())
    means = {told.called[one.subject(variant)]: said for one in asked for variant, said in one.variants.items()}
    variants = list(dict.fromkeys([*means, *told.asked_variants.get(name, ())]))
    return {
        "name": name,
        "title": told.title(name),
        "asked": asked,
        "version": ", ".join(dict.fromkeys(one.version for one in asked if one.version)),
        "sentence": told.sentence(name),
        "why_not": next((one.why_not for one in asked if one.why_not), ""),
        "notes": list(dict.fromkeys(text for one in asked for text in one.notes.values())),
        "variants": [
            (variant[1], means.get(variant, ""), _tally(told.counts.get(variant, {}))) for variant in variants
        ],
    }


def _tally(counts: Mapping[str, int]) -> Mapping[str, int]:
    """How often which verdict."""
    return {kind: counts[kind] for kind in VERDICTS if counts.get(kind)}


COLUMNS: Sequence[tuple[str, tuple[str, ...]]] = (
    ("Ties", ("ties", "order")),
    ("Gain", ("gain", "rbp_gain")),
    ("Judgments it knows", ("known",)),
    ("Ideal made of", ("ideal",)),
    ("Divided by", ("ap_denominator", "p_denominator", "r_denominator", "judged_denominator", "rr_hits")),
    ("No relevant docs", ("norel", "degenerate")),
    ("Not in the run", ("missing",)),
)
"""The columns of the table of a library: of the axes of a column the first that can matter."""


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """Forms of measures that a library computes by the same choices.

    Attributes:
        forms: each as (what is asked, the page of its matrix).
        cells: for each column what it says, whether that is as in `standard`, and the case that shows it.
        more: the other choices that are not as in `standard`, in words.
    """

    forms: tuple[tuple[str, str], ...]
    cells: tuple[tuple[str, bool, str], ...]
    more: tuple[str, ...]


def _measure_rows(told: Told, found: Sequence[Fingerprint]) -> list[MeasureRow]:
    """A row for each form, those together that say the same; those that most people ask for first."""
    order = {key: nth for nth, key in enumerate(told.forms)}
    groups: dict[tuple[tuple[tuple[str, bool], ...], tuple[str, ...]], list[Fingerprint]] = defaultdict(list)
    seen: dict[str, tuple[tuple[str, bool, str], ...]] = {}
    for one in sorted(found, key=lambda one: order[one.key]):
        cells = cells_of(one)
        shown = [next((axis for axis in axes if axis in cells), "") for _, axes in COLUMNS]
        seen[one.key] = tuple(_table_cell(cells.get(axis)) for axis in shown)
        more = tuple(clause for finding, clause in clauses_of(one) if finding.axis not in shown)
        groups[tuple(cell[:2] for cell in seen[one.key]), more].append(one)
    return [
        MeasureRow(tuple((shown_form(one.key), told.form_pages[one.key]) for one in alike), seen[alike[0].key], more)
        for (_, more), alike in groups.items()
    ]


def _table_cell(found: WayOnAxis | None) -> tuple[str, bool, str]:
    if found is None:
        return "", True, ""
    if not found.values:
        return "undetermined", True, ""
    return f"{found.shown}{' or …' if found.others else ''}", found.standard, found.witness


def _alike(pins: Iterable[Pin]) -> list[tuple[tuple[str, str, str | None, str], list[str]]]:
    """What was seen, and the measures of which it was: (case, variant, query, answer) of each."""
    places = ((pin.place, pin.observed) for pin in pins)
    return list(grouped(((at.case, at.variant, at.query, answer), at.measure) for at, answer in places).items())


def page(told: Told, name: str) -> Mapping[str, Any]:
    """One library: versions, fingerprints in words, exceptions."""
    line = _library_line(told, name)
    ways = told.known_ways(name)
    main = told.findings.by_variant[ways[0]] if ways else []
    exceptions = [
        (reason, link, len(pins), _alike(pins))
        for lib, reason, link, pins in told.report.exceptions
        if lib.name == name
    ]
    return {
        "line": line,
        "tables": [
            {"way": variant[1], "rows": _measure_rows(told, told.findings.by_variant[variant])} for variant in ways[:1]
        ],
        "columns": [title for title, _ in COLUMNS],
        "past": told.history.get(name),
        "compared": [
            (shown_form(key), place) for key, place in told.compared.items() if any(one.key == key for one in main)
        ],
        "sheet": told.sheets[name].sheet if name in told.sheets else None,
        "variants": [
            {
                "name": variant,
                "means": means,
                "tally": counted,
                "shared": (shared := _shared(found)),
                "fingerprints": [(alike, shown, _signatures(alike)) for alike, shown in _grouped(found, shared)],
                "divided": _divided(told, (name, variant)),
                "probes": told.probes.get((name, variant), []),
            }
            for variant, means, counted in line["variants"]
            for found in [told.findings.by_variant.get((name, variant), [])]
        ],
        "exceptions": exceptions,
    }


def _shared(fingerprints: Sequence[Fingerprint]) -> dict[tuple[str, str], AxisFinding]:
    """What differs from `standard` in every group of measures of a variant that the axis can matter to."""
    values = grouped(pair for fingerprint in fingerprints for pair in fingerprint.axes.items())
    return {
        (axis, found[0].value): next((f for f in found if f.witness), found[0])
        for axis, found in values.items()
        if found[0].value is not None
        and not found[0].standard
        and len(found) > 1
        and all(f.value == found[0].value for f in found)
    }


def _grouped(
    fingerprints: Sequence[Fingerprint], shared: Mapping[tuple[str, str], AxisFinding]
) -> list[tuple[list[Fingerprint], tuple[AxisFinding, ...]]]:
    """Groups of measures that differ from `standard` alike, with what they differ in beyond what all share."""
    groups = grouped(
        (tuple((f.axis, f.value) for f in fingerprint.differing if (f.axis, f.value) not in shared), fingerprint)
        for fingerprint in fingerprints
    )
    found = [(alike, tuple(_with_witness(alike, *one) for one in own)) for own, alike in groups.items()]
    return sorted(found, key=lambda pair: (len(pair[1]) == 0, -len(pair[0])))


def _signatures(fingerprints: Iterable[Fingerprint]) -> list[tuple[Fingerprint, list[str]]]:
    """Each signature once, whatever measure it begins with, and the other measures of which it is so."""
    alike = grouped(((one.signature.partition("|")[2], one.undecided), one) for one in fingerprints)
    return [(first, [one.key for one in others]) for first, *others in alike.values()]


def _with_witness(fingerprints: Sequence[Fingerprint], axis: str, value: str | None) -> AxisFinding:
    found = [f for one in fingerprints for f in one.axes.values() if (f.axis, f.value) == (axis, value)]
    return next((f for f in found if f.witness), found[0])


def _divided(told: Told, variant: Variant) -> list[tuple[str, list[Choice]]]:
    """The axes on which a variant differs between its own measures."""
    followed = (
        (axis, [choice for choice in choices(by_variant.get(variant, ())) if choice.value is not None])
        for axis, by_variant in told.findings.by_axis.items()
    )
    return [(axis, several) for axis, several in followed if not of_one_mind(several)]
