"""Measures that ir_measures' `define` and `define_byquery` make: its own runtime computes them, and the reference has no part."""

import importlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from rankproof.evaluate.inputs import BadInput, Rows
from rankproof.evaluate.result import ByMeasure, Result
from rankproof.reference_impl.ranking import Judgment, QueryRow

PASSED = {"query_id", "doc_id", "relevance", "score"}
"""The columns that such a measure is given."""


def is_defined(measure: Any) -> bool:  # noqa: ANN401 - an ir_measures.Measure, or anything
    """Whether a measure was made by `define` or `define_byquery`."""
    return hasattr(measure, "runtime_impl")


def runtime(measures: Sequence[Any], qrels: Any) -> Any:  # noqa: ANN401 - an ir_measures.Evaluator, and what it takes
    """The evaluator of ir_measures' runtime."""
    return importlib.import_module("ir_measures").runtime.evaluator(list(measures), qrels)


def means_of(measures: Iterable[Any], metrics: Iterable[Any]) -> dict[Any, float]:
    """Each measure's values put together as ir_measures does."""
    aggregators = {measure: measure.aggregator() for measure in measures}
    for metric in metrics:
        aggregators[metric.measure].add(metric.value)
    return {measure: aggregator.result() for measure, aggregator in aggregators.items()}


class Defined:
    """Some such measures and the qrels, for any number of runs."""

    def __init__(self, measures: Sequence[Any], qrels: Rows[Judgment]) -> None:
        for measure in measures:
            lacking = ({*measure.RUN_INPUTS} | {*measure.QREL_INPUTS}) - PASSED
            if lacking:
                what = f"it looks at {', '.join(sorted(lacking))}, which is not passed on; ask ir_measures itself"
                raise BadInput(str(measure), what)
        self.measures = list(dict.fromkeys(measures))
        rows = [(query, j.doc, float(j.rel)) for query, judgments in qrels.of.items() for j in judgments]
        self._evaluator = runtime(self.measures, _frame(rows, "relevance"))

    def answers(self, run: Rows[QueryRow]) -> Result:
        """The values of a run; the signature names ir_measures, and no conventions."""
        rows = [(query, row.doc, row.score) for query, docs in run.of.items() for row in docs]
        metrics = list(self._evaluator.iter_calc(_frame(rows, "score")))
        means = means_of(self.measures, metrics)
        by = f"by:ir_measures-{version('ir-measures')}"
        per_query: Mapping[str, dict[str, float]] = {str(measure): {} for measure in self.measures}
        for metric in metrics:
            per_query[str(metric.measure)][metric.query_id] = float(metric.value)
        return Result(
            ByMeasure(per_query),
            ByMeasure((str(measure), float(mean)) for measure, mean in means.items()),
            ByMeasure((str(measure), f"{measure}|{by}") for measure in self.measures),
        )


def _frame(rows: list[tuple[str, str, float]], value: str) -> Any:  # noqa: ANN401 - a pandas.DataFrame
    return importlib.import_module("pandas").DataFrame(rows, columns=["query_id", "doc_id", value])
