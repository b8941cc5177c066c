"""Qrels and a run as rows, and the effect of the order of tied documents, for warnings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from rankproof.evaluate.inputs.rows import Rows, rows_apart
from rankproof.evaluate.result import FloatValues
from rankproof.evaluate.tie_ends import tie_ends
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection, Worth, put_together
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow, as_float32

_ROWS_AGAIN = 250_000
"""The largest number of rows that are measured again for a measure, over all other conventions."""


@dataclass(frozen=True)
class TieEffect:
    """The effect of the order of tied documents.

    Attributes:
        queries: the number of queries whose value depends on the order; None if there are too many orders to measure.
        worst: the mean in the worst order; NaN if it is undefined.
        best: the mean in the best order.
    """

    queries: int | None
    worst: float = math.nan
    best: float = math.nan


class RowData:
    """Qrels and a run as rows."""

    def __init__(
        self,
        qrels: Rows[Judgment],
        run: Rows[QueryRow],
        collection: Collection,
        worths: Mapping[str, Mapping[str, Worth]],
    ) -> None:
        self._qrels, self._run, self._collection, self._worths = qrels, run, collection, worths
        rows = sum(len(of_query) for side in (qrels.of, run.of) for of_query in side.values())
        self.most_again = _ROWS_AGAIN // max(rows, 1)
        self._tied = cache(self._tied_queries)

    def judged_queries(self) -> list[str]:
        """Return the queries with judgments."""
        return [query for query, rows in self._qrels.of.items() if rows]

    def run_queries(self) -> list[str]:
        """Return the queries with retrieved documents."""
        return [query for query, rows in self._run.of.items() if rows]

    def docs_of(self, query: str) -> tuple[list[str], list[str]]:
        """Return the judged and the retrieved documents of a query."""
        return [row.doc for row in self._qrels.of[query]], [row.doc for row in self._run.of[query]]

    def grades(self) -> tuple[float, float]:
        """Return the lowest and the highest grade."""
        rels = [float(row.rel) for rows in self._qrels.of.values() for row in rows]
        return min(rels, default=-math.inf), max(rels, default=-math.inf)

    def unjudged(self, k: int, task: Signature, queries: Sequence[str]) -> tuple[int, int]:
        """Return the number of unjudged documents within a cutoff, and of all documents."""
        own, rel = task.measure.conventions(task.conventions), task.measure.rel
        docs = [doc for query in queries for _, doc in self._collection.judged(query, own, rel).strict[:k]]
        return sum(not doc.pooled for doc in docs), len(docs)

    def ends(self, name: str, task: Signature, queries: Sequence[str]) -> TieEffect | None:
        """Return the effect of the order of tied documents on a measure; None if it has none."""
        measure, own = task.measure, task.measure.conventions(task.conventions)
        tied = self._tied(own.score, own.unretrieved, tuple(queries))
        judged = ((query, self._collection.judged(query, own.replace(ties="worst"), measure.rel)) for query in tied)
        exact = tie_ends(
            measure, own, judged, lambda ends: put_together(measure, {**self._worths[name], **ends}, own).mean
        )
        if exact is None or exact.moved is None:
            return exact if exact is None else TieEffect(None)
        return TieEffect(len(exact.moved), to_float(exact.worst), to_float(exact.best))

    def _tied_queries(self, score: str, unretrieved: str, queries: Sequence[str]) -> list[str]:
        tied = []
        for query in queries:
            scores = [as_float32(row.score) if score == "f32" else row.score for row in self._run.of[query]]
            if len(set(scores)) < len(scores) or unretrieved == "appended":
                tied.append(query)
        return tied

    def measured(self, measure: Measure, conventions: Conventions) -> FloatValues:
        """Return the values of a measure under other conventions."""
        return FloatValues.of(self._collection.answer(measure, conventions))

    def by_query(self) -> tuple[Mapping[str, Sequence[Judgment]], Mapping[str, Sequence[QueryRow]], Sequence[str]]:
        """Return the rows of each query, and the queries whose rows are separated by other queries."""
        return self._qrels.of, self._run.of, rows_apart(self._run.columns)
