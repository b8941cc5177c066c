"""LensKit: since 2025 its `RunAnalysis` of lists of items; before, the functions of `lenskit.metrics.topn`, a list at a time.

The docs of the run are recommended as its rows stand. True items are the docs of rel 1 and more, without ratings, or for graded nDCG all
judged docs, each with its rel. A query is what it retrieved, so that one which the run lacks is not there.

`RunAnalysis.measure` gives a value for each list of the run, and the default of a measure, which is 0, where it has none. The functions
before 2025 work on a frame of recommendations and a frame of true items, and give no mean; of the analysis it is not asked either, so that
the values of all releases are of one kind.
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
    "default": "relevant negative grades qrels_duplicates no_judgments",  # the adapter says what is relevant
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
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it."""
    from lenskit import metrics  # noqa: F401


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, None]:
    """One call of all queries, or one for each."""
    from lenskit import metrics

    lists = read(data)
    if hasattr(metrics, "RunAnalysis"):
        return analysed(variant, lists, call, values), None
    return {
        query: by_function(variant, judged or [], ranked, call, values) for query, (judged, ranked) in lists.items()
    }, None


def analysed(variant: str, lists: Lists, call: str, values: Dict[str, Any]) -> Dict[str, float]:
    """What the analysis of a run gives for each of its lists."""
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
    """A measure of 2025 and later, with its cutoff."""
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
    """What a function before 2025 gives for a list."""
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
    """Of each query of the run the judged docs with their rels, if the qrels name it, and those retrieved, in the order of the rows."""
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
