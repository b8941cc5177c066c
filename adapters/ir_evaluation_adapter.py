"""ir_evaluation: the methods of `ir_evaluation.effectiveness`, called with interactions of users with lists of results.

All documents of the run count as visited, in input order; a document retrieved twice is unsupported. Documents with
grades of at least 1 are related. The value of a query is that of a call with its interactions alone. Queries missing
from the run are not measured. Methods that use assessments, such as nDCG, see only the documents of the run and are
not supported.
"""

from typing import Any, Dict, Tuple

LIBRARY = "ir_evaluation"
PACKAGES = ("ir-evaluation-py",)
VARIANTS = {
    "default": "interactions: all docs of the run are visited, in the order of its rows; the docs of rel 1 and more are related"
}
UNTOLD = {
    "default": "relevant negative grades qrels_duplicates no_judgments run_duplicates"
}  # the adapter selects the related documents
MEASURES = {
    "P": "ap_at_n",
    "P@{k}": "ap_at_n",
    "AP": "mean_ap",
    "AP@{k}": "mean_ap",
    "R": "rprecision",
    "R@{k}": "rprecision",
    "F@{k}": "fmeasure",
    "SetF": "fmeasure",
}


class Unsupported(Exception):
    """An input that ir_evaluation cannot represent."""


def load() -> None:
    """Import ir_evaluation."""
    from ir_evaluation import effectiveness  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Call the method once for each query, and once for all if run and qrels have the same queries."""
    interactions, same_queries = read(data)
    per_query = {query: ask(call, {query: interaction}, values) for query, interaction in interactions.items()}
    if None in per_query.values():
        raise Unsupported("a list of results that is shorter than the cutoff is left out")
    return per_query, ask(call, interactions, values) if same_queries else None


def ask(call: str, interactions: Dict[str, Any], values: Dict[str, Any]) -> Any:
    """Return the mean over some queries; None if the method counted none of them."""
    from ir_evaluation.effectiveness import effectiveness

    boundary = values.get("k", "all")
    answer = getattr(effectiveness(), call)(interactions, boundaries=[boundary])[boundary]
    return answer["value"] if answer["count"] else None


def read(data: Dict[str, Any]) -> Tuple[Dict[str, Any], bool]:
    """Return the interactions of each query of the run, and whether run and qrels have the same queries."""
    if "true" in data:
        raise Unsupported("ir_evaluation measures rankings, not labelings")
    for what in ("qrels", "run"):
        if len({(str(row[0]), row[1]) for row in data[what]}) < len(data[what]):
            raise Unsupported("a doc is related or not, and has one place in a list of results")
    interactions: Dict[str, Any] = {str(query): empty() for query in data["empty_in_run"]}
    for query, doc, _score, _rank in data["run"]:
        interaction = interactions.setdefault(str(query), empty())
        interaction["visited_documents"].append(doc)
        interaction["total_result"] = len(interaction["visited_documents"])
        interaction["visited_documents_orders"][doc] = interaction["total_result"]
    for query, doc, rel in data["qrels"]:
        if rel >= 1 and str(query) in interactions:
            interactions[str(query)]["related_documents"].add(doc)
    if not interactions:
        raise Unsupported("there is no query to be measured")
    judged = [query for query, _doc, _rel in data["qrels"]] + data["empty_in_qrels"]
    return interactions, set(interactions) == {str(query) for query in judged}


def empty() -> Dict[str, Any]:
    """Return the interactions of a query without results."""
    return {"related_documents": set(), "total_result": 0, "visited_documents": [], "visited_documents_orders": {}}
