"""Functions that do not compute the requested measure, or cannot be called as the table calls them."""

from pathlib import Path

import pytest
from function_table import MISBEHAVING, Row, checked, faults_of, rows

from rankproof.check.result import FaultKind

FAULTY = [row for row in rows() if row.exit != 0 or row.file == MISBEHAVING]


@pytest.fixture(autouse=True)
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions of strangers.py count their calls in this folder."""
    monkeypatch.setenv("RANKPROOF_STRANGERS_NOTES", str(tmp_path))  # read by the functions themselves


@pytest.mark.parametrize("row", FAULTY, ids=lambda row: row.name)
def test_a_faulty_function_is_refused_with_a_true_first_line(row: Row) -> None:
    shown = checked(row)
    assert faults_of(row, shown) == [], shown.text
    if row.defect:
        assert shown.result is not None
        named = [name for fault in shown.result.faults if fault.kind is FaultKind.DEFECT for name in fault.about]
        assert row.defect in named or shown.result.faults[0].kind in {FaultKind.IGNORES, FaultKind.CHEAP}
