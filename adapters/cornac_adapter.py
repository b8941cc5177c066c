"""Cornac: the metrics of `cornac.metrics`, each of one user: the relevant items, and the ranked ones or the scores of all.

A metric is given numpy arrays, the docs of rel 1 and more as positive items; rels it has none. Ranked items are the docs of the run by score,
and MAP and AUC are given scores. The mean over users is taken where models are evaluated, which needs a trained one, and is not asked for.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "cornac"
PACKAGES = ("cornac", "numpy", "scipy")
VARIANTS = {"default": "the docs of a query by score, equal scores as the rows stand, and those that are relevant"}
UNTOLD = {"default": "relevant negative grades qrels_duplicates ties order infinite score"}
MEASURES = {
    "nDCG": "NDCG",
    "nDCG@{k}": "NDCG",
    "RR": "MRR",
    "P": "Precision",
    "P@{k}": "Precision",
    "R": "Recall",
    "R@{k}": "Recall",
    "F@{k}": "FMeasure",
    "Success@{k}": "HitRatio",
    "AP": "MAP",
    "AUC": "AUC",
}
