"""Sentence Transformers: `InformationRetrievalEvaluator.compute_metrics`, of lists of hits, as it is called of what a model retrieved.

No model is asked: the hits of a query are its rows, with their scores as they are, which a model gives as float32. A query without rows has
an empty list. Relevant docs are those of rel 1 and more. The evaluator is told of all queries, and keeps those that have a relevant doc.
It gives means alone; the value of a query that it keeps is that of an evaluator of this query.
"""

from typing import Any, Dict, List, Set, Tuple

LIBRARY = "sentence_transformers"
PACKAGES = ("sentence-transformers", "transformers", "torch", "numpy")
VARIANTS = {"default": "InformationRetrievalEvaluator.compute_metrics, of the rows of the run and the relevant docs"}
# The adapter says what is relevant, and what is empty.
UNTOLD = {"default": "relevant negative grades qrels_duplicates no_judgments missing"}
MEASURES = {
    "nDCG@{k}": "ndcg",
    "RR@{k}": "mrr",
    "AP@{k}": "map",
    "P@{k}": "precision",
    "R@{k}": "recall",
    "Success@{k}": "accuracy",
}


class Unsupported(Exception):
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it."""
    from sentence_transformers.evaluation import InformationRetrievalEvaluator  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """One evaluator of all queries, and one of each that it keeps."""
    if "true" in data:
        raise Unsupported("the evaluator measures rankings, not labelings")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("a doc stands among the relevant ones once, so it cannot be judged twice")
    relevant: Dict[Any, Set[Any]] = {query: set() for query in data["empty_in_qrels"]}
    for query, doc, rel in data["qrels"]:
        relevant.setdefault(query, set()).update([doc] if rel >= 1 else [])
    hits: Dict[Any, List[Any]] = {query: [] for query in data["empty_in_run"]}
    for query, doc, score, _rank in data["run"]:
        hits.setdefault(query, []).append({"corpus_id": doc, "score": score})
    queries = list(dict.fromkeys(list(relevant) + list(hits)))
    kept, mean = evaluated(queries, relevant, hits, call, values["k"])
    return {query: evaluated([query], relevant, hits, call, values["k"])[1] for query in kept}, mean


def evaluated(
    queries: List[Any], relevant: Dict[Any, Set[Any]], hits: Dict[Any, List[Any]], call: str, k: int
) -> Tuple[List[Any], float]:
    """The queries that an evaluator keeps, and what it gives for them."""
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    cutoffs = {name: [k] for name in ("mrr_at_k", "ndcg_at_k", "accuracy_at_k", "precision_recall_at_k", "map_at_k")}
    corpus = {doc: "" for docs in relevant.values() for doc in docs}
    corpus.update({hit["corpus_id"]: "" for rows in hits.values() for hit in rows})
    texts = dict.fromkeys(queries, "")
    evaluator = InformationRetrievalEvaluator(texts, corpus, relevant, write_csv=False, **cutoffs)
    metrics = evaluator.compute_metrics([hits.get(query, []) for query in evaluator.queries_ids])
    return evaluator.queries_ids, float(metrics[call + "@k"][k])
