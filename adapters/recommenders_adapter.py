"""recommenders: `recommenders.evaluation.python_evaluation` on two frames, the true ratings and the predictions.

Measures of hits treat every row of the true ratings as relevant, so they receive the documents with grades of at least
1. nDCG with score_type 'raw' or 'exp' uses the ratings, so it receives all judged documents. A frame has rows of
documents, so a query without documents is unsupported. Each function returns only the mean.
"""

import inspect
from typing import Any, Dict, List, Tuple

LIBRARY = "recommenders"
PACKAGES = ("recommenders", "pandas", "numpy", "scikit-learn")
VARIANTS = {
    "default": "the relevant docs as true ratings; nDCG with its default, gains of 1, and AP as map",
    "map_at_k": "the relevant docs as true ratings; AP as map_at_k",
    "graded": "all judged docs as true ratings, each with its rel; nDCG with score_type 'raw', or 'exp'",
}
UNTOLD = dict.fromkeys(("default", "map_at_k"), "relevant negative grades")  # the adapter decides relevance
MEASURES = {
    "default": {
        "P@{k}": ("precision_at_k", {}),
        "R@{k}": ("recall_at_k", {}),
        "AP@{k}": ("map", {}),
        "nDCG@{k}": ("ndcg_at_k", {}),
        "Rprec": ("r_precision_at_k", {}),  # k limits R, so the adapter raises it to the length of the run
    },
    "map_at_k": {"AP@{k}": ("map_at_k", {})},
    "graded": {
        "nDCG@{k}": ("ndcg_at_k", {"score_type": "raw"}),
        "nDCG(dcg='exp-log2')@{k}": ("ndcg_at_k", {"score_type": "exp", "discfun_type": "log2"}),
    },
}.get


class Unsupported(Exception):
    """An input that recommenders cannot represent."""


def load() -> None:
    """Import recommenders."""
    from recommenders.evaluation import python_evaluation  # noqa: F401


def observe(
    variant: str, data: Dict[str, Any], call: Tuple[str, Dict[str, str]], values: Dict[str, Any]
) -> Tuple[None, Any]:
    """Return the value over all queries; the library has no values for single queries."""
    from recommenders.evaluation import python_evaluation

    name, options = call
    function = getattr(python_evaluation, name, None)
    if function is None:
        raise Unsupported("this version of recommenders has no %s" % name)
    taken = inspect.signature(function).parameters
    for option in options:
        if option not in taken:
            raise Unsupported("%s of this version of recommenders has no %s" % (name, option))
    true, predicted = frames(data, graded=variant == "graded")
    return None, function(true, predicted, k=values.get("k", max(len(predicted), 1)), **options)


def frames(data: Dict[str, Any], *, graded: bool) -> Tuple[Any, Any]:
    """Return true ratings and predictions, with unchanged ids and the library's default column names."""
    import pandas as pd

    if "true" in data:
        raise Unsupported("recommenders measures rankings, not labelings")
    if data["empty_in_qrels"] or data["empty_in_run"]:
        raise Unsupported("a frame has no row for a query without docs")
    true: List[Any] = [row for row in data["qrels"] if graded or row[2] >= 1]
    predicted = [(query, doc, float(score)) for query, doc, score, _rank in data["run"]]
    return (
        pd.DataFrame(true, columns=["userID", "itemID", "rating"]),
        pd.DataFrame(predicted, columns=["userID", "itemID", "prediction"]),
    )
