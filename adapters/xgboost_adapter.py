"""XGBoost: its metrics, evaluated by a `Booster` without trees, which predicts the `base_margin` of the rows.

A query is a group of rows: the documents of the run, unjudged ones with label 0. XGBoost therefore does not see
relevant documents that were not retrieved. Labels and scores are float32. A measure without a cutoff is the metric
without one, such as `ndcg`.

`auc` is left out. With groups, it counts all pairs of a query, even pairs with equal labels; without groups, the label
is the weight of a row. rankproof has neither measure.
"""

import re
from typing import Any, Dict, List, Tuple

LIBRARY = "xgboost"
PACKAGES = ("xgboost", "numpy", "scipy")
VARIANTS = {
    "default": "the docs of the run, a group for each query; an unjudged doc has label 0; ndcg, map, pre and auc as they are unless told",
    "minus": "the same by ndcg@k- and map@k-",
    "linear": "the same with ndcg_exp_gain=False",
}
UNTOLD = dict.fromkeys(VARIANTS, "ids")  # rows have no ids

MEASURES = {
    "default": {
        "nDCG": "ndcg",
        "nDCG@{k}": "ndcg@{k}",
        "nDCG(dcg='exp-log2')": "ndcg",
        "nDCG(dcg='exp-log2')@{k}": "ndcg@{k}",
        "AP": "map",
        "AP@{k}": "map@{k}",
        "P": "pre",
        "P@{k}": "pre@{k}",
    },
    "minus": {
        "nDCG": "ndcg-",
        "nDCG@{k}": "ndcg@{k}-",
        "nDCG(dcg='exp-log2')": "ndcg-",
        "nDCG(dcg='exp-log2')@{k}": "ndcg@{k}-",
        "AP": "map-",
        "AP@{k}": "map@{k}-",
    },
    "linear": {"nDCG": "ndcg", "nDCG@{k}": "ndcg@{k}"},
}.get


class Unsupported(Exception):
    """An input that XGBoost cannot represent."""


def load() -> None:
    """Import XGBoost."""
    import xgboost  # noqa: F401


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Evaluate each query alone, and all queries as groups."""
    import xgboost

    parameters: Dict[str, Any] = {
        "objective": "reg:squarederror",
        "base_score": 0,
        "disable_default_eval_metric": 1,
        "verbosity": 0,
        "nthread": 1,
        "eval_metric": call.format(**values),
    }
    if variant == "linear":
        if xgboost.__version__[:2] in {"0.", "1."}:  # these accept the option and ignore it
            raise Unsupported("XGBoost %s has no ndcg_exp_gain" % xgboost.__version__)
        parameters["ndcg_exp_gain"] = False
    groups = read_groups(data)
    per_query = {query: metric_of([group], parameters) for query, group in groups.items()}
    return per_query, metric_of(list(groups.values()), parameters)


def metric_of(groups: List[Tuple[List[Any], List[float]]], parameters: Dict[str, Any]) -> float:
    """Return the value of a metric on some groups."""
    import numpy as np
    import xgboost

    labels = np.array([label for labels, _ in groups for label in labels], dtype=float)
    scores = np.array([score for _, scores in groups for score in scores], dtype=float)
    rows = xgboost.DMatrix(np.zeros((len(labels), 1)), label=labels, nthread=1)
    rows.set_base_margin(scores)
    rows.set_group([len(labels) for labels, _ in groups])
    try:
        printed = xgboost.Booster(parameters, [rows]).eval(rows, "asked")
    except xgboost.core.XGBoostError as error:
        # Messages begin with the time of day, which changes with every call.
        raise type(error)(re.sub(r"^\[[\d:]+\] ", "", str(error))) from None
    return float(printed.rpartition(":")[2])


def read_groups(data: Dict[str, Any]) -> Dict[str, Tuple[List[Any], List[float]]]:
    """Return the labels and scores of each query: the rows of a group must be contiguous."""
    qrels: Dict[Tuple[str, str], Any] = {}
    for query, doc, rel in data["qrels"]:
        if (str(query), str(doc)) in qrels:
            raise Unsupported("a row has one label, so a doc cannot be judged twice")
        qrels[str(query), str(doc)] = rel
    groups: Dict[str, Tuple[List[Any], List[float]]] = {}
    for query, doc, score, _rank in data["run"]:
        labels, scores = groups.setdefault(str(query), ([], []))
        labels.append(qrels.get((str(query), str(doc)), 0))
        scores.append(float(score))
    for query in data["empty_in_run"]:
        groups.setdefault(str(query), ([], []))
    if not groups:
        raise Unsupported("there is no query, and so no group")
    return groups
