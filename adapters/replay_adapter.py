"""RePlay: the metrics of `replay.metrics` on recommendations and relevant items, as dicts or frames.

Frames are from pandas or polars. Relevant items are the documents with grades of at least 1, without their grades. A
dict contains each query of the qrels, even without relevant items; a frame has a row for each item, so a query without
items is missing. The values of queries come from the mode PerUser. The mean of polars frames is not used: its order of
summation, and with it the last digit, changes between calls.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "replay"
PACKAGES = ("replay-rec", "pandas", "polars", "numpy")
VARIANTS = {
    "dict": "dicts: of each user a list of items with scores, and a list of the relevant ones",
    "pandas": "frames of pandas, a row for each item",
    "polars": "frames of polars, a row for each item",
}
UNTOLD = dict.fromkeys(VARIANTS, "relevant negative grades qrels_duplicates")  # the adapter decides relevance
MEASURES = {
    "nDCG@{k}": "NDCG",
    "AP@{k}": "MAP",
    "RR@{k}": "MRR",
    "P@{k}": "Precision",
    "R@{k}": "Recall",
    "Success@{k}": "HitRate",
}


class Unsupported(Exception):
    """An input that RePlay cannot represent."""


def load() -> None:
    """Import RePlay."""
    from replay import metrics  # noqa: F401


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Return the value of each user, and the mean from a separate call."""
    from replay import metrics

    if "true" in data:
        raise Unsupported("RePlay measures rankings, not labelings")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("an item is relevant or not, so a doc cannot be judged twice")
    retrieved, relevant = as_dicts(data) if variant == "dict" else as_frames(data, variant)
    metric = getattr(metrics, call)
    by_user = only(metric([values["k"]], mode=metrics.PerUser())(retrieved, relevant))
    return by_user, None if variant == "polars" else only(metric([values["k"]])(retrieved, relevant))


def only(answer: Dict[str, Any]) -> Any:
    """Return the only value of a result, which has one metric with one cutoff."""
    (value,) = answer.values()
    return value


def as_dicts(data: Dict[str, Any]) -> Tuple[Dict[Any, List[Any]], Dict[Any, List[Any]]]:
    """Return items with scores, and relevant items, in input order."""
    retrieved: Dict[Any, List[Any]] = {query: [] for query in data["empty_in_run"]}
    for query, doc, score, _rank in data["run"]:
        retrieved.setdefault(query, []).append((doc, float(score)))
    relevant: Dict[Any, List[Any]] = {query: [] for query in data["empty_in_qrels"]}
    for query, doc, rel in data["qrels"]:
        relevant.setdefault(query, []).extend([doc] if rel >= 1 else [])
    return retrieved, relevant


def as_frames(data: Dict[str, Any], variant: str) -> Tuple[Any, Any]:
    """Return frames with the library's default column names."""
    if data["empty_in_qrels"] or data["empty_in_run"]:
        raise Unsupported("a frame has no row for a query without docs")
    run = [(query, doc, float(score)) for query, doc, score, _rank in data["run"]]
    judged = [(query, doc) for query, doc, _rel in data["qrels"]]
    are_relevant = [rel >= 1 for _query, _doc, rel in data["qrels"]]
    if variant == "pandas":
        import pandas as pd

        judgments = pd.DataFrame(judged, columns=["query_id", "item_id"])
        return pd.DataFrame(run, columns=["query_id", "item_id", "rating"]), judgments.loc[are_relevant]
    import polars as pl

    if not run or not judged:
        raise Unsupported("a frame of polars that is made of no rows has no types")
    judgments = pl.DataFrame(judged, schema=["query_id", "item_id"], orient="row")
    return pl.DataFrame(run, schema=["query_id", "item_id", "rating"], orient="row"), judgments.filter(are_relevant)
