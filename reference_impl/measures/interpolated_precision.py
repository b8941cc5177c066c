"""Interpolated precision at a recall level, and its mean over eleven levels.

    IPrec@p = the highest precision at any rank with a recall of at least p
            = max { hits(i) / i : hits(i) >= need(p) },  0 if no rank i has so many hits
    IAP     = the mean of IPrec@0.0, IPrec@0.1, …, IPrec@1.0   ("11-point average")

    hits(i): the number of relevant documents at ranks 1..i
    need(p): the smallest number of hits with a recall of p, ceil(p R)
    R: the number of relevant documents, retrieved or not

Range: 0 to 1.

Disputed: need(p). For R = 3 and p = 0.5, p R is 1.5: `ceil`, `trunc-09` and `round` need 2. For p = 0.4, p R is 1.2:
they need 2, 2 and 1. trec_eval 9 truncates p R + 0.9 (`trunc-09`), trec_eval 10 rounds p R (`round`). In float64, 0.7 *
3 + 0.9 is just below 3. So trec_eval 9 needs 2 of 3 documents for a recall of 0.7, although 2/3 is less than 0.7.

Edge cases: queries without relevant documents score 0 (convention `norel`). A recall of 0 needs no document, so IPrec@0
is the highest precision at any rank. For an empty ranking (with -J: one without judged documents), trec_eval
computes 0/0 if need(p) is 0. That is the case at recall 0, and at any recall of a query without relevant documents:
`iprec_empty=nan`.

Source: Buckley & Voorhees 2005, "Retrieval System Evaluation", in TREC, ch. 3; trec_eval's iprec_at_recall and
11pt_avg, and its change log for version 10.
"""

import math
from fractions import Fraction
from functools import partial

from rankproof.reference_impl.all_queries import NO_RELEVANT, AllQueries, Column
from rankproof.reference_impl.definition import (
    JUDGED_ONLY,
    REL,
    ZERO_WITHOUT_MERIT,
    Definition,
    NoRelevant,
    Undefined,
    reads,
)
from rankproof.reference_impl.exact import written
from rankproof.reference_impl.ranking import Ranking


class NoDocs(Undefined):
    """Interpolated precision of an empty ranking if it needs no document and the conventions leave it undefined."""

    axis = "iprec_empty"
    for_want_of_docs = True


def interpolated_precision(
    ranking: Ranking, *, recall: float, recall_points: str = "ceil", iprec_empty: str = "0"
) -> Fraction:
    """Compute the highest precision at or beyond a recall level.

    >>> from rankproof.reference_impl.examples import ranked
    >>> top = ranked([1, 0, 1], R=3)
    >>> [str(interpolated_precision(top, recall=0.7, recall_points=r)) for r in ("ceil", "trunc-09", "round")]
    ['0', '2/3', '2/3']
    """
    need = needed(recall, ranking.R, recall_points)
    if iprec_empty == "nan" and not need and not ranking.n:
        raise NoDocs
    if not ranking.R:
        raise NoRelevant
    reached = (Fraction(i, rank) for i, rank in enumerate(ranking.hits, start=1) if i >= max(need, 1))
    return max(reached, default=Fraction(0))


def needed(recall: float, relevant: int, recall_points: str) -> int:
    """Return how many relevant documents reach a recall level.

    >>> [needed(0.4, 3, recall_points) for recall_points in ("ceil", "trunc-09", "round")]
    [2, 2, 1]
    >>> needed(0.5, 5, "round")                                 # a half is rounded away from 0
    3
    """
    if recall_points == "trunc-09":
        return int(recall * relevant + 0.9)
    if recall_points == "round":
        return math.floor(Fraction(recall * relevant) + Fraction(1, 2))
    return math.ceil(written(recall) * relevant)


def eleven_point_average(ranking: Ranking, *, recall_points: str = "ceil", iprec_empty: str = "0") -> Fraction:
    """Compute the mean of the interpolated precision at recall 0, 0.1, …, 1.

    >>> from rankproof.reference_impl.examples import ranked
    >>> eleven_point_average(ranked([1, 0, 1], R=3))            # 4 levels at 1, 3 at 2/3, 4 at 0
    Fraction(6, 11)
    """
    levels = [level / 10 for level in range(11)]
    axes = {"recall_points": recall_points, "iprec_empty": iprec_empty}
    return sum((interpolated_precision(ranking, recall=level, **axes) for level in levels), Fraction(0)) / len(levels)


def _in_floats(top: AllQueries, *, recall: float, recall_points: str, **_empty: str) -> Column:
    hits = top.hits
    need = hits.of(top.by_relevant_count(lambda R: max(needed(recall, R, recall_points), 1)))
    reached = hits.highest(top.where(hits.nth >= need, hits.nth / hits.rank, 0))
    # The exact formula scores queries without retrieved documents, because `iprec_empty` applies to them.
    return top.where(top.n > 0, top.where(top.R == 0, NO_RELEVANT, reached), math.nan)


def _average_in_floats(top: AllQueries, **axes: str) -> Column:
    return sum(_in_floats(top, recall=level / 10, **axes) for level in range(11)) / 11


_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}

_of_recall = partial(
    Definition,
    params=_PARAMS,
    monotone=True,
    reads=reads("order", "relevant", "R"),
    needs_relevant=False,
    undefined={"norel": "no hit", "iprec_empty": "no hit"},
    zero_without=ZERO_WITHOUT_MERIT,
    bounds=(0, 1),
    truth="always",
)
"""Facts that both measures share."""

DEFINITIONS = [
    _of_recall("IPrec", interpolated_precision, in_floats=_in_floats, cutoff="recall"),
    _of_recall("IAP", eleven_point_average, in_floats=_average_in_floats, cutoff="none"),
]
