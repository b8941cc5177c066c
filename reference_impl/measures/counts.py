"""Counts of queries, retrieved documents and relevant documents.

    NumQ         = the number of measured queries
    NumRet       = the number of retrieved documents;  NumRet(rel=1): the number of retrieved relevant documents
    NumRel       = the number of relevant documents in the qrels

The total over the queries is a sum, not a mean. Range: 0 to infinity.

Disputed: whether a judged query counts if the run lacks it. Two queries with 3 relevant documents each are judged, and
one of them is in the run. NumQ is 2 and NumRel 6 by `missing=0`, but 1 and 3 by `missing=dropped`.

Edge cases: a count is always defined, and ties do not matter.

Source: trec_eval's num_q, num_ret, num_rel and num_rel_ret.
"""

import math
from fractions import Fraction
from functools import partial

from rankproof.reference_impl.all_queries import AllQueries, Column
from rankproof.reference_impl.definition import REL, Definition, Param, Read, a_number, reads
from rankproof.reference_impl.ranking import Ranking


def number_of_queries(_ranking: Ranking) -> Fraction:
    """Return 1, so that the sum counts the queries.

    >>> from rankproof.reference_impl.examples import ranked
    >>> number_of_queries(ranked([0, 1]))
    Fraction(1, 1)
    """
    return Fraction(1)


def number_retrieved(ranking: Ranking, *, rel: int | None = None) -> Fraction:
    """Count the retrieved documents, or only the relevant ones if `rel` is set.

    >>> from rankproof.reference_impl.examples import ranked
    >>> number_retrieved(ranked([0, 1, None])), number_retrieved(ranked([0, 1, None]), rel=1)
    (Fraction(3, 1), Fraction(1, 1))
    """
    return Fraction(ranking.n if rel is None else len(ranking.hits))


def number_relevant(ranking: Ranking) -> Fraction:
    """Count the relevant documents, retrieved or not.

    >>> from rankproof.reference_impl.examples import ranked
    >>> number_relevant(ranked([0, 1], R=4))
    Fraction(4, 1)
    """
    return Fraction(ranking.R)


def _queries_in_floats(top: AllQueries) -> Column:
    return 0.0 * top.n + 1


def _retrieved_in_floats(top: AllQueries, *, rel: int | None = None) -> Column:
    return 1.0 * top.n if rel is None else top.hit_count()


def _relevant_in_floats(top: AllQueries) -> Column:
    return 1.0 * top.R


def _reads(_k: int | None, *, rel: float | None = None) -> frozenset[Read]:
    return reads("n") if rel is None else reads("relevant")


_count = partial(
    Definition,
    cutoff="none",
    total="sum",
    needs_relevant=False,
    linear=True,
    monotone=True,
    undefined={},
    bounds=(0, math.inf),
)
"""Facts that all counts share."""

DEFINITIONS = [
    _count("NumQ", number_of_queries, in_floats=_queries_in_floats, reads=reads()),
    _count(
        "NumRet",
        number_retrieved,
        {"rel": Param(None, a_number)},
        in_floats=_retrieved_in_floats,
        reads=_reads,
        zero_without=frozenset({"docs"}),
    ),
    _count(
        "NumRel",
        number_relevant,
        {"rel": REL},
        in_floats=_relevant_in_floats,
        reads=reads("R"),
        zero_without=frozenset({"judgments"}),
    ),
]
