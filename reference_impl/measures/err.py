"""Expected reciprocal rank: a user walks down and stops where satisfied.

    ERR@k = sum over ranks i <= k of  (1/i) * s_i * product over j < i of (1 - s_j)
    s_i   = (2^rel_i - 1) / 2^g

    g: the highest grade of the scale; s: the probability that the doc satisfies.

Disputed: g. One doc of rel 1 at rank 1: 1/16 with g = 4 (gdeval), 1/2 where g is the query's highest rel; catboost takes rel itself
as the probability (`probability`).
Unjudged docs satisfy nobody. No relevant doc: 0 (convention `norel`).

Source: Chapelle, Metzler, Zhang & Grinspan 2009, "Expected Reciprocal Rank for Graded Relevance", CIKM, s. 4 (algorithm 2).
"""

from fractions import Fraction

from rankproof.reference_impl.definition import Definition
from rankproof.reference_impl.exact import two_to
from rankproof.reference_impl.ranking import Ranking


def err(ranking: Ranking, *, err_max: str = "4") -> Fraction:
    """The expected reciprocal rank at which the user stops.

    >>> from rankproof.reference_impl.examples import ranked
    >>> err(ranked([1])), err(ranked([1]), err_max="query"), err(ranked([0.5, 1, 0]), err_max="probability")
    (Fraction(1, 16), Fraction(1, 2), Fraction(3, 4))
    """
    value, going_on = Fraction(0), Fraction(1)
    for i, doc in ranking.docs:
        satisfied = _satisfaction(doc.rel or Fraction(0), err_max, ranking)
        value += going_on * satisfied / i
        going_on *= 1 - satisfied
    return value


def _satisfaction(rel: Fraction, err_max: str, ranking: Ranking) -> Fraction:
    if err_max == "probability":
        return rel
    highest = max(ranking.judgments, default=Fraction(0)) if err_max == "query" else Fraction(err_max)
    return (two_to(rel) - 1) / two_to(highest)


DEFINITIONS = [Definition("ERR", err, monotone=True)]
