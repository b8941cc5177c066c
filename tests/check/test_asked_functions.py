"""Functions as people bring them, in the words of those who wrote them."""

import pytest
from function_table import Row, rows, verify

ROWS = rows("asked_by_strangers.py")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_function_is_judged_as_the_table_derives(row: Row) -> None:
    verify(row)
