"""Two libraries side by side, for one form of a measure: what they do differently, what shows it, and both numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.convention_words import label
from rankproof.report.run_report import form_of, moved
from rankproof.site.matrix import WayOnAxis, cells_of, shown_form
from rankproof.site.page_sources import Told
from rankproof.site.page_text import axis_page, case_page, library_page
from rankproof.text import short
from rankproof.workers.subjects import Variant


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question that two libraries answer differently for one choice, with what each answers."""

    case: str
    measure: str
    first: str
    second: str
    apart: float


@dataclass(frozen=True, slots=True)
class ComparedChoice:
    """A choice that two libraries make differently, with the question that shows it most."""

    axis: str
    first: str
    second: str
    shown: ComparedQuestion | None


@dataclass(frozen=True, slots=True)
class Side:
    """One of two libraries.

    Attributes:
        way: the way of asking it, where there are several.
    """

    library: str
    title: str
    version: str
    way: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two libraries."""

    first: Side
    second: Side
    differences: tuple[ComparedChoice, ...]


def page(told: Told, key: str) -> Mapping[str, Any]:
    """All pairs of libraries that compute one form of a measure."""
    prints = {variant[0]: (variant, one) for variant, one in told.of_form(key)}
    cells = {name: cells_of(one) for name, (_, one) in prints.items()}
    asked = {name: dict(_answers(told, variant, key)) for name, (variant, _) in prints.items()}
    sides = {name: _side(told, variant) for name, (variant, _) in prints.items()}
    order = sorted(prints, key=lambda name: sides[name].title.casefold())
    pairs = [_pair((sides[a], sides[b]), (cells[a], cells[b]), (asked[a], asked[b])) for a, b in combinations(order, 2)]
    return {
        "measure": shown_form(key),
        "matrix_page": told.form_pages[key],
        "sides": (by_title := [sides[name] for name in order]),
        "pairs": pairs,
        "data": _data(by_title, cells, pairs),
        "counts": {"--".join(sorted((one.first.library, one.second.library))): len(one.differences) for one in pairs},
        "forms": [(form, shown_form(form), place) for form, place in told.compared.items()],
        "current": key,
    }


def _data(sides: Sequence[Side], cells: Mapping[str, "Cells"], pairs: Sequence[Pair]) -> dict[str, Any]:
    """All pairs as the script of the page tells them; a page for each pair would be many, and a section for each long.

    What a library does stands once, as its words, empty where it is undetermined; a pair has its differences in their order, each as the
    numbers of the axis and of the question that shows it, and what both answer.
    """
    axes = list(dict.fromkeys(axis for side in sides for axis in cells[side.library]))
    shown = (one.shown for pair in pairs for one in pair.differences if one.shown)
    questions = list(dict.fromkeys((one.case, one.measure) for one in shown))
    return {
        "sides": [[side.library, side.title, side.version, side.way, library_page(side.library)] for side in sides],
        "axes": [[label(axis), axis_page(axis)] for axis in axes],
        "cells": [[_told_cell(cells[side.library].get(axis)) for axis in axes] for side in sides],
        "questions": [[case, measure, case_page(case)] for case, measure in questions],
        "pairs": {
            f"{pair.first.library}--{pair.second.library}": [
                [axes.index(d.axis), *_placed(d.shown, questions)] for d in pair.differences
            ]
            for pair in pairs
        },
    }


def _placed(shown: ComparedQuestion | None, questions: Sequence[tuple[str, str]]) -> list[Any]:
    """The number of the question that shows a difference, and both answers."""
    return [questions.index((shown.case, shown.measure)), shown.first, shown.second] if shown else []


def _told_cell(found: WayOnAxis | None) -> str | None:
    """What a library does on an axis, in words; empty where it is undetermined, and None where it cannot matter."""
    return None if found is None else found.said if found.values else ""


def _side(told: Told, variant: Variant) -> Side:
    several = len(told.all_ways(variant[0])) > 1
    return Side(variant[0], told.title(variant[0]), told.version(variant), variant[1] if several else "")


def _answers(told: Told, variant: Variant, key: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """What a library answers for all queries of a case, where it is explained."""
    for row in told.by_variant.get(variant, ()):
        if row.query is None and row.verdict in {Verdict.AGREES, Verdict.CONVENTION} and form_of(row.measure) == key:
            yield (row.case, row.measure), row


Answers = Mapping[tuple[str, str], Row]
"""By case and measure what a library answers."""


Cells = Mapping[str, WayOnAxis]
"""By axis what a library does there."""


def _pair(sides: tuple[Side, Side], cells: tuple[Cells, Cells], answers: tuple[Answers, Answers]) -> Pair:
    mine, theirs = cells
    shown = _shown(*answers)
    both = ((axis, cell, theirs[axis]) for axis, cell in mine.items() if axis in theirs)
    differences = [
        ComparedChoice(axis, cell.said, beside.said, shown.get(axis))
        for axis, cell, beside in both
        if cell.values and beside.values and not {*cell.values} & {*beside.values}
    ]
    differences.sort(key=lambda found: -(found.shown.apart if found.shown else -1.0))
    return Pair(*sides, tuple(differences))


def _shown(mine: Answers, theirs: Answers) -> Mapping[str, ComparedQuestion]:
    """By axis, the question in which two libraries differ for it alone, and are furthest apart."""
    found: dict[str, ComparedQuestion] = {}
    for place in mine.keys() & theirs.keys():
        one, other = mine[place], theirs[place]
        axes = {convention.partition("=")[0] for convention in {*one.conventions} ^ {*other.conventions}}
        if len(axes) != 1 or _told(one) == _told(other):
            continue
        (axis,) = axes
        candidate = ComparedQuestion(*place, _told(one), _told(other), _apart(one, other))
        found[axis] = min(candidate, found.get(axis, candidate), key=lambda one: (-one.apart, one.case, one.measure))
    return found


def _told(row: Row) -> str:
    return "error" if row.error is not None else short(row.value)


def _apart(one: Row, other: Row) -> float:
    """How far apart two answers are, where both are values of a measure that has a greatest one."""
    values = [value for value in (one.value, other.value) if isinstance(value, float | int) and math.isfinite(value)]
    return moved(replace(one, expected=values[1])) if len(values) == 2 else 0.0  # noqa: PLR2004 - both
