"""LlamaIndex: the retrieval metrics of `llama_index.core.evaluation`, each of one query, from the ids expected and those retrieved.

The retrieved ids are the docs of the run as its rows stand, best first; a cutoff is the retriever's: the first k of them are given.
Expected are the docs of rel 1 and more, without their rels. A query is what it retrieved, so that one which the run lacks is not there;
it has no name that the library is told. The mean over queries is the user's own, and is not asked for.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "llama_index"
PACKAGES = ("llama-index-core", "numpy")
VARIANTS = {
    "default": "lists of ids, a query at a time: the first k docs of the run in the order of its rows, and the relevant ones"
}
UNTOLD = {"default": "relevant negative grades qrels_duplicates no_judgments"}  # the adapter says what is relevant
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
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it."""
    from llama_index.core.evaluation.retrieval import metrics  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, None]:
    """One call for each query."""
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
    """Of each query of the run the relevant docs, and those retrieved."""
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
