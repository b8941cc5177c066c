"""The cases: all of them against all libraries, and each by itself."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from rankproof.cases import Case
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.grouping import grouped
from rankproof.judge.verdicts import FAILING, MARKS, Row, Verdict, mark_of
from rankproof.reference_impl.evaluation import MEAN
from rankproof.site import rankings
from rankproof.site.lines import ERROR, NumberLine, number_line, without_a_mean
from rankproof.site.page_sources import VERDICTS, Told
from rankproof.site.repros import repros
from rankproof.site.short_repros import short
from rankproof.workers.subjects import Variant

_WORST = [FAILING, Verdict.KNOWN, Verdict.CONVENTION, Verdict.AGREES, Verdict.UNDEFINED]
DRAWN = 1
"""So many measures of a case, the most disputed ones, have their answers drawn on lines; the others are listed below."""
_LETTERS = {mark: mark[0] for mark in MARKS}


def index(told: Told) -> Mapping[str, Any]:
    """The matrix of cases by libraries."""
    lines = [_matrix_line(told, case) for case in told.report.cases]
    return {
        "lines": lines,
        "variants": told.variants,
        "names": told.names,
        "tags": sorted(Counter(tag for case in told.report.cases for tag in case.tags).items()),
        "measures": sorted({measure for by_measure in told.by_case.values() for measure in by_measure}, key=str.lower),
        "verdicts": VERDICTS,
    }


def _matrix_line(told: Told, case: Case) -> Mapping[str, Any]:
    by_measure = told.by_case.get(case.id, {})
    every = _kinds(told, (row for rows in by_measure.values() for row in rows))
    data = {measure: _letters(told, _kinds(told, rows)) for measure, rows in by_measure.items()}
    differ, asked = told.divided(case.id)
    cells = [_worst(every.get(variant, ())) for variant in told.variants]
    return {"case": case, "cells": cells, "data": data, "differ": differ, "asked": asked}


def _kinds(told: Told, rows: Iterable[Row]) -> Mapping[Variant, list[str]]:
    """The verdicts of each variant."""
    return grouped((told.variant(row), mark_of(row.verdict)) for row in rows)


def _letters(told: Told, kinds: Mapping[Variant, list[str]]) -> str:
    letters = "".join(_LETTERS.get(_worst(kinds.get(variant, ())), ".") for variant in told.variants)
    # How often each stands there in a row: with many libraries most of them are alike.
    runs = ((letter, len(list(same))) for letter, same in groupby(letters))
    return "".join(f"{letter}{n if n > 1 else ''}" for letter, n in runs)


def _worst(kinds: Collection[str]) -> str:
    return next((kind for kind in _WORST if kind in kinds), "")


def page(told: Told, asked: Case) -> Mapping[str, Any]:
    """One case: the question, the ranking, the answers, the arithmetic, the repro."""
    by_measure = told.by_case.get(asked.id, {})
    lines = [_measure_view(told, asked, measure, by_measure.get(measure, [])) for measure in asked.measures]
    lines.sort(key=lambda view: -view["line"].differ)
    views = [view for view in lines if not view["line"].unanimous]
    differ, answered = told.divided(asked.id)
    first = next((view["line"].measure for view in lines if view["line"].asked), None)
    found = list(repros(asked, told.report.libraries, by_measure[first])) if first else []
    asking = {row.library for rows in by_measure.values() for row in rows}
    order = [one.id for one in told.report.cases]
    at = order.index(asked.id)
    return {
        "case": asked,
        "differ": differ,
        "asked": answered,
        "rankings": [] if asked.of_labels else rankings.drawn(asked),
        "crossed": rankings.crossed(asked) if asked.of_labels else None,
        "views": views[:DRAWN],
        "listed": _alike(listed := views[DRAWN:]),
        "repeated": _repeated([view["line"] for view in listed]),
        "agreed": _alike([view for view in lines if view["line"].unanimous]),
        "notes": [note for note in told.report.notes if note[0] in asking],
        "marks": {"a", "n"} | {line.mark[0] for view in lines for line in view["line"].lines},
        "repros": found,
        "repro_measure": first,
        "native": [one.library for one in found if short(one.library, one.measure)],
        "data": found[0].data if found else "",
        "scripts": told.scripts.parted(found),
        "previous": order[at - 1] if at else None,
        "next": order[at + 1] if at + 1 < len(order) else None,
    }


def _alike(views: Iterable[dict[str, Any]]) -> list[tuple[list[str], dict[str, Any]]]:
    """Views of which all is the same but the measure, each once, with its measures."""
    found: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for view in views:
        line = view["line"]
        same = repr(
            (line.differ, line.asked, [(one.shown, one.brief) for one in line.lines if one.voices], view["arithmetic"])
        )
        found.setdefault(same, ([], view))[0].append(line.measure)
    return list(found.values())


def _repeated(lines: Iterable[NumberLine]) -> Mapping[str, str]:
    """The measures whose errors are those of a measure above, from the same libraries by the same conventions, and which that is."""
    first: dict[str, str] = {}
    found = {
        line.measure: first.setdefault(repr(answer.brief), line.measure)
        for line in lines
        for answer in line.lines
        if answer.shown == ERROR and answer.voices
    }
    return {measure: above for measure, above in found.items() if above != measure}


def _measure_view(told: Told, asked: Case, measure: str, rows: Sequence[Row]) -> dict[str, Any]:
    line = number_line(told.report, asked, measure, rows)
    queries = [str(query) for query in asked.queries]
    in_line = without_a_mean(asked, measure, rows)
    told_of = {row.query for row in rows if row.query is not None and row.subject not in in_line}
    by_query = [(q, number_line(told.report, asked, measure, rows, q)) for q in queries if q in told_of]
    return {"line": line, "queries": by_query, "arithmetic": _arithmetic(asked, measure)}


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
