"""Judgment in columns: the grade and relevance of each judged document, and the number of relevant documents.

There are few different grades. The reference judges each grade once, and columns hold the place of the grade of each
document.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, RefusedColumns, begins, places_in
from rankproof.evaluate.fast.encoding import ColumnInputs
from rankproof.evaluate.fast.ordering import DocsInOrder
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.ranking import Doc, Judgment, QueryRow, Rejected, judge

KNOWN = {name: set(axis.values) for name, axis in AXES.items() if axis.stage == "judge"}
KNOWN |= {"known": {"all", "retrieved"}, "unjudged": {"non-relevant", "removed", "rejected"}}
KNOWN["grades"] = KNOWN["grades"] - {"two-values"}  # it depends on all grades of a query
"""The conventions of judgment that the columnar path supports."""
UNJUDGED = Doc(rel=None, relevant=False, pooled=False)


@dataclass(frozen=True)
class Kinds:
    """The different judgments under some conventions."""

    docs: Sequence[Doc]

    @cached_property
    def rel(self) -> Floats:
        """The grade of each judgment; NaN for a document that is in the pool and unjudged."""
        return np.array([np.nan if doc.rel is None else float(doc.rel) for doc in self.docs])

    @cached_property
    def relevant(self) -> Bools:
        """The relevance of each judgment, as booleans."""
        return np.array([doc.relevant for doc in self.docs], dtype=np.bool_)


def kinds_of(inputs: ColumnInputs, conventions: Conventions, threshold: float) -> Kinds:
    """Return the different grades as the reference judges them.

    Raises:
        RefusedColumns: a convention refuses a grade.
    """
    grades = inputs.qrels.grades
    seen = np.unique(inputs.run.grade) if conventions.known == "retrieved" else np.arange(len(grades))
    own = conventions.replace(
        order="input", score_sign="any", infinite="ordered", unretrieved="absent", unjudged="non-relevant", known="all"
    )
    rows = [QueryRow(str(place), 0.0) for place in seen.tolist()]
    judgments = [Judgment(row.doc, grade) for row, grade in zip(rows, grades[seen].tolist(), strict=True)]
    try:
        judged = chain.from_iterable(judge(rows, judgments, own, threshold).groups)
    except Rejected as error:
        raise RefusedColumns from error
    docs = [UNJUDGED] * len(grades)
    for place, doc in zip(seen.tolist(), judged, strict=True):
        docs[place] = doc
    return Kinds(docs)


@dataclass(frozen=True)
class Judgments:
    """Judgments by query: the place of the query of each document, and the place of its kind."""

    query: Ints
    kind: Ints
    kinds: Kinds

    @property
    def rel(self) -> Floats:
        """The grade of each document; NaN for a document that is in the pool and unjudged."""
        return self.kinds.rel[self.kind]

    @property
    def relevant(self) -> Bools:
        """The relevance of each document, as booleans."""
        return self.kinds.relevant[self.kind]

    @property
    def is_judged(self) -> Bools:
        """The documents that have a grade, as booleans."""
        return ~np.isnan(self.kinds.rel)[self.kind]

    def some(self, which: Ints | Bools) -> "Judgments":
        """Return some of the judgments."""
        return Judgments(self.query[which], self.kind[which], self.kinds)


@dataclass(frozen=True)
class JudgedColumns:
    """The ordered and judged documents of all queries.

    Attributes:
        queries: the names of the queries, with those of the qrels first.
        n: the number of ranked documents of each query.
        docs: the judgments of retrieved documents, by query and rank.
        rank: the rank of each retrieved and judged document.
        above: the number of documents above its tie group.
        tied: the number of documents in its tie group.
        judgments: all judgments that have a grade and are known to the measure.
    """

    queries: Sequence[str]
    n: Ints
    docs: Judgments
    rank: Ints
    above: Ints
    tied: Ints
    judgments: Judgments

    @property
    def count(self) -> int:
        """The number of queries."""
        return len(self.queries)

    @cached_property
    def R(self) -> Ints:  # noqa: N802 - its name
        """The number of relevant documents of each query."""
        return np.bincount(self.judgments.query[self.judgments.relevant], minlength=self.count)

    def per_query(self, query: Ints, weights: Floats | None = None) -> Floats:
        """Return the sum of the weights of each query, or the number of its rows."""
        return np.bincount(query, weights, minlength=self.count).astype(np.float64)

    @cached_property
    def has_ties(self) -> Bools:
        """The queries with a tied judged document, as booleans."""
        return self.per_query(self.docs.query[self.tied > 1]) > 0

    @cached_property
    def shapes(self) -> tuple[list[tuple[int, float]], Ints]:
        """The different pairs of document count and highest grade, and the place of the pair of each query."""
        highest = np.zeros(self.count)
        np.maximum.at(highest, self.judgments.query, self.judgments.rel)
        pairs, place = np.unique(self.n + 1j * highest, return_inverse=True)
        return [(int(pair.real), float(pair.imag)) for pair in pairs], place

    def at_last_ranks(self) -> "JudgedColumns":
        """Return the columns with each document at the last rank of its tie group."""
        return replace(self, rank=self.above + self.tied)

    def rearranged(self, merit: Floats, *, best: bool) -> "JudgedColumns":
        """Return the columns with tie groups sorted by descending (`best`) or ascending merit (0 if unjudged)."""
        some = np.flatnonzero(self.tied > 1)
        query, above = self.docs.query[some], self.above[some]
        group = np.cumsum(begins(query, above)) - 1
        which, rank = np.arange(len(self.rank)), self.rank.copy()
        which[some] = some[np.lexsort((-merit[some] if best else merit[some], group))]
        behind = merit[which[some]] < 0 if best else merit[which[some]] >= 0  # after the unjudged documents
        place = places_in(group) + behind * (self.tied[some] - np.bincount(group)[group])
        rank[some] = above + 1 + place
        return replace(self, docs=self.docs.some(which), rank=rank)


def judged_columns(inputs: ColumnInputs, docs: DocsInOrder, kinds: Kinds, conventions: Conventions) -> JudgedColumns:
    """Return the judged documents of all queries.

    Raises:
        RefusedColumns: a convention refuses an unjudged document.
    """
    n = np.zeros(len(inputs.queries), dtype=np.int64)
    n[inputs.of_run] = docs.sizes
    columns = (inputs.of_run[docs.query], docs.rank, docs.above, docs.tied, docs.grade)
    order = np.lexsort((docs.rank, columns[0])) if (np.diff(columns[0]) < 0).any() else slice(None)
    query, rank, above, tied, grade = (column[order] for column in columns)
    retrieved = Judgments(query, grade, kinds)
    known = retrieved if conventions.known == "retrieved" else Judgments(inputs.qrels.query, inputs.qrels.grade, kinds)
    if conventions.unjudged == "rejected" and int(n.sum()) > int(retrieved.is_judged.sum()):
        raise RefusedColumns
    if conventions.unjudged == "removed":
        kept = retrieved.is_judged
        retrieved = retrieved.some(kept)
        n = np.bincount(retrieved.query, minlength=len(n))
        place, new = places_in(retrieved.query), begins(retrieved.query, above[kept])
        group = np.cumsum(new) - 1
        rank, above, tied = place + 1, place[new][group], np.bincount(group)[group]
    return JudgedColumns(list(inputs.queries), n, retrieved, rank, above, tied, known.some(known.is_judged))
