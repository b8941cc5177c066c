"""CluSim: the similarities of `clusim.sim`, of two clusterings of the same elements, made of membership lists.

The first clustering is the one predicted, the second the true one: for chance models that look at one side only, CluSim takes the second
for the gold standard. Informations are in bits and are asked for where they are divided by an entropy, which leaves no unit.
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
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it."""
    from clusim import sim  # noqa: F401


def observe(_variant: str, data: Dict[str, Any], call: Any, _values: Dict[str, Any]) -> Tuple[None, Any]:
    """One call."""
    from clusim import sim
    from clusim.clustering import Clustering

    if "true" not in data:
        raise Unsupported("CluSim measures clusterings, not rankings")
    name, options = call
    clusterings = [Clustering().from_membership_list(data[labels]) for labels in ("predicted", "true")]
    return None, getattr(sim, name)(*clusterings, **options)
