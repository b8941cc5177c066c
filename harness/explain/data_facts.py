"""What qrels and a run have on which conventions differ, in numbers: counted, not measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from rankproof.explain.asked_data import AskedData
from rankproof.inference.reference_answers import said
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow, tie_groups


@dataclass(frozen=True)
class Fact:
    """Something that the data has: what, in how many queries, and the first of them."""

    what: str
    queries: tuple[str, ...]
    count: int
    """How many there are over these queries: docs, rows, judgments."""


def facts_of(data: AskedData, measure: Measure, conventions: Conventions = STANDARD) -> list[Fact]:
    """All that the data has of the things that conventions treat differently; what it does not have is not told.

    Args:
        data: what was measured.
        measure: what it was measured by.
        conventions: those by which the docs are ordered; of docs tied in no order that they name, those are counted that stand within the
            cutoff in one order of them.
    """
    found: dict[str, dict[str, int]] = {}
    for query in data.queries:
        for what, count in _of_query(data, measure, query, conventions):
            if count:
                found.setdefault(what, {})[query] = count
    return [Fact(what, tuple(counts), sum(counts.values())) for what, counts in found.items()]


def _of_query(data: AskedData, measure: Measure, query: str, conventions: Conventions) -> Iterator[tuple[str, int]]:
    rows, judgments = data.run.get(query, ()), data.qrels.get(query, ())
    yield "judged query that the run does not have", int(query in data.qrels and not rows)
    yield "query of the run without judgments", int(bool(rows) and not judgments)
    yield from _of_judgments(judgments)
    if rows:
        yield from _of_rows(data, query, rows)
        yield from _of_both(rows, judgments, cutoff_of(measure))
        yield from _unjudged(rows, judgments, measure, conventions)


def _of_judgments(judgments: Sequence[Judgment]) -> Iterator[tuple[str, int]]:
    rels = [judgment.rel for judgment in judgments]
    yield "query without relevant docs (rel 1 or more)", int(bool(rels) and max(rels) < 1)
    yield "doc judged twice", len(rels) - len({judgment.doc for judgment in judgments})
    yield "rel below 0", sum(rel < 0 for rel in rels)
    yield "rel with a fraction", sum(rel != int(rel) for rel in rels)
    yield "rel above 1", sum(rel > 1 for rel in rels)


def _of_rows(data: AskedData, query: str, rows: Sequence[QueryRow]) -> Iterator[tuple[str, int]]:
    (facts,) = data.queries[query].facts.queries
    different = len(set(facts.scores))
    yield "doc retrieved twice", len(rows) - len(set(facts.docs))
    yield "doc with the score of another", len(rows) - different
    yield "score that is another's as float32 only", different - len(set(facts.singles))
    yield "score of 0 or less", sum(not score > 0 for score in facts.scores)
    yield "row below one of a lower score", _out_of_order(facts.scores)
    if data.has_ranks:
        by_rank = [row.score for row in sorted(rows, key=lambda row: row.rank)]
        yield "rank below that of a lower score", _out_of_order(by_rank)


def _out_of_order(scores: Sequence[float]) -> int:
    return sum(a < b for a, b in pairwise(scores))


def _of_both(rows: Sequence[QueryRow], judgments: Sequence[Judgment], k: int | None) -> Iterator[tuple[str, int]]:
    judged = {judgment.doc for judgment in judgments}
    yield "query of which no retrieved doc is judged", int(bool(judged) and judged.isdisjoint(row.doc for row in rows))
    yield "ranking shorter than the cutoff", int(k is not None and len(rows) < k)


def _unjudged(
    rows: Sequence[QueryRow], judgments: Sequence[Judgment], measure: Measure, conventions: Conventions
) -> Iterator[tuple[str, int]]:
    """The docs without a judgment, in the order by which the number is made; all that are retrieved, where that order is refused."""
    k, judged = cutoff_of(measure), {judgment.doc for judgment in judgments}
    if k is None:
        yield "doc retrieved without a judgment", sum(row.doc not in judged for row in rows)
        return
    # No doc is refused or removed here, as those are counted of which that could become.
    own = measure.conventions(conventions)
    twice = "both" if own.run_duplicates == "rejected" else own.run_duplicates
    lenient = own.replace(unjudged="non-relevant", unretrieved="absent", infinite="ordered", run_duplicates=twice)
    groups = said(lambda: tie_groups(rows, (), lenient))
    if not isinstance(groups, list):
        return
    starts = accumulate(map(len, groups), initial=0)
    top = [doc for start, group in zip(starts, groups, strict=False) if start < k for doc in group]
    yield f"doc within rank {k} without a judgment", sum(doc not in judged for doc in top)
