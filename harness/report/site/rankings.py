"""Rankings: the rows of a query in the order of `standard`, with grades, gains and discounts; and labelings as a table."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures.cumulated_gain import discount_at
from rankproof.report.run_report import known_measure

MOST = 40
"""More places of a query are counted, not shown."""
MOST_LABELS = 24


@dataclass(frozen=True, slots=True)
class Place:
    """A document in a ranking; without a rank, a judged document that was not retrieved.

    Attributes:
        tied: how many documents share its score, at the first of them; 0 at the others.
        cut: whether a measure of the case is cut at this rank.
    """

    rank: int | None
    doc: str
    score: str
    tied: int
    grade: str
    gain: str
    discount: str
    share: str
    cut: bool
    relevant: bool


@dataclass(frozen=True, slots=True)
class ShownRanking:
    """The ranking of one query."""

    query: str
    places: list[Place]
    left_out: int
    remark: str

    @property
    def has_ties(self) -> bool:
        """Whether any documents are tied."""
        return any(place.tied > 1 for place in self.places)


def rankings(case: Case) -> list[ShownRanking]:
    """Return the rankings of a case: by score, tied documents by id, descending; in input order if a score is not a number."""
    measures = filter(None, map(known_measure, case.measures))
    cutoffs = {cutoff for measure in measures if (cutoff := cutoff_of(measure)) is not None}
    return [_ranking(case.input, query, cutoffs) for query in dict.fromkeys(map(str, case.queries))]


def _ranking(data: Input, query: str, cutoffs: set[int]) -> ShownRanking:
    rows = [(str(doc), score) for doc, score, _ in data.scored.get(query, ())]
    judged = [str(doc) for doc, _ in data.judged.get(query, ())]
    grades = {str(doc): float(grade) for doc, grade in reversed(data.judged.get(query, ()))}
    remark = _remark(rows, judged, in_run=query in data.scored)
    if not any(math.isnan(score) for _, score in rows):
        rows.sort(key=lambda row: (row[1], row[0].encode("utf-8", "surrogatepass")), reverse=True)
    places = [*_places(rows, grades, cutoffs), *(_lost(doc, g) for doc, g in grades.items() if doc not in dict(rows))]
    return ShownRanking(query, places[:MOST], len(places[MOST:]), remark)


def _places(rows: Sequence[tuple[str, float]], grades: Mapping[str, float], cutoffs: set[int]) -> Iterator[Place]:
    tied = Counter(score for _, score in rows)
    for rank, (doc, score) in enumerate(rows, start=1):
        grade = grades.get(doc)
        gain = max(grade, 0.0) if grade is not None and math.isfinite(grade) else 0.0
        discount = to_float(discount_at(rank, "log2"))
        yield Place(
            rank,
            doc,
            f"{score:.12g}",
            0 if rank > 1 and rows[rank - 2][1] == score else max(tied[score], 1),
            "" if grade is None else f"{grade:.12g}",
            f"{gain:.6g}",
            f"{discount:.4f}",
            f"{gain / discount:.4f}" if gain else "0",
            rank in cutoffs,
            grade is not None and grade >= 1,
        )


def _lost(doc: str, grade: float) -> Place:
    return Place(None, doc, "", 1, f"{grade:.12g}", "", "", "", cut=False, relevant=grade >= 1)


def _remark(rows: Sequence[tuple[str, float]], judged: Sequence[str], *, in_run: bool) -> str:
    remarks = {
        "The run does not have this query.": not in_run,
        "The ranking is empty.": in_run and not rows,
        "The qrels judge no document of it.": not judged,
        "The run has a document twice, which standard rejects.": len(dict(rows)) < len(rows),
        "The qrels judge a document twice, which standard rejects; the first grade is shown.": len({*judged})
        < len(judged),
        "A score is not a number, so no order is right: the rows are in input order.": any(
            math.isnan(s) for _, s in rows
        ),
    }
    return " ".join(text for text, applies in remarks.items() if applies)


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
