"""Adapters, also of libraries that are not installed: the data that they pass on, and the inputs that they refuse.

The values of a library show all other behaviour, because each published result has the digest of the adapter that ran.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import published_run
import pytest
from adapters_without_libraries import refusals_of

from rankproof import adapters
from rankproof import cases as corpus
from rankproof.adapters import worker
from rankproof.adapters.worker import load_adapter
from rankproof.judge.verdicts import Row, Verdict

HERE = Path(adapters.__file__).resolve().parent
RUN = [("q1", "b", 3.0, 1), ("q1", "a", 2.0, 2), ("q1", "x", 1.0, 3), ("q2", "c", 5.0, 1), ("q3", "e", 4.0, 1)]
QRELS = [("q1", "a", 2), ("q1", "b", 0), ("q1", "d", 1), ("q2", "c", 0.5), ("q3", "e", 1), ("q3", "f", -1)]
DATA = {"qrels": QRELS, "run": RUN, "empty_in_qrels": [], "empty_in_run": []}


def adapter_of(library: str) -> Any:
    return load_adapter(str(HERE / f"{library}_adapter.py"))


def observed(name: str, variant: str, measure: str, values: Mapping[str, Any], data: Mapping[str, Any]) -> Any:
    adapter = adapter_of(name)
    measures = adapter.MEASURES(variant) if callable(adapter.MEASURES) else adapter.MEASURES
    return adapter.observe(variant, dict(data), measures[measure], dict(values))


# -- data that adapters pass on ----------------------------------------------------------------------------------------


def test_evaluate_answers_for_the_run_and_the_qrels_of_each_request() -> None:
    def compute(predictions: list[Any], references: list[Any]) -> dict[str, Any]:
        return {"map": (predictions[0]["docid"], references[0]["rel"])}

    adapter = adapter_of("evaluate")
    adapter.STATE["module"] = lambda **_how: SimpleNamespace(compute=compute)
    whole = [row for row in QRELS if row[2] != 0.5]
    for run, qrels in ((RUN, whole), (RUN[::-1], whole), (RUN[::-1], whole[::-1]), (RUN, whole)):
        columns = [row[1] for row in run], [row[2] for row in qrels]
        for _ in range(2):
            assert adapter.observe("default", {**DATA, "run": run, "qrels": qrels}, "map", {})[1] == columns


@pytest.mark.parametrize("variant", ["rows", "appended", "rows-ignore-ties"])
def test_sklearn_has_a_mean_only_if_run_and_qrels_have_the_same_queries(variant: str) -> None:
    run = [(query, doc, score, 3 - score) for query in ("q1", "q2") for doc, score in (("a", 2), ("b", 1))]
    qrels = [("q1", "a", 1), ("q1", "b", 0), ("q2", "b", 1)]
    more_judged, more_ranked = [("q3", "a", 1), ("q3", "b", 0)], [("q3", "a", 2, 1), ("q3", "b", 1, 2)]
    for more, judged, mean in (([], [], 1 / 2), ([], more_judged, None), (more_ranked, [], None)):
        data = {**DATA, "run": [*run, *more], "qrels": [*qrels, *judged]}
        assert observed("sklearn", variant, "nDCG@{k}", {"k": 1}, data)[1] == mean


@pytest.mark.parametrize("score", [1e300, 0.25, -1e300])
def test_sklearn_gets_unretrieved_documents_below_all_scores(score: float) -> None:
    data = {"qrels": [("q", "a", 0), ("q", "b", 0), ("q", "c", 1)], "run": [("q", "a", 2e300, 1), ("q", "b", score, 2)]}
    per_query, mean = observed("sklearn", "appended", "nDCG", {}, {**DATA, **data})
    assert (per_query, mean) == ({"q": pytest.approx(1 / math.log2(4))}, pytest.approx(1 / math.log2(4)))


# -- inputs that adapters refuse ---------------------------------------------------------------------------------------

LIBRARIES = sorted(path.stem.removesuffix("_adapter") for path in HERE.glob("*_adapter.py"))
BY_ITS_ANSWER = {"ir_evaluation": {"a list of results that is shorter than the cutoff is left out"}}
"""Reasons that depend on a value of the library."""
OF_ITS_VERSION = " of this version of "
"""The common part of reasons that depend on the parameters of a library's functions, which a stand-in lacks."""
REFUSING = ("sklearn", "torchmetrics", "trec_eval", "ir_measures")
"""Some libraries that are known to refuse certain inputs."""


