"""Functions that end their process, hang, or change what they are given: the verdict says so, and nothing else is harmed."""

from pathlib import Path

import pytest
from function_table import MISBEHAVING, Row, rows, verify


@pytest.mark.parametrize("row", rows(MISBEHAVING), ids=lambda row: row.name)
def test_function_is_judged_as_the_table_derives(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKPROOF_STRANGERS_NOTES", str(tmp_path))  # read by the functions themselves
    verify(row)


def test_every_file_of_functions_has_rows() -> None:
    files = {path.name for path in (Path(__file__).resolve().parent.parent / "functions").glob("*.py")}
    assert files == {row.file for row in rows()}
