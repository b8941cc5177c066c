"""Fast measurement of large data by columns; each result is checked on one query against the rows.

Columns need data without duplicates, conventions that the columnar path supports, and the packages of the extra `fast`.
Otherwise, rows are used.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite, isnan
from typing import TYPE_CHECKING

from rankproof.evaluate.measuring import has_engine
from rankproof.inference.reference_answers import Answers, Values, outcome_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Value
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow

if TYPE_CHECKING:
    from rankproof.evaluate.fast.column_values import ColumnValues


def columns_of(
    qrels: Mapping[str, Sequence[Judgment]], run: Mapping[str, Sequence[QueryRow]], *, has_ranks: bool
) -> "Callable[[], ColumnValues] | None":
    """Return a function that makes columns, not yet ordered or judged; None if only rows can be used."""
    if not has_engine():
        return None
    from rankproof.evaluate.fast.arrays import NotColumnar
    from rankproof.evaluate.fast.column_values import ColumnValues
    from rankproof.evaluate.fast.encoding import collected_rows

    try:
        rows = collected_rows(qrels, run, Conventions(order="rank" if has_ranks else "score", score_sign="positive"))
    except NotColumnar:
        return None
    return lambda: ColumnValues(rows)


def answers_by(columns: "ColumnValues", measure: Measure, conventions: Conventions) -> Answers | None:
    """Return the values of all queries; None if columns cannot give them."""
    from rankproof.evaluate.fast.arrays import NotColumnar

    try:
        values = outcome_of(lambda: columns.values(measure, conventions))
    except NotColumnar:
        return None
    if isinstance(values, Answers):
        return values
    if not all(isfinite(value) or isnan(value) for value in (values.mean, *values.per_query.values())):
        return None
    return Values({query: _exact(value) for query, value in values.per_query.items()}, _exact(values.mean))


def _exact(value: float) -> Value:
    return None if isnan(value) else Fraction(value)
