"""What each page says: one function per kind of page, from the results to the names its template uses."""

import inspect
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rankproof.cases import Case
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.oracle import MEAN, Oracle
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, UnknownConvention
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.profiles import profile
from rankproof.report import Effect, Report, short
from rankproof.sheets import Library
from rankproof.site import rankings
from rankproof.site.curves import curves
from rankproof.site.findings import Finding, Findings, Fingerprint
from rankproof.site.lines import number_line
from rankproof.site.repros import Scripts, repros
from rankproof.verdicts import FAILS, Row, Verdict

STAGES = {
    "order": "Order: from rows to a ranking",
    "judge": "Judge: from a ranking to judged docs",
    "measure": "Measure: the formula",
    "aggregate": "Aggregate: from queries to one number",
}
VERDICTS = {
    "agrees": "as the reference under standard",
    "convention": "as the reference under the profile that the library's sheet claims",
    "known": "an exception that is pinned in the sheet, with its reason",
    "fails": "nothing explains it",
    "undefined": "the case has no right answer; what was observed is kept",
}
_WORST = ["fails", "known", "convention", "agrees", "undefined"]
_LETTERS = {"agrees": "a", "convention": "c", "known": "k", "fails": "f", "undefined": "u"}
SHOWN_CASES = 16
PROBES = "probes.json"

Variant = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found, in one sentence: the measures of which it is so, and the smallest input that shows it."""

    kind: str
    says: str
    measures: tuple[str, ...]
    asked: tuple[str, ...]
    answers: tuple[str, ...]
    input: str


@dataclass(frozen=True)
class Told:
    """All that the pages tell, and what several of them need."""

    report: Report
    findings: Findings
    probes: Mapping[Variant, list[Probed]] = field(default_factory=dict)
    scripts: Scripts = field(default_factory=Scripts)

    @cached_property
    def variants(self) -> list[Variant]:
        """Every variant that answered anything, with a library's variants together."""
        answered = dict.fromkeys(
            (row.library, row.variant) for row in self.report.results.rows if row.value is not None or row.error
        )
        return sorted(answered, key=lambda pair: self.library_names.index(pair[0]))

    @cached_property
    def library_names(self) -> list[str]:
        """Every library that the results or the sheets name."""
        named = (
            *self.report.results.header["libraries"],
            *(row.library for row in self.report.results.rows),
            *(library.name for library in self.report.libraries),
        )
        return list(dict.fromkeys(named))

    @cached_property
    def names(self) -> Mapping[Variant, str]:
        """What each variant is called."""
        return {(row.library, row.variant): self.report.name_of(row) for row in self.report.results.rows}

    @cached_property
    def sheets(self) -> Mapping[str, Library]:
        """The libraries that have a sheet."""
        return {library.name: library for library in self.report.libraries}

    @cached_property
    def axes(self) -> list[str]:
        """Every axis."""
        return list(AXES)

    @cached_property
    def known_cases(self) -> frozenset[str]:
        """The cases that have a page."""
        return frozenset(case.id for case in self.report.cases)

    @cached_property
    def by_case(self) -> Mapping[str, dict[str, list[Row]]]:
        """The rows of each case, by measure."""
        found: dict[str, dict[str, list[Row]]] = defaultdict(dict)
        for (case, measure), rows in self.report.by_question.items():
            found[case][measure] = rows
        return found

    @cached_property
    def effects(self) -> Mapping[str, Effect]:
        """What each convention moved."""
        return {effect.convention: effect for effect in self.report.effects}

    def kind(self, row: Row) -> str:
        """The verdict of a row, as a page marks it."""
        return "fails" if row.verdict in FAILS else str(row.verdict)

    def divided(self, case: str) -> tuple[int, int]:
        """How many variants differ from `standard` somewhere in a case, of how many that answered."""
        seen: dict[Variant, bool] = defaultdict(bool)
        for rows in self.by_case.get(case, {}).values():
            for row in rows:
                seen[row.library, row.variant] |= row.verdict not in {Verdict.AGREES, Verdict.UNDEFINED}
        return sum(seen.values()), len(seen)


