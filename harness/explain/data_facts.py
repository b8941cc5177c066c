"""What qrels and a run have on which conventions differ, counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from rankproof.explain.asked_data import AskedData
from rankproof.inference.reference_answers import said
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import QueryRow, tie_groups


@dataclass(frozen=True)
class Fact:
    """Something that the data has: what, in which queries, and how often in all of them."""

    what: str
    queries: tuple[str, ...]
    count: int


def facts_of(data: AskedData, measure: Measure, conventions: Conventions = STANDARD) -> list[Fact]:
    """Return the features of the data that conventions treat differently.

    The documents within the cutoff are those in the order of some conventions; if these name no order of tied documents, all that can
    stand within it.
    """
    found: dict[str, dict[str, int]] = {}
    for query in data.queries:
        for what, count in _of_query(data, measure, query, conventions).items():
            if count:
                found.setdefault(what, {})[query] = count
    return [Fact(what, tuple(counts), sum(counts.values())) for what, counts in found.items()]


def _of_query(data: AskedData, measure: Measure, query: str, conventions: Conventions) -> Mapping[str, int]:
    rows, judgments, k = data.run.get(query, ()), data.qrels.get(query, ()), cutoff_of(measure)
    rels, judged = [one.rel for one in judgments], {one.doc for one in judgments}
    facts = {
        "judged query that the run does not have": int(query in data.qrels and not rows),
        "query of the run without judgments": int(bool(rows) and not judgments),
        "query without relevant docs (rel 1 or more)": int(bool(rels) and max(rels) < 1),
        "doc judged twice": len(rels) - len(judged),
        "rel below 0": sum(rel < 0 for rel in rels),
        "rel with a fraction": sum(rel != int(rel) for rel in rels),
        "rel above 1": sum(rel > 1 for rel in rels),
    }
    if not rows:
        return facts
    (own,) = data.queries[query].facts.queries
    by_rank = [row.score for row in sorted(rows, key=lambda row: row.rank)] if data.has_ranks else []
    unjudged = "doc retrieved without a judgment" if k is None else f"doc within rank {k} without a judgment"
    return facts | {
        "doc retrieved twice": len(rows) - len(set(own.docs)),
        "doc with the score of another": len(rows) - len(set(own.scores)),
        "score that is another's as float32 only": len(set(own.scores)) - len(set(own.singles)),
        "score of 0 or less": sum(not score > 0 for score in own.scores),
        "row below one of a lower score": sum(a < b for a, b in pairwise(own.scores)),
        "rank below that of a lower score": sum(a < b for a, b in pairwise(by_rank)),
        "query of which no retrieved doc is judged": int(bool(judged) and judged.isdisjoint(own.docs)),
        "ranking shorter than the cutoff": int(k is not None and len(rows) < k),
        unjudged: sum(doc not in judged for doc in _within(rows, k, measure.conventions(conventions))),
    }


def _within(rows: Sequence[QueryRow], k: int | None, conventions: Conventions) -> list[str]:
    """Return the documents within the cutoff; none if the conventions refuse their order, and never fewer for being unjudged."""
    if k is None:
        return [row.doc for row in rows]
    twice = "both" if conventions.run_duplicates == "rejected" else conventions.run_duplicates
    lenient = conventions.replace(
        unjudged="non-relevant", unretrieved="absent", infinite="ordered", run_duplicates=twice
    )
    groups = said(lambda: tie_groups(rows, (), lenient))
    if not isinstance(groups, list):
        return []
    starts = accumulate(map(len, groups), initial=0)
    return [doc for start, group in zip(starts, groups, strict=False) if start < k for doc in group]
