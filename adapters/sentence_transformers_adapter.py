"""Sentence Transformers: `InformationRetrievalEvaluator.compute_metrics` on lists of hits.

No model is involved: the hits of a query are its rows with unchanged scores (a model would return float32). A query
without rows has an empty list. Documents with grades of at least 1 are relevant. The evaluator receives all queries
and keeps those with a relevant document. It returns only means, so the value of a query is that of an evaluator with
this query alone.
"""

from typing import Any, Dict, List, Set, Tuple

LIBRARY = "sentence_transformers"
PACKAGES = ("sentence-transformers", "transformers", "torch", "numpy")
VARIANTS = {"default": "InformationRetrievalEvaluator.compute_metrics, of the rows of the run and the relevant docs"}
# The adapter selects the relevant documents and adds empty rankings.
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
    """An input that Sentence Transformers cannot represent."""


def load() -> None:
    """Import Sentence Transformers."""
    from sentence_transformers.evaluation import InformationRetrievalEvaluator  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Run an evaluator with all queries, and one for each query that it keeps."""
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
    """Return the queries that an evaluator keeps, and their mean."""
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    cutoffs = {name: [k] for name in ("mrr_at_k", "ndcg_at_k", "accuracy_at_k", "precision_recall_at_k", "map_at_k")}
    corpus = {doc: "" for docs in relevant.values() for doc in docs}
    corpus.update({hit["corpus_id"]: "" for rows in hits.values() for hit in rows})
    texts = dict.fromkeys(queries, "")
    evaluator = InformationRetrievalEvaluator(texts, corpus, relevant, write_csv=False, **cutoffs)
    metrics = evaluator.compute_metrics([hits.get(query, []) for query in evaluator.queries_ids])
    return evaluator.queries_ids, float(metrics[call + "@k"][k])
