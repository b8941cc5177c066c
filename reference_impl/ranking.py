"""Ordering, cutting and judging: from the rows of a run and its qrels to a judged ranking.

This module applies all disputed conventions *before* the formula: score precision, ties, duplicates, unjudged and
negative judgments, and the relevance threshold. A measure receives a `Ranking` and contains only its formula.

    rows ──order──► tie groups ──judge──► judged tie groups ──line up──► Ranking, cut at k

Words: `rel` is a relevance grade. A document is `relevant` by the threshold. `R` is the number of relevant documents,
retrieved or not, `n` the number of retrieved documents and `k` the cutoff.
"""

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, chain, groupby
from operator import itemgetter
from typing import NamedTuple

from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.exact import written
from rankproof.reference_impl.unusable import Unusable

Rel = int | float | Fraction

HIGHEST_OF_FIVE = 4
"""The highest grade of the scale 0 to 4."""


class Rejected(Unusable):
    """Input that the conventions reject; `axis` names the choice that rejects it."""

    def __init__(self, axis: str, message: str) -> None:
        super().__init__(message)
        self.axis = axis


class Judgment(NamedTuple):
    """A line of the qrels of one query."""

    doc: str
    rel: Rel


class QueryRow(NamedTuple):
    """A line of a run for one query."""

    doc: str
    score: float
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Doc:
    """A retrieved or judged document with the facts that measures use."""

    rel: Fraction | None
    """The relevance grade, or None without one."""
    relevant: bool
    pooled: bool
    """Whether the qrels have a line for the document (a pooled document without a grade has a negative judgment)."""
    also: "tuple[Doc, ...]" = ()
    """The other judgments, if several judgments count at the rank of the document."""

    @property
    def non_relevant(self) -> bool:
        """Whether the document is judged and not relevant."""
        return self.rel is not None and not self.relevant


@dataclass(frozen=True)
class Judged:
    """The documents of one query in tie groups, best first, and its judgments."""

    groups: tuple[tuple[Doc, ...], ...]
    judgments: tuple[Doc, ...]
    R: int

    @cached_property
    def n(self) -> int:
        """The number of retrieved documents, within the cutoff or not."""
        return sum(len(group) for group in self.groups)

    @cached_property
    def shares_ranks(self) -> bool:
        """Whether several judgments of a document count at its rank."""
        return any(doc.also for group in self.groups for doc in group)

    @cached_property
    def has_ties(self) -> bool:
        """Whether documents are tied, so that conventions can still choose between their orders."""
        return any(len(group) > 1 for group in self.groups)

    @cached_property
    def strict(self) -> tuple[tuple[int, Doc], ...]:
        """Documents with ranks 1, 2, …, tied documents in this order. Each judgment of a document has an entry."""
        docs = enumerate(chain.from_iterable(self.groups), start=1)
        return tuple((rank, judged) for rank, doc in docs for judged in (doc, *doc.also))

    @cached_property
    def shared(self) -> tuple[tuple[int, Doc], ...]:
        """Documents with the last rank of their tie group."""
        ends = zip(accumulate(map(len, self.groups)), self.groups, strict=True)
        return tuple((end, judged) for end, group in ends for doc in group for judged in (doc, *doc.also))

    @property
    def tied(self) -> Iterator[tuple[int, int, int]]:
        """For each tie group: the numbers of documents above, of its documents, and of its relevant documents."""
        for above, group in zip(accumulate(map(len, self.groups), initial=0), self.groups, strict=False):
            yield above, len(group), sum(doc.relevant for doc in group)

    def ranking(self, k: int | None, *, ties: str = "") -> "Ranking":
        """Return the ranking, cut at k, with tied documents in this order or at the last rank of their group."""
        key = k, ties == "last-rank"
        if key not in self._rankings:
            ranked = self.shared if ties == "last-rank" else self.strict
            is_plain = ranked is self.strict and not self.shares_ranks
            docs = ranked if k is None else ranked[:k] if is_plain else tuple(p for p in ranked if p[0] <= k)
            self._rankings[key] = Ranking(docs, ranked, self.judgments, self.R, k, self.n, together=key[1])
        return self._rankings[key]

    @cached_property
    def _rankings(self) -> "dict[tuple[int | None, bool], Ranking]":
        return {}


