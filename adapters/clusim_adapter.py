"""CluSim: similarities of `clusim.sim` between two clusterings, built from membership lists.

The predicted clustering is first and the true clustering second, because one-sided chance models use the second as
gold standard. Information is in bits, so only measures that divide it by an entropy are supported: their values have
no unit.
"""

from typing import Any, Dict, Tuple

LIBRARY = "clusim"
PACKAGES = ("clusim", "numpy", "scipy", "networkx")
VARIANTS = {"default": "clusterings made of membership lists"}
MEASURES: Dict[str, Any] = {
    "Rand": ("rand_index", {}),
    "ARI": ("adjrand_index", {}),
    "FMI": ("fowlkes_mallows_index", {}),
    "NMI": ("nmi", {}),
    "AMI": ("adj_mi", {}),
}
for _average, _norm in (("arithmetic", "sum"), ("geometric", "sqrt"), ("min", "min"), ("max", "max")):
    MEASURES["NMI(average='%s')" % _average] = ("nmi", {"norm_type": _norm})
    MEASURES["AMI(average='%s')" % _average] = ("adj_mi", {"norm_type": _norm})


class Unsupported(Exception):
    """An input that CluSim cannot represent."""


def load() -> None:
    """Import CluSim."""
    from clusim import sim  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: Any, _values: Dict[str, Any]) -> Tuple[None, Any]:
    """Call the similarity function once."""
    from clusim import sim
    from clusim.clustering import Clustering

    if "true" not in data:
        raise Unsupported("CluSim measures clusterings, not rankings")
    name, options = call
    clusterings = [Clustering().from_membership_list(data[labels]) for labels in ("predicted", "true")]
    return None, getattr(sim, name)(*clusterings, **options)
