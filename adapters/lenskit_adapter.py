"""LensKit: `RunAnalysis` since 2025; before, the functions of `lenskit.metrics.topn` for single lists.

The documents of the run are recommended in input order. True items are the documents with grades of at least 1,
without ratings; for graded nDCG, they are all judged documents, rated with their grades. Queries missing from the run
are not measured.

`RunAnalysis.measure` returns a value for each list of the run, or the default of the measure (0) if it has no value.
The functions before 2025 take a frame of recommendations and a frame of true items, and return no mean. The mean of
the analysis is not used either, so that all releases have the same kind of values.
"""

from typing import Any, Dict, List, Optional, Tuple

Lists = Dict[str, Tuple[Optional[List[Any]], List[Any]]]
LIBRARY = "lenskit"
PACKAGES = ("lenskit", "pandas", "numpy")
VARIANTS = {
    "default": "the docs of the run in the order of its rows, and the relevant ones, without ratings",
    "graded": "the docs of the run in the order of its rows, and all judged ones, with their rels as ratings",
}
UNTOLD = {
    "default": "relevant negative grades qrels_duplicates no_judgments",  # the adapter decides relevance
    "graded": "qrels_duplicates",
}
MEASURES = {
    "default": {
        "P": "precision",
        "P@{k}": "precision",
        "R": "recall",
        "R@{k}": "recall",
        "RR": "recip_rank",
        "RR@{k}": "recip_rank",
        "AP": "average_precision",
        "AP@{k}": "average_precision",
        "Success": "hit",
        "Success@{k}": "hit",
        "nDCG": "ndcg",
        "nDCG@{k}": "ndcg",
        "DCG": "dcg",
        "DCG@{k}": "dcg",
        "RBP(p={p})": "rbp",
        "RBP(p={p})@{k}": "rbp",
    },
    "graded": {"nDCG": "ndcg", "nDCG@{k}": "ndcg", "DCG": "dcg", "DCG@{k}": "dcg"},
}.get
CLASSES = {
    "precision": "Precision",
    "recall": "Recall",
    "recip_rank": "RecipRank",
    "average_precision": "AveragePrecision",
    "hit": "Hit",
    "ndcg": "NDCG",
    "dcg": "DCG",
    "rbp": "RBP",
}


class Unsupported(Exception):
    """An input that LensKit cannot represent."""


def load() -> None:
    """Import LensKit."""
    from lenskit import metrics  # noqa: F401


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, None]:
    """Call LensKit once for all queries since 2025, and once for each query before."""
    from lenskit import metrics

    lists = read(data)
    if hasattr(metrics, "RunAnalysis"):
        return analysed(variant, lists, call, values), None
    return {
        query: by_function(variant, judged or [], ranked, call, values) for query, (judged, ranked) in lists.items()
    }, None


def analysed(variant: str, lists: Lists, call: str, values: Dict[str, Any]) -> Dict[str, float]:
    """Return the value that the analysis of a run has for each list."""
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import RunAnalysis

    recommended = ItemListCollection.empty(["user_id"])
    true = ItemListCollection.empty(["user_id"])
    for query, (judged, ranked) in lists.items():
        recommended.add(ItemList(ranked, ordered=True), user_id=query)
        if judged is None:
            continue
        docs = judged if variant == "graded" else [(doc, rel) for doc, rel in judged if rel >= 1]
        ratings = {"rating": [rel for _doc, rel in docs]} if variant == "graded" else {}
        true.add(ItemList([doc for doc, _rel in docs], **ratings), user_id=query)
    table = RunAnalysis(measure(variant, call, values)).measure(recommended, true).list_metrics()
    (column,) = (table[name] for name in table)
    return {query[0] if isinstance(query, tuple) else query: float(value) for query, value in column.items()}


def measure(variant: str, call: str, values: Dict[str, Any]) -> Any:
    """Return a measure of LensKit 2025 or later, with its cutoff."""
    from lenskit.metrics import ranking

    if not hasattr(ranking, CLASSES[call]):
        raise Unsupported("this version of LensKit has no %s" % CLASSES[call])
    options: Dict[str, Any] = {"patience": float(values["p"])} if "p" in values else {}
    if options.get("patience", 0.5) in (0.0, 1.0):
        raise Unsupported("a patience is above 0 and below 1")
    if variant == "graded":
        options["gain"] = "rating"
    return getattr(ranking, CLASSES[call])(values.get("k"), **options)


def by_function(variant: str, judged: List[Any], ranked: List[Any], call: str, values: Dict[str, Any]) -> Any:
    """Return the value that a function before LensKit 2025 has for a list."""
    import inspect

    import pandas as pd
    from lenskit.metrics import topn

    function = getattr(topn, call, None)
    if function is None:
        raise Unsupported("this version of LensKit has no %s" % call)
    if "k" in values and "k" not in inspect.signature(function).parameters:
        raise Unsupported("%s of this version of LensKit has no k" % call)
    options = {"k": values["k"]} if "k" in values else {}
    if "p" in values:
        options["patience"] = float(values["p"])
    if variant == "graded":
        true = pd.DataFrame(judged, columns=["item", "rating"]).set_index("item")
    else:
        true = pd.DataFrame({"item": [doc for doc, rel in judged if rel >= 1]}).set_index("item")
    return function(pd.DataFrame({"item": ranked}), true, **options)


def read(data: Dict[str, Any]) -> Lists:
    """Return for each query of the run its judged ids with grades (None if not in the qrels), and its ranked ids."""
    if "true" in data:
        raise Unsupported("LensKit measures rankings, not labelings")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("an item stands among the true ones once, so a doc cannot be judged twice")
    ranked: Dict[str, List[Any]] = {str(query): [] for query in data["empty_in_run"]}
    for query, doc, _score, _rank in data["run"]:
        ranked.setdefault(str(query), []).append(doc)
    if not ranked:
        raise Unsupported("there is no query, and so no list")
    judged: Dict[str, List[Any]] = {str(query): [] for query in data["empty_in_qrels"]}
    for query, doc, rel in data["qrels"]:
        judged.setdefault(str(query), []).append((doc, rel))
    return {query: (judged.get(query), docs) for query, docs in ranked.items()}
