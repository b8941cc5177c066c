"""Measures of the retrieved set, in any order.

    SetP  = |relevant documents retrieved| / n
    SetR  = |relevant documents retrieved| / R
    SetF  = F of SetP and SetR (see f_measure)
    SetAP = SetP * SetR

    n: the number of retrieved documents
    R: the number of relevant documents, retrieved or not

SetP(relative=True), or SetRelP, divides by min(n, R), the highest possible number of hits.

Range: 0 to 1.

Disputed: only the weight of SetF (see f_measure). If 2 of 3 retrieved documents are relevant, R = 4 and beta = 2, SetF
is 10/19 by `beta-squared` and 6/11 by `beta`.

Edge cases: ties do not matter. Queries without relevant documents score 0 (convention `norel`), and so do empty
rankings (SetP is then 0/0).

Source: trec_eval's set_P, set_relative_P, set_recall, set_F and set_map ("relative to the set retrieved").
"""

from fractions import Fraction
from functools import partial

from rankproof.reference_impl.all_queries import AllQueries, Column
from rankproof.reference_impl.definition import (
    BETA,
    JUDGED_ONLY,
    REL,
    ZERO_WITHOUT_MERIT,
    Definition,
    Param,
    Ratio,
    Read,
    reads,
)
from rankproof.reference_impl.measures.f_measure import f_in_floats, f_measure
from rankproof.reference_impl.measures.precision import precision
from rankproof.reference_impl.measures.recall import recall
from rankproof.reference_impl.ranking import Ranking


def set_precision(ranking: Ranking, *, relative: bool = False) -> Ratio:
    """Compute the share of the retrieved documents that are relevant; relative: of the highest possible number.

    >>> from rankproof.reference_impl.examples import ranked
    >>> top = ranked([1, 0, 0], R=2)
    >>> set_precision(top).value, set_precision(top, relative=True).value
    (Fraction(1, 3), Fraction(1, 2))
    """
    return precision(ranking, p_denominator="min-k-R" if relative else "k")


def set_recall(ranking: Ranking) -> Ratio:
    """Compute the share of the relevant documents that are retrieved.

    >>> from rankproof.reference_impl.examples import ranked
    >>> set_recall(ranked([1, 0, 1], R=4)).value
    Fraction(1, 2)
    """
    return recall(ranking)


def set_f(ranking: Ranking, *, beta: float = 1, f_weight: str = "beta-squared") -> Ratio:
    """Compute the weighted harmonic mean of the precision and recall of the retrieved set.

    >>> from rankproof.reference_impl.examples import ranked
    >>> set_f(ranked([1, 0, 1], R=4)).value
    Fraction(4, 7)
    """
    return f_measure(ranking, beta=beta, f_weight=f_weight)


def set_average_precision(ranking: Ranking) -> Fraction:
    """Compute the precision times the recall of the retrieved set.

    >>> from rankproof.reference_impl.examples import ranked
    >>> set_average_precision(ranked([1, 0, 1], R=4))
    Fraction(1, 3)
    """
    return precision(ranking).value * recall(ranking).value


def _precision_in_floats(top: AllQueries, *, relative: bool = False) -> Column:
    return top.over(top.total(top.relevant), top.least(top.n, top.R) if relative else top.n)


def _recall_in_floats(top: AllQueries) -> Column:
    return top.over(top.total(top.relevant), top.R)


def _f_in_floats(top: AllQueries, *, beta: float = 1, f_weight: str) -> Column:
    return f_in_floats(top, beta=beta, f_weight=f_weight, p_denominator="k", r_denominator="R")


def _average_precision_in_floats(top: AllQueries) -> Column:
    return _precision_in_floats(top) * _recall_in_floats(top)


def _reads_of_precision(_k: int | None, *, relative: bool = False) -> frozenset[Read]:
    return reads("n", "relevant", "R") if relative else reads("n", "relevant")


_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}
_RELATIVE = Param(default=False, takes=lambda value: isinstance(value, bool))
_of_a_set = partial(
    Definition,
    cutoff="none",
    linear=True,
    monotone=True,
    undefined={},
    zero_without=ZERO_WITHOUT_MERIT,
    bounds=(0, 1),
)
"""Facts that all four measures share."""

DEFINITIONS = [
    _of_a_set(
        "SetP",
        set_precision,
        _PARAMS | {"relative": _RELATIVE},
        in_floats=_precision_in_floats,
        reads=_reads_of_precision,
    ),
    _of_a_set("SetR", set_recall, _PARAMS, in_floats=_recall_in_floats, reads=reads("relevant", "R"), truth="always"),
    _of_a_set(
        "SetF",
        set_f,
        _PARAMS | {"beta": BETA},
        in_floats=_f_in_floats,
        reads=reads("n", "relevant", "R"),
        parts=("SetP", "SetR"),
    ),
    _of_a_set(
        "SetAP",
        set_average_precision,
        _PARAMS,
        in_floats=_average_precision_in_floats,
        reads=reads("n", "relevant", "R"),
    ),
]
