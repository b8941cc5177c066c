"""Functions that compute the requested measure, with the conventions that the table derives by reading them."""

import pytest
from function_table import Row, checked, faults_of, rows

from rankproof.check.result import Verdict
from rankproof.reference_impl.conventions import STANDARD, parse_conventions

HONEST = [row for row in rows() if row.exit == 0 and row.file != "strangers.py"]


@pytest.mark.parametrize("row", HONEST, ids=lambda row: row.name)
def test_an_honest_function_is_the_measure_with_its_conventions(row: Row) -> None:
    shown = checked(row)
    assert faults_of(row, shown) == [], shown.text
    assert shown.result is not None
    assert shown.result.explained == shown.result.values
    decided = shown.result.decided_by_caller
    expected = STANDARD if not row.profile else parse_conventions(row.profile)
    differing = {d.axis: d.values for d in shown.result.differences if d.axis not in {"no_query", *decided}}
    derived = {axis: getattr(expected, axis) for axis in STANDARD.differences(expected) if axis not in decided}
    assert differing.keys() == derived.keys() - {"no_query"}, f"{shown.result.profile.spec()}: {row.why}"
    assert all(derived[axis] in values for axis, values in differing.items())
    assert shown.result.verdict is (Verdict.VARIANT if shown.result.differences else Verdict.AGREES)
