"""ranx: `evaluate` of Qrels and a Run, with and without `make_comparable`, and of plain dicts.

Qrels and a Run have one number for each document of a query, so a document that is judged or retrieved twice is
unsupported. `evaluate` writes the value of each query into the Run. For plain dicts, it returns values without query
ids, so only the mean is used.
"""

from typing import Any, Dict, Iterable, Tuple

LIBRARY = "ranx"
PACKAGES = ("ranx", "numba", "numpy")
VARIANTS = {
    "default": "evaluate, with its defaults, of Qrels and a Run",
    "comparable": "evaluate with make_comparable=True, of Qrels and a Run",
    "dicts": "evaluate, with its defaults, of two dicts of dicts; its mean",
}
WHOLE = {
    "SetP": "precision",
    "SetR": "recall",
    "SetF": "f1",
    "Success": "hit_rate",
    "Rprec": "r-precision",
    "Bpref": "bpref",
}
CUT = {"P": "precision", "R": "recall", "F": "f1", "Success": "hit_rate"}
BOTH = {"AP": "map", "RR": "mrr", "nDCG": "ndcg", "DCG": "dcg"}
BURGES = {"nDCG": "ndcg_burges", "DCG": "dcg_burges"}
MEASURES: Dict[str, str] = {"RBP": "rbp", "RBP(p={p})": "rbp"}
for _name, _call in list(WHOLE.items()) + list(BOTH.items()):
    MEASURES.update({_name: _call, _name + "(rel={rel})": _call})
del MEASURES["Bpref(rel={rel})"]  # at higher levels, most runs have a query after which others score 0
for _name, _call in list(CUT.items()) + list(BOTH.items()):
    MEASURES.update({_name + "@{k}": _call, _name + "(rel={rel})@{k}": _call})
for _name, _call in BURGES.items():
    MEASURES.update({_name + "(dcg='exp-log2')": _call, _name + "(dcg='exp-log2')@{k}": _call})


class Unsupported(Exception):
    """An input or a measure that ranx cannot represent."""


def load() -> Dict[str, Any]:
    """Import ranx; the first releases have no make_comparable."""
    import inspect

    from ranx import evaluate

    if "make_comparable" in inspect.signature(evaluate).parameters:
        return {}
    return {"absent": {"comparable": "evaluate of this version of ranx has no make_comparable"}}


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Call `evaluate` once for all queries."""
    from ranx import Qrels, Run, evaluate

    if "true" in data:
        raise Unsupported("ranx measures rankings, not labelings")
    name = named(call, values)
    qrels = by_query(data["qrels"], data["empty_in_qrels"])
    run = by_query(data["run"], data["empty_in_run"])
    if variant == "dicts":
        return None, float(evaluate(qrels, run, name))
    options = {"make_comparable": True} if variant == "comparable" else {}
    evaluated = Run(run)
    mean = evaluate(Qrels(qrels), evaluated, name, **options)
    return {query: float(value) for query, value in evaluated.scores[name].items()}, float(mean)


def named(call: str, values: Dict[str, Any]) -> str:
    """Return ranx's name of a metric, with its cutoff, persistence and relevance level."""
    from ranx.metrics import metric_switch

    try:
        metric_switch(call)
    except ValueError as error:
        raise Unsupported("this version of ranx has no {}".format(call)) from error
    name = call
    if call == "rbp":
        p = str(values.get("p", 0.8))
        if not p.startswith("0.") and float(p) != 0:
            raise Unsupported("ranx reads the digits of a persistence after the point, and takes none of 1")
        name += "." + (p[2:] or "0")
    if "k" in values:
        name += "@{}".format(values["k"])
    if values.get("rel", 1) == 1:
        return name
    if not has_levels():
        raise Unsupported("this version of ranx has no relevance level")
    return "{}-l{}".format(name, values["rel"])


def has_levels() -> bool:
    """Return whether names of metrics can contain a relevance level."""
    import inspect

    from ranx.metrics import precision

    return "rel_lvl" in inspect.signature(precision).parameters


def by_query(rows: Iterable[Any], empty: Iterable[Any]) -> Dict[Any, Dict[Any, Any]]:
    """Return the grade or score of each document of each query."""
    numbers: Dict[Any, Dict[Any, Any]] = {query: {} for query in empty}
    for query, doc, number, *_rank in rows:
        of_query = numbers.setdefault(query, {})
        if doc in of_query:
            raise Unsupported("a dict has one number for a doc")
        of_query[doc] = number
    return numbers
