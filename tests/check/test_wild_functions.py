"""Honest functions, written after what public projects do: each is the measure with its conventions."""

import pytest
from function_table import Row, rows, verify

ROWS = rows("wild_files.py", "wild_hits.py", "wild_ndcg.py", "wild_pairs.py", "wild_results.py", "unsteady.py")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_function_is_judged_as_the_table_derives(row: Row) -> None:
    verify(row)
