"""scikit-learn: the functions of `sklearn.metrics` on rows of y_true and y_score.

A query is a row, and a document is a position in it. Passing only the documents of the run loses relevant documents
that were not retrieved; appending these ranks, and credits, them at the bottom. Both ways are variants, and a third
variant ignores ties.

Grades are passed unchanged: if a function accepts only two values, its error for others is the result.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "sklearn"
PACKAGES = ("scikit-learn", "numpy", "scipy")
VARIANTS = {
    "rows": "the docs of the run; an unjudged doc has rel 0",
    "appended": "the docs of the run, then the judged docs that were not retrieved, tied below all others",
    "rows-ignore-ties": "the docs of the run, with ignore_ties=True",
}

UNTOLD = dict.fromkeys(VARIANTS, "ids")  # rows have no ids

CUMULATED_GAIN = {"nDCG": "ndcg_score", "nDCG@{k}": "ndcg_score", "DCG": "dcg_score", "DCG@{k}": "dcg_score"}
RANKING = {
    "LRAP": "label_ranking_average_precision_score",
    "CoverageError": "coverage_error",
    "RankingLoss": "label_ranking_loss",
    "AP": "average_precision_score",
    "AUC": "roc_auc_score",
}
LABELINGS = {
    "Homogeneity": "homogeneity_score",
    "Completeness": "completeness_score",
    "V": "v_measure_score",
    "V(beta={beta})": "v_measure_score",
    "Rand": "rand_score",
    "ARI": "adjusted_rand_score",
    "MI": "mutual_info_score",
    "FMI": "fowlkes_mallows_score",
    "NMI": "normalized_mutual_info_score",
    "AMI": "adjusted_mutual_info_score",
}
for _average in ("min", "geometric", "arithmetic", "max"):
    LABELINGS["NMI(average='%s')" % _average] = "normalized_mutual_info_score %s" % _average
    LABELINGS["AMI(average='%s')" % _average] = "adjusted_mutual_info_score %s" % _average
MEASURES = {
    "rows": dict(CUMULATED_GAIN, **RANKING, **LABELINGS),  # labelings have no rows, so one variant is enough
    "appended": dict(CUMULATED_GAIN, **RANKING),
    "rows-ignore-ties": CUMULATED_GAIN,
}.get
ONE_ROW = ("average_precision_score", "roc_auc_score")
"""Functions of one row; the others take a table and return the mean of its rows."""


class Unsupported(Exception):
    """An input that scikit-learn cannot represent."""


def load() -> None:
    """Import scikit-learn."""
    from sklearn import metrics  # noqa: F401


def observe(variant: str, data: Dict[str, Any], call: Any, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Call the function once for each query, and once for all if the mean is over known queries."""
    import sklearn
    from sklearn import metrics

    name, _, average = call.partition(" ")
    if not hasattr(metrics, name):
        raise Unsupported("scikit-learn %s has no %s" % (sklearn.__version__, name))
    options = {option: value for option, value in values.items() if option != "measure"}
    options.update({"average_method": average} if average else {})
    options.update({"ignore_ties": True} if variant == "rows-ignore-ties" else {})
    function = getattr(metrics, name)
    if "true" in data:
        return None, function(data["true"], data["predicted"], **options)
    rows, same_queries = read_rows(data, appended=variant == "appended")
    if name in ONE_ROW:
        per_query = {query: function(true, score, **options) for query, (true, score) in rows.items()}
    else:
        per_query = {query: function([true], [score], **options) for query, (true, score) in rows.items()}
    if not same_queries:
        return per_query, None  # the adapter would have to choose the queries of the mean
    if len(rows) == 1:
        return per_query, next(iter(per_query.values()))
    if name in ONE_ROW or len({len(true) for true, _ in rows.values()}) > 1:
        return per_query, None
    return per_query, function([true for true, _ in rows.values()], [score for _, score in rows.values()], **options)


def read_rows(data: Dict[str, Any], *, appended: bool) -> Any:
    """Return y_true and y_score of each query, and whether run and qrels have the same queries."""
    qrels = read_qrels(data)
    run: Dict[str, List[Tuple[str, float]]] = {}
    for query, doc, score, _rank in data["run"]:
        run.setdefault(str(query), []).append((str(doc), float(score)))
    for query in data["empty_in_run"]:
        run.setdefault(str(query), [])
    same_queries = set(run) == set(qrels)
    if appended:
        for query, rels in qrels.items():
            append_unretrieved(run.setdefault(query, []), rels)
    if not run:
        raise Unsupported("there is no query, and so no row")
    return {query: as_row(docs, qrels.get(query, {})) for query, docs in run.items()}, same_queries


def read_qrels(data: Dict[str, Any]) -> Dict[str, Dict[str, Any]]:
    """Return the grade of each document of each query."""
    qrels: Dict[str, Dict[str, Any]] = {str(query): {} for query in data["empty_in_qrels"]}
    for query, doc, rel in data["qrels"]:
        rels = qrels.setdefault(str(query), {})
        if str(doc) in rels:
            raise Unsupported("a doc has one place in y_true, so it cannot be judged twice")
        rels[str(doc)] = rel
    return qrels


def append_unretrieved(docs: List[Tuple[str, float]], rels: Dict[str, Any]) -> None:
    """Append the unretrieved judged documents, with a score below all others."""
    retrieved = {doc for doc, _ in docs}
    lowest = min((score for _, score in docs), default=0.0)
    below = lowest - abs(lowest) - 1.0  # lowest - 1 equals a huge score
    docs.extend([(doc, below) for doc in rels if doc not in retrieved])


def as_row(docs: List[Tuple[str, float]], rels: Dict[str, Any]) -> Tuple[List[Any], List[Any]]:
    """Return y_true and y_score of one query."""
    return [rels.get(doc, 0) for doc, _ in docs], [score for _, score in docs]
