"""Rank-biased precision, for a user who goes on to the next document with probability p.

    RBP@k = (1 - p) * sum over ranks i <= k of  g_i * p^(i - 1)

    p: the persistence, by default 0.8
    g_i: 1 if the document at rank i is relevant, else 0

Range: 0 to 1.

Disputed: g. The grade as gain (`grade`) lets RBP exceed 1. One document of grade 3 at rank 1 scores 0.2 by `binary` and
0.6 by `grade`.

Edge cases: queries without relevant documents score 0 (convention `norel`). Ties: the mean over all orders is exact.

Source: Moffat & Zobel 2008, "Rank-Biased Precision for Measurement of Retrieval Effectiveness", TOIS 27(1), s. 3.
"""

from fractions import Fraction

from rankproof.reference_impl.all_queries import NO_RELEVANT, AllQueries, Column, known
from rankproof.reference_impl.definition import (
    REL,
    ZERO_WITHOUT_MERIT,
    Definition,
    NoRelevant,
    Param,
    Read,
    a_number,
    reads,
)
from rankproof.reference_impl.exact import written
from rankproof.reference_impl.ranking import Doc, Ranking


def rbp(ranking: Ranking, *, p: float = 0.8, rbp_gain: str = "binary") -> Fraction:
    """Compute how many relevant documents a user of persistence p sees per document read.

    Raises:
        NoRelevant: no judged document has a gain above 0.

    >>> from rankproof.reference_impl.examples import ranked
    >>> rbp(ranked([3, 0, 1])), rbp(ranked([3, 0, 1]), p=0.5)
    (Fraction(41, 125), Fraction(5, 8))
    >>> rbp(ranked([3]), rbp_gain="grade"), rbp(ranked([1], judgments=[1, 3]), rbp_gain="normalised")
    (Fraction(3, 5), Fraction(1, 15))
    """
    persistence = written(p)
    highest = max((_gain(doc, rbp_gain=rbp_gain) for doc in ranking.judgments), default=Fraction(0))
    if highest <= 0:
        raise NoRelevant
    gains = [(i, gain) for i, doc in ranking.docs if (gain := _gain(doc, rbp_gain=rbp_gain))]
    gained = sum((gain * persistence ** (i - 1) for i, gain in gains), Fraction(0))
    return (1 - persistence) * gained / (highest if rbp_gain == "normalised" else 1)


def _gain(doc: Doc, *, rbp_gain: str, **_others: object) -> Fraction:
    return Fraction(doc.relevant) if rbp_gain == "binary" else doc.rel or Fraction(0)


def _in_floats(top: AllQueries, *, p: float = 0.8, rbp_gain: str) -> Column:
    highest = top.highest(top.of_judgments(_gain, rbp_gain=rbp_gain))
    gained = top.total(top.of_docs(_gain, rbp_gain=rbp_gain), lambda rank: top.power(float(p), rank - 1))
    value = float(1 - written(p)) * gained
    value = known(rbp_gain, {"binary": value, "grade": value, "normalised": top.over(value, highest)})
    return top.where(highest == 0, NO_RELEVANT, value)


def _share(value: object) -> bool:
    return isinstance(value, int | float) and a_number(value) and 0 <= value <= 1


def _reads(_k: int | None, *, rbp_gain: str, **_others: object) -> frozenset[Read]:
    of_the_gain: dict[str, frozenset[Read]] = {"grade": reads("rels"), "normalised": reads("rels", "judgments")}
    return reads("order") | of_the_gain.get(rbp_gain, reads("relevant"))


DEFINITIONS = [
    Definition(
        "RBP",
        rbp,
        {"rel": REL, "p": Param(0.8, _share)},
        in_floats=_in_floats,
        needs_relevant=False,
        linear=True,
        monotone=True,
        merit=_gain,
        reads=_reads,
        undefined={"norel": "no hit"},
        zero_without=ZERO_WITHOUT_MERIT,
        bounds=(0, 1),
    ),
]
