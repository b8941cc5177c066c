"""The documents of all queries are ranked together, without a mean over queries.

    RR of two queries, each with its relevant document at rank 2 and with a lower score than both documents at rank 1:
    1/3 instead of 1/2.

Source: a matrix of scores that is flattened before the documents are ranked.
"""

from rankproof.defects.defect import Defect, Way, Witness, can_see, is_mean
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.ranking import Judgment, QueryRow

ALL = "all queries"


def as_one_query(data: Collection) -> Collection:
    """Merge all queries and rank by score. Documents with the same id in two queries stay two documents."""
    judged = [Judgment(f"{query} {doc}", rel) for query, rows in data.qrels.items() for doc, rel in rows]
    rows = [QueryRow(f"{query} {row.doc}", row.score) for query, own in data.run.items() for row in own]
    ranked = [row._replace(rank=rank) for rank, row in enumerate(sorted(rows, key=lambda row: -row.score), start=1)]
    return Collection({ALL: judged}, {ALL: ranked})


WITNESS = Witness("RR", {"1": {"b": 1}, "2": {"d": 1}}, {"1": "a b", "2": "c d"}, "1/3")
DEFECT = Defect(
    "queries-mixed",
    "it ranks the documents of all queries together instead of taking a mean over queries",
    lambda measure: can_see(measure, "order") and is_mean(measure),
    (Way(WITNESS, change_data=as_one_query),),
    "https://github.com/Lightning-AI/torchmetrics/issues/3216",
    fix="rank the documents of each query separately and take the mean over queries",
)
