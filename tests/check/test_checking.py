"""Verdicts of functions: each call in tests/functions/calls.toml gets the verdict of its row."""

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from function_table import FOLDER, Checked, Row, rows, verify
from pytest import approx  # noqa: PT013 - as the printed assertions use it

from rankproof.report.check import assertion_lines

RANDOM = "metrics_to_check.random_on_ties"
"""A function with random values, which may pass the printed assertion."""
OF_THEIR_PROCESS = ("strangers.py", "unsteady.py")
"""Files of functions that end, block or change their process, or depend on it. Their assertions are not run here."""


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make the functions importable, as in a test next to them, and set their folder for notes."""
    before = list(sys.path)
    sys.path.insert(0, str(FOLDER))
    os.environ["RANKPROOF_STRANGERS_NOTES"] = str(tmp_path_factory.mktemp("notes"))
    yield FOLDER
    del os.environ["RANKPROOF_STRANGERS_NOTES"]
    sys.path[:] = before


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("row", sorted(rows(), key=lambda row: row.measure), ids=lambda row: row.name)
def test_function_gets_the_verdict_of_its_row(row: Row) -> None:
    checked = verify(row)
    if row.file not in OF_THEIR_PROCESS and row.name != RANDOM:
        verify_assertion(checked)


def verify_assertion(checked: Checked) -> None:
    """Check that the printed assertion runs, and fails until the function is fixed."""
    if checked.result is None:
        return
    example = next((fault.example for fault in checked.result.faults if fault.example is not None), None)
    lines = [] if example is None else assertion_lines(checked.result, example)
    if not lines:
        return
    setup = [line for line in lines if not line.startswith(("assert ", "value = "))]
    namespace = {**vars(module_of(checked.result.target)), "approx": approx}
    exec("\n".join(setup), namespace)  # noqa: S102 - as a user would paste it
    with pytest.raises(Exception):  # noqa: B017, PT011 - the assertion, or the exception that is the fault
        exec("\n".join(lines[len(setup) :]), namespace)  # noqa: S102 - as above


def module_of(target: str) -> ModuleType:
    path = FOLDER / target
    spec = importlib.util.spec_from_file_location(f"printed_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_file_of_functions_has_rows() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == {row.file for row in rows()}
