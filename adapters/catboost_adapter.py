"""CatBoost: `catboost.utils.eval_metric` on labels, predictions and group ids.

A group is a query. Its rows are the documents of the run; unjudged documents have label 0. CatBoost therefore does not
see relevant documents that were not retrieved. It stores labels as float32 and predictions as float64.
"""

import functools
from typing import Any, Dict, List, Tuple

LIBRARY = "catboost"
PACKAGES = ("catboost", "numpy")
VARIANTS = {"rows": "the docs of the run, a group for each query; an unjudged doc has label 0"}
UNTOLD = {"rows": "ids"}  # groups have ids, documents do not
# All defaults are written out, except the border of relevant labels: 0.5 is not a value of `rel=` here.
MEASURES = {
    "nDCG": "NDCG:type=Base;denominator=LogPosition",
    "nDCG@{k}": "NDCG:top={k};type=Base;denominator=LogPosition",
    "nDCG(dcg='exp-log2')": "NDCG:type=Exp;denominator=LogPosition",
    "nDCG(dcg='exp-log2')@{k}": "NDCG:top={k};type=Exp;denominator=LogPosition",
    "nDCG(dcg='rank')": "NDCG:type=Base;denominator=Position",
    "nDCG(dcg='rank')@{k}": "NDCG:top={k};type=Base;denominator=Position",
    "nDCG(dcg='exp-rank')": "NDCG:type=Exp;denominator=Position",
    "nDCG(dcg='exp-rank')@{k}": "NDCG:top={k};type=Exp;denominator=Position",
    "DCG": "DCG:type=Base;denominator=LogPosition",
    "DCG@{k}": "DCG:top={k};type=Base;denominator=LogPosition",
    "DCG(dcg='exp-log2')": "DCG:type=Exp;denominator=LogPosition",
    "DCG(dcg='exp-log2')@{k}": "DCG:top={k};type=Exp;denominator=LogPosition",
    "DCG(dcg='rank')": "DCG:type=Base;denominator=Position",
    "DCG(dcg='rank')@{k}": "DCG:top={k};type=Base;denominator=Position",
    "DCG(dcg='exp-rank')": "DCG:type=Exp;denominator=Position",
    "DCG(dcg='exp-rank')@{k}": "DCG:top={k};type=Exp;denominator=Position",
    "P": "PrecisionAt",
    "P@{k}": "PrecisionAt:top={k}",
    "R": "RecallAt",
    "R@{k}": "RecallAt:top={k}",
    "AP": "MAP",
    "AP@{k}": "MAP:top={k}",
    "RR": "MRR",
    "RR@{k}": "MRR:top={k}",
    "ERR": "ERR",
    "ERR@{k}": "ERR:top={k}",
    "AUC": "QueryAUC:type=Classic",
}


class Unsupported(Exception):
    """An input that CatBoost cannot represent."""


def load() -> None:
    """Import CatBoost."""
    import catboost.utils  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Call CatBoost once for each query, and once with all queries as groups."""
    from catboost.utils import eval_metric

    metric = call.format(**values)
    groups = read_groups(data)
    refuse_unknown(metric)
    per_query = {}
    for query, (labels, approx) in groups.items():
        per_query[query] = eval_metric(labels, approx, metric, group_id=[query] * len(labels))[0]
    labels = [label for group, _ in groups.values() for label in group]
    approx = [score for _, group in groups.values() for score in group]
    group_id = [query for query, (group, _) in groups.items() for _ in group]
    return per_query, eval_metric(labels, approx, metric, group_id=group_id)[0]


@functools.lru_cache(maxsize=None)
def refuse_unknown(metric: str) -> None:
    """Raise `Unsupported` if this release lacks a metric: the first releases have no MRR, ERR or AUC of groups."""
    from catboost import CatBoostError
    from catboost.utils import eval_metric

    try:
        eval_metric([1, 0], [1.0, 0.0], metric, group_id=["1", "1"])
    except CatBoostError as error:
        if "loss is not supported" in str(error):
            raise Unsupported("this release has no {}".format(metric.partition(":")[0])) from error


def read_groups(data: Dict[str, Any]) -> Dict[str, Tuple[List[Any], List[float]]]:
    """Return the labels and predictions of each query: the rows of a group must be contiguous."""
    qrels: Dict[Tuple[str, str], Any] = {}
    for query, doc, rel in data["qrels"]:
        if (str(query), str(doc)) in qrels:
            raise Unsupported("a row has one label, so a doc cannot be judged twice")
        qrels[str(query), str(doc)] = rel
    groups: Dict[str, Tuple[List[Any], List[float]]] = {}
    for query, doc, score, _rank in data["run"]:
        labels, approx = groups.setdefault(str(query), ([], []))
        labels.append(qrels.get((str(query), str(doc)), 0))
        approx.append(float(score))
    if groups and data["empty_in_run"]:
        raise Unsupported("a group is the rows that carry its id, so there is none without a doc")
    for query in data["empty_in_run"]:
        groups[str(query)] = ([], [])
    if not groups:
        raise Unsupported("there is no query, and so no group")
    return groups
