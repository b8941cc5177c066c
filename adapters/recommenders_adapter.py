"""recommenders: `recommenders.evaluation.python_evaluation` on two frames, what users rated and what was predicted for them.

Its measures of hits take every row of the true ratings for relevant, so they are given the docs of rel 1 and more; nDCG with
score_type 'raw' or 'exp' takes the ratings themselves, and is given all judged docs. A frame has rows of docs: a query without one
cannot be said. Values by user are not to be had: each function gives one number, the mean.
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
UNTOLD = dict.fromkeys(("default", "map_at_k"), "relevant negative grades")  # the adapter says what is relevant
MEASURES = {
    "default": {
        "P@{k}": ("precision_at_k", {}),
        "R@{k}": ("recall_at_k", {}),
        "AP@{k}": ("map", {}),
        "nDCG@{k}": ("ndcg_at_k", {}),
        "Rprec": ("r_precision_at_k", {}),  # k is the most that R may be, and is raised to what there is
    },
    "map_at_k": {"AP@{k}": ("map_at_k", {})},
    "graded": {
        "nDCG@{k}": ("ndcg_at_k", {"score_type": "raw"}),
        "nDCG(dcg='exp-log2')@{k}": ("ndcg_at_k", {"score_type": "exp", "discfun_type": "log2"}),
    },
}.get


class Unsupported(Exception):
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it."""
    from recommenders.evaluation import python_evaluation  # noqa: F401


def observe(
    variant: str, data: Dict[str, Any], call: Tuple[str, Dict[str, str]], values: Dict[str, Any]
) -> Tuple[None, Any]:
    """One number over all queries; the library has none for each."""
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
    """True ratings and predictions, with ids as they come and under the names that the library takes unless told others."""
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
