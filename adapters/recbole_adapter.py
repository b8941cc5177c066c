"""RecBole: the metrics of `recbole.evaluator.metrics`, called with the data that RecBole's collector produces.

The data of a user is a row of k flags (whether the item at each rank is positive) and the number of positive items.
Documents keep the input order, because RecBole ranks with torch's topk, which has no fixed order of tied items.
Missing ranks of a short list are not hits. Positive items are the documents with grades of at least 1. Users are the
queries in both qrels and run. The value of a user is that of a call with this user alone. Values are rounded to 15
digits instead of four, the default.
"""

from typing import Any, Dict, List, Set, Tuple

LIBRARY = "recbole"
PACKAGES = ("recbole", "torch", "numpy")
VARIANTS = {"default": "flags of the first k docs in the order of the rows, and the number of docs of rel 1 and more"}
UNTOLD = {"default": "ids relevant negative grades qrels_duplicates no_judgments"}  # the adapter decides relevance
MEASURES = {
    "nDCG@{k}": ("NDCG", "ndcg"),
    "AP@{k}": ("MAP", "map"),
    "P@{k}": ("Precision", "precision"),
    "R@{k}": ("Recall", "recall"),
    "RR@{k}": ("MRR", "mrr"),
    "Success@{k}": ("Hit", "hit"),
}


class Unsupported(Exception):
    """An input that RecBole cannot represent."""


def load() -> None:
    """Import RecBole; it uses `np.float`, which numpy removed in 1.24."""
    import numpy as np

    if not hasattr(np, "float"):
        vars(np)["float"] = float
    from recbole.evaluator import metrics  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: Tuple[str, str], values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Call the metric once for all users, and once for each user."""
    rows = users(data, values["k"])
    if not rows:
        raise Unsupported("there is no user")
    return {query: metric_of(call, [row], values["k"]) for query, row in rows.items()}, metric_of(
        call, list(rows.values()), values["k"]
    )


def metric_of(call: Tuple[str, str], rows: List[List[int]], k: int) -> Any:
    """Return the value of a metric over some users."""
    import torch
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import DataStruct

    name, key = call
    collected = DataStruct()
    collected.set("rec.topk", torch.tensor(rows))
    metric = getattr(metrics, name)({"metric_decimal_place": 15, "topk": [k]})
    return metric.calculate_metric(collected)["{}@{}".format(key, k)]


def users(data: Dict[str, Any], k: int) -> Dict[Any, List[int]]:
    """Return for each user the flags of the first k documents, followed by the number of positive ones."""
    if "true" in data:
        raise Unsupported("what is asked of RecBole measures rankings, not labelings")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("an item is positive or not, so that a doc cannot be judged twice")
    if len({(query, doc) for query, doc, _score, _rank in data["run"]}) < len(data["run"]):
        raise Unsupported("an item is recommended once")
    if data["empty_in_run"] or data["empty_in_qrels"]:
        raise Unsupported("a user has items")
    positive: Dict[Any, Set[Any]] = {}
    for query, doc, rel in data["qrels"]:
        positive.setdefault(query, set()).update([doc] if rel >= 1 else [])
    rankings: Dict[Any, List[Any]] = {}
    for query, doc, _score, _rank in data["run"]:
        if query in positive:
            rankings.setdefault(query, []).append(doc)
    return {
        query: [int(doc in positive[query]) for doc in docs[:k]] + [0] * (k - len(docs)) + [len(positive[query])]
        for query, docs in rankings.items()
    }
