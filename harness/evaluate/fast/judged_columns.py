"""Judge: what each judged doc is to a measure, and how many relevant docs each query has.

judgments ──conventions, threshold──► rels, relevant or not ──┐
judged docs in order ─────────────────────────────────────────┴──► JudgedColumns, and of one query the `Judged` of the formulas
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from rankproof.evaluate.fast.arrays import Bools, Floats, Ints, NotColumnar, RefusedColumns, begins, places_in
from rankproof.evaluate.fast.docs_in_order import DocsInOrder
from rankproof.evaluate.fast.grouped_columns import LARGEST_WHOLE, QrelsColumns, RunColumns
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.exact import written
from rankproof.reference_impl.ranking import HIGHEST_OF_FIVE, Doc, Judged

KNOWN = {
    "known": {"all", "retrieved"},
    "unjudged": {"non-relevant", "removed", "rejected"},
    "negative": {"unjudged", "non-relevant", "as-is", "rejected"},
    "relevant": {"at-least", "above-zero", "above-half", "non-zero"},
    "grades": {"any", "truncated", "rejected", "whole-to-4", "binary"},
    "qrels_duplicates": {
        "rejected",
        "first",
        "last",
        "highest",
        "both",
        "same-rank",
    },  # no doc is judged twice in columns
}
"""The conventions of judgment that are settled here."""
UNJUDGED = Doc(rel=None, relevant=False, pooled=False)


@lru_cache(maxsize=4096)
def _doc(rel: float | None, relevant: bool) -> Doc:  # noqa: FBT001 - as a column has it
    return Doc(None if rel is None else written(rel), relevant=relevant, pooled=True)


@dataclass(frozen=True)
class Judgments:
    """Judgments as a measure sees them, query by query.

    Attributes:
        query: the place of the query of each.
        rel: the rel; NaN where a doc is in the pool but unjudged.
        relevant: whether it makes a doc relevant.
        kept: what was computed of each, once for several measures.
    """

    query: Ints
    rel: Floats
    relevant: Bools
    kept: dict[Any, Floats] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def is_judged(self) -> Bools:
        """Whether there is a rel."""
        return ~np.isnan(self.rel)

    def some(self, which: Ints | Bools) -> "Judgments":
        """Some of them."""
        kept = {key: own[which] for key, own in self.kept.items()}
        return Judgments(self.query[which], self.rel[which], self.relevant[which], kept)

    def as_docs(self, which: Ints | slice) -> list[Doc]:
        """Some of them as the formulas take them; those that are alike are one."""
        columns = zip(self.rel[which].tolist(), self.relevant[which].tolist(), strict=True)
        return [_doc(None if math.isnan(rel) else rel, relevant) for rel, relevant in columns]


@dataclass(frozen=True)
class JudgedColumns:
    """All queries, ordered and judged: of each the docs retrieved that the qrels have, by rank, and its judgments.

    Attributes:
        queries: the names of the queries, those of the qrels first.
        n: how many docs of each are ranked.
        docs: the judgments of the retrieved docs, by query and rank.
        rank: the rank of each of those.
        above: how many docs stand above its tie group.
        tied: how many docs are in its tie group.
        judgments: all judgments with a rel that the measure knows.
        R: how many relevant docs each query has.
    """

    queries: tuple[str, ...]
    n: Ints
    docs: Judgments
    rank: Ints
    above: Ints
    tied: Ints
    judgments: Judgments
    R: Ints

    @property
    def count(self) -> int:
        """How many queries there are."""
        return len(self.queries)

    def per_query(self, query: Ints, weights: Floats | None = None) -> Floats:
        """The sum of the weights of each query, or how many rows it has."""
        return np.bincount(query, weights, minlength=self.count).astype(np.float64)

    @cached_property
    def has_ties(self) -> Bools:
        """Of which queries a judged doc is tied."""
        return self.per_query(self.docs.query[self.tied > 1]) > 0

    def at_last_ranks(self) -> "JudgedColumns":
        """The same, each doc at the last rank of its tie group."""
        return replace(self, rank=self.above + self.tied)

    def rearranged(self, merit: Floats, *, best: bool) -> "JudgedColumns":
        """The same, the docs of each tie group by descending merit, or ascending; an unjudged doc has no merit."""
        some = np.flatnonzero(self.tied > 1)
        query, above = self.docs.query[some], self.above[some]
        group = np.cumsum(begins(query, above)) - 1
        # The docs of a group stand together, so that they change places among themselves alone.
        which, rank = np.arange(len(self.rank)), self.rank.copy()
        which[some] = some[np.lexsort((-merit[some] if best else merit[some], group))]
        behind = merit[which[some]] < 0 if best else merit[which[some]] >= 0  # unjudged docs stand before these
        place = places_in(group) + behind * (self.tied[some] - np.bincount(group)[group])
        rank[some] = above + 1 + place
        return replace(self, docs=self.docs.some(which), rank=rank)


@dataclass(frozen=True)
class SettledColumns:
    """Qrels and a run as columns, and what of them was settled once for several measures."""

    qrels: QrelsColumns
    run: RunColumns

    @cached_property
    def queries(self) -> dict[str, int]:
        """The place of each query, those of the qrels first."""
        names = dict.fromkeys([*self.qrels.queries, *self.run.queries])
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def of_run(self) -> Ints:
        """The place of each query of the run."""
        return np.array([self.queries[name] for name in self.run.queries], dtype=np.int64)

    @cached_property
    def place_in_run(self) -> Mapping[str, int]:
        """The place of each query among those of the run."""
        return {name: place for place, name in enumerate(self.run.queries)}


def judgments_of(given: SettledColumns, conventions: Conventions, threshold: float) -> Judgments:
    """All lines of the qrels as these conventions have them, known to the measure or not.

    Raises:
        NotColumnar: a threshold that no float has.
        RefusedColumns: a convention refuses one.
    """
    if abs(threshold) > LARGEST_WHOLE:
        raise NotColumnar
    rels = given.qrels.rels
    asked = rels[given.run.judgments] if conventions.known == "retrieved" else rels
    if _is_refused(asked, conventions):
        raise RefusedColumns
    if conventions.grades == "truncated":
        rels = np.trunc(rels)
    if conventions.negative in {"unjudged", "non-relevant"}:
        rels = np.where(rels < 0, np.nan if conventions.negative == "unjudged" else 0.0, rels)
    least = {
        "above-zero": rels > 0,
        "above-half": rels > 0.5,  # noqa: PLR2004 - the convention says it
        "non-zero": (rels != 0) & ~np.isnan(rels),
    }
    return Judgments(given.qrels.query, rels, least.get(conventions.relevant, rels >= threshold))


def _is_refused(rels: Floats, conventions: Conventions) -> bool:
    whole, grades = rels == np.trunc(rels), conventions.grades
    refused = {
        "rejected": ~whole,
        "whole-to-4": ~whole | (rels > HIGHEST_OF_FIVE),
        "binary": (rels != 0) & (rels != 1),
    }
    negative = rels < 0 if grades != "truncated" else np.trunc(rels) < 0
    return bool(refused[grades].any() if grades in refused else False) or bool(
        conventions.negative == "rejected" and negative.any()
    )


def judged(given: SettledColumns, docs: DocsInOrder, lines: Judgments, conventions: Conventions) -> JudgedColumns:
    """All queries, judged.

    Raises:
        RefusedColumns: a convention refuses one.
    """
    n = np.zeros(len(given.queries), dtype=np.int64)
    n[given.of_run] = docs.sizes
    query, rank, above, tied, judgment = given.of_run[docs.query], docs.rank, docs.above, docs.tied, docs.judgment
    order = np.lexsort((rank, query)) if (np.diff(query) < 0).any() else slice(None)
    query, rank, above, tied, judgment = (column[order] for column in (query, rank, above, tied, judgment))
    of_docs = Judgments(query, lines.rel[judgment], lines.relevant[judgment])
    known = of_docs if conventions.known == "retrieved" else lines
    if conventions.unjudged == "rejected" and int(n.sum()) > int(of_docs.is_judged.sum()):
        raise RefusedColumns
    if conventions.unjudged == "removed":
        kept = of_docs.is_judged
        of_docs = of_docs.some(kept)
        n = np.bincount(of_docs.query, minlength=len(n))
        place, new = places_in(of_docs.query), begins(of_docs.query, above[kept])
        group = np.cumsum(new) - 1
        rank, above, tied = place + 1, place[new][group], np.bincount(group)[group]
    known = known.some(known.is_judged)
    R = np.bincount(known.query[known.relevant], minlength=len(n))
    return JudgedColumns(tuple(given.queries), n, of_docs, rank, above, tied, known, R)


def judged_query(
    given: SettledColumns, docs: DocsInOrder, lines: Judgments, conventions: Conventions, query: str
) -> Judged:
    """One query as the formulas take it, as `judge` makes it of rows."""
    place = given.place_in_run.get(query)
    own = slice(0, 0) if place is None else slice(*np.searchsorted(docs.query, [place, place + 1]).tolist())
    retrieved = lines.as_docs(docs.judgment[own])
    slots = [UNJUDGED] * (0 if place is None else int(docs.sizes[place]))
    for rank, doc in zip(docs.rank[own].tolist(), retrieved, strict=True):
        slots[rank - 1] = doc
    groups, low = [], 0
    for size in [] if place is None else docs.group_sizes(place):
        groups.append(tuple(slots[low : low + size]))
        low += size
    if conventions.unjudged == "removed":
        groups = [tuple(doc for doc in group if doc.rel is not None) for group in groups]
    known = retrieved
    if conventions.known == "all":
        at = given.queries[query]
        known = lines.as_docs(slice(*np.searchsorted(lines.query, [at, at + 1]).tolist()))
    judgments = tuple(doc for doc in known if doc.rel is not None)
    return Judged(tuple(filter(None, groups)), judgments, sum(doc.relevant for doc in judgments))