@dataclass(frozen=True, slots=True)
class Ranking:
    """A query, ordered, cut and judged: the only input of a measure."""

    docs: tuple[tuple[int, Doc], ...]
    """(rank, doc) within the cutoff, best first."""
    all_docs: tuple[tuple[int, Doc], ...]
    """(rank, doc) of every retrieved document."""
    judgments: tuple[Doc, ...]
    """Every judged document, retrieved or not."""
    R: int
    k: int | None
    n: int
    """The number of retrieved documents, within the cutoff or not."""
    together: bool = False
    """Whether documents share ranks, such as tied documents at the last rank of their group."""

    @property
    def hits(self) -> tuple[int, ...]:
        """The ranks of the relevant documents within the cutoff."""
        return tuple(rank for rank, doc in self.docs if doc.relevant)


def rows_kept(query: str, rows: Sequence[QueryRow], conventions: Conventions) -> Sequence[QueryRow]:
    """Return the rows of a query, without a document that has the id of the query if the conventions remove it."""
    return rows if conventions.own_doc == "kept" else [row for row in rows if row.doc != query]


def judge(
    rows: Sequence[QueryRow], judgments: Sequence[Judgment], conventions: Conventions, threshold: Rel = 1
) -> Judged:
    """Apply all conventions that come before the formula.

    Raises:
        Rejected: a convention rejects the input (duplicates, unjudged documents, negative or fractional grades), or a
            score is NaN.
    """
    groups, docs = _lined_up(rows, judgments, conventions, threshold)
    retrieved_docs = _judged_rows(groups, docs, conventions)
    if conventions.grades == "two-values":
        _refuse_a_third_rel(retrieved_docs)
    known = docs.values() if conventions.known == "all" else retrieved_docs
    known_docs = (judged for docs in known for doc in docs for judged in (replace(doc, also=()), *doc.also))
    judged_docs = tuple(doc for doc in known_docs if doc.rel is not None)
    return Judged(
        groups=tuple(group for group in retrieved_docs if group),
        judgments=judged_docs,
        R=sum(doc.relevant for doc in judged_docs),
    )


def _refuse_a_third_rel(groups: Iterable[Iterable[Doc]]) -> None:
    """Check that the documents of a ranking have at most two grades, as scikit-learn requires of binary labels."""
    rels = sorted({doc.rel or Fraction(0) for group in groups for doc in group})
    if rels[2:]:
        listed = ", ".join(map(str, rels))
        raise Rejected(axis="grades", message=f"a ranking has {len(rels)} different grades instead of two: {listed}")


def tie_groups(rows: Sequence[QueryRow], judgments: Sequence[Judgment], conventions: Conventions) -> list[list[str]]:
    """Return the ids of the ranked documents in tie groups, best first, as `judge` orders them.

    >>> tie_groups([QueryRow("a", 1.0), QueryRow("b", 2.0), QueryRow("c", 1.0)], [], Conventions(ties="best"))
    [['b'], ['a', 'c']]

    Raises:
        Rejected: as in `judge`.
    """
    groups, docs = _lined_up(rows, judgments, conventions, threshold=1)
    named = [[row.doc for row in group for _ in _look_up(row.doc, docs, conventions)] for group in groups]
    return [group for group in named if group]


