"""Qrels and a run as columns, with the same facts as `rankproof.evaluate.facts` has for rows."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import compress

import numpy as np

from rankproof.evaluate.facts import TieEffect
from rankproof.evaluate.fast.arrays import NotColumnar, RefusedColumns
from rankproof.evaluate.fast.column_values import ColumnValues, in_floats_of, values_in_floats
from rankproof.evaluate.open_choices import Unmeasured
from rankproof.evaluate.result import FloatValues
from rankproof.evaluate.tie_ends import is_by_merit, tie_ends
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.all_queries import NoFloatForm
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rejected
from rankproof.reference_impl.ties import TooManyOrders

_FAR, _NEAR, _LEAST = 1e-11, 1e-13, 1e-16
"""Floats are different above the first difference, and equal below the others (relative and absolute)."""
_ROWS_AGAIN = 250_000
"""The largest number of rows that are measured again with readable formulas."""


class ColumnData(ColumnValues):
    """Qrels and a run as columns, with the facts that warnings need."""

    most_again = 64

    def judged_queries(self) -> list[str]:
        """Return the queries with judgments."""
        return list(compress(self.inputs.qrels.queries, self.judged_docs.tolist()))

    def run_queries(self) -> list[str]:
        """Return the queries with retrieved documents."""
        return list(compress(self.inputs.run.queries, self.inputs.run.sizes.tolist()))

    def docs_of(self, query: str) -> tuple[list[str], list[str]]:
        """Return the judged and the retrieved documents of a query."""
        rows = self.collection
        return [row.doc for row in rows.qrels[query]], [row.doc for row in rows.run[query]]

    def grades(self) -> tuple[float, float]:
        """Return the lowest and the highest grade."""
        grades = self.inputs.qrels.grades
        return (float(grades[0]), float(grades[-1])) if len(grades) else (-math.inf, -math.inf)

    def unjudged(self, k: int, task: Signature, _queries: Sequence[str]) -> tuple[int, int]:
        """Return the number of unjudged documents within a cutoff, and of all documents."""
        docs = self.docs(task.measure.conventions(task.conventions))
        is_judged = self.judged_docs[self.inputs.of_run] > 0
        count = int(np.minimum(docs.sizes, k)[is_judged].sum())
        return count - int((docs.rank <= k).sum()), count

    def ends(self, _name: str, task: Signature, _queries: Sequence[str]) -> TieEffect | None:
        """Return the effect of the order of tied documents, computed in floats if these are precise enough."""
        measure, own = task.measure, task.measure.conventions(task.conventions)
        top = self.top(own, measure.rel)
        if not top.has_ties.any():
            return None
        differ, unsure = np.zeros(top.count, dtype=np.bool_), top.has_ties
        worst = best = np.zeros(top.count)
        if (measure, own) in self.counted and is_by_merit(measure, own):
            with suppress(NoFloatForm), np.errstate(invalid="ignore"):
                worst, best = (values_in_floats(top, measure, own.replace(ties=ties)) for ties in ("worst", "best"))
                gap, size = np.abs(best - worst), np.maximum(np.abs(best), np.abs(worst))
                differ = top.has_ties & np.isfinite(gap) & (gap > _FAR * np.maximum(size, 1))
                unsure = top.has_ties & ~differ & ~(gap <= np.maximum(_NEAR * size, _LEAST)) & (best != worst)
        tied, rows = own.replace(ties="worst"), self.collection
        judged = ((query, rows.judged(query, tied, measure.rel)) for query in compress(top.queries, unsure))
        exact = tie_ends(measure, own, judged, lambda _: None)
        moved = {} if exact is None else exact.moved
        if moved is None:
            return TieEffect(None)
        if not moved and not differ.any():
            return None
        count = len(moved) + int(differ.sum())
        if any(end.counted is None or not end.is_counted for ends in moved.values() for end in ends):
            return TieEffect(count)
        ends = ((values, {query: pair[i] for query, pair in moved.items()}) for i, values in enumerate((worst, best)))
        return TieEffect(count, *(self.mean_if(measure, own, values, differ, others) for values, others in ends))

    def measured(self, measure: Measure, conventions: Conventions) -> FloatValues:
        """Return the values of a measure under other conventions."""
        rows = len(self.inputs.run.scores) + len(self.inputs.qrels.query)
        if rows > _ROWS_AGAIN and in_floats_of(measure, measure.conventions(conventions)) is None:
            raise Unmeasured
        try:
            return self.values(measure, conventions)
        except RefusedColumns as error:
            raise Rejected("", "a convention refuses these columns") from error
        except (NotColumnar, TooManyOrders) as error:
            raise Unmeasured from error

    def by_query(self) -> tuple[Mapping[str, Sequence[Judgment]], Mapping[str, Sequence[QueryRow]], Sequence[str]]:
        """Return the rows of each query, and the queries whose rows are separated by other queries."""
        rows = self.collection
        return rows.qrels, rows.run, self.inputs.run.interleaved
