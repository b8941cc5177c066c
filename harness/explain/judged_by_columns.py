"""Many rows ordered and judged by columns, for the exact formulas: the same as by rows, in a fraction of the time.

Columns serve where no doc stands twice under a query, and for the conventions that they know; for all else there are the rows. They need
what the extra `fast` brings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from rankproof.evaluating.quick import has_engine
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judged, Judgment, QueryRow, Rel

if TYPE_CHECKING:
    from rankproof.evaluating.fast.float_answers import Columns

JudgeQuery: TypeAlias = Callable[[str, Conventions, Rel], Judged]
"""What `Collection` takes to order and judge a query in another way."""


@dataclass
class ByColumns:
    """Qrels and a run as columns.

    Attributes:
        new: makes columns of which nothing is ordered or judged yet.
        most_kept: for how many conventions of order and judgment they are kept ordered and judged at most.
    """

    new: "Callable[[], Columns]"
    most_kept: int
    _of: "dict[tuple[Conventions, Rel], Columns | None]" = field(default_factory=dict)

    def judging(self, conventions: Conventions, threshold: Rel) -> JudgeQuery | None:
        """What orders and judges every query by these conventions; None where rows are to be taken."""
        key = conventions, threshold
        if key not in self._of:
            if len(self._of) >= self.most_kept:
                self._of.clear()
            self._of[key] = self._columns(conventions, threshold)
        columns = self._of[key]
        return None if columns is None else columns.judged_query

    def _columns(self, conventions: Conventions, threshold: Rel) -> "Columns | None":
        from rankproof.evaluating.fast.arrays import NotColumnar  # noqa: PLC0415 - little data does without numpy

        columns = next((one for one in self._of.values() if one is not None), None) or self.new()
        try:
            columns.refuse(conventions, float(threshold))
        except NotColumnar:
            return None
        return columns


def by_columns(
    qrels: Mapping[str, Sequence[Judgment]], run: Mapping[str, Sequence[QueryRow]], most_kept: int, *, has_ranks: bool
) -> ByColumns | None:
    """The data as columns; None where rows alone serve."""
    if not has_engine():
        return None
    from rankproof.evaluating.fast.arrays import NotColumnar  # noqa: PLC0415 - as above
    from rankproof.evaluating.fast.float_answers import Columns  # noqa: PLC0415 - as above
    from rankproof.evaluating.fast.grouped_columns import qrels_columns, run_columns  # noqa: PLC0415 - as above
    from rankproof.evaluating.fast.judged_columns import SettledColumns  # noqa: PLC0415 - as above
    from rankproof.evaluating.fast.object_tables import judgments_as_read, rows_as_read  # noqa: PLC0415 - as above

    try:
        judgments = qrels_columns(judgments_as_read(qrels))
        given = SettledColumns(judgments, run_columns(rows_as_read(run, has_ranks=has_ranks), judgments))
    except NotColumnar:
        return None
    return ByColumns(lambda: Columns(given), most_kept)
