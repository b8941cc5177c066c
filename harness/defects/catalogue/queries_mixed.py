"""All queries are taken as one: their docs are ranked together, and no mean over queries is made.

    RR of two queries, each of whose relevant docs is its second, and stands below both first ones: 1/3 instead of 1/2.

Source: a batch of a matrix of scores that is flattened before it is ranked.
"""

from rankproof.defects.defect import Defect, Way, Witness, can_see
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow

ALL = "all queries"


def as_one_query(given: Collection) -> Collection:
    """All judgments and rows under one query, ranked by score; docs of the same id under two queries stay two docs."""
    judged = [Judgment(f"{query} {one.doc}", one.rel) for query, own in given.qrels.items() for one in own]
    rows = [QueryRow(f"{query} {row.doc}", row.score) for query, own in given.run.items() for row in own]
    ranked = [row._replace(rank=rank) for rank, row in enumerate(sorted(rows, key=lambda row: -row.score), start=1)]
    return Collection({ALL: judged}, {ALL: ranked})


def has_order(measure: Measure) -> bool:
    """Whether it looks at an order of docs, and is a mean over queries."""
    return can_see(measure, "order") and measure.definition.total == "mean"


DEFECTS = [
    Defect(
        "queries-mixed",
        "all queries are ranked as one, and no mean over queries is made",
        has_order,
        (
            Way(
                Witness("RR", {"1": {"b": 1}, "2": {"d": 1}}, {"1": "a b", "2": "c d"}, "1/3"),
                instead=as_one_query,
            ),
        ),
        "https://github.com/Lightning-AI/torchmetrics/issues/3216",
        mend="rank each query by itself, and take the mean over queries",
    ),
]
