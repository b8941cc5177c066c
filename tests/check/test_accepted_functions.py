"""Functions of the project's owner and of the source notebooks: small calls that were judged wrongly, refused or answered at length."""

import pytest
from function_table import Row, rows, verify

ROWS = rows("accepted.py", "seeds.py", "metrics_to_check.py")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_function_is_judged_as_the_table_derives(row: Row) -> None:
    verify(row)
