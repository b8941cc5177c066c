"""RecTools: the metrics of `rectools.metrics` on a frame of recommendations with ranks and a frame of interactions.

RecTools does not see scores. Its documentation defines ranks as positions that start at 1, so runs with other ranks
are unsupported. Interactions are the documents with grades of at least 1, without their grades. A frame has a row for
each item, so a query without items is unsupported. MAP with divide_by_k is left out: no convention describes it.
"""

import inspect
from typing import Any, Dict, Tuple

LIBRARY = "rectools"
PACKAGES = ("rectools", "pandas", "numpy")
VARIANTS = {
    "default": "the metrics with their defaults",
    "achievable": "NDCG with divide_by_achievable, and Precision with r_precision",
}
UNTOLD = dict.fromkeys(VARIANTS, "relevant negative grades qrels_duplicates")  # the adapter decides relevance
MEASURES = {
    "default": {
        "nDCG@{k}": ("NDCG", {}),
        "AP@{k}": ("MAP", {}),
        "RR@{k}": ("MRR", {}),
        "P@{k}": ("Precision", {}),
        "R@{k}": ("Recall", {}),
        "Success@{k}": ("HitRate", {}),
        "F@{k}": ("F1Beta", {}),
        "F(beta={beta})@{k}": ("F1Beta", {}),
    },
    "achievable": {
        "nDCG@{k}": ("NDCG", {"divide_by_achievable": True}),
        "P@{k}": ("Precision", {"r_precision": True}),
    },
}.get


class Unsupported(Exception):
    """An input that RecTools cannot represent."""


def load() -> None:
    """Import RecTools."""
    from rectools import metrics  # noqa: F401


def observe(
    _variant: str, data: Dict[str, Any], call: Tuple[str, Dict[str, bool]], values: Dict[str, Any]
) -> Tuple[Any, Any]:
    """Return the value of each user, and the mean from a separate call."""
    from rectools import metrics

    name, options = call
    made = getattr(metrics, name, None)
    if made is None:
        raise Unsupported("this version of RecTools has no %s" % name)
    for option in options:
        if option not in inspect.signature(made).parameters:
            raise Unsupported("%s of this version of RecTools has no %s" % (name, option))
    wanted = {option: value for option, value in values.items() if option != "measure"}
    metric = made(**wanted, **options)
    recommendations, interactions = frames(data)
    by_user = metric.calc_per_user(recommendations, interactions)
    return by_user.to_dict(), metric.calc(recommendations, interactions)


def frames(data: Dict[str, Any]) -> Tuple[Any, Any]:
    """Return recommendations and interactions, with unchanged ids."""
    import pandas as pd
    from rectools import Columns

    if "true" in data:
        raise Unsupported("RecTools measures rankings, not labelings")
    if data["empty_in_qrels"] or data["empty_in_run"]:
        raise Unsupported("a frame has no row for a query without docs")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("an item is relevant or not, so a doc cannot be judged twice")
    run = [(query, doc, rank) for query, doc, _score, rank in data["run"]]
    for query in {row[0] for row in run}:
        ranks = sorted(rank for other, _doc, rank in run if other == query)
        if ranks != list(range(1, len(ranks) + 1)):
            raise Unsupported("RecTools takes ranks for places, and these are not 1, 2, 3, ...")
    judgments = pd.DataFrame([row[:2] for row in data["qrels"]], columns=[Columns.User, Columns.Item])
    relevant = judgments.loc[[row[2] >= 1 for row in data["qrels"]]]
    recommendations = pd.DataFrame(run, columns=[Columns.User, Columns.Item, Columns.Rank])
    return recommendations.astype(
        {Columns.Rank: "int64"}
    ), relevant  # without rows, pandas cannot infer that ranks are numbers
