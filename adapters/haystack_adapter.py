"""Haystack: the document evaluators of `haystack.components.evaluators`, called with true and retrieved documents.

The content of a document is its id, because evaluators compare contents by default. Retrieved documents are in input
order, best first. Haystack leaves cutoffs to the retriever, so the adapter passes the first k documents. Questions are
the queries of the run; queries missing from the run are not measured.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "haystack"
PACKAGES = ("haystack-ai",)
VARIANTS = {
    "relevant": "the true documents are the docs of rel 1 and more, without a score",
    "scored": "the true documents are all judged docs, the rel of each as its score",
}
# In the first variant, the adapter selects the true documents.
UNTOLD = {
    "relevant": "relevant negative grades qrels_duplicates no_judgments",
    "scored": "no_judgments",
}
UNSCORED = {
    "Success": ("DocumentRecallEvaluator", {"mode": "single_hit"}),
    "R": ("DocumentRecallEvaluator", {"mode": "multi_hit"}),
    "RR": ("DocumentMRREvaluator", {}),
    "AP": ("DocumentMAPEvaluator", {}),
    "nDCG": ("DocumentNDCGEvaluator", {}),
}
MEASURES = {
    "relevant": {name + cutoff: call for name, call in UNSCORED.items() for cutoff in ("", "@{k}")},
    "scored": {"nDCG": UNSCORED["nDCG"], "nDCG@{k}": UNSCORED["nDCG"]},
}.get


class Unsupported(Exception):
    """An input that Haystack cannot represent."""


def load() -> None:
    """Import Haystack."""
    from haystack.components import evaluators  # noqa: F401


def observe(variant: str, data: Dict[str, Any], call: Any, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Call the evaluator once for all questions; it returns their scores and the mean."""
    from haystack.components import evaluators

    if "true" in data:
        raise Unsupported("Haystack measures rankings, not labelings")
    name, options = call
    try:
        evaluator = getattr(evaluators, name)(**options)
    except AttributeError as error:
        raise Unsupported("this release of Haystack has no " + name) from error
    retrieved = read_run(data, values.get("k"))
    true = read_qrels(data, scored=variant == "scored")
    answer = evaluator.run([true.get(query, []) for query in retrieved], list(retrieved.values()))
    judged = [query for query, _doc, _rel in data["qrels"]] + data["empty_in_qrels"]
    same_questions = set(retrieved) == {str(query) for query in judged}
    scores = iter(answer["individual_scores"])
    return {query: next(scores) for query in retrieved}, answer["score"] if same_questions else None


def read_run(data: Dict[str, Any], cutoff: Any) -> Dict[str, List[Any]]:
    """Return the documents retrieved for each query, best first."""
    from haystack import Document

    retrieved: Dict[str, List[Any]] = {str(query): [] for query in data["empty_in_run"]}
    for query, doc, _score, _rank in data["run"]:
        retrieved.setdefault(str(query), []).append(Document(content=as_text(doc)))
    if not retrieved:
        raise Unsupported("there is no question to be evaluated")
    return {query: docs[:cutoff] for query, docs in retrieved.items()}


def read_qrels(data: Dict[str, Any], *, scored: bool) -> Dict[str, List[Any]]:
    """Return the true documents of each query."""
    from haystack import Document

    if not scored and len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("a document is true or not, so a doc cannot be judged twice")
    true: Dict[str, List[Any]] = {}
    for query, doc, rel in data["qrels"]:
        if scored or rel >= 1:
            score = {"score": float(rel)} if scored else {}
            true.setdefault(str(query), []).append(Document(content=as_text(doc), **score))
    return true


def as_text(doc: Any) -> str:
    """Return a document id as the content of a document."""
    if not isinstance(doc, str):
        raise Unsupported("the content of a document is text, and this docid is a number")
    return doc
