"""Facts of qrels and a run that affect values: queries in only one of them, ids that nearly match, unjudged and tied documents.

One function finds them, from rows (`RowData`) or from columns (`rankproof.evaluate.fast.column_facts.ColumnData`).
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Union

from rankproof.evaluate.inputs.rows import Rows, rows_apart
from rankproof.evaluate.open_choices import OpenChoice, open_choices
from rankproof.evaluate.result import FloatValues, Met
from rankproof.evaluate.tie_ends import STRICT, tie_ends
from rankproof.inference.signatures import REFERENCE, Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection, Worth, put_together
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow, as_float32

if TYPE_CHECKING:
    from rankproof.evaluate.fast.column_facts import ColumnData

_LOOKED_AT = 5
"""The number of queries in which documents with similar ids are looked for."""
_ROWS_AGAIN = 250_000
"""The number of rows, over all other conventions, that are measured again for a measure."""
_ZEROS = re.compile(r"^0+(?=\d)|\.0+$")


FactData = Union["RowData", "ColumnData"]


@dataclass(frozen=True)
class TieEffect:
    """What the order of tied documents can change.

    Attributes:
        queries: the number of queries whose value depends on the order; None if there are too many orders to tell.
        worst: the mean in the worst order; NaN if it is undefined.
        best: the mean in the best order.
    """

    queries: int | None
    worst: float = math.nan
    best: float = math.nan


@dataclass(frozen=True)
class InputFacts:
    """The facts of one run.

    Attributes:
        judged: the number of judged queries.
        missing: the judged queries that are not in the run.
        extra: the queries of the run that are not judged.
        docs: pairs of a judged and of a retrieved id that differ only in spelling, in the first queries.
        unjudged: by cutoff, the number of unjudged documents within it, and of all documents.
        ties: by measure, what the order of tied documents can change.
        lowest: the lowest grade.
        highest: the highest grade.
        open: by measure, the undetermined axes that can change it.
        exceptions: by measure, the queries that meet a known exception of the library whose profile is used.
    """

    judged: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    docs: tuple[tuple[str, str], ...] = ()
    unjudged: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    ties: Mapping[str, TieEffect] = field(default_factory=dict)
    lowest: float = -math.inf
    highest: float = -math.inf
    open: Mapping[str, tuple[OpenChoice, ...]] = field(default_factory=dict)
    exceptions: Mapping[str, tuple[Met, ...]] = field(default_factory=dict)

    @property
    def queries(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a missing and an extra query whose ids differ only in spelling."""
        return similar_ids(self.missing, self.extra)


def facts_of(data: FactData, tasks: Mapping[str, Signature]) -> InputFacts:
    """Return the facts of data that affect these measures."""
    judged, run = data.judged_queries(), data.run_queries()
    of_qrels, of_run = set(judged), set(run)
    common = judged if of_qrels == of_run else [query for query in judged if query in of_run]
    missing = tuple(query for query in judged if query not in of_run) if len(common) < len(judged) else ()
    extra = tuple(query for query in run if query not in of_qrels) if len(common) < len(run) else ()
    docs: dict[tuple[str, str], None] = {}
    for query in common[:_LOOKED_AT]:
        ours, theirs = data.docs_of(query)
        known, retrieved = set(ours), set(theirs)
        docs |= dict.fromkeys(
            similar_ids((doc for doc in ours if doc not in retrieved), (doc for doc in theirs if doc not in known))
        )
    ends = {name: data.ends(name, task, common) for name, task in tasks.items() if _is_strict(task)}
    ties = {name: end for name, end in ends.items() if end is not None}
    unjudged = {k: data.unjudged(k, task, common) for k, task in _by_cutoff(tasks.values()).items()}
    choices = {
        name: open_choices(task, data.measured, tied=name in ties, most=data.most_again)
        for name, task in tasks.items()
        if task.open
    }
    still_open = {name: found for name, found in choices.items() if found}
    return InputFacts(
        len(judged), missing, extra, tuple(docs), unjudged, ties, *data.grades(), still_open, _exceptions(data, tasks)
    )


def _exceptions(data: FactData, tasks: Mapping[str, Signature]) -> dict[str, tuple[Met, ...]]:
    if all(task.by == REFERENCE for task in tasks.values()):
        return {}
    from rankproof.evaluate.known_exceptions import exceptions_of  # noqa: PLC0415 - only profiles of libraries have some

    return exceptions_of(tasks, data.by_query)


def similar_ids(ours: Iterable[str], theirs: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ids that differ only in case, in leading zeros, or in a trailing `.0`.

    >>> similar_ids(["Q1", "7", "x"], ["q1", "07", "y"]), similar_ids(["7"], ["7.0"])
    ((('Q1', 'q1'), ('7', '07')), (('7', '7.0'),))
    """
    plain = {_ZEROS.sub("", one.casefold().strip()): one for one in ours}
    keys = ((_ZEROS.sub("", one.casefold().strip()), one) for one in theirs) if plain else ()
    return tuple((plain[key], one) for key, one in keys if key in plain)


def _by_cutoff(tasks: Iterable[Signature]) -> Mapping[int, Signature]:
    """Return the first task of each cutoff that counts unjudged documents."""
    found: dict[int, Signature] = {}
    for task in tasks:
        if task.measure.k is not None and task.measure.conventions(task.conventions).unjudged == "non-relevant":
            found.setdefault(task.measure.k, task)
    return dict(sorted(found.items()))


def _is_strict(task: Signature) -> bool:
    """Return whether a measure depends on the order, and its conventions choose one of several orders of tied documents."""
    measure, own = task.measure, task.measure.conventions(task.conventions)
    arguments = measure.definition.arguments(own, measure.arguments)
    return own.order == "score" and own.ties in STRICT and "order" in measure.definition.looks_at(measure.k, arguments)


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
        rows = sum(len(each) for side in (qrels.of, run.of) for each in side.values())
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
        """Return what the order of tied documents can change."""
        measure, own = task.measure, task.measure.conventions(task.conventions)
        tied = self._tied(own.score, own.unretrieved, tuple(queries))
        judged = ((query, self._collection.judged(query, own.replace(ties="worst"), measure.rel)) for query in tied)
        found = tie_ends(
            measure, own, judged, lambda ends: put_together(measure, {**self._worths[name], **ends}, own).mean
        )
        if found is None or found.moved is None:
            return found if found is None else TieEffect(None)
        return TieEffect(len(found.moved), to_float(found.worst), to_float(found.best))

    def _tied_queries(self, score: str, unretrieved: str, queries: Sequence[str]) -> list[str]:
        found = []
        for query in queries:
            scores = [as_float32(row.score) if score == "f32" else row.score for row in self._run.of[query]]
            if len(set(scores)) < len(scores) or unretrieved == "appended":
                found.append(query)
        return found

    def measured(self, measure: Measure, conventions: Conventions) -> FloatValues:
        """Measure again by other conventions."""
        return FloatValues.of(self._collection.answer(measure, conventions))

    def by_query(self) -> tuple[Mapping[str, Sequence[Judgment]], Mapping[str, Sequence[QueryRow]], Sequence[str]]:
        """Return the rows of each query, and the queries whose rows are not together."""
        return self._qrels.of, self._run.of, rows_apart(self._run)
