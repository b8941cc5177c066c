"""RecBole: the metrics of `recbole.evaluator.metrics`, from what its collector makes of recommendations: which of the first k are positive.

For each user that is a row of k flags, and the number of positive items. The rows of the run are taken as they stand, as RecBole ranks by
torch's topk, which keeps no order of tied items; what a short list lacks is no hit. Positive are the docs of rel 1 and more. A user is a
query of the qrels and of the run. The value of a user is that of a call with this user alone. Values are rounded to 15 digits, and not to
four as without a setting.
"""

from typing import Any, Dict, List, Set, Tuple

LIBRARY = "recbole"
PACKAGES = ("recbole", "torch", "numpy")
VARIANTS = {"default": "flags of the first k docs in the order of the rows, and the number of docs of rel 1 and more"}
UNTOLD = {"default": "ids relevant negative grades qrels_duplicates no_judgments"}  # the adapter says what is positive
MEASURES = {
    "nDCG@{k}": ("NDCG", "ndcg"),
    "AP@{k}": ("MAP", "map"),
    "P@{k}": ("Precision", "precision"),
    "R@{k}": ("Recall", "recall"),
    "RR@{k}": ("MRR", "mrr"),
    "Success@{k}": ("Hit", "hit"),
}


class Unsupported(Exception):
    """The input cannot be said in RecBole's terms."""


def load() -> None:
    """Import it; it names float by an alias that numpy has had no more since 1.24."""
    import numpy as np

    if not hasattr(np, "float"):
        vars(np)["float"] = float
    from recbole.evaluator import metrics  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: Tuple[str, str], values: Dict[str, Any]) -> Tuple[Any, Any]:
    """One call of all users, and one for each."""
    rows = users(data, values["k"])
    if not rows:
        raise Unsupported("there is no user")
    return {query: metric_of(call, [row], values["k"]) for query, row in rows.items()}, metric_of(
        call, list(rows.values()), values["k"]
    )


def metric_of(call: Tuple[str, str], rows: List[List[int]], k: int) -> Any:
    """What a metric gives of some users."""
    import torch
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import DataStruct

    name, key = call
    collected = DataStruct()
    collected.set("rec.topk", torch.tensor(rows))
    metric = getattr(metrics, name)({"metric_decimal_place": 15, "topk": [k]})
    return metric.calculate_metric(collected)["{}@{}".format(key, k)]


def users(data: Dict[str, Any], k: int) -> Dict[Any, List[int]]:
    """User -> flags of the first k docs, and the number of positive ones."""
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
