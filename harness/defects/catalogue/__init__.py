"""The catalogue of defects. Each module in this folder defines one `DEFECT`, or several in `DEFECTS`."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from rankproof.defects.defect import Defect


@cache
def catalogue() -> Mapping[str, Defect]:
    """Return all defects by name."""
    modules = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    defects = [defect for module in modules for defect in getattr(module, "DEFECTS", None) or [module.DEFECT]]
    return MappingProxyType({defect.name: defect for defect in defects})
