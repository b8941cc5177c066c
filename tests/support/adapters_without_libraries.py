"""Adapters without their libraries: which requests they refuse before they call the library.

Run as a program with the file of an adapter, it reads requests `[variant, measure, input]` from stdin and prints the
reason of each refusal, or null. A module that accepts every call replaces each import that is not installed.
"""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock


class StandIns(MetaPathFinder, Loader):
    """An import hook that replaces packages by modules that accept every call."""

    def __init__(self, packages: set[str]) -> None:
        self.packages = packages

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Return the spec of a stand-in."""
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in self.packages else None

    def create_module(self, spec: ModuleSpec) -> Any:
        """Return the stand-in."""
        module: Any = MagicMock(name=spec.name, __version__="999.0")
        module.__path__, module.__spec__, module.__name__ = [], spec, spec.name
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Execute nothing."""


def imported_by(path: Path) -> Iterator[str]:
    """Yield the packages that a file imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def refusals_of(adapter: Path, requests: Sequence[Sequence[Any]]) -> list[str | None]:
    """Run an adapter in a new process, and return why it refuses each request, or None."""
    command = [sys.executable, "-W", "ignore", __file__, str(adapter)]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}  # compiling ranx takes half a minute
    done = subprocess.run(
        command, input=json.dumps(requests), env=environment, capture_output=True, text=True, check=True
    )
    reasons: list[str | None] = json.loads(done.stdout.splitlines()[-1])
    return reasons


def main(path: Path) -> None:
    """Print the reasons for the requests on stdin."""
    from rankproof.adapters import worker

    requests = json.load(sys.stdin)
    sys.meta_path.append(StandIns({name for name in imported_by(path) if find_spec(name) is None}))
    adapter = worker.load_adapter(str(path))
    answers = (worker.answer(adapter, {"variant": v, "input": data}, measure) for v, measure, data in requests)
    print("\n" + json.dumps([answer.get("unsupported") for answer in answers]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
