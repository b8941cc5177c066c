"""RR is 1 divided by the mean rank instead of the mean of the reciprocal ranks.

    RR of relevant documents at ranks 1 and 3: 1/2 instead of 1.
    RR of two queries with the first relevant documents at ranks 1 and 3: 1/2 instead of 2/3.

Source: an MRR that was the reciprocal of the mean rank.
"""

from collections.abc import Sequence
from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Right, Way, Witness, seen_on
from rankproof.reference_impl.ranking import Ranking


def of_one_query(_right: Right, ranking: Ranking) -> Fraction:
    """Return 1 divided by the mean rank of the relevant documents within the cutoff."""
    return Fraction(len(ranking.hits), sum(ranking.hits)) if ranking.hits else Fraction(0)


def of_all_queries(values: Sequence[Fraction]) -> Fraction:
    """Return 1 divided by the mean rank of the first relevant documents, for queries that have one."""
    ranks = [1 / value for value in values if value]
    return len(ranks) / sum(ranks, Fraction(0)) if ranks else Fraction(0)


TWO_QUERIES = Witness("RR", {"1": {"a": 1}, "2": {"a": 0, "b": 0, "c": 1}}, {"1": "a", "2": "a b c"}, "1/2")
DEFECT = Defect(
    "mean-rank",
    "it divides 1 by the mean rank",
    is_reciprocal,
    (Way(seen_on("RR", "a1 b0 c1", "1/2"), of_one_query), Way(TWO_QUERIES, mean=of_all_queries)),
    "https://github.com/Sujit-O/pykg2vec/issues/96",
    fix="take the mean of 1 / rank, not 1 / the mean rank",
)
