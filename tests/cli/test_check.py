"""`rankproof check`: exit codes, first lines and JSON; `tests/report/test_check.py` has the options."""

from pathlib import Path

import pytest
from command_rows import Row, assert_answer

METRICS = """
import math
def ideal_of_retrieved(relevant, ranked, k):
    hits = [1 / math.log2(i + 2) for i, doc in enumerate(ranked[:k]) if doc in relevant]
    retrieved = len([doc for doc in ranked if doc in relevant])
    return sum(hits) / sum(1 / math.log2(i + 2) for i in range(min(k, retrieved)))
def precision(ranked, relevant, k):
    return len(set(ranked[:k]) & set(relevant)) / k
"""
ROWS = [
    Row(
        'check metrics.py "ideal_of_retrieved(relevant, ranked, k)" nDCG@10',
        1,
        "ideal_of_retrieved is not nDCG@10: its ideal ranking uses only retrieved documents.",
        ("1.0000 instead of 0.6131", "raises ZeroDivisionError (standard: 0)", "approx(0.6131, abs=1e-4)"),
        lambda result: result["faults"][0]["about"] == ["ideal"] and not result["holds"],
    ),
    Row(
        'check metrics.py "precision(ranked, relevant, k)" P@10 --strict',
        0,
        "precision is P@10.",
        has_facts=lambda result: result["verdict"] == "agrees" and result["complete"],
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.line)
def test_command_prints_a_short_answer_and_all_facts_as_json(row: Row, tmp_path: Path) -> None:
    (tmp_path / "metrics.py").write_text(METRICS, encoding="utf-8")
    assert_answer(row, tmp_path)
