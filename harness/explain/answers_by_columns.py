"""The values of many rows by columns, in a fraction of the time; every answer is checked on one query against the rows.

Columns serve if no document stands twice under a query, and for the conventions that they know; everything else is left to the rows. They
need what the extra `fast` installs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isnan
from typing import TYPE_CHECKING

from rankproof.evaluate.quick import has_engine
from rankproof.inference.reference_answers import Answers, Values, said
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Value
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow

if TYPE_CHECKING:
    from rankproof.evaluate.fast.float_answers import Columns


@dataclass
class ByColumns:
    """Qrels and a run as columns.

    Attributes:
        new: makes columns that are not ordered or judged yet.
        most: the number of answers after which ordered and judged columns are discarded, to bound memory.
    """

    new: "Callable[[], Columns]"
    most: int
    _columns: "Columns | None" = None
    _given: int = 0

    def answers(self, measure: Measure, conventions: Conventions) -> Answers | None:
        """Return the values of all queries; None if columns cannot give them."""
        from rankproof.evaluate.fast.arrays import NotColumnar  # noqa: PLC0415 - little data does without numpy
        from rankproof.evaluate.fast.float_answers import answers_of  # noqa: PLC0415 - as above

        if self._columns is None or self._given >= self.most:
            self._columns, self._given = self.new(), 0
        columns, self._given = self._columns, self._given + 1
        try:
            found = said(lambda: answers_of(columns, {"": (measure, conventions)}).of[""])
        except NotColumnar:
            return None
        if isinstance(found, Answers):
            return found
        if not all(isfinite(value) or isnan(value) for value in (found.mean, *found.per_query.values())):
            return None
        return Values({query: _exact(value) for query, value in found.per_query.items()}, _exact(found.mean))


def _exact(value: float) -> Value:
    return None if isnan(value) else Fraction(value)


def by_columns(
    qrels: Mapping[str, Sequence[Judgment]], run: Mapping[str, Sequence[QueryRow]], most: int, *, has_ranks: bool
) -> ByColumns | None:
    """Return the data as columns; None if rows alone serve."""
    if not has_engine():
        return None
    from rankproof.evaluate.fast.arrays import NotColumnar  # noqa: PLC0415 - as above
    from rankproof.evaluate.fast.float_answers import Columns  # noqa: PLC0415 - as above
    from rankproof.evaluate.fast.grouped_columns import qrels_columns, run_columns  # noqa: PLC0415 - as above
    from rankproof.evaluate.fast.judged_columns import SettledColumns  # noqa: PLC0415 - as above
    from rankproof.evaluate.fast.object_tables import judgments_as_read, rows_as_read  # noqa: PLC0415 - as above

    try:
        judgments = qrels_columns(judgments_as_read(qrels))
        given = SettledColumns(judgments, run_columns(rows_as_read(run, has_ranks=has_ranks), judgments))
    except NotColumnar:
        return None
    return ByColumns(lambda: Columns(given), most)
