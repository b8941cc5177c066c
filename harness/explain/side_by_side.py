"""Rankings of one query side by side: the rank of each document under every compared profile."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import outcome_of
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Rel, rows_kept, tie_groups

DEPTH, MOST = 10, 30
"""The number of ranks to show without a cutoff, and the largest number of documents to show."""

Ranks = tuple[int, int]
"""The first and the last rank that a document can have: those of its tie group if the order of the group is not fixed."""


@dataclass(frozen=True)
class Placed:
    """A document with its ranks.

    Attributes:
        doc: the id.
        rel: the grade, the first of several; None if the document is not judged.
        score: the score, the first of several; None if the document is not retrieved.
        tied: the number of its tie group, from 1; 0 if no other document has its score.
        ranks: its ranks in each ranking; None if a ranking does not have it.
    """

    doc: str
    rel: Rel | None
    score: float | None
    tied: int
    ranks: tuple[Ranks | None, ...]


@dataclass(frozen=True)
class SideBySide:
    """The different rankings of one query.

    Attributes:
        query: the id.
        depth: the cutoff, or the number of ranks to show without a cutoff.
        of: by profile, the number of its ranking; None if the profile refuses the query.
        count: the number of different rankings.
        docs: the documents within the depth of a ranking or with different ranks, best first.
        left_out: the number of further such documents.
    """

    query: str
    depth: int
    of: tuple[int | None, ...]
    count: int
    docs: tuple[Placed, ...]
    left_out: int


def side_by_side(data: RunData, measure: Measure, query: str, compared: Sequence[Conventions]) -> SideBySide:
    """Return the rankings of a query under each of these conventions."""
    rankings: list[dict[str, Ranks]] = []
    of: list[int | None] = []
    for conventions in compared:
        ranks = outcome_of(partial(_ranks, data, query, measure, conventions))
        if not isinstance(ranks, dict):
            of.append(None)
            continue
        rankings += [ranks] if ranks not in rankings else []
        of.append(rankings.index(ranks))
    depth = cutoff_of(measure) or DEPTH
    docs = _docs(data, query, rankings)
    selected = [doc for doc in docs if _is_within(doc, depth) or len(set(doc.ranks)) > 1]
    selected.sort(key=lambda doc: (not _is_within(doc, depth), [pair or (len(docs) + 1,) * 2 for pair in doc.ranks]))
    return SideBySide(
        query, depth, tuple(of), len(rankings), tuple(selected[: max(MOST, depth)]), len(selected[max(MOST, depth) :])
    )


def _ranks(data: RunData, query: str, measure: Measure, conventions: Conventions) -> dict[str, Ranks]:
    ranks: dict[str, Ranks] = {}
    own = measure.conventions(conventions)
    above = 0
    for group in tie_groups(rows_kept(query, data.run.get(query, ()), own), data.qrels.get(query, ()), own):
        for doc in group:
            first, _ = ranks.get(doc, (above + 1, 0))
            ranks[doc] = first, above + len(group)
        above += len(group)
    return ranks


def _docs(data: RunData, query: str, rankings: Sequence[dict[str, Ranks]]) -> list[Placed]:
    """Return every document that has a rank in one of the rankings."""
    scores = {row.doc: row.score for row in reversed(data.run.get(query, ()))}
    rels = {judgment.doc: judgment.rel for judgment in reversed(data.qrels.get(query, ()))}
    of_several = sorted((score for score, count in Counter(scores.values()).items() if count > 1), reverse=True)
    tied: dict[float | None, int] = {score: number for number, score in enumerate(of_several, start=1)}
    names = dict.fromkeys(doc for ranking in rankings for doc in ranking)
    return [
        Placed(doc, rels.get(doc), score, tied.get(score, 0), tuple(ranking.get(doc) for ranking in rankings))
        for doc in names
        for score in (scores.get(doc),)
    ]


def _is_within(doc: Placed, depth: int) -> bool:
    return any(ranks is not None and ranks[0] <= depth for ranks in doc.ranks)
