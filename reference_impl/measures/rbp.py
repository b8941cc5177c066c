"""Rank-biased precision: a user goes on to the next doc with probability p.

    RBP@k = (1 - p) * sum over ranks i <= k of  g_i * p^(i - 1)

    p: the persistence, 0.8 unless told; g: 1 for a relevant doc, else 0.

Disputed: g. Graded rels as they are (`grade`) make RBP exceed 1: one doc of rel 3 at rank 1 is worth 0.2 by `binary`, 0.6 by `grade`.
No relevant doc: 0 (convention `norel`). Ties: the mean over orders is exact.

Source: Moffat & Zobel 2008, "Rank-Biased Precision for Measurement of Retrieval Effectiveness", TOIS 27(1), s. 3.
"""

from fractions import Fraction

from rankproof.reference_impl.definition import REL, Definition, Param
from rankproof.reference_impl.ranking import Doc, Ranking


def rbp(ranking: Ranking, *, p: float = 0.8, rbp_gain: str = "binary") -> Fraction:
    """The rate at which a user of persistence p meets relevant docs.

    >>> from rankproof.reference_impl.examples import ranked
    >>> rbp(ranked([3, 0, 1])), rbp(ranked([3]), rbp_gain="grade"), rbp(ranked([1], judgments=[1, 3]), rbp_gain="normalised")
    (Fraction(41, 125), Fraction(3, 5), Fraction(1, 15))
    """
    # The persistence is what was written: 0.8 means 4/5, not the float next to it.
    persistence = Fraction(str(p))
    highest = max(ranking.judgments, default=Fraction(0)) if rbp_gain == "normalised" else Fraction(1)
    gained = sum((_gain(doc, rbp_gain) * persistence ** (i - 1) for i, doc in ranking.docs), Fraction(0))
    return (1 - persistence) * gained / (highest or 1)


def _gain(doc: Doc, rbp_gain: str) -> Fraction:
    return Fraction(doc.relevant) if rbp_gain == "binary" else doc.rel or Fraction(0)


DEFINITIONS = [Definition("RBP", rbp, {"rel": REL, "p": Param(0.8)}, linear=True, monotone=True)]
