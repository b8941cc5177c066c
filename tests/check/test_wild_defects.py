"""Functions with a defect, written after what public projects do: each defect is named."""

import pytest
from function_table import Row, rows, verify

ROWS = rows("wild_defects.py")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_function_is_judged_as_the_table_derives(row: Row) -> None:
    verify(row)
