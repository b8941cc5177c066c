"""Pages of axes: the list, and for each axis its values, the libraries that follow them, and a small example."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.cases import Case
from rankproof.explain.lookup import measures_of
from rankproof.grouping import grouped
from rankproof.reference_impl.conventions import AXES
from rankproof.report.convention_words import label
from rankproof.report.site.case_pages import plainness, rankings
from rankproof.report.site.matrix import STAGES
from rankproof.report.site.number_lines import NumberLine, number_line
from rankproof.report.site.site_data import SiteData
from rankproof.workers.subjects import Variant

SHOWN_CASES = 16


@dataclass(frozen=True, slots=True)
class Follower:
    """A variant that follows a value on an axis.

    Attributes:
        forms: the forms of measures with this value; empty for all forms.
        others: other values that explain the results as well.
        witness: the case that excludes all other values.
        why: the reason, if the value is undetermined.
    """

    variant: Variant
    name: str
    forms: tuple[str, ...]
    others: tuple[str, ...]
    witness: str
    why: str


def list_view(data: SiteData) -> Mapping[str, Any]:
    """Return the data of the list of axes, by stage."""
    values_of = {name: sorted({value for choices, _ in _followers(data, name) for value in choices}) for name in AXES}
    return {"stages": grouped((STAGES[axis.stage], (axis, values_of[name])) for name, axis in AXES.items()).items()}


def axis_view(data: SiteData, name: str) -> Mapping[str, Any]:
    """Return the data of the page of an axis."""
    axis = AXES[name]
    followers = list(_followers(data, name))
    by_value = grouped((value, follower) for choices, follower in followers for value in choices)
    values = dict.fromkeys([*axis.values, *by_value])
    deciding = sorted(
        (data.cases[case] for case in data.deciding.get(name, ())), key=lambda case: plainness(case, name)
    )
    return {
        "axis": axis,
        "label": label(name),
        "stage": STAGES[axis.stage],
        "choices": [(value, axis.meaning(value), by_value.get(value, [])) for value in values],
        "undetermined": [follower for choices, follower in followers if not choices],
        "deciding": deciding[:SHOWN_CASES],
        "example": _example(data, name, deciding, sorted(values, key=lambda value: -len(by_value.get(value, ())))[:2]),
        "measures": measures_of(name),
    }


def _followers(data: SiteData, axis: str) -> Iterator[tuple[tuple[str, ...], Follower]]:
    """Yield, for each variant and group of forms, the values that explain its results; none if undetermined."""
    for variant, prints in data.prints_of.items():
        findings = ((fingerprint.key, fingerprint.axes[axis]) for fingerprint in prints if axis in fingerprint.axes)
        by_choices = grouped(((finding.could_be, finding.open), (form, finding)) for form, finding in findings)
        for (choices, remaining), own in sorted(by_choices.items(), key=lambda item: (not item[0][0], -len(item[1]))):
            first = next((finding for _, finding in own if finding.witness), own[0][1])
            forms = tuple(form for form, _ in own) if len(by_choices) > 1 or not choices else ()
            why = first.why or (f"one of {', '.join(remaining)}" if remaining else "")
            name = data.names.get(variant, variant[0])
            yield choices, Follower(variant, name, forms, choices[1:], first.witness, why)


def _example(data: SiteData, name: str, deciding: Sequence[Case], common: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the first case that distinguishes the two most common values of an axis; if none does, the first case."""
    best: tuple[int, Case, NumberLine] | None = None
    pairs = ((case, own) for case in deciding for own in data.rows_of_case.get(case.id, {}).items())
    for case, (measure, rows) in pairs:
        if not any(spec.startswith(f"{name}=") for row in rows for spec in row.conventions):
            continue
        line = number_line(data.report, case, measure, rows)
        first, second = (_texts(line, name, value) for value in common)
        rank = (line.values > 1) + bool(first and second and not first & second)
        if best is None or rank > best[0]:
            best = rank, case, line
        if best[0] > 1:
            break
    return {"case": best[1], "line": best[2], "rankings": rankings(best[1])[:2]} if best else None


def _texts(line: NumberLine, axis: str, value: str) -> set[str]:
    """Return the numbers of a line that libraries give because of one value of an axis."""
    wanted = () if value == AXES[axis].default else (f"{axis}={value}",)
    return {
        own.text
        for own in line.lines
        for voice in own.voices
        if (*voice.conventions,) == wanted and voice.mark != "known"
    }
