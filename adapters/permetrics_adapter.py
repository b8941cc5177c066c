"""permetrics: the external measures of `permetrics.ClusteringMetric` for two labelings of the same items.

Methods are called without options, as in the library's documentation. `force_finite` is on by default, so each method
has a fixed value if its formula is 0 / 0.
"""

from typing import Any, Dict, Tuple

LIBRARY = "permetrics"
PACKAGES = ("permetrics", "numpy", "scipy")
VARIANTS = {"default": "ClusteringMetric(y_true, y_pred), methods without options"}
MEASURES = {
    "MI": "mutual_info_score",
    "NMI": "normalized_mutual_info_score",
    "Rand": "rand_score",
    "ARI": "adjusted_rand_score",
    "FMI": "fowlkes_mallows_score",
    "Homogeneity": "homogeneity_score",
    "Completeness": "completeness_score",
    "V": "v_measure_score",
}


class Unsupported(Exception):
    """An input that permetrics cannot represent."""


def load() -> None:
    """Import permetrics."""
    from permetrics import ClusteringMetric  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: str, _values: Dict[str, Any]) -> Tuple[None, Any]:
    """Call the method once."""
    from permetrics import ClusteringMetric

    if "true" not in data:
        raise Unsupported("of permetrics the measures of labelings are asked, and this is a ranking")
    if not hasattr(ClusteringMetric, call):
        raise Unsupported("this release of permetrics has no " + call)
    return None, getattr(ClusteringMetric(y_true=data["true"], y_pred=data["predicted"]), call)()
