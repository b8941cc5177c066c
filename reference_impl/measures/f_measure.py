"""F: the weighted harmonic mean of precision and recall.

    F@k    = (1 + b^2) P@k R@k / (b^2 P@k + R@k)
           = (1 + b^2) |hits| / (b^2 D_R + D_P)      D_P, D_R: the denominators of P@k and R@k
    SetF   = F without a cutoff

    b: beta; recall counts b times as much as precision.

Range: 0 to 1.

Disputed: the weight. trec_eval's set_F does not square beta: `(1 + b) P R / (b P + R)` is F with beta = sqrt(b). With P
= 1/2, R = 1 and b = 2, F is 5/6 by `beta-squared` and 3/4 by `beta`.

Edge cases: queries without relevant documents and empty rankings score 0 (conventions `norel` and `empty`).

Source: van Rijsbergen 1979, Information Retrieval, ch. 7 (E = 1 - F); trec_eval's set_F.
"""

from rankproof.reference_impl.all_queries import AllQueries, Column, known
from rankproof.reference_impl.definition import (
    BETA,
    JUDGED_ONLY,
    REL,
    ZERO_WITHOUT_MERIT,
    Definition,
    Ratio,
    ratio,
    reads,
)
from rankproof.reference_impl.exact import written
from rankproof.reference_impl.measures.precision import precision, precision_denominators
from rankproof.reference_impl.measures.recall import recall, recall_denominators
from rankproof.reference_impl.ranking import Ranking


def f_measure(
    ranking: Ranking,
    *,
    beta: float = 1,
    f_weight: str = "beta-squared",
    p_denominator: str = "k",
    r_denominator: str = "R",
) -> Ratio:
    """Compute the weighted harmonic mean of the precision and recall of the top k documents.

    >>> from rankproof.reference_impl.examples import ranked
    >>> f_measure(ranked([1, 0], R=1), beta=2).value, f_measure(ranked([1, 0], R=1), beta=2, f_weight="beta").value
    (Fraction(5, 6), Fraction(3, 4))
    """
    weight = written(beta) ** (2 if f_weight == "beta-squared" else 1)
    retrieved = precision(ranking, p_denominator=p_denominator).denominator
    relevant = recall(ranking, r_denominator=r_denominator).denominator
    return ratio((1 + weight) * len(ranking.hits), weight * relevant + retrieved)


def f_in_floats(top: AllQueries, *, beta: float = 1, f_weight: str, p_denominator: str, r_denominator: str) -> Column:
    """Compute F for all queries in floats."""
    weight = float(written(beta) ** known(f_weight, {"beta-squared": 2, "beta": 1}))
    below = weight * recall_denominators(top, r_denominator) + precision_denominators(top, p_denominator)
    return top.over((1 + weight) * top.total(top.relevant), below)


DEFINITIONS = [
    Definition(
        "F",
        f_measure,
        {"beta": BETA, "rel": REL, "judged_only": JUDGED_ONLY},
        in_floats=f_in_floats,
        cutoff="required",
        linear=True,
        monotone=True,
        reads=reads("order", "k", "n", "relevant", "R"),
        undefined={},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
        parts=("P", "R"),
    ),
]
