"""The axes: all of them, and each by itself."""

import inspect
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.cases import Case
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.measures import MEASURES
from rankproof.site.curves import curves
from rankproof.site.page_sources import STAGES, Choice, Told, choices

if TYPE_CHECKING:
    from rankproof.asking.subjects import Variant

SHOWN_CASES = 16


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
    takers: dict[str, list[tuple[Variant, Choice, tuple[str, ...]]]] = defaultdict(list)
    undetermined = []
    for variant, cell in told.findings.by_axis[name].items():
        several = choices(cell)
        for choice in several:
            if choice.value is None:
                undetermined.append((variant, choice))
            else:
                for value in (choice.value, *choice.others):
                    takers[value].append(
                        (variant, choice, tuple(v for v in (choice.value, *choice.others) if v != value))
                    )
    values = list(dict.fromkeys([*found.values, *takers, *_seen(told, name)]))
    return {
        "axis": found,
        "stage": STAGES[found.stage],
        "values": [(value, found.meaning(value), takers.get(value, []), told.effects.get(f"{name}={value}")) for value in values],
        "taken_by": {value: _how_many(who) for value, who in takers.items()},
        "undetermined": undetermined,
        "formulas": _formulas(name),
        "deciding": _deciding(told, name),
        "curves": curves(name, values),
        "names": told.names,
        "known_cases": told.known_cases,
        "divided": [v for v, cell in told.findings.by_axis[name].items() if sum(c.value is not None for c in choices(cell)) > 1],
    }  # fmt: skip


def _how_many(takers: Sequence[tuple["Variant", Choice, tuple[str, ...]]]) -> str:
    """How many take a value, and of how many no answer tells whether they do."""
    sure = {variant for variant, _, others in takers if not others}
    may = {variant for variant, *_ in takers} - sure
    told = [f"{len(sure)} take{'s' if len(sure) == 1 else ''} it"] if sure or not may else []
    return ", ".join([*told, *([f"{len(may)}{' more' if sure else ''} may"] if may else [])])


def _seen(told: Told, name: str) -> list[str]:
    return [convention.partition("=")[2] for convention in told.effects if convention.startswith(f"{name}=")]


def _formulas(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """The formulas that ask for the axis themselves, as their modules state them, and the measures they define."""
    found: dict[str, list[str]] = defaultdict(list)
    for measure, definition in MEASURES.items():
        if name in definition.own_axes:
            found[_formula(definition.formula.__module__)].append(measure)
    for measure, clustering in CLUSTERINGS.items():
        if name in inspect.signature(clustering.formula).parameters:
            found[_formula(clustering.formula.__module__)].append(measure)
    return [(formula, tuple(measures)) for formula, measures in found.items() if formula]


def _formula(module: str) -> str:
    """The first indented block of a module's docstring."""
    lines = (sys.modules[module].__doc__ or "").splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("    ")), len(lines))
    end = next((i for i in range(start, len(lines)) if lines[i] and not lines[i].startswith(" ")), len(lines))
    return inspect.cleandoc("\n" + "\n".join(lines[start:end]))


def _deciding(told: Told, name: str) -> list[Case]:
    """The cases in which a value of the axis, alone, is expected to move something: the smallest first."""
    found = [one for one in told.report.cases if name in told.decided_alone[one.id]]
    return sorted(found, key=lambda one: len(one.input.run) + len(one.input.true or ()))[:SHOWN_CASES]
