"""The adapter of the tests of functions: it calls functions of a module with the grades of a ranking and the cutoff."""

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

MEASURE = "P@5"


class CalledFunctions:
    """Functions of a module, each a variant of the adapter."""

    LIBRARY = "functions"
    PACKAGES: tuple[str, ...] = ()
    MEASURES: Mapping[str, str] = {MEASURE: "rels, k"}

    def __init__(self, module: str, names: Sequence[str]) -> None:
        self.name, self.VARIANTS, self.calls = module, dict.fromkeys(names, ""), 0
        self.module: ModuleType | None = None

    def load(self) -> dict[str, Any]:
        """Import the module."""
        self.module = importlib.import_module(self.name)
        return {"about": {"doc": self.module.__doc__}}

    def observe(self, variant: str, data: Mapping[str, Any], _call: str, _values: object) -> tuple[None, Any]:
        """Call a function."""
        self.calls += 1
        return None, getattr(self.module, variant)([rel for _, _, rel in data["qrels"]], 5)

    def report(self) -> dict[str, int]:
        """Return the number of calls."""
        return {"calls": self.calls}


def data(*rels: int) -> dict[str, Any]:
    """Return an input whose documents have these grades in rank order."""
    qrels = [["q", f"d{n}", rel] for n, rel in enumerate(rels)]
    run = [["q", f"d{n}", 1.0 - n, n + 1] for n in range(len(rels))]
    return {"qrels": qrels, "run": run, "empty_in_qrels": [], "empty_in_run": []}
