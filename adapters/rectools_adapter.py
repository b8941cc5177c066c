"""RecTools: the metrics of `rectools.metrics` on a frame of recommendations with ranks, and a frame of interactions.

It never sees a score. A rank is taken for the place itself, by its documentation from 1 on, so that a run whose rank column counts
otherwise is not given to it. Interactions are the docs of rel 1 and more, without their rels; a frame has a row for each item, and so
none of a query without one. MAP with divide_by_k is not asked: no convention of ours is it.
"""

import inspect
from typing import Any, Dict, Tuple

LIBRARY = "rectools"
PACKAGES = ("rectools", "pandas", "numpy")
VARIANTS = {
    "default": "the metrics with their defaults",
    "achievable": "NDCG with divide_by_achievable, and Precision with r_precision",
}
UNTOLD = dict.fromkeys(VARIANTS, "relevant negative grades qrels_duplicates")  # the adapter says what is relevant
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
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it."""
    from rectools import metrics  # noqa: F401


def observe(
    _variant: str, data: Dict[str, Any], call: Tuple[str, Dict[str, bool]], values: Dict[str, Any]
) -> Tuple[Any, Any]:
    """Ask once for each user and once for the mean."""
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
    """Recommendations and interactions, with ids as they come."""
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
    ), relevant  # of no rows pandas cannot tell that ranks are numbers
