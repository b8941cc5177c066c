"""LightGBM: its metrics, evaluated by a `Booster` without trees, which predicts the `init_score` of the rows.

A query is a group of rows: the documents of the run, unjudged ones with label 0. LightGBM therefore does not see
relevant documents that were not retrieved. Labels are float32, and nDCG uses them as indexes of the list `label_gain`;
scores are float64. `auc` and `average_precision` ignore groups: they are called for single queries, and several
queries have no mean.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "lightgbm"
PACKAGES = ("lightgbm", "numpy", "scipy")
VARIANTS = {
    "default": "the docs of the run, a group for each query; an unjudged doc has label 0; label_gain as it is unless told",
    "linear": "the same with label_gain 0, 1, 2, … 30",
}
UNTOLD = dict.fromkeys(VARIANTS, "ids")  # rows have no ids

MEASURES = {
    "default": {
        "nDCG@{k}": "ndcg",
        "nDCG(dcg='exp-log2')@{k}": "ndcg",
        "AP@{k}": "map",
        "AP": "average_precision",
        "AUC": "auc",
    },
    "linear": {"nDCG@{k}": "ndcg"},
}.get
OF_ROWS = ("average_precision", "auc")
"""Metrics that ignore groups."""
GAINS = 31
"""Default number of gains."""


class Unsupported(Exception):
    """An input that LightGBM cannot represent."""


def load() -> None:
    """Import LightGBM."""
    import lightgbm  # noqa: F401


def observe(variant: str, data: Dict[str, Any], metric: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Evaluate each query alone, and all queries as groups if the metric uses groups."""
    parameters = {"objective": "none", "metric": metric, "verbosity": -1, "num_threads": 1}
    if "k" in values:
        parameters["eval_at"] = [int(values["k"])]
    if variant == "linear":
        parameters["label_gain"] = list(range(GAINS))
    groups = read_groups(data)
    if metric not in OF_ROWS and any(not labels for labels, _ in groups.values()):
        return None, metric_of(
            list(groups.values()), parameters
        )  # single groups may be empty, but not the whole data set
    per_query = {query: metric_of([group], parameters) for query, group in groups.items()}
    if metric in OF_ROWS and len(groups) > 1:
        return per_query, None
    return per_query, metric_of(list(groups.values()), parameters)


def metric_of(groups: List[Tuple[List[Any], List[float]]], parameters: Dict[str, Any]) -> Any:
    """Return the value of a metric on some groups."""
    import lightgbm
    import numpy as np

    labels = np.array([label for labels, _ in groups for label in labels], dtype=float)
    scores = np.array([score for _, scores in groups for score in scores], dtype=float)
    sizes = [len(labels) for labels, _ in groups]
    trained = lightgbm.Dataset(np.arange(2.0)[:, None], label=np.zeros(2), group=[2], params=parameters).construct()
    booster = lightgbm.Booster(parameters, trained)
    rows = lightgbm.Dataset(
        np.zeros((len(labels), 1)), label=labels, group=sizes, init_score=scores, reference=trained, params=parameters
    )
    booster.add_valid(rows, "asked")
    answers = [value for _, _, value, _ in booster.eval_valid()]
    if not answers:
        raise Unsupported("LightGBM %s has no %s" % (lightgbm.__version__, parameters["metric"]))
    return answers[0]


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
