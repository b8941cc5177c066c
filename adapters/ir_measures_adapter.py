"""ir_measures: its default pipeline and each of its providers.

Qrels and runs are tuples of the library, `ir_measures.Qrel` and `ir_measures.ScoredDoc`, in input order, because some
providers break ties by it. Tuples cannot represent a query without rows, so such inputs are dicts.

A measure is supported if `provider.supports(measure)` is true. The providers accuracy, compat and pyndeval are left
out: they have no measure of the cases.
"""

import subprocess
from typing import Any, Dict, Tuple

LIBRARY = "ir_measures"
PACKAGES = ("ir_measures", "pytrec_eval-terrier", "cwl-eval", "trectools", "ranx", "numba", "pandas")
PROVIDERS = ("pytrec_eval", "cwl_eval", "gdeval", "judged", "msmarco", "trectools", "ranx")
VARIANTS = {"default": "ir_measures.evaluator: the first provider of its pipeline that supports the measure"}
VARIANTS.update((name, "the provider {} alone".format(name)) for name in PROVIDERS)
VARIANTS["gdeval"] += "; it reads numbers for queries, so others are numbered 1, 2, … and named back"
VARIANTS["trectools"] += ", which the default pipeline leaves out"
UNTOLD = {"gdeval": "ids"}  # numbered queries have no names
MEASURES = {"*": "whatever the provider supports"}


class Unsupported(Exception):
    """A measure that ir_measures does not have, or that the provider does not support."""


def load() -> Dict[str, Any]:
    """Import ir_measures and the packages of its providers."""
    import ir_measures

    absent = {}
    for name in VARIANTS:
        if name != "default" and name not in ir_measures.providers.registry:
            absent[name] = "ir_measures {} has no provider {}".format(ir_measures.__version__, name)
            continue
        try:
            provider(name).initialize()
        except RuntimeError as error:
            absent[name] = ": ".join(str(argument) for argument in error.args)
    return {"version": ir_measures.__version__, "absent": absent}


def provider(variant: str) -> Any:
    """Return the default pipeline, or the provider with a name."""
    import ir_measures

    return ir_measures.DefaultPipeline if variant == "default" else ir_measures.providers.registry[variant]


def observe(variant: str, data: Dict[str, Any], _call: str, values: Dict[str, Any]) -> Tuple[Dict[Any, Any], Any]:
    """Return the value of each query and the aggregate of one evaluator."""
    measure = parse(variant, values["measure"])
    numbers = numbered(data) if variant == "gdeval" else {}
    qrels, run = (as_dicts if data["empty_in_qrels"] or data["empty_in_run"] else as_tuples)(data, numbers)
    try:
        means, metrics = calculated(provider(variant).evaluator([measure], qrels), run)
    except subprocess.CalledProcessError as error:
        error.cmd = "perl gdeval.pl"  # the command contains paths of temporary files, which change
        raise
    named = {number: query for query, number in numbers.items()}
    return {named.get(metric.query_id, metric.query_id): metric.value for metric in metrics}, means[measure]


def calculated(evaluator: Any, run: Any) -> Tuple[Any, Any]:
    """Return the aggregate and the values of queries; before 0.3.3 these are separate calls."""
    if hasattr(evaluator, "calc"):
        return evaluator.calc(run)  # type: ignore[no-any-return]
    return evaluator.calc_aggregate(run), list(evaluator.iter_calc(run))


def parse(variant: str, notation: str) -> Any:
    """Return the library's measure, if the provider supports it."""
    import ir_measures

    try:
        measure = ir_measures.parse_measure(notation)
        floats = {name for name, info in measure.SUPPORTED_PARAMS.items() if info.dtype is float}
        measure = measure(**{name: float(measure[name]) for name in floats & set(measure.params)})  # 1 is written 1.0
        supported = provider(variant).supports(measure)
    except (NameError, ValueError, AssertionError) as error:
        reason, _, _ = str(error).partition("=<object object at")  # the message contains a memory address
        raise Unsupported(reason) from error
    if not supported:
        reason = "{} does not support {}".format(variant, measure)
        raise Unsupported(reason)
    return measure


def as_tuples(data: Dict[str, Any], numbers: Dict[Any, str]) -> Tuple[Any, Any]:
    """Return the rows in input order, as the tuples that the library's own readers create."""
    from ir_measures import Qrel, ScoredDoc

    qrels = [Qrel(numbers.get(query, query), doc, rel) for query, doc, rel in data["qrels"]]
    run = [ScoredDoc(numbers.get(query, query), doc, float(score)) for query, doc, score, _ in data["run"]]
    return qrels, run


def as_dicts(data: Dict[str, Any], numbers: Dict[Any, str]) -> Tuple[Any, Any]:
    """Return dicts of dicts, which can contain a query without rows."""
    qrels: Dict[Any, Any] = {numbers.get(query, query): {} for query in data["empty_in_qrels"]}
    run: Dict[Any, Any] = {numbers.get(query, query): {} for query in data["empty_in_run"]}
    judgments, retrieved = as_tuples(data, numbers)
    for row in judgments:
        qrels.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    for row in retrieved:
        run.setdefault(row.query_id, {})[row.doc_id] = row.score
    return qrels, run


def numbered(data: Dict[str, Any]) -> Dict[Any, str]:
    """Return a number for each query, or nothing if all are numbers."""
    rows = [row[0] for row in data["qrels"] + data["run"]]
    queries = dict.fromkeys(rows + data["empty_in_qrels"] + data["empty_in_run"])
    if all(str(query).isdigit() for query in queries):
        return {}
    return {query: str(number) for number, query in enumerate(queries, start=1)}