@pytest.mark.parametrize("odd", ["", "a b", "a\tb", "a\nb", "a\x0bb"])
@pytest.mark.parametrize(("part", "column"), [("run", 0), ("run", 1), ("qrels", 0), ("qrels", 1)])
def test_ids_that_a_trec_file_cannot_hold_are_refused(odd: str, part: str, column: int) -> None:
    rows = [[*row[:column], odd, *row[column + 1 :]] if i == 1 else row for i, row in enumerate(DATA[part])]
    with pytest.raises(Exception, match="a TREC file has no ids that are empty or hold white space"):
        observed("trec_eval", "default", "AP", {}, {**DATA, part: rows})


@cache
def rows_of() -> Mapping[str, list[Row]]:
    """Return the published rows of each library."""
    rows = defaultdict(list)
    for row in published_run.results().rows:
        rows[row.library].append(row)
    return rows


@cache
def inputs() -> Mapping[str, Any]:
    return {case.id: case.input.as_json() for case in corpus.load_all()}


@cache
def unsupported_rows(library: str) -> list[Row]:
    """Return published rows that the library does not support, one measure for each reason, case and variant."""
    adapter, rows = adapter_of(library), dict[tuple[str, ...], Row]()
    for row in rows_of()[library]:
        if row.verdict is Verdict.UNSUPPORTED and row.variant in adapter.VARIANTS:
            is_known = worker.match(worker.supported_by(adapter, row.variant), row.measure) is not None
            if is_known and row.note not in BY_ITS_ANSWER.get(library, ()):
                rows.setdefault((row.case, row.variant, row.note.replace(row.measure, "")), row)
    return list(rows.values())


ONCE = {"qrels": [[1, 7, 1], [2, 7, 0], [1, 8, 1]], "run": [[1, 7, 0.5, 1], [2, 7, 0.75, 1], [1, 8, 0.25, 2]]}
"""Documents with numeric ids; one id belongs to two queries."""
TWICE: list[Mapping[str, list[list[float]]]] = [{}, {"qrels": [[1, 7, 2]]}, {"run": [[1, 7, 0.125, 3]]}]


def requests_with_duplicates(library: str) -> list[list[Any]]:
    """Return requests of each variant without and with duplicates, with ids as texts and as numbers."""
    supported = [row for row in rows_of()[library] if row.verdict is not Verdict.UNSUPPORTED]
    measures = {row.variant: row.measure for row in sorted(supported, key=lambda row: "nDCG" in row.measure)}
    requests = []
    for variant in measures.keys() & adapter_of(library).VARIANTS.keys():
        for more in TWICE:
            numbers = {name: [*rows, *more.get(name, [])] for name, rows in ONCE.items()}
            texts = {name: [[str(q), str(d), *rest] for q, d, *rest in rows] for name, rows in numbers.items()}
            data = ({"empty_in_qrels": [], "empty_in_run": [], **rows} for rows in (texts, numbers))
            requests += [[variant, measures[variant], rows] for rows in data]
    return requests


@cache
def reasons_of(library: str) -> tuple[list[str | None], list[str | None]]:
    """Return the reasons for unsupported rows and for requests with duplicates, from one process."""
    published = [[row.variant, row.measure, inputs()[row.case]] for row in unsupported_rows(library)]
    duplicates = requests_with_duplicates(library)
    reasons = refusals_of(HERE / f"{library}_adapter.py", [*published, *duplicates])
    return reasons[: len(published)], reasons[len(published) :]


@pytest.mark.parametrize("library", LIBRARIES)
def test_inputs_that_the_published_run_reports_as_unsupported_are_refused_for_the_same_reason(library: str) -> None:
    rows = unsupported_rows(library)
    others = [
        f"{row.place}: {reason}; published: {row.note}"
        for row, reason in zip(rows, reasons_of(library)[0], strict=True)
        if reason != row.note and OF_ITS_VERSION not in str(reason)
    ]
    assert others == [], f"{library} gives other reasons than in the published run"
    assert rows or library not in REFUSING


@pytest.mark.parametrize("library", LIBRARIES)
def test_document_that_occurs_twice_is_refused_whether_ids_are_numbers_or_texts(library: str) -> None:
    """Some libraries accept no numbers at all."""
    reasons = reasons_of(library)[1]
    for place in range(0, len(reasons), 6):
        _, numbers, *duplicates = reasons[place : place + 6]
        assert numbers is not None or duplicates[::2] == duplicates[1::2], f"{library} refuses only texts or numbers"
