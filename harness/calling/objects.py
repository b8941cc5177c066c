"""The forms that are objects, of ir_measures and as torchmetrics has them: how they are asked, and the lines of Python that do the same."""

import copy
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from rankproof.calling.arguments import contained, nested, written
from rankproof.calling.functions import again_or_made, values_of
from rankproof.calling.given_values import number
from rankproof.calling.literals import literal
from rankproof.calling.targets import Target
from rankproof.cases.inputs import Input
from rankproof.workers.observations import Answered


def ask_ir_measures(function: Any, target: Target, data: Input, k: int | None) -> Answered:  # noqa: ANN401 - a measure
    """By ir_measures' own evaluator."""
    ir_measures = import_module("ir_measures")
    measure = function if k is None or not target.k else function(cutoff=k)
    qrels, run = _tuples(ir_measures, data)
    means, by_query = ir_measures.evaluator([measure], qrels).calc(run)
    return Answered({str(one.query_id): number(one.value) for one in by_query}, number(means[measure]))


def _tuples(ir_measures: Any, data: Input) -> tuple[Any, Any]:  # noqa: ANN401 - a module
    if data.empty_in_qrels or data.empty_in_run:  # only dicts can hold a query without a row
        return nested(data.qrels, data.empty_in_qrels), nested(data.run, data.empty_in_run)
    return (
        [ir_measures.Qrel(query, doc, rel) for query, doc, rel in data.qrels],
        [ir_measures.ScoredDoc(query, doc, score) for query, doc, score, _ in data.run],
    )


def ask_torchmetrics(function: Any, target: Target, data: Input, k: int | None) -> Answered:  # noqa: ANN401 - a class or an object
    """One update with all queries, or one for each, on an object that has seen nothing."""
    metric = _fresh(function, target, k)
    for arguments in _updates(target, data):
        metric.update(**{name: contained(target, name, values) for name, values in arguments.items()})
    return Answered(None, number(metric.compute()))


def _updates(target: Target, data: Input) -> Iterator[dict[str, list[Any]]]:
    """What it is updated with, by the names of its own parameters; where none takes the query of each row, a query at a time."""
    queries = list(data.queries)
    of_scores, of_rels, *of_queries = target.order
    if of_queries:
        scores, rels = [row[2] for row in data.run], [row[2] for row in data.qrels]
        yield {of_scores: scores, of_rels: rels, of_queries[0]: [queries.index(row[0]) for row in data.run]}
        return
    for query in queries:
        scores = [row[2] for row in data.run if row[0] == query]
        rels = [row[2] for row in data.qrels if row[0] == query]
        yield {of_scores: [scores], of_rels: [rels]} if target.table else {of_scores: scores, of_rels: rels}


def _fresh(function: Any, target: Target, k: int | None) -> Any:  # noqa: ANN401 - a person's object
    if target.of_class:
        cutoff = {} if target.k is None or k is None else {target.k: k}
        return again_or_made(target, k, lambda: function(**values_of(target.made), **cutoff))
    metric = copy.deepcopy(function)
    if hasattr(metric, "reset"):
        metric.reset()
    if target.k is not None and k is not None:
        setattr(metric, target.k, k)
    return metric


def repro_ir_measures(target: Target, data: Input, _query: str | None, k: int | None) -> list[str]:
    """By ir_measures' own evaluator."""
    measure = f"{target.short}(cutoff={k})" if k is not None and target.k else target.short
    given = (("qrels", "Qrel", data.qrels, data.empty_in_qrels), ("run", "ScoredDoc", data.run, data.empty_in_run))
    if data.empty_in_qrels or data.empty_in_run:
        lines = [f"{name} = {literal(nested(rows, empty))}" for name, _, rows, empty in given]
    else:
        in_lists = [(name, of, literal([list(row[:3]) for row in rows])) for name, of, rows, _ in given]
        lines = [f"{name} = [ir_measures.{of}(*row) for row in {rows}]" for name, of, rows in in_lists]
    return ["import ir_measures", "", *lines, f"print(ir_measures.evaluator([{measure}], qrels).calc(run))"]


def repro_torchmetrics(target: Target, data: Input, _query: str | None, k: int | None) -> list[str]:
    """The same update as a person would write it."""
    cutoff = f"{target.k}={k}" if target.k is not None and k is not None else ""
    made = [f"metric = {target.short}({', '.join([*target.made, *([cutoff] if cutoff else [])])})"]
    if not target.of_class:
        made = [f"metric = {target.short}", *([f"metric.{target.k} = {k}"] if cutoff else [])]
    for arguments in _updates(target, data):
        shown = ", ".join(f"{name}={written(target, name, values)}" for name, values in arguments.items())
        made.append(f"metric.update({shown})")
    return [*made, "print(metric.compute())"]
