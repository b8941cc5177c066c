"""LlamaIndex: the metrics of `llama_index.core.evaluation`, called for one query with expected and retrieved ids.

Retrieved ids are in input order, best first. LlamaIndex leaves cutoffs to the retriever, so the adapter passes the
first k ids. Expected ids are the documents with grades of at least 1, without their grades. Query ids are not passed,
and queries missing from the run are not measured. There is no mean: users average the values themselves.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "llama_index"
PACKAGES = ("llama-index-core", "numpy")
VARIANTS = {
    "default": "lists of ids, a query at a time: the first k docs of the run in the order of its rows, and the relevant ones"
}
UNTOLD = {"default": "relevant negative grades qrels_duplicates no_judgments"}  # the adapter decides relevance
METRICS = {
    "Success": "HitRate",
    "RR": "MRR",
    "P": "Precision",
    "R": "Recall",
    "AP": "AveragePrecision",
    "nDCG": "NDCG",
}
MEASURES = {name + cutoff: call for name, call in METRICS.items() for cutoff in ("", "@{k}")}


class Unsupported(Exception):
    """An input that LlamaIndex cannot represent."""


def load() -> None:
    """Import LlamaIndex."""
    from llama_index.core.evaluation.retrieval import metrics  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, None]:
    """Call the metric once for each query."""
    from llama_index.core.evaluation.retrieval import metrics

    if not hasattr(metrics, call):
        raise Unsupported("this release of LlamaIndex has no " + call)
    metric = getattr(metrics, call)()
    by_query = {}
    for query, (expected, retrieved) in read(data).items():
        ids = retrieved[: values["k"]] if "k" in values else retrieved
        by_query[query] = metric.compute(expected_ids=expected, retrieved_ids=ids).score
    return by_query, None


def read(data: Dict[str, Any]) -> Dict[str, Tuple[List[Any], List[Any]]]:
    """Return the relevant ids and the retrieved ids of each query of the run."""
    if "true" in data:
        raise Unsupported("LlamaIndex measures rankings, not labelings")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("an id is expected or not, so a doc cannot be judged twice")
    retrieved: Dict[str, List[Any]] = {str(query): [] for query in data["empty_in_run"]}
    for query, doc, _score, _rank in data["run"]:
        retrieved.setdefault(str(query), []).append(doc)
    if not retrieved:
        raise Unsupported("there is no query to be measured")
    expected = {
        query: [doc for other, doc, rel in data["qrels"] if str(other) == query and rel >= 1] for query in retrieved
    }
    return {query: (expected[query], docs) for query, docs in retrieved.items()}
