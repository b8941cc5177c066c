"""Functions of the project's owner and of the source notebooks: small calls that were judged wrongly, refused or answered at length."""

import importlib.util
import sys
from types import ModuleType

import pytest
from function_table import FOLDER, Checked, Row, rows, verify
from pytest import approx  # noqa: PT013 - as the printed assertions use it

from rankproof.report.check import assertion_lines

ROWS = rows("accepted.py", "seeds.py", "metrics_to_check.py")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_function_is_judged_as_the_table_derives(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])  # as a test in the folder of the function has it
    shown = verify(row)
    if row.name != "metrics_to_check.random_on_ties":  # a random function may return the right value
        verify_assertion(shown)


def verify_assertion(shown: Checked) -> None:
    """Verify that the printed assertion runs, and fails until the function is fixed."""
    if shown.result is None:
        return
    example = next((fault.example for fault in shown.result.faults if fault.example is not None), None)
    lines = [] if example is None else assertion_lines(shown.result, example)
    setup = [line for line in lines if not line.startswith(("assert ", "value = "))]
    if not lines:
        return
    namespace = {**vars(module_of(shown.result.target)), "approx": approx}
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
