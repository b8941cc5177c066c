"""Measures of rankings, one file each (families share a file).

Every module here that has `DEFINITIONS` is found automatically, so a new file adds a new measure.
"""

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from rankproof.reference_impl.definition import Definition


def _load_definitions() -> dict[str, Definition]:
    modules = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return {definition.name: definition for module in modules for definition in module.DEFINITIONS}


MEASURES: Mapping[str, Definition] = MappingProxyType(_load_definitions())