def probes(beside: Path) -> Mapping[Variant, list[Probed]]:
    """What the probes found of each variant, where it is published.

    Raises:
        BadProbes: the file does not read.
    """
    path = beside / PROBES
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["findings"]
        groups: dict[tuple[str, str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
        for one in found:
            groups[one["library"], one["variant"], one["kind"], one["says"]].append(one)
        told = defaultdict(list)
        for (library, variant, kind, says), group in groups.items():
            told[library, variant].append(_probed(kind, says, group))
    except (ValueError, KeyError, TypeError) as error:
        raise BadProbes(f"{path}:1: {error!r}; write it again with rankproof probe --publish") from error
    return told


def _probed(kind: str, says: str, group: Sequence[Mapping[str, Any]]) -> Probed:
    first = min(group, key=lambda one: len(json.dumps(one["input"])))
    answers = tuple(answer if isinstance(answer, str) else short(answer) for answer in first["answers"])
    measures = tuple(dict.fromkeys(one["measure"] for one in group))
    return Probed(kind, says, measures, tuple(first["asked"]), answers, json.dumps(first["input"]))


class BadProbes(ValueError):
    """A file of probes that does not read."""


# -- the overview ------------------------------------------------------------------------------------------------


def index(told: Told) -> Mapping[str, Any]:
    """The disagreements that lead, and the table of libraries by axes."""
    report = told.report
    leading = report.headlines or report.disagreements[:8]
    headlines = [
        (d, number_line(report, Oracle(d.case), d.measure, report.by_question[d.case.id, d.measure])) for d in leading
    ]
    groups = [(library, [v for v in told.variants if v[0] == library]) for library in told.library_names]
    return {
        "report": report,
        "headlines": headlines,
        "questions": len(report.by_question),
        "divided": len(report.disagreements),
        "stages": _stages(told),
        "groups": [(library, variants) for library, variants in groups if variants],
        "variants": told.variants,
        "names": told.names,
        "known_cases": told.known_cases,
        "verdicts": VERDICTS,
    }


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a variant has on an axis, for which of its measures, and what shows it."""

    value: str | None
    standard: bool
    keys: tuple[str, ...]
    witness: str
    why: str


def choices(findings: Iterable[Finding]) -> list[Choice]:
    """The values of a variant on an axis, those of most measures first; where there are several, it differs from itself."""
    groups: dict[str | None, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.value].append(finding)
    found = []
    for value, group in sorted(groups.items(), key=lambda item: (item[0] is None, -len(item[1]))):
        shown = next((finding for finding in group if finding.witness), group[0])
        why = shown.why or (f"one of {', '.join(shown.open)}" if shown.open else "")
        found.append(Choice(value, shown.standard, tuple(finding.key for finding in group), shown.witness, why))
    return found


def _stages(told: Told) -> list[tuple[str, list[tuple[str, list[list[Choice]]]]]]:
    """Stage by stage, the axes on which anyone has a finding, those first that divide most."""
    stages = []
    for stage, title in STAGES.items():
        lines = []
        for axis in told.axes:
            found = told.findings.by_axis[axis]
            if AXES[axis].stage == stage and found:
                lines.append((axis, [_decided(choices(found.get(variant, ()))) for variant in told.variants]))
        lines.sort(key=lambda line: -sum(any(c.value and not c.standard for c in cell) for cell in line[1]))
        stages.append((title, lines))
    return stages


def _decided(cell: list[Choice]) -> list[Choice]:
    """The values that are decided for some measure; only where none is, that none is."""
    return [choice for choice in cell if choice.value is not None] or cell


# -- the cases ---------------------------------------------------------------------------------------------------


def cases(told: Told) -> Mapping[str, Any]:
    """The matrix of cases by libraries."""
    lines = [_matrix_line(told, case) for case in told.report.cases]
    return {
        "lines": lines,
        "variants": told.variants,
        "names": told.names,
        "tags": sorted(Counter(tag for case in told.report.cases for tag in case.tags).items()),
        "measures": sorted({measure for by_measure in told.by_case.values() for measure in by_measure}, key=str.lower),
        "verdicts": VERDICTS,
        "groups": [
            (lib, sum(v[0] == lib for v in told.variants)) for lib in dict.fromkeys(v[0] for v in told.variants)
        ],
    }


def _matrix_line(told: Told, case: Case) -> Mapping[str, Any]:
    by_measure = told.by_case.get(case.id, {})
    worst = {
        variant: _worst(told, (row for rows in by_measure.values() for row in rows), variant)
        for variant in told.variants
    }
    data = {
        measure: "".join(_LETTERS.get(_worst(told, rows, variant), ".") for variant in told.variants)
        for measure, rows in by_measure.items()
    }
    differ, asked = told.divided(case.id)
    return {"case": case, "cells": list(worst.values()), "data": data, "differ": differ, "asked": asked}


def _worst(told: Told, rows: Iterable[Row], variant: Variant) -> str:
    kinds = {told.kind(row) for row in rows if (row.library, row.variant) == variant}
    return next((kind for kind in _WORST if kind in kinds), "")


def case(told: Told, asked: Case) -> Mapping[str, Any]:
    """One case: the question, the ranking, the answers, the arithmetic, the repro."""
    by_measure = told.by_case.get(asked.id, {})
    oracle = Oracle(asked)
    lines = [_measure_view(told, oracle, measure, by_measure.get(measure, [])) for measure in asked.measures]
    lines.sort(key=lambda view: -view["line"].differ)
    differ, answered = told.divided(asked.id)
    first = next((view["line"].measure for view in lines if view["line"].asked), None)
    found = list(repros(asked, told.report.libraries, by_measure[first])) if first else []
    order = [one.id for one in told.report.cases]
    at = order.index(asked.id)
    return {
        "case": asked,
        "differ": differ,
        "asked": answered,
        "rankings": [] if asked.of_labels else rankings.drawn(asked),
        "crossed": rankings.crossed(asked) if asked.of_labels else None,
        "views": [view for view in lines if not view["line"].unanimous],
        "agreed": [view for view in lines if view["line"].unanimous],
        "marks": {"a", "n"} | {line.mark[0] for view in lines for line in view["line"].lines},
        "repros": found,
        "repro_measure": first,
        "data": found[0].data if found else "",
        "scripts": told.scripts.parted(found),
        "previous": order[at - 1] if at else None,
        "next": order[at + 1] if at + 1 < len(order) else None,
        "names": told.names,
    }


def _measure_view(told: Told, oracle: Oracle, measure: str, rows: Sequence[Row]) -> dict[str, Any]:
    line = number_line(told.report, oracle, measure, rows)
    queries = [str(query) for query in oracle.case.queries]
    told_of = {row.query for row in rows if row.query is not None}
    by_query = [(q, number_line(told.report, oracle, measure, rows, q)) for q in queries if q in told_of]
    return {"line": line, "queries": by_query, "arithmetic": _arithmetic(oracle.case, measure)}


def _arithmetic(asked: Case, measure: str) -> list[tuple[list[str], tuple[tuple[str, str, str], ...]]]:
    """By which conventions which sums are expected: (query, arithmetic, value), the mean only where it is not the one query's."""
    found: dict[tuple[tuple[str, str, str], ...], list[str]] = defaultdict(list)
    for spec, by_query in (asked.expect or {}).get(measure, {}).items():
        alone = len(set(by_query.values())) == 1
        items = [(MEAN, next(iter(by_query.values())))] if alone and by_query else list(by_query.items())
        sums = tuple(("" if alone else query, text, _value(text)) for query, text in items)
        found[sums].append(spec)
    return [(specs, sums) for sums, specs in found.items()]


def _value(text: str) -> str:
    try:
        return f"{evaluate(text):.10g}"
    except NotArithmetic:
        return ""


# -- the libraries -----------------------------------------------------------------------------------------------


def libraries(told: Told) -> Mapping[str, Any]:
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


def library(told: Told, name: str) -> Mapping[str, Any]:
    """One library: versions, fingerprints in words, exceptions."""
    line = _library_line(told, name)
    exceptions = [(reason, link, pins) for lib, reason, link, pins in told.report.exceptions if lib.name == name]
    return {
        "line": line,
        "sheet": told.sheets[name].sheet if name in told.sheets else None,
        "variants": [
            {
                "name": variant, "means": means, "tally": counted, "shared": _shared(told.findings.by_variant.get((name, variant), [])),
                "fingerprints": _grouped(told.findings.by_variant.get((name, variant), [])),
                "divided": _divided(told, (name, variant)),
                "probes": told.probes.get((name, variant), []),
            }
            for variant, means, counted in line["variants"]
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


def _grouped(fingerprints: Sequence[Fingerprint]) -> list[tuple[list[Fingerprint], tuple[Finding, ...]]]:
    """Groups of measures that differ from `standard` alike, with what they differ in beyond what all share."""
    shared = _shared(fingerprints)
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


# -- the axes ----------------------------------------------------------------------------------------------------


def axes(told: Told) -> Mapping[str, Any]:
    """The list of axes."""
    stages: dict[str, list[Mapping[str, Any]]] = {title: [] for title in STAGES.values()}
    for name, found in AXES.items():
        values = {c.value for cell in told.findings.by_axis[name].values() for c in choices(cell) if c.value}
        largest = max((e.largest for c, e in told.effects.items() if c.split("=")[0] == name), default=0.0)
        line = {"axis": found, "values": sorted(values), "largest": largest, "width": round(100 * largest, 2)}
        stages[STAGES[found.stage]].append(line)
    return {"stages": stages.items()}


def axis(told: Told, name: str) -> Mapping[str, Any]:
    """One axis: what it asks, its values, who takes which, how much it can move."""
    found = AXES[name]
    takers: dict[str, list[tuple[Variant, Choice]]] = defaultdict(list)
    undetermined = []
    for variant, cell in told.findings.by_axis[name].items():
        several = choices(cell)
        for choice in several:
            if choice.value is None:
                undetermined.append((variant, choice))
            else:
                takers[choice.value].append((variant, choice))
    values = list(dict.fromkeys([*found.values, *takers, *_seen(told, name)]))
    return {
        "axis": found,
        "stage": STAGES[found.stage],
        "values": [(value, found.meaning(value), takers.get(value, []), told.effects.get(f"{name}={value}")) for value in values],
        "undetermined": undetermined,
        "formulas": _formulas(name),
        "deciding": _deciding(told, name),
        "curves": curves(name, values),
        "names": told.names,
        "known_cases": told.known_cases,
        "divided": [v for v, cell in told.findings.by_axis[name].items() if len({c.value for c in choices(cell) if c.value}) > 1],
    }  # fmt: skip


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
    found = [one for one in told.report.cases if any(_decides(by, name) for by in (one.expect or {}).values())]
    return sorted(found, key=lambda one: len(one.run) + len(one.true or ()))[:SHOWN_CASES]


def _decides(by_spec: Mapping[str, Mapping[str, str]], name: str) -> bool:
    standard = by_spec.get("standard")
    return any(_axes_of(spec) == {name} and value != standard for spec, value in by_spec.items() if standard)


def _axes_of(spec: str) -> set[str]:
    try:
        return set(profile("standard").differences(profile(spec)))
    except UnknownConvention:
        return set()
