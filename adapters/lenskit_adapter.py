"""LensKit before 2025: the functions of `lenskit.metrics.topn` on a frame of recommendations and a frame of true items, a list at a time.

The docs of the run are recommended as its rows stand. True items are the docs of rel 1 and more, without ratings, or for graded nDCG all
judged docs, each with its rel. A query is what it retrieved, so that one which the run lacks is not there.
"""

from typing import Any, Dict, List, Tuple

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
        "Success@{k}": "hit",
        "nDCG": "ndcg",
        "nDCG@{k}": "ndcg",
    },
    "graded": {"nDCG": "ndcg", "nDCG@{k}": "ndcg"},
}.get


class Unsupported(Exception):
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it."""
    from lenskit.metrics import topn  # noqa: F401


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, None]:
    """One call for each query."""
    import inspect

    import pandas as pd
    from lenskit.metrics import topn

    function = getattr(topn, call, None)
    if function is None:
        raise Unsupported("this version of LensKit has no %s" % call)
    if "k" in values and "k" not in inspect.signature(function).parameters:
        raise Unsupported("%s of this version of LensKit has no k" % call)
    cutoff = {"k": values["k"]} if "k" in values else {}
    found = {}
    for query, (judged, ranked) in read(data).items():
        if variant == "graded":
            true = pd.DataFrame(judged, columns=["item", "rating"]).set_index("item")
        else:
            true = pd.DataFrame({"item": [doc for doc, rel in judged if rel >= 1]}).set_index("item")
        found[query] = function(pd.DataFrame({"item": ranked}), true, **cutoff)
    return found, None


def read(data: Dict[str, Any]) -> Dict[str, Tuple[List[Any], List[Any]]]:
    """Of each query of the run the judged docs with their rels, and those retrieved, in the order of the rows."""
    if "true" in data:
        raise Unsupported("LensKit measures rankings, not labelings")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("an item stands among the true ones once, so a doc cannot be judged twice")
    ranked: Dict[str, List[Any]] = {str(query): [] for query in data["empty_in_run"]}
    for query, doc, _score, _rank in data["run"]:
        ranked.setdefault(str(query), []).append(doc)
    if not ranked:
        raise Unsupported("there is no query, and so no list")
    judged: Dict[str, List[Any]] = {query: [] for query in ranked}
    for query, doc, rel in data["qrels"]:
        judged.setdefault(str(query), []).append((doc, rel))
    return {query: (judged[query], docs) for query, docs in ranked.items()}