def _lined_up(
    rows: Sequence[QueryRow], judgments: Sequence[Judgment], conventions: Conventions, threshold: Rel
) -> tuple[list[list[QueryRow]], dict[str, tuple[Doc, ...]]]:
    """Return the rows in tie groups, best first, and the judgments of each judged document."""
    if conventions.known == "retrieved" and conventions.unretrieved == "absent":
        in_run = {row.doc for row in rows}
        judgments = [judgment for judgment in judgments if judgment.doc in in_run]
    qrels = _read_judgments(judgments, conventions)
    groups = _order(rows, conventions)
    if conventions.unretrieved == "appended":
        retrieved = {row.doc for group in groups for row in group}
        appended = [QueryRow(doc, -math.inf) for doc in qrels if doc not in retrieved]
        groups += _break_ties([appended], conventions)
    floor = written(threshold)
    kinds = {
        rel: Doc(rel, is_relevant(rel, floor, conventions), pooled=True)
        for rel in {*chain.from_iterable(qrels.values())}
    }
    docs = {doc: tuple(kinds[rel] for rel in rels) for doc, rels in qrels.items()}
    return groups, docs


def is_relevant(rel: Fraction | None, threshold: Fraction, conventions: Conventions) -> bool:
    """Return whether a grade makes a document relevant.

    - `at-least`: from the threshold of the measure on (trec_eval).
    - `above-zero`: above 0 (RankEval).
    - `above-half`: above 1/2 (CatBoost, MAP of LightGBM).
    - `non-zero`: any grade except 0 (code that uses numpy's `nonzero`: an old gist of ranking measures, FedGraphNN and
      others). A grade of -1 is then relevant, if the convention `negative` keeps it.
    """
    if rel is None:
        return False
    if conventions.relevant == "non-zero":
        return rel != 0
    if conventions.relevant == "above-zero":
        return rel > 0
    return rel > Fraction(1, 2) if conventions.relevant == "above-half" else rel >= threshold


def _read_judgments(judgments: Iterable[Judgment], conventions: Conventions) -> dict[str, list[Fraction | None]]:
    """Return the grades of each document: one, unless judgments count twice; None if pooled but unjudged."""
    qrels: dict[str, list[Fraction | None]] = {}
    read: dict[Rel, Fraction | None] = {}
    for doc, raw in judgments:
        if raw not in read:
            read[raw] = _read_rel(doc, raw, conventions)
        rel = read[raw]
        if doc not in qrels:
            qrels[doc] = [rel]
        elif conventions.qrels_duplicates == "rejected":
            raise Rejected(axis="qrels_duplicates", message=f"document {doc!r} is judged twice")
        elif conventions.qrels_duplicates in {"both", "same-rank"}:
            qrels[doc].append(rel)
        elif conventions.qrels_duplicates == "highest":
            qrels[doc] = [max(*qrels[doc], rel, key=lambda read: (read is not None, read))]
        elif conventions.qrels_duplicates == "last":
            qrels[doc] = [rel]
    return qrels


def _read_rel(doc: str, raw: Rel, conventions: Conventions) -> Fraction | None:
    if isinstance(raw, float) and not math.isfinite(raw):
        raise Rejected(axis="grades", message=f"the grade of document {doc!r} is {raw}, not a finite number")
    rel = written(raw)
    if rel > HIGHEST_OF_FIVE and conventions.grades == "whole-to-4":
        raise Rejected(axis="grades", message=f"the grade of document {doc!r} is {raw}, more than 4")
    if rel.denominator != 1 and conventions.grades in {"rejected", "whole-to-4", "two-values"}:
        raise Rejected(axis="grades", message=f"the grade of document {doc!r} is {raw}, not a whole number")
    if rel not in {0, 1} and conventions.grades == "binary":
        raise Rejected(axis="grades", message=f"the grade of document {doc!r} is {raw}, neither 0 nor 1")
    if conventions.grades == "truncated":
        rel = Fraction(math.trunc(rel))
    if rel >= 0 or conventions.negative == "as-is":
        return rel
    if conventions.negative == "rejected":
        raise Rejected(axis="negative", message=f"the judgment of doc {doc!r} is negative: {raw}")
    return None if conventions.negative == "unjudged" else Fraction(0)


_UNJUDGED = (Doc(rel=None, relevant=False, pooled=False),)


