"""The forms that are objects, of ir_measures and as torchmetrics has them: how they are asked, and the lines of Python that do the same."""

import copy
import sys
from importlib import import_module
from typing import Any

from rankproof.cases import Case
from rankproof.checking.answers import number
from rankproof.checking.functions import nested
from rankproof.checking.literals import literal
from rankproof.checking.targets import Target
from rankproof.observations import Answered

ROLES_OF_UPDATE = ("y_score", "y_true", "indexes")


def ask_ir_measures(target: Target, case: Case, k: int | None) -> Answered:
    """By ir_measures' own evaluator."""
    ir_measures = import_module("ir_measures")
    measure = target.function if k is None or not target.k else target.function(cutoff=k)
    qrels, run = _tuples(ir_measures, case)
    means, by_query = ir_measures.evaluator([measure], qrels).calc(run)
    return Answered({str(one.query_id): number(one.value) for one in by_query}, number(means[measure]))


def _tuples(ir_measures: Any, case: Case) -> tuple[Any, Any]:  # noqa: ANN401 - a module
    if case.empty_in_qrels or case.empty_in_run:  # only dicts can hold a query without a row
        return nested(case.qrels, case.empty_in_qrels), nested(case.run, case.empty_in_run)
    return (
        [ir_measures.Qrel(query, doc, rel) for query, doc, rel in case.qrels],
        [ir_measures.ScoredDoc(query, doc, score) for query, doc, score, _ in case.run],
    )


def ask_torchmetrics(target: Target, case: Case, k: int | None) -> Answered:
    """One update with all queries, on an object that has seen nothing."""
    metric = _fresh(target, k)
    metric.update(**_tensors(target, case))
    return Answered(None, number(metric.compute()))


def _fresh(target: Target, k: int | None) -> Any:  # noqa: ANN401 - a person's object
    if isinstance(target.function, type):
        return target.function(**({} if target.k is None or k is None else {target.k: k}))
    metric = copy.deepcopy(target.function)
    if hasattr(metric, "reset"):
        metric.reset()
    if target.k is not None and k is not None:
        setattr(metric, target.k, k)
    return metric


def _tensors(target: Target, case: Case) -> dict[str, Any]:
    """The rows of all queries together, with the number of its query for each; as tensors where torch is in use."""
    queries = list(case.queries)
    data = {
        "y_score": [score for _, _, score, _ in case.run],
        "y_true": [rel for _, _, rel in case.qrels],
        "indexes": [queries.index(query) for query, _, _, _ in case.run],
    }
    names = dict(zip(ROLES_OF_UPDATE, target.order, strict=True))
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        return {
            names[role]: torch.tensor(values, dtype=torch.float64 if role == "y_score" else torch.long)
            for role, values in data.items()
        }
    if not target.arrays:
        return {names[role]: values for role, values in data.items()}
    numpy = import_module("numpy")
    return {names[role]: numpy.array(values) for role, values in data.items()}


def repro_ir_measures(target: Target, case: Case, _query: str | None, k: int | None) -> list[str]:
    """By ir_measures' own evaluator."""
    measure = f"{target.short}(cutoff={k})" if k is not None and target.k else target.short
    if case.empty_in_qrels or case.empty_in_run:
        qrels: object = nested(case.qrels, case.empty_in_qrels)
        run: object = nested(case.run, case.empty_in_run)
    else:
        qrels, run = [list(row) for row in case.qrels], [list(row[:3]) for row in case.run]
    tuples = isinstance(qrels, list)
    return [
        "import ir_measures",
        "",
        f"qrels = [ir_measures.Qrel(*row) for row in {literal(qrels)}]" if tuples else f"qrels = {literal(qrels)}",
        f"run = [ir_measures.ScoredDoc(*row) for row in {literal(run)}]" if tuples else f"run = {literal(run)}",
        f"print(ir_measures.evaluator([{measure}], qrels).calc(run))",
    ]


def repro_torchmetrics(target: Target, case: Case, _query: str | None, k: int | None) -> list[str]:
    """The same update as a person would write it."""
    queries = list(case.queries)
    cutoff = f"{target.k}={k}" if target.k is not None and k is not None else ""
    made = [f"metric = {target.short}({cutoff})"]
    if not isinstance(target.function, type):
        made = [f"metric = {target.short}", *([f"metric.{target.k} = {k}"] if cutoff else [])]
    data = {
        "y_score": literal([score for _, _, score, _ in case.run]),
        "y_true": literal([rel for _, _, rel in case.qrels]),
        "indexes": literal([queries.index(query) for query, _, _, _ in case.run]),
    }
    wrap = "torch.tensor({})" if "torch" in sys.modules else "numpy.array({})" if target.arrays else "{}"
    names = dict(zip(ROLES_OF_UPDATE, target.order, strict=True))
    arguments = ", ".join(f"{names[role]}={wrap.format(text)}" for role, text in data.items())
    return [*made, f"metric.update({arguments})", "print(metric.compute())"]
