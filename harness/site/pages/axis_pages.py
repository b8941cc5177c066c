"""The axes: all of them, and each by itself."""

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.reference_impl.conventions import AXES
from rankproof.report.convention_words import label
from rankproof.report.measure_text import defined
from rankproof.site.curves import curves
from rankproof.site.lines import number_line
from rankproof.site.matrix import cells_of
from rankproof.site.page_sources import STAGES, Choice, Told, choices
from rankproof.site.pages.measure_pages import parts
from rankproof.site.rankings import drawn

if TYPE_CHECKING:
    from rankproof.workers.subjects import Variant

SHOWN_CASES = 16
LOOKED_AT = 6
"""Among so many of the smallest cases the example of an axis is picked."""


def index(told: Told) -> Mapping[str, Any]:
    """The list of axes."""
    stages: dict[str, list[Mapping[str, Any]]] = {title: [] for title in STAGES.values()}
    for name, found in AXES.items():
        values = {c.value for cell in told.findings.by_axis[name].values() for c in choices(cell) if c.value}
        largest = max((e.largest for c, e in told.effects.items() if c.split("=")[0] == name), default=0.0)
        line = {"axis": found, "values": sorted(values), "largest": largest, "width": round(100 * largest, 2)}
        stages[STAGES[found.stage]].append(line)
    return {"stages": stages.items()}


def page(told: Told, name: str) -> Mapping[str, Any]:
    """One axis: what it asks, its values, who takes which, how much it can move."""
    found = AXES[name]
    made = [(variant, one) for variant, cell in told.findings.by_axis[name].items() for one in choices(cell)]
    takers = grouped(
        (value, (variant, choice, tuple(other for other in choice.could_be if other != value)))
        for variant, choice in made
        for value in choice.could_be
    )
    seen = [convention.partition("=")[2] for convention in told.effects if convention.startswith(f"{name}=")]
    values = list(dict.fromkeys([*found.values, *takers, *seen]))
    return {
        "axis": found,
        "stage": STAGES[found.stage],
        "values": [
            (value, found.meaning(value), takers.get(value, []), told.effects.get(f"{name}={value}"))
            for value in values
        ],
        "taken_by": {value: _how_many(who) for value, who in takers.items()},
        "undetermined": [(variant, choice) for variant, choice in made if not choice.could_be],
        "formulas": _formulas(told, name),
        "deciding": _deciding(told, name)[:SHOWN_CASES],
        "curves": curves(name, values),
        "smallest": _smallest(told, name),
        "together": _together(told, name),
        "label": label(name),
        "names": told.names,
        "divided": [
            v for v, cell in told.findings.by_axis[name].items() if sum(c.value is not None for c in choices(cell)) > 1
        ],
    }


def _how_many(takers: Sequence[tuple["Variant", Choice, tuple[str, ...]]]) -> str:
    """How many take a value, and of how many no answer tells whether they do."""
    sure = {variant for variant, _, others in takers if not others}
    may = {variant for variant, *_ in takers} - sure
    told = [f"{len(sure)} take{'s' if len(sure) == 1 else ''} it"] if sure or not may else []
    return ", ".join([*told, *([f"{len(may)}{' more' if sure else ''} may"] if may else [])])


def _formulas(told: Told, name: str) -> list[tuple[str, tuple[str, ...]]]:
    """The formulas that ask for the axis themselves, as their modules state them, and the measures they define."""
    taking = (one for one in told.measures if name in inspect.signature(defined(one).formula).parameters)
    found = grouped(
        ("\n\n".join(text for kind, text in parts(measure) if kind == "formula"), measure) for measure in taking
    )
    return [(formula, tuple(measures)) for formula, measures in found.items() if formula]


def _deciding(told: Told, name: str) -> list[Case]:
    """The cases in which a value of the axis, alone, is expected to move something: the smallest first."""
    found = [one for one in told.report.cases if name in told.decided_alone[one.id]]
    return sorted(found, key=lambda one: len(one.input.run) + len(one.input.true or ()))


def _smallest(told: Told, name: str) -> Mapping[str, Any] | None:
    """Of the smallest cases that the axis decides the one that divides libraries most, drawn, with all answers to a measure of it."""
    found = []
    for case in _deciding(told, name):
        lines = [
            number_line(told.report, case, measure, rows)
            for measure, rows in told.by_case.get(case.id, {}).items()
            if any(convention.partition("=")[0] == name for row in rows for convention in row.conventions)
        ]
        if lines:
            found.append((case, max(lines, key=lambda line: line.answers)))
        if len(found) == LOOKED_AT:
            break
    if not found:
        return None
    case, line = max(found, key=lambda pair: pair[1].answers)
    return {"case": case, "line": line, "rankings": [] if case.of_labels else drawn(case)[:1]}


TOGETHER = ("known", "ideal")
"""What an ideal is made of depends on what is known; so the two are told together."""


def _together(told: Told, name: str) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Of `known` and `ideal`: which of the two choices are made together, and by whom, as (library, what it is called)."""
    if name not in TOGETHER:
        return []
    computing = (one for one in told.findings.fingerprints if one.key in told.leading[:1])
    groups = grouped((_both(one), (one.library, told.called_as(one))) for one in computing)
    return [(*said, who) for said, who in sorted(groups.items(), key=lambda item: -len(item[1]))]


def _both(one: Fingerprint) -> tuple[str, str]:
    """What is followed of `known` and of `ideal`, in words."""
    said = {axis: cell.said if cell.values else "undetermined" for axis, cell in cells_of(one).items()}
    known, ideal = (said.get(axis, "does not matter") for axis in TOGETHER)
    return known, ideal
