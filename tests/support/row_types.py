"""Rows of qrels and runs as named tuples."""

from typing import NamedTuple

from rankproof.reference_impl.ranking import Rel


class Judged(NamedTuple):
    """A line of qrels, with the field names of ir_measures."""

    query_id: str
    doc_id: str
    relevance: Rel


class Scored(NamedTuple):
    """A line of a run."""

    query_id: str
    doc_id: str
    score: float
    rank: int
