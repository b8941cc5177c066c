"""Rankings: the rows of a query in the order of `standard`, with scores, ties and grades; and labelings as a table."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.cases import Case
from rankproof.cases.inputs import Input

MOST = 40
"""More places of a query are counted, not shown."""
MOST_LABELS = 24


@dataclass(frozen=True, slots=True)
class Place:
    """A document in a ranking; without a rank, a judged document that was not retrieved.

    Attributes:
        tied: how many documents share its score, at the first of them; 0 at the others.
    """

    rank: int | None
    doc: str
    score: str
    tied: int
    grade: str
    relevant: bool


@dataclass(frozen=True, slots=True)
class ShownRanking:
    """The ranking of one query."""

    query: str
    places: list[Place]
    left_out: int

    @property
    def has_ties(self) -> bool:
        """Whether any documents are tied."""
        return any(place.tied > 1 for place in self.places)


def rankings(case: Case) -> list[ShownRanking]:
    """Return the rankings of a case: by score, tied documents by id, descending; in input order if a score is not a number."""
    places = ((query, list(_places(case.input, query))) for query in dict.fromkeys(map(str, case.queries)))
    return [ShownRanking(query, own[:MOST], len(own[MOST:])) for query, own in places]


def _places(data: Input, query: str) -> Iterator[Place]:
    rows = [(str(doc), score) for doc, score, _ in data.scored.get(query, ())]
    grades = {str(doc): float(grade) for doc, grade in reversed(data.judged.get(query, ()))}
    if not any(math.isnan(score) for _, score in rows):
        rows.sort(key=lambda row: (row[1], row[0].encode("utf-8", "surrogatepass")), reverse=True)
    counts = Counter(score for _, score in rows)
    for rank, (doc, score) in enumerate(rows, start=1):
        grade = grades.get(doc)
        tied = 0 if rank > 1 and rows[rank - 2][1] == score else counts[score]
        shown = "" if grade is None else f"{grade:.12g}"
        yield Place(rank, doc, f"{score:.12g}", tied, shown, grade is not None and grade >= 1)
    for doc, grade in grades.items():
        if doc not in dict(rows):
            yield Place(None, doc, "", 1, f"{grade:.12g}", grade >= 1)


def labelings(case: Case) -> Mapping[str, Any]:
    """Return the labels of the two labelings of a case, and the number of items with each pair of labels."""
    true, predicted = (list(map(str, labels or ())) for labels in (case.input.true, case.input.predicted))
    counts = Counter(zip(true, predicted, strict=False))
    classes, clusters = list(dict.fromkeys(true)), list(dict.fromkeys(predicted))
    return {
        "clusters": clusters[:MOST_LABELS],
        "rows": [(t, [counts[t, p] for p in clusters[:MOST_LABELS]]) for t in classes[:MOST_LABELS]],
        "left_out": max(len(classes), len(clusters)) - MOST_LABELS,
    }