def _judged_rows(
    groups: Sequence[Sequence[QueryRow]], docs: Mapping[str, tuple[Doc, ...]], conventions: Conventions
) -> list[tuple[Doc, ...]]:
    if conventions.run_duplicates != "once":
        return [tuple(doc for row in group for doc in _look_up(row.doc, docs, conventions)) for group in groups]
    seen: set[str] = set()
    judged = []
    for group in groups:
        in_group: list[Doc] = []
        for row in group:
            judgments = _look_up(row.doc, docs, conventions)
            in_group += _UNJUDGED * len(judgments) if row.doc in seen else judgments
            seen.add(row.doc)
        judged.append(tuple(in_group))
    return judged


def _look_up(doc: str, docs: Mapping[str, tuple[Doc, ...]], conventions: Conventions) -> tuple[Doc, ...]:
    judgments = docs.get(doc, _UNJUDGED)
    if conventions.unjudged == "rejected" and any(d.rel is None for d in judgments):
        raise Rejected(axis="unjudged", message=f"document {doc!r} is retrieved without a judgment")
    if conventions.unjudged == "removed":
        judgments = tuple(d for d in judgments if d.rel is not None)
    if conventions.qrels_duplicates != "same-rank" or len(judgments) <= 1:
        return judgments
    first, *others = judgments
    return (replace(first, also=tuple(others)),)


def _order(rows: Sequence[QueryRow], conventions: Conventions) -> list[list[QueryRow]]:
    """Return tie groups, best first, with one row each if the conventions order every document."""
    for row in rows:
        if math.isnan(row.score) and (conventions.order == "score" or conventions.score_sign == "positive"):
            raise Rejected(axis="score", message=f"the score of document {row.doc!r} is NaN, so it has no rank")
        if math.isinf(row.score) and conventions.infinite == "rejected":
            raise Rejected(axis="infinite", message=f"the score of document {row.doc!r} is infinite")
    rows = _without_duplicates(rows, conventions)
    if conventions.score_sign == "positive":
        rows = [row for row in rows if row.score > 0]
    if conventions.order == "input":
        return [[row] for row in rows]
    if conventions.order == "rank":
        return [[row] for row in sorted(rows, key=lambda row: row.rank)]
    precision = float if conventions.score == "f64" else as_float32
    scored = sorted(((precision(row.score), row) for row in rows), key=itemgetter(0), reverse=True)
    return _break_ties([[row for _, row in tied] for _, tied in groupby(scored, key=itemgetter(0))], conventions)


def _without_duplicates(rows: Sequence[QueryRow], conventions: Conventions) -> Sequence[QueryRow]:
    if conventions.run_duplicates in {"both", "once"}:
        return rows
    # As in a dict, the last row replaces the first, at its place.
    kept: dict[str, QueryRow] = {}
    for row in rows:
        if row.doc in kept and conventions.run_duplicates == "rejected":
            raise Rejected(axis="run_duplicates", message=f"document {row.doc!r} is retrieved twice")
        if row.doc not in kept or conventions.run_duplicates == "last":
            kept[row.doc] = row
    return list(kept.values())


def as_float32(score: float) -> float:
    """Return the nearest 32-bit float, or infinity beyond its range.

    >>> as_float32(1 + 1e-9), as_float32(-1e300)
    (1.0, -inf)
    """
    try:
        single: float = struct.unpack("<f", struct.pack("<f", score))[0]
    except OverflowError:
        return math.copysign(math.inf, score)
    return single


def _break_ties(groups: list[list[QueryRow]], conventions: Conventions) -> list[list[QueryRow]]:
    ties = conventions.ties
    if ties in {"last-rank", "expectation", "best", "worst"}:
        return groups
    if ties == "input-reversed":
        groups = [list(reversed(group)) for group in groups]
    if ties in {"docid-asc", "docid-desc"}:
        groups = [sorted(group, key=_docid, reverse=ties == "docid-desc") for group in groups]
    return [[row] for group in groups for row in group]


def _docid(row: QueryRow) -> bytes:
    # Lone surrogates are not UTF-8. A document id is only a name, so they are compared instead of rejected.
    return row.doc.encode("utf-8", "surrogatepass")
