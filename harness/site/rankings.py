"""The input of a case as a person would draw it: each query's ranking under `standard`, and what each doc brings."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rankproof.cases import Case
from rankproof.cases.inputs import Id, Input
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures.cumulated_gain import discount_at
from rankproof.report.run_report import known_measure

MOST = 60
"""Ranks drawn of a query."""
FOLDED = 4
"""So many docs without a judgment that follow one another are one row."""


@dataclass(frozen=True, slots=True)
class Place:
    """A doc in a ranking, or, without a rank, a judged doc that was not retrieved.

    Attributes:
        tied: how many docs share its score, at the first of them; 0 at the others, 1 where it is alone.
        cut: whether a cutoff asked in the case is at this rank.
    """

    rank: int | None
    doc: str
    score: str
    tied: int
    rel: str
    gain: str
    discount: str
    worth: str
    cut: bool
    relevant: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A row of a drawn ranking: a place, or several that hold docs without a judgment.

    Attributes:
        last: the last place of the row; the place itself where the row is of one.
        span: over how many rows the cell of its tie group reaches; 0 where that cell began above.
    """

    place: Place
    last: Place
    span: int

    @property
    def count(self) -> int:
        """How many places the row stands for."""
        return 1 if self.place.rank is None or self.last.rank is None else self.last.rank - self.place.rank + 1


@dataclass(frozen=True, slots=True)
class Drawn:
    """The ranking of one query."""

    query: str
    places: tuple[Place, ...]
    left_out: int
    remark: str

    @property
    def ties(self) -> bool:
        """Whether any docs are tied."""
        return any(place.tied > 1 for place in self.places)

    @property
    def shown(self) -> tuple["Shown", ...]:
        """The rows as they are drawn: what is many docs without a judgment, one after another, is one row."""
        return tuple(_shown(self.places))


def drawn(case: Case) -> list[Drawn]:
    """The rankings of a case, query by query."""
    cutoffs = _cutoffs(case)
    return [_drawn(case.input, query, cutoffs) for query in dict.fromkeys(str(query) for query in case.queries)]


def crossed(case: Case) -> Mapping[str, Any]:
    """The two labelings of a case: their labels, and how many items have which pair of them."""
    labelings = case.input.true or (), case.input.predicted or ()
    pairs = Counter(zip(*(map(str, labels) for labels in labelings), strict=False))
    true, predicted = (tuple(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
    return {"true": true, "predicted": predicted, "counts": [[pairs[t, p] for p in predicted] for t in true]}


def _cutoffs(case: Case) -> set[int]:
    known = filter(None, map(known_measure, case.measures))
    return {cutoff for measure in known if (cutoff := cutoff_of(measure)) is not None}


def _drawn(given: Input, query: str, cutoffs: set[int]) -> Drawn:
    rows = [(str(doc), score, rank) for doc, score, rank in given.scored.get(query, ())]
    judgments = given.judged.get(query, ())
    rels = {str(doc): rel for doc, rel in reversed(judgments)}
    remark = _remark(rows, Counter(str(doc) for doc, _ in judgments), query in given.scored)
    if not any(math.isnan(score) for _, score, _ in rows):
        rows = sorted(rows, key=lambda row: row[0].encode("utf-8", "surrogatepass"), reverse=True)
        rows = sorted(rows, key=lambda row: row[1], reverse=True)
    retrieved = {doc for doc, _, _ in rows}
    places = [*_places(rows, rels, cutoffs), *(_unretrieved(d, r) for d, r in rels.items() if d not in retrieved)]
    return Drawn(query, tuple(places[:MOST]), len(places[MOST:]), remark)


def _remark(rows: Sequence[tuple[str, float, int]], judged: Counter[str], in_run: bool) -> str:  # noqa: FBT001 - a fact
    remarks = (
        (not in_run, "The run does not have this query."),
        (in_run and not rows, "The ranking is empty."),
        (not judged, "The qrels judge no doc of it."),
        (
            len({doc for doc, _, _ in rows}) < len(rows),
            "The run names a doc twice, which standard refuses; both rows are drawn.",
        ),
        (
            any(count > 1 for count in judged.values()),
            "The qrels judge a doc twice, which standard refuses; the first judgment is drawn.",
        ),
        (
            any(math.isnan(score) for _, score, _ in rows),
            "A score is not a number, so no order is right; the rows are drawn as given.",
        ),
    )
    return " ".join(said for holds, said in remarks if holds)


def _places(rows: Sequence[tuple[str, float, int]], rels: dict[str, float], cutoffs: set[int]) -> Iterator[Place]:
    rank = 0
    for _, group in groupby(rows, key=lambda row: row[1]):
        tied = list(group)
        for nth, (doc, score, _) in enumerate(tied):
            rank += 1
            rel = rels.get(doc)
            gain = max(float(rel), 0.0) if rel is not None and math.isfinite(rel) else 0.0
            discount = to_float(discount_at(rank, "log2"))
            yield Place(
                rank,
                doc,
                f"{score:.12g}",
                0 if nth else len(tied),
                _rel(rel),
                f"{gain:.6g}",
                f"{discount:.4f}",
                f"{gain / discount:.4f}" if gain else "0",
                rank in cutoffs,
                rel is not None and rel >= 1,
            )


def _unretrieved(doc: str, rel: Id | float) -> Place:
    return Place(None, doc, "", 1, _rel(float(rel)), "", "", "", cut=False, relevant=float(rel) >= 1)


def _rel(rel: float | None) -> str:
    return "" if rel is None else f"{rel:.12g}"


def _shown(places: Sequence[Place]) -> Iterator[Shown]:
    """The rows of a drawn ranking, tie group by tie group; docs that are tied with none are taken together."""
    alone = [place.rank is None or place.tied == 1 for place in places]
    starts = [i for i, place in enumerate(places) if place.tied > 1 or (alone[i] and not (i and alone[i - 1]))]
    for start, end in zip(starts, [*starts[1:], len(places)], strict=True):
        rows = [pair for block in _blocks(places[start:end]) for pair in block]
        for nth, (first, last) in enumerate(rows):
            yield Shown(first, last, 1 if alone[start] else 0 if nth else len(rows))


def _blocks(group: Sequence[Place]) -> Iterator[list[tuple[Place, Place]]]:
    """Of one tie group the first and the last place of each row."""
    for foldable, block in groupby(group, key=lambda place: place.rank is not None and not place.rel and not place.cut):
        own = list(block)
        yield [(own[0], own[-1])] if foldable and len(own) >= FOLDED else [(place, place) for place in own]
