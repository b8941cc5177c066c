"""The catalogue of defects: one file each, found by looking.

Every module here has `DEFECTS`, and a new file is a new defect.
"""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from rankproof.defects.defect import Defect


@cache
def catalogue() -> Mapping[str, Defect]:
    """All defects by their names."""
    modules = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return MappingProxyType({defect.name: defect for module in modules for defect in module.DEFECTS})
