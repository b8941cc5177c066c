"""Cornac: the metrics of `cornac.metrics`, called for one user with relevant ids and ranked ids, best first.

Ranked items are the documents of the run in input order; MAP and AUC also receive their scores. Positive items are the
documents with grades of at least 1, without their grades. Queries missing from the run are not measured. Cornac
averages over users only when it evaluates a trained model, so there is no mean.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "cornac"
PACKAGES = ("cornac", "numpy", "scipy")
VARIANTS = {
    "default": "arrays of ids, a user at a time: the positive items, and the docs of the run in the order of its rows"
}
UNTOLD = {"default": "relevant negative grades qrels_duplicates no_judgments"}  # the adapter decides relevance
MEASURES = {
    "nDCG": "NDCG",
    "nDCG@{k}": "NDCG",
    "RR": "MRR",
    "P": "Precision",
    "P@{k}": "Precision",
    "R": "Recall",
    "R@{k}": "Recall",
    "F@{k}": "FMeasure",
    "Success@{k}": "HitRatio",
    "AP": "MAP",
    "AUC": "AUC",
}


class Unsupported(Exception):
    """An input that Cornac cannot represent."""


def load() -> None:
    """Import Cornac."""
    from cornac import metrics  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, None]:
    """Call the metric once for each query."""
    import numpy as np
    from cornac import metrics

    if not hasattr(metrics, call):
        raise Unsupported("this version of Cornac has no %s" % call)
    cutoff = {"k": values["k"]} if "k" in values else {}
    metric = getattr(metrics, call)(**cutoff)
    by_query = {}
    for query, (relevant, ranked) in read(data).items():
        items = np.array([doc for doc, _ in ranked])
        scores = np.array([score for _, score in ranked])
        positive = np.array(relevant)
        by_query[query] = metric.compute(gt_pos=positive, pd_rank=items, item_indices=items, pd_scores=scores)
    return by_query, None


def read(data: Dict[str, Any]) -> Dict[str, Tuple[List[Any], List[Any]]]:
    """Return the relevant ids, and the retrieved ids with scores, of each query of the run."""
    if "true" in data:
        raise Unsupported("Cornac measures rankings, not labelings")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("an item is relevant or not, so a doc cannot be judged twice")
    if len({type(row[1]) for row in data["qrels"] + data["run"]}) > 1:
        raise Unsupported("an array holds numbers or text, and these ids are of both kinds")
    ranked: Dict[str, List[Any]] = {str(query): [] for query in data["empty_in_run"]}
    for query, doc, score, _rank in data["run"]:
        ranked.setdefault(str(query), []).append((doc, float(score)))
    if not ranked:
        raise Unsupported("there is no query, and so no user")
    relevant: Dict[str, List[Any]] = {query: [] for query in ranked}
    for query, doc, rel in data["qrels"]:
        relevant.setdefault(str(query), []).extend([doc] if rel >= 1 else [])
    return {query: (relevant[query], docs) for query, docs in ranked.items()}
