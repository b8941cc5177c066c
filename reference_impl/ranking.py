"""Order, cut, judge: from the rows of a run and its qrels to a judged ranking.

All that implementations dispute *before* a formula is applied is settled here: score precision, ties, duplicates,
unjudged and negative judgments, the relevance threshold. A measure is handed a `Ranking` and reads as its formula.

    rows ──order──► tie groups ──judge──► judged tie groups ──line up──► Ranking, cut at k

Words: `rel` is a judgment; a doc is `relevant` by the threshold; `R` is the number of relevant docs, retrieved or not;
`n` the number of docs retrieved; `k` the cutoff.
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
"""The highest rel of the scale 0 to 4."""


class Rejected(Unusable):
    """The conventions refuse this input; `axis` says which choice does."""

    def __init__(self, axis: str, message: str) -> None:
        super().__init__(message)
        self.axis = axis


class Judgment(NamedTuple):
    """A line of the qrels of one query."""

    doc: str
    rel: Rel


class QueryRow(NamedTuple):
    """A line of a run of one query."""

    doc: str
    score: float
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Doc:
    """A doc, retrieved or judged, as a measure sees it."""

    rel: Fraction | None
    """The judgment; None if there is none."""
    relevant: bool
    pooled: bool
    """Whether the qrels have a line for it (a pooled doc without a rel was judged with a negative number)."""
    also: "tuple[Doc, ...]" = ()
    """Its other judgments, if several count at its one rank."""

    @property
    def non_relevant(self) -> bool:
        """Judged, and not relevant."""
        return self.rel is not None and not self.relevant


@dataclass(frozen=True)
class Judged:
    """The docs of one query in tie groups, best first, and its judgments."""

    groups: tuple[tuple[Doc, ...], ...]
    judgments: tuple[Doc, ...]
    R: int

    @cached_property
    def n(self) -> int:
        """The number of docs retrieved, cut or not."""
        return sum(len(group) for group in self.groups)

    @cached_property
    def shares_ranks(self) -> bool:
        """Whether several judgments of a doc count at its one rank."""
        return any(doc.also for group in self.groups for doc in group)

    @cached_property
    def has_ties(self) -> bool:
        """Whether docs are tied, so that conventions may still choose among their orders."""
        return any(len(group) > 1 for group in self.groups)

    @cached_property
    def strict(self) -> tuple[tuple[int, Doc], ...]:
        """Docs with ranks 1, 2, …, tied docs in this order; a doc with several judgments occurs once for each, at its rank."""
        docs = enumerate(chain.from_iterable(self.groups), start=1)
        return tuple((rank, judged) for rank, doc in docs for judged in (doc, *doc.also))

    @cached_property
    def shared(self) -> tuple[tuple[int, Doc], ...]:
        """Docs with the last rank of their tie group."""
        ends = zip(accumulate(map(len, self.groups)), self.groups, strict=True)
        return tuple((end, judged) for end, group in ends for doc in group for judged in (doc, *doc.also))

    @property
    def tied(self) -> Iterator[tuple[int, int, int]]:
        """Of each tie group: how many docs stand above it, how many it has, and how many of these are relevant."""
        for above, group in zip(accumulate(map(len, self.groups), initial=0), self.groups, strict=False):
            yield above, len(group), sum(doc.relevant for doc in group)

    def ranking(self, k: int | None, *, ties: str = "") -> "Ranking":
        """The ranking, cut at k, of the groups as they stand (or with shared last ranks)."""
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
    """One query, ordered, cut and judged: all that a measure may look at."""

    docs: tuple[tuple[int, Doc], ...]
    """(rank, doc) within the cutoff, best first."""
    all_docs: tuple[tuple[int, Doc], ...]
    """(rank, doc) of every doc of the run."""
    judgments: tuple[Doc, ...]
    """Every judged doc, retrieved or not."""
    R: int
    k: int | None
    n: int
    """The number of docs retrieved, cut or not."""
    together: bool = False
    """Whether docs at one rank are met together, as tied docs at the last rank of their group."""

    @property
    def hits(self) -> tuple[int, ...]:
        """The ranks of the relevant docs within the cutoff."""
        return tuple(rank for rank, doc in self.docs if doc.relevant)


def rows_kept(query: str, rows: Sequence[QueryRow], conventions: Conventions) -> Sequence[QueryRow]:
    """The rows of a query, without a doc that has the query's id if the conventions remove it."""
    return rows if conventions.own_doc == "kept" else [row for row in rows if row.doc != query]


