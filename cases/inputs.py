"""Inputs of measures: qrels and a run, or two labelings of the same items, as one value.

Each case has an input. Probes derive other inputs from it, workers and the reference measure it, and `check` passes it
to functions.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

from rankproof.cases.json_numbers import number_as_json

FEW_FOR_A_SORT = 16
"""Up to this many rows, unstable sorts use insertion sort, which keeps the order of tied rows."""
Id: TypeAlias = str | int
QrelsRow: TypeAlias = tuple[Id, Id, float]
"""Query, document, grade."""
RunRow: TypeAlias = tuple[Id, Id, float, int]
"""Query, document, score, rank."""


@dataclass(frozen=True)
class Input:
    """Qrels and a run, row by row in input order, or two labelings without any rows.

    >>> given = Input(qrels=(("1", "a", 1),), run=(("1", "a", 0.5, 1), ("2", "b", 0.4, 1)), empty_in_run=("3",))
    >>> given.queries, given.of_labels, given.scored["2"], given.scored["3"]
    (('1', '2', '3'), False, (('b', 0.4, 1),), ())

    Attributes:
        qrels: rows (query, doc, rel).
        run: rows (query, doc, score, rank).
        empty_in_qrels: queries that the qrels have, without a judgment.
        empty_in_run: queries that the run has, without a row.
        true: the labels of the items, or None without labelings.
        predicted: the other labels of the same items.
    """

    qrels: tuple[QrelsRow, ...] = ()
    run: tuple[RunRow, ...] = ()
    empty_in_qrels: tuple[Id, ...] = ()
    empty_in_run: tuple[Id, ...] = ()
    true: tuple[Id, ...] | None = None
    predicted: tuple[Id, ...] | None = None

    @property
    def of_labels(self) -> bool:
        """Whether the input is two labelings."""
        return self.true is not None

    @cached_property
    def queries(self) -> tuple[Id, ...]:
        """The queries, in the order of the qrels and then of the run."""
        in_qrels = (*(row[0] for row in self.qrels), *self.empty_in_qrels)
        return tuple(dict.fromkeys((*in_qrels, *(row[0] for row in self.run), *self.empty_in_run)))

    @cached_property
    def judged(self) -> Mapping[str, tuple[tuple[Id, float], ...]]:
        """The judgments (doc, rel) of each query of the qrels. Names of queries are text."""
        return _by_query(self.qrels, self.empty_in_qrels)

    @cached_property
    def scored(self) -> Mapping[str, tuple[tuple[Id, float, int], ...]]:
        """The rows (doc, score, rank) of each query of the run. Names of queries are text."""
        return _by_query(self.run, self.empty_in_run)

    @cached_property
    def has_ties(self) -> bool:
        """Whether two documents of a query have the same score."""
        return any(len({score for _, score, _ in rows}) < len(rows) for rows in self.scored.values())

    @cached_property
    def tells_sorts(self) -> bool:
        """Whether the input distinguishes stable from unstable sorts: it has many tied rows, and they are not sorted.

        Most unstable sorts keep the order of a few rows, of sorted rows, and of rows that are all tied.
        """
        return any(_tells_sorts([score for _, score, _ in rows]) for rows in self.scored.values())

    @property
    def number_docs(self) -> bool:
        """Whether a document id is a number."""
        return any(isinstance(row[1], int) for row in (*self.qrels, *self.run))

    @property
    def number_ids(self) -> bool:
        """Whether the id of a query or document is a number."""
        return self.number_docs or any(isinstance(row[0], int) for row in (*self.qrels, *self.run))

    @property
    def size(self) -> int:
        """The number of judgments and rows."""
        return len(self.qrels) + len(self.run)

    def as_json(self) -> dict[str, Any]:
        """Return the input as JSON for an adapter; a score that is not finite is text."""
        if self.true is not None and self.predicted is not None:
            return {"true": list(self.true), "predicted": list(self.predicted)}
        return {
            "qrels": [list(row) for row in self.qrels],
            "run": [[query, doc, number_as_json(score), rank] for query, doc, score, rank in self.run],
            "empty_in_qrels": list(self.empty_in_qrels),
            "empty_in_run": list(self.empty_in_run),
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Input":
        """Parse the JSON of `as_json`.

        >>> given = Input(qrels=((1, "a", 2),), run=((1, "a", float("-inf"), 1),), empty_in_qrels=("2",))
        >>> Input.of_json(given.as_json()) == given
        True
        """
        if "true" in data:
            return cls(true=tuple(data["true"]), predicted=tuple(data["predicted"]))
        return cls(
            tuple((query, doc, rel) for query, doc, rel in data["qrels"]),
            tuple((query, doc, float(score), rank) for query, doc, score, rank in data["run"]),
            tuple(data.get("empty_in_qrels", ())),
            tuple(data.get("empty_in_run", ())),
        )


def _tells_sorts(scores: Sequence[float]) -> bool:
    pairs = list(pairwise(scores))
    sorted_already = all(a >= b for a, b in pairs) or all(a <= b for a, b in pairs)
    return not sorted_already and max(Counter(scores).values(), default=0) > FEW_FOR_A_SORT


def _by_query(rows: Sequence[tuple[Any, ...]], empty: Sequence[Id]) -> dict[str, Any]:
    own_rows: dict[str, list[tuple[Any, ...]]] = {}
    for query, *row in rows:
        own_rows.setdefault(str(query), []).append(tuple(row))
    for query in empty:
        own_rows.setdefault(str(query), [])
    return {query: tuple(own) for query, own in own_rows.items()}
