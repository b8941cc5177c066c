"""Inputs: what a question is asked of. Qrels and a run, or two labelings of the same items, as one value.

A case has one, a probe makes others of it, a worker is sent one, the reference answers one, a function is told what it can take of one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

from rankproof.cases.json_numbers import number_as_json

FEW_FOR_A_SORT = 16
"""Up to so many rows are sorted by insertion, which keeps their order, by sorts that do not keep it of more."""
Id: TypeAlias = str | int
QrelsRow: TypeAlias = tuple[Id, Id, float]
"""Query, doc, rel."""
RunRow: TypeAlias = tuple[Id, Id, float, int]
"""Query, doc, score, rank."""


@dataclass(frozen=True)
class Input:
    """Qrels and a run, row by row as they were given; or two labelings, and then there are no rows.

    >>> given = Input(qrels=(("1", "a", 1),), run=(("1", "a", 0.5, 1), ("2", "b", 0.4, 1)), empty_in_run=("3",))
    >>> given.queries, given.of_labels, given.scored["2"], given.scored["3"]
    (('1', '2', '3'), False, (('b', 0.4, 1),), ())

    Attributes:
        qrels: rows (query, doc, rel).
        run: rows (query, doc, score, rank).
        empty_in_qrels: queries that the qrels have, without a judgment.
        empty_in_run: queries that the run has, without a row.
        true: the labels of the items, or None where there are no labelings.
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
        """Whether it is two labelings."""
        return self.true is not None

    @cached_property
    def queries(self) -> tuple[Id, ...]:
        """The queries, in the order of the qrels and then of the run."""
        in_qrels = (*(row[0] for row in self.qrels), *self.empty_in_qrels)
        return tuple(dict.fromkeys((*in_qrels, *(row[0] for row in self.run), *self.empty_in_run)))

    @cached_property
    def judged(self) -> Mapping[str, tuple[tuple[Id, float], ...]]:
        """The judgments (doc, rel) of each query of the qrels, whose name is text."""
        return _by_query(self.qrels, self.empty_in_qrels)

    @cached_property
    def scored(self) -> Mapping[str, tuple[tuple[Id, float, int], ...]]:
        """The rows (doc, score, rank) of each query of the run, whose name is text."""
        return _by_query(self.run, self.empty_in_run)

    @cached_property
    def has_ties(self) -> bool:
        """Whether two docs of a query have the same score."""
        return any(len({score for _, score, _ in rows}) < len(rows) for rows in self.scored.values())

    @cached_property
    def tells_sorts(self) -> bool:
        """Whether it tells a sort that keeps the order of tied rows from one that does not: many are tied, and the rows are not sorted.

        Most sorts keep the order of a few rows, of rows that are sorted already, and of rows that are all alike.
        """
        return any(_tells_sorts([score for _, score, _ in rows]) for rows in self.scored.values())

    @property
    def number_docs(self) -> bool:
        """Whether the id of a doc is a number."""
        return any(isinstance(row[1], int) for row in (*self.qrels, *self.run))

    @property
    def number_ids(self) -> bool:
        """Whether any id of a row is a number."""
        return self.number_docs or any(isinstance(row[0], int) for row in (*self.qrels, *self.run))

    @property
    def size(self) -> int:
        """How many judgments and rows there are."""
        return len(self.qrels) + len(self.run)

    def as_json(self) -> dict[str, Any]:
        """In JSON's terms, as an adapter is given it; a score that is no finite number is text."""
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
        """Read what `as_json` gives.

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
