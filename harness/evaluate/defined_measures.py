"""Measures that ir_measures' `define` and `define_byquery` make, computed by its own runtime."""

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from rankproof.evaluate.inputs import BadInput, Rows
from rankproof.evaluate.result import Result
from rankproof.reference_impl.ranking import Judgment, QueryRow

_PASSED = {"query_id", "doc_id", "relevance", "score"}
"""The columns that such a measure gets."""


def runtime(measures: Sequence[Any], qrels: Any) -> Any:  # noqa: ANN401 - an ir_measures.Evaluator, and its input
    """Return the evaluator of ir_measures' runtime."""
    return importlib.import_module("ir_measures").runtime.evaluator(list(measures), qrels)


def means_of(measures: Iterable[Any], metrics: Iterable[Any]) -> dict[Any, float]:
    """Return the mean of each measure, as ir_measures aggregates it."""
    aggregators = {measure: measure.aggregator() for measure in measures}
    for metric in metrics:
        aggregators[metric.measure].add(metric.value)
    return {measure: aggregator.result() for measure, aggregator in aggregators.items()}


class Defined:
    """Some such measures and the qrels, for any number of runs."""

    def __init__(self, measures: Sequence[Any], qrels: Rows[Judgment]) -> None:
        for measure in measures:
            lacking = ({*measure.RUN_INPUTS} | {*measure.QREL_INPUTS}) - _PASSED
            if lacking:
                raise BadInput(
                    str(measure), f"it needs {', '.join(sorted(lacking))}, which are not passed on; use ir_measures"
                )
        self.measures = list(dict.fromkeys(measures))
        rows = [(query, j.doc, float(j.rel)) for query, judgments in qrels.of.items() for j in judgments]
        self._evaluator = runtime(self.measures, _frame(rows, "relevance"))

    def joined(self, result: Result, run: Rows[QueryRow], order: Iterable[str]) -> Result:
        """Return a result with the values of these measures, all in this order; their signature names ir_measures."""
        rows = [(query, row.doc, row.score) for query, docs in run.of.items() for row in docs]
        metrics = list(self._evaluator.iter_calc(_frame(rows, "score")))
        by = f"by:ir_measures-{version('ir-measures')}"
        means: dict[str, Any] = {
            str(measure): float(mean) for measure, mean in means_of(self.measures, metrics).items()
        }
        per_query: dict[str, Any] = {measure: {} for measure in means}
        for metric in metrics:
            per_query[str(metric.measure)][metric.query_id] = float(metric.value)
        order = list(order)

        def both(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
            values = {**ours, **theirs}
            return {name: values[name] for name in order if name in values}

        signatures = {measure: f"{measure}|{by}" for measure in means}
        return replace(
            result,
            per_query=both(result.per_query, per_query),
            mean=both(result.mean, means),
            signature=both(result.signature, signatures),
        )


def _frame(rows: list[tuple[str, str, float]], value: str) -> Any:  # noqa: ANN401 - a pandas.DataFrame
    return importlib.import_module("pandas").DataFrame(rows, columns=["query_id", "doc_id", value])
