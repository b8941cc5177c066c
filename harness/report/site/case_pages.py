"""Pages of cases: the list by topic, and for each case its input, values, arithmetic and a command to reproduce it."""

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.cases import Case
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.grouping import grouped
from rankproof.reference_impl.evaluation import MEAN
from rankproof.report.site.number_lines import NumberLine, number_line
from rankproof.report.site.site_data import SiteData

MOST = 40
"""Maximum number of documents of a query, or of labels, on a page."""
LEAST = 1e-6
"""Ordinary scores are between this number and its inverse."""
ODD_TOPICS = frozenset({"axes", "duplicates", "ids"})
"""Topics of cases that ordinary data do not have."""

Sums = tuple[tuple[str, str, str], ...]
"""Rows (query, arithmetic, value) of expected values."""


@dataclass(frozen=True, slots=True)
class MeasureView:
    """Data of a measure on the page of a case: all values of the mean, and the expected arithmetic by conventions."""

    line: NumberLine
    arithmetic: list[tuple[list[str], Sums]]


def list_view(data: SiteData) -> Mapping[str, Any]:
    """Return the data of the list of cases by topic, each with the number of variants that differ from `standard`."""
    lines = ((case.id.partition("/")[0], (case, *data.differing(case.id))) for case in data.report.cases)
    return {"topics": sorted(grouped(lines).items()), "count": len(data.report.cases)}


def case_view(data: SiteData, case: Case) -> Mapping[str, Any]:
    """Return the data of the page of a case. The most disputed measure is drawn, and others are rows of tables."""
    rows = data.rows_of_case.get(case.id, {})
    lines = (number_line(data.report, case, measure, rows.get(measure, [])) for measure in case.measures)
    views = [MeasureView(line, _arithmetic(case, line.measure)) for line in lines]
    views.sort(key=lambda view: -view.line.differ)
    disputed = [view for view in views if not view.line.unanimous]
    differ, total = data.differing(case.id)
    first = next((view.line.measure for view in views if view.line.total), "")
    libraries = list(dict.fromkeys(row.library for row in rows.get(first, ())))
    order = ["", *data.cases, ""]
    at = order.index(case.id, 1)
    return {
        "case": case,
        "differ": differ,
        "total": total,
        "drawn": disputed[:1],
        "disputed": _merged(disputed[1:]),
        "agreed": _merged([view for view in views if view.line.unanimous]),
        "rankings": rankings(case),
        "labelings": _labelings(case) if case.of_labels else None,
        "command": (f"rankproof cases repro {shlex.quote(case.id)} ", f" {shlex.quote(first)} | python -"),
        "reproducible": [library for library in libraries if library in data.sheets],
        "previous": order[at - 1],
        "next": order[at + 1],
    }


def plainness(case: Case, axis: str = "") -> tuple[bool, bool, int, int]:
    """Return a sort key of cases: ordinary data first, then cases written for an axis, then few queries and documents."""
    specs = [spec for by_spec in (case.expect or {}).values() for spec in by_spec]
    written_for = any(spec.startswith(f"{axis}=") for spec in specs)
    scores = [score for *_, score, _ in case.input.run]
    grades = [grade for *_, grade in case.input.qrels]
    ids = {str(name) for query, document, *_ in (*case.input.qrels, *case.input.run) for name in (query, document)}
    ordinary = (
        all(math.isfinite(score) and LEAST < abs(score) < 1 / LEAST for score in scores)
        and all(grade in range(6) for grade in grades)
        and all(re.fullmatch(r"[a-z0-9][\w.-]*", name, re.IGNORECASE | re.ASCII) for name in ids)
        and not (case.input.empty_in_qrels or case.input.empty_in_run)
        and (written_for or case.id.partition("/")[0] not in ODD_TOPICS)
        and bool(case.input.judged.keys() & case.input.scored.keys())
    )
    return not ordinary, not written_for, len(case.queries), case.input.size


def rankings(case: Case) -> list[Mapping[str, Any]]:
    """Return the documents of each query: retrieved by score (ties by descending id), then unretrieved, with grades.

    If a score is NaN, the documents are in input order.
    """
    tables: list[Mapping[str, Any]] = []
    for query in dict.fromkeys(map(str, () if case.of_labels else case.queries)):
        grades = {str(doc): f"{float(grade):.12g}" for doc, grade in reversed(case.input.judged.get(query, ()))}
        rows = [(str(doc), score) for doc, score, _ in case.input.scored.get(query, ())]
        if not any(math.isnan(score) for _, score in rows):
            rows.sort(key=lambda row: (row[1], row[0].encode("utf-8", "surrogatepass")), reverse=True)
        places = [(str(rank), doc, f"{score:.12g}", grades.get(doc, "")) for rank, (doc, score) in enumerate(rows, 1)]
        places += [("–", doc, "not retrieved", grade) for doc, grade in grades.items() if doc not in dict(rows)]
        tables.append({"query": query, "places": places[:MOST], "left_out": len(places[MOST:])})
    return tables


def _labelings(case: Case) -> Mapping[str, Any]:
    """Return the labels of both labelings of a case, and the number of items with each pair of labels."""
    true, predicted = (list(map(str, labels or ())) for labels in (case.input.true, case.input.predicted))
    counts = Counter(zip(true, predicted, strict=False))
    classes, clusters = list(dict.fromkeys(true)), list(dict.fromkeys(predicted))
    return {
        "clusters": clusters[:MOST],
        "rows": [(label, [counts[label, cluster] for cluster in clusters[:MOST]]) for label in classes[:MOST]],
        "left_out": max(len(classes), len(clusters)) - MOST,
    }


def _merged(views: Iterable[MeasureView]) -> list[tuple[list[str], MeasureView]]:
    """Merge views that differ only in the measure, and return each with its measures."""
    rows: dict[str, tuple[list[str], MeasureView]] = {}
    for view in views:
        values = [(value.text, [(v.libraries, v.conventions) for v in value.voices]) for value in view.line.lines]
        facts = repr((view.line.differ, view.line.total, values, view.arithmetic))
        rows.setdefault(facts, ([], view))[0].append(view.line.measure)
    return list(rows.values())


def _arithmetic(case: Case, measure: str) -> list[tuple[list[str], Sums]]:
    """Return the expected sums with the conventions that give them; only one sum if mean and queries are equal."""
    specs: list[tuple[Sums, str]] = []
    for spec, by_query in (case.expect or {}).get(measure, {}).items():
        alone = len(set(by_query.values())) == 1
        items = [(MEAN, next(iter(by_query.values())))] if alone else list(by_query.items())
        specs.append((tuple(("" if alone else query, text, _value(text)) for query, text in items), spec))
    return [(own, sums) for sums, own in grouped(specs).items()]


def _value(text: str) -> str:
    try:
        return f"{evaluate(text):.10g}"
    except NotArithmetic:
        return ""
