"""rexmex: functions of `rexmex.metrics.ranking` on two lists of ids: the relevant ones, and the recommended ones, best first.

The docs of the run are given as its rows stand, and as relevant those of rel 1 and more, without their rels. A query is what it retrieved,
so that one which the run lacks is not there. `hits_at_k` is a share, and asked as
precision. Not asked are nDCG and DCG, which are calls of scikit-learn, the average recall, which is no measure of ours, and
mean_reciprocal_rank, which is an error wherever one relevant doc was not retrieved.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "rexmex"
PACKAGES = ("rexmex", "numpy", "scikit-learn")
VARIANTS = {
    "default": "lists of ids, a user at a time: the relevant ones, and the docs of the run in the order of its rows"
}
UNTOLD = {"default": "relevant negative grades qrels_duplicates no_judgments"}  # the adapter says what is relevant
MEASURES = {"AP@{k}": "average_precision_at_k", "P@{k}": "hits_at_k"}


class Unsupported(Exception):
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it."""
    from rexmex.metrics import ranking  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, None]:
    """One call for each query."""
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
    """Of each query of the run the judged docs with their rels, and those retrieved, in the order of the rows."""
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
