"""BEIR: `EvaluateRetrieval.evaluate` and `evaluate_custom` on dicts of dicts, with their default options.

By default, BEIR first removes documents whose id equals the query id from the run. Both functions return only means,
with five decimals. The value of a query is therefore the mean of a call with this query alone. `evaluate` counts
queries of the run that have a judgment; `evaluate_custom` counts all queries in the qrels. A dict has one number for
each document, so a document that is judged or retrieved twice is unsupported.
"""

from typing import Any, Dict, Iterable, Tuple

LIBRARY = "beir"
PACKAGES = ("beir", "pytrec-eval-terrier", "numpy")
VARIANTS = {
    "default": "evaluate; RR by evaluate_custom with mrr, and Success with top_k_accuracy",
    "recall_cap": "R by evaluate_custom with recall_cap",
}
EVALUATED = {"nDCG@{k}": "NDCG", "AP@{k}": "MAP", "R@{k}": "Recall", "P@{k}": "P"}
CUSTOM = {"RR@{k}": "mrr", "Success@{k}": "top_k_accuracy"}


def MEASURES(variant: str) -> Dict[str, Tuple[str, str]]:  # noqa: N802 - the worker knows it by this name
    """Return the method and its key for each measure."""
    if variant == "recall_cap":
        return {"R@{k}": ("custom", "recall_cap")}
    return {
        **{name: ("evaluate", key) for name, key in EVALUATED.items()},
        **{name: ("custom", key) for name, key in CUSTOM.items()},
    }


class Unsupported(Exception):
    """An input that BEIR cannot represent."""


def load() -> None:
    """Import BEIR."""
    from beir.retrieval.evaluation import EvaluateRetrieval  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: Tuple[str, str], values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Call BEIR once for all queries, and once for each query."""
    if "true" in data:
        raise Unsupported("BEIR measures rankings, not labelings")
    qrels = by_query(data["qrels"], data["empty_in_qrels"])
    run = by_query(data["run"], data["empty_in_run"])
    mean = mean_value(call, qrels, run, values["k"])
    counted = [query for query in run if query in qrels and (qrels[query] or call[0] == "custom")]
    # The first call removes documents from its run, so the run is built again.
    run = by_query(data["run"], data["empty_in_run"])
    return {query: mean_value(call, {query: qrels[query]}, {query: run[query]}, values["k"]) for query in counted}, mean


def mean_value(call: Tuple[str, str], qrels: Dict[Any, Any], run: Dict[Any, Any], k: int) -> float:
    """Return the mean that a method returns at a cutoff."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    method, key = call
    if method == "custom":
        (value,) = EvaluateRetrieval.evaluate_custom(qrels, run, [k], key).values()
        return value  # type: ignore[no-any-return]
    numbers: Dict[str, float] = {}
    for of_one_name in EvaluateRetrieval.evaluate(qrels, run, [k]):
        numbers.update(of_one_name)
    return numbers["{}@{}".format(key, k)]


def by_query(rows: Iterable[Any], empty: Iterable[Any]) -> Dict[Any, Dict[Any, Any]]:
    """Return the grade or score of each document of each query."""
    numbers: Dict[Any, Dict[Any, Any]] = {query: {} for query in empty}
    for query, doc, number, *_rank in rows:
        of_query = numbers.setdefault(query, {})
        if doc in of_query:
            raise Unsupported("a dict has one number for a doc")
        of_query[doc] = number
    return numbers
