"""Functions of a module as a library: they receive the grades of a ranking and the cutoff, in a fork or a new interpreter."""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankproof.workers.function_worker import Limits, forked_worker, interpreter_worker

if TYPE_CHECKING:
    from types import ModuleType

    from rankproof.workers.library_worker import Worker

MEASURE = "P@5"
PATIENT = Limits(question=30, first=30, importing=60, memory=10**9)
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from called_functions import CalledFunctions
from rankproof.workers.function_process import serve_function
serve_function(CalledFunctions(sys.argv[2], sys.argv[3], sys.argv[4:], {}))
"""


class CalledFunctions:
    """Functions of a module in a folder, each a variant of the adapter."""

    LIBRARY = "functions"
    PACKAGES: tuple[str, ...] = ()
    MEASURES: Mapping[str, str] = {MEASURE: "rels, k"}

    def __init__(self, folder: str, module: str, names: Sequence[str], environment: Mapping[str, str]) -> None:
        self.folder, self.name, self.VARIANTS, self.calls = folder, module, dict.fromkeys(names, ""), 0
        self.environment = environment
        self.module: ModuleType | None = None

    def load(self) -> dict[str, Any]:
        """Import the module in the process of the worker, with some environment variables."""
        os.environ.update(self.environment)
        sys.path.insert(0, self.folder)
        self.module = importlib.import_module(self.name)
        return {"about": {"doc": self.module.__doc__}}

    def observe(self, variant: str, data: Mapping[str, Any], _call: str, _values: object) -> tuple[None, Any]:
        """Call a function."""
        self.calls += 1
        return None, getattr(self.module, variant)([rel for _, _, rel in data["qrels"]], 5)

    def report(self) -> dict[str, int]:
        """Return the number of calls."""
        return {"calls": self.calls}


def worker_of(
    transport: str, folder: Path, module: str, *names: str, limits: Limits = PATIENT, **environment: str
) -> "Worker":
    """Return the worker of functions of a module in a folder."""
    if transport == "fork":
        return forked_worker(CalledFunctions(str(folder), module, names, environment), limits)
    arguments = ["-c", PROGRAM, str(Path(__file__).parent), str(folder), module, *names]
    return interpreter_worker(arguments, limits, environment)


def data(*rels: int) -> dict[str, Any]:
    """Return an input whose documents have these grades in rank order."""
    qrels = [["q", f"d{n}", rel] for n, rel in enumerate(rels)]
    run = [["q", f"d{n}", 1.0 - n, n + 1] for n in range(len(rels))]
    return {"qrels": qrels, "run": run, "empty_in_qrels": [], "empty_in_run": []}
