"""What an input has that a library cannot be given is refused by its adapter as the published run says, before it is asked anything.

Libraries that a usual run does not ask need not be here: whatever an adapter imports that is not installed has a stand-in.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import published_run
import pytest

from rankproof import adapters
from rankproof import cases as corpus
from rankproof.adapters import worker
from rankproof.judging.verdicts import Row, Verdict

HERE = Path(adapters.__file__).resolve().parent
LIBRARIES = sorted(path.stem.removesuffix("_adapter") for path in HERE.glob("*_adapter.py"))
BY_ITS_ANSWER = {"ir_evaluation": {"a list of results that is shorter than the cutoff is left out"}}
"""What shows by what the library answers, and by nothing that it is given."""
OF_ITS_VERSION = " of this version of "
"""In what an adapter says that looks first at which parameters a function of the library has: a stand-in has none."""
REFUSING = ("sklearn", "torchmetrics", "trec_eval", "ir_measures")
"""Some that certainly refuse something."""


class StandIns(MetaPathFinder, Loader):
    """Gives a module that lets everything be done to it for each of these packages."""

    def __init__(self, packages: set[str]) -> None:
        self.packages = packages

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """The spec of a stand-in."""
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in self.packages else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The stand-in."""
        made: Any = MagicMock(name=spec.name, __version__="999.0")
        made.__path__, made.__spec__, made.__name__ = [], spec, spec.name
        return made  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """It holds nothing."""


def imported_by(path: Path) -> Iterator[str]:
    """The packages that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@pytest.fixture
def adapter(library: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The adapter, with stand-ins for what is not installed."""
    path = HERE / f"{library}_adapter.py"
    there = set(sys.modules)
    absent = {name for name in imported_by(path) if name not in sys.modules and find_spec(name) is None}
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, StandIns(absent)])
    yield worker.load_adapter(str(path))
    for name in set(sys.modules) - there:
        if name.partition(".")[0] in absent:
            del sys.modules[name]


@cache
def refused() -> Mapping[str, list[Row]]:
    """By library, what it was not asked, one measure for each reason, case and variant."""
    found: dict[str, dict[tuple[str, ...], Row]] = {}
    for row in published_run.results().rows:
        if row.verdict is Verdict.UNSUPPORTED:
            found.setdefault(row.library, {}).setdefault(
                (row.case, row.variant, row.note.replace(row.measure, "")), row
            )
    return {library: list(rows.values()) for library, rows in found.items()}


@cache
def inputs() -> Mapping[str, Any]:
    return {case.id: case.input.as_json() for case in corpus.load_all()}


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_the_published_run_says_it_cannot_be_given_is_refused_in_these_words(library: str, adapter: Any) -> None:
    told: dict[tuple[str, str, str], str] = {}
    wanted: dict[tuple[str, str, str], str] = {}
    for row in refused().get(library, ()):
        if row.note in BY_ITS_ANSWER.get(library, ()) or row.variant not in adapter.VARIANTS:
            continue
        if worker.match(worker.supported_by(adapter, row.variant), row.measure) is None:
            continue
        place = (row.case, row.variant, row.measure)
        asked = {"variant": row.variant, "input": inputs()[row.case]}
        said = worker.answer(adapter, asked, row.measure).get("unsupported", "asked")
        if OF_ITS_VERSION not in said:
            told[place], wanted[place] = said, row.note
    assert told == wanted
    assert wanted or library not in REFUSING
