"""Expected reciprocal rank of the document that satisfies a user reading from the top.

    ERR@k = sum over ranks i <= k of  (1/i) * s_i * product over j < i of (1 - s_j)
    s_i   = (2^grade_i - 1) / 2^g

    g: the highest grade of the scale
    s_i: the probability that the document at rank i satisfies the user

Range: 0 to 1 for grades up to g. A grade above g gives an s above 1; the formula is still applied (gdeval rejects such
qrels).

Disputed: g. A document of grade 1 at rank 1 gives 1/16 with g = 4 (gdeval), and 1/2 if g is the highest grade of its
query, here 1. CatBoost uses the grade itself as the probability (`probability`).

Edge cases: unjudged documents have s = 0. There is no relevance threshold: queries without a grade above 0 score 0
(convention `norel`).

Source: Chapelle, Metzler, Zhang & Grinspan 2009, "Expected Reciprocal Rank for Graded Relevance", CIKM, s. 4 (algorithm
2).
"""

from collections.abc import Sequence
from fractions import Fraction

from rankproof.reference_impl.all_queries import NO_RELEVANT, AllQueries, Column
from rankproof.reference_impl.definition import ZERO_WITHOUT_MERIT, Definition, NoRelevant, Read, reads
from rankproof.reference_impl.exact import two_to
from rankproof.reference_impl.ranking import Doc, Judged, Ranking


def err(ranking: Ranking, *, err_max: str = "4") -> Fraction:
    """Compute the expected reciprocal rank of the document that satisfies the user.

    Raises:
        NoRelevant: no judged document has a grade above 0.

    >>> from rankproof.reference_impl.examples import ranked
    >>> err(ranked([1])), err(ranked([1]), err_max="query"), err(ranked([0.5, 1, 0]), err_max="probability")
    (Fraction(1, 16), Fraction(1, 2), Fraction(3, 4))
    """
    highest = _highest(ranking.judgments)
    if highest <= 0:
        raise NoRelevant
    value, going_on = Fraction(0), Fraction(1)
    for i, doc in ranking.docs:
        satisfied = satisfaction(doc.rel or Fraction(0), err_max, highest)
        value += going_on * satisfied / i
        going_on *= 1 - satisfied
    return value


def satisfaction(rel: Fraction, err_max: str, highest: Fraction) -> Fraction:
    """Return the probability that a document of a grade satisfies the user.

    >>> satisfaction(Fraction(1), "4", Fraction(2)), satisfaction(Fraction(1), "query", Fraction(2))
    (Fraction(1, 16), Fraction(1, 4))
    """
    if err_max == "probability":
        return rel
    return (two_to(rel) - 1) / two_to(highest if err_max == "query" else Fraction(err_max))


def _highest(judgments: Sequence[Doc]) -> Fraction:
    return max((doc.rel or Fraction(0) for doc in judgments), default=Fraction(0))


def _satisfaction_at_most_1(judged: Judged, _k: int | None, *, err_max: str) -> bool:
    highest = _highest(judged.judgments)
    return satisfaction(highest, err_max, highest) <= 1


def _rel(doc: Doc, **_arguments: object) -> Fraction:
    return doc.rel or Fraction(0)


def _in_floats(top: AllQueries, *, err_max: str) -> Column:
    highest = top.highest(top.of_judgments(_rel))
    satisfied = top.combined_with_column(top.of_docs(_rel), highest, lambda rel, best: satisfaction(rel, err_max, best))
    return top.where(highest == 0, NO_RELEVANT, top.cascade(satisfied))


def _reads(_k: int | None, *, err_max: str) -> frozenset[Read]:
    return reads("order", "rels", "judgments") if err_max == "query" else reads("order", "rels")


DEFINITIONS = [
    Definition(
        "ERR",
        err,
        in_floats=_in_floats,
        needs_relevant=False,
        monotone=True,
        merit=_rel,
        separable=_satisfaction_at_most_1,
        reads=_reads,
        undefined={"norel": "no hit"},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
    ),
]