def judge(
    rows: Sequence[QueryRow], judgments: Sequence[Judgment], conventions: Conventions, threshold: Rel = 1
) -> Judged:
    """Settle everything that is disputed before the formula.

    Raises:
        Rejected: a convention refuses the input (duplicates, docs without a judgment, negative or
            fractional judgments), or a score is NaN.
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
    """See that the docs of a ranking are of two classes, as labels have to be where scikit-learn ranks them, be these 0 and 1 or not."""
    rels = sorted({doc.rel or Fraction(0) for group in groups for doc in group})
    if rels[2:]:
        listed = ", ".join(map(str, rels))
        raise Rejected(axis="grades", message=f"a ranking has docs of {len(rels)} rels, {listed}, and not of two")


def tie_groups(rows: Sequence[QueryRow], judgments: Sequence[Judgment], conventions: Conventions) -> list[list[str]]:
    """The docs that are ranked, in tie groups, best first; what `judge` makes of them, by name.

    >>> tie_groups([QueryRow("a", 1.0), QueryRow("b", 2.0), QueryRow("c", 1.0)], [], Conventions(ties="best"))
    [['b'], ['a', 'c']]

    Raises:
        Rejected: as `judge` does.
    """
    groups, docs = _lined_up(rows, judgments, conventions, threshold=1)
    named = [[row.doc for row in group for _ in _look_up(row.doc, docs, conventions)] for group in groups]
    return [group for group in named if group]


def _lined_up(
    rows: Sequence[QueryRow], judgments: Sequence[Judgment], conventions: Conventions, threshold: Rel
) -> tuple[list[list[QueryRow]], dict[str, tuple[Doc, ...]]]:
    """The rows in tie groups, best first, and what is known of each judged doc."""
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
    """Whether a judgment makes a doc relevant.

    From the measure's rel on (trec_eval), above 0 (RankEval), above 1/2 (catboost, the map of LightGBM), or by any rel but 0: so where
    the places of the relevant docs are numpy's `nonzero` of the rels (an old gist of ranking measures, and FedGraphNN and others after
    it). To these -1 is relevant, if the convention `negative` leaves it as it is.
    """
    if rel is None:
        return False
    if conventions.relevant == "non-zero":
        return rel != 0
    if conventions.relevant == "above-zero":
        return rel > 0
    return rel > Fraction(1, 2) if conventions.relevant == "above-half" else rel >= threshold


def _read_judgments(judgments: Iterable[Judgment], conventions: Conventions) -> dict[str, list[Fraction | None]]:
    """The rels of each doc: one, unless judgments count twice; None for one that is in the pool but unjudged."""
    qrels: dict[str, list[Fraction | None]] = {}
    read: dict[Rel, Fraction | None] = {}
    for doc, raw in judgments:
        if raw not in read:
            read[raw] = _read_rel(doc, raw, conventions)
        rel = read[raw]
        if doc not in qrels:
            qrels[doc] = [rel]
        elif conventions.qrels_duplicates == "rejected":
            raise Rejected(axis="qrels_duplicates", message=f"doc {doc!r} is judged twice")
        elif conventions.qrels_duplicates in {"both", "same-rank"}:
            qrels[doc].append(rel)
        elif conventions.qrels_duplicates == "highest":
            qrels[doc] = [max(*qrels[doc], rel, key=lambda read: (read is not None, read))]
        elif conventions.qrels_duplicates == "last":
            qrels[doc] = [rel]
    return qrels


def _read_rel(doc: str, raw: Rel, conventions: Conventions) -> Fraction | None:
    if isinstance(raw, float) and not math.isfinite(raw):
        raise Rejected(axis="grades", message=f"the judgment of doc {doc!r} is {raw}, not a finite number")
    rel = written(raw)
    if rel > HIGHEST_OF_FIVE and conventions.grades == "whole-to-4":
        raise Rejected(axis="grades", message=f"the judgment of doc {doc!r} is {raw}, more than 4")
    if rel.denominator != 1 and conventions.grades in {"rejected", "whole-to-4", "two-values"}:
        raise Rejected(axis="grades", message=f"the judgment of doc {doc!r} is {raw}, not a whole number")
    if rel not in {0, 1} and conventions.grades == "binary":
        raise Rejected(axis="grades", message=f"the judgment of doc {doc!r} is {raw}, neither 0 nor 1")
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
        raise Rejected(axis="unjudged", message=f"doc {doc!r} is retrieved without a judgment")
    if conventions.unjudged == "removed":
        judgments = tuple(d for d in judgments if d.rel is not None)
    if conventions.qrels_duplicates != "same-rank" or len(judgments) <= 1:
        return judgments
    first, *others = judgments
    return (replace(first, also=tuple(others)),)


def _order(rows: Sequence[QueryRow], conventions: Conventions) -> list[list[QueryRow]]:
    """Tie groups, best first; groups of one where the conventions put every doc in a place."""
    for row in rows:
        if math.isnan(row.score) and (conventions.order == "score" or conventions.score_sign == "positive"):
            raise Rejected(axis="score", message=f"the score of doc {row.doc!r} is NaN: no order is right")
        if math.isinf(row.score) and conventions.infinite == "rejected":
            raise Rejected(axis="infinite", message=f"the score of doc {row.doc!r} is infinite")
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
    # As in a dict, the last row takes the place of the first.
    kept: dict[str, QueryRow] = {}
    for row in rows:
        if row.doc in kept and conventions.run_duplicates == "rejected":
            raise Rejected(axis="run_duplicates", message=f"doc {row.doc!r} is retrieved twice")
        if row.doc not in kept or conventions.run_duplicates == "last":
            kept[row.doc] = row
    return list(kept.values())


def as_float32(score: float) -> float:
    """The nearest float of 32 bits; infinity beyond the greatest.

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
    # Lone surrogates are not UTF-8; they are kept apart rather than refused, as a doc id is only a name.
    return row.doc.encode("utf-8", "surrogatepass")
