"""rexmex: functions of `rexmex.metrics.ranking`, called with lists of relevant and ranked ids, best first.

Ranked ids are in input order. Relevant ids are the documents with grades of at least 1, without their grades. Queries
missing from the run are not measured. `hits_at_k` returns a share and is used as precision. Three groups are left out.
nDCG and DCG call scikit-learn. rankproof has no measure like average recall. mean_reciprocal_rank fails if any
relevant document is not retrieved.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "rexmex"
PACKAGES = ("rexmex", "numpy", "scikit-learn")
VARIANTS = {
    "default": "lists of ids, a user at a time: the relevant ones, and the docs of the run in the order of its rows"
}
UNTOLD = {"default": "relevant negative grades qrels_duplicates no_judgments"}  # the adapter decides relevance
MEASURES = {"AP@{k}": "average_precision_at_k", "P@{k}": "hits_at_k"}


class Unsupported(Exception):
    """An input that rexmex cannot represent."""


def load() -> None:
    """Import rexmex."""
    from rexmex.metrics import ranking  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, None]:
    """Call the function once for each query."""
    from rexmex.metrics import ranking

    function = getattr(ranking, call, None)
    if function is None:
        raise Unsupported("this version of rexmex has no %s" % call)
    cutoff = {"k": values["k"]} if "k" in values else {}
    by_query = {}
    for query, (judged, ranked) in read(data).items():
        by_query[query] = function([doc for doc, rel in judged if rel >= 1], ranked, **cutoff)
    return by_query, None


def read(data: Dict[str, Any]) -> Dict[str, Tuple[List[Any], List[Any]]]:
    """Return the judged ids with grades, and the ranked ids, of each query of the run."""
    if "true" in data:
        raise Unsupported("rexmex measures rankings, not labelings")
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
