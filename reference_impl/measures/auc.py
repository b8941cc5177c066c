"""AUC and label ranking loss: the shares of pairs in the right and in the wrong order.

    AUC         = |pairs (relevant, non-relevant) of retrieved documents with the relevant one above| / |pairs|
    RankingLoss = 1 - AUC

Range: 0 to 1. An unjudged document is not relevant. Unretrieved documents are in no pair, unless `unretrieved` appends
them to the ranking.

Disputed: a tied pair. If one relevant document is tied with one other, AUC is 1/2 by `ties=expectation` (scikit-learn's
roc_auc_score). It is 0 by `ties=worst` (scikit-learn's label_ranking_loss counts a tied pair as wrong).

Edge cases: without a relevant retrieved document the formula is 0/0, and the convention `norel` sets the value. Without
a non-relevant retrieved document, `allrel` sets it.

Source: Fawcett 2006, "An Introduction to ROC Analysis", Pattern Recognition Letters 27(8), s. 7; Tsoumakas, Katakis &
Vlahavas 2010, "Mining Multi-label Data", s. 7 (ranking loss).
"""

import math
from fractions import Fraction
from functools import partial

from rankproof.reference_impl.all_queries import AllQueries, Column
from rankproof.reference_impl.definition import REL, Definition, NoNonRelevant, NoRelevant, reads
from rankproof.reference_impl.ranking import Ranking


def auc(ranking: Ranking) -> Fraction:
    """Compute the share of pairs in the right order.

    Raises:
        NoRelevant: no retrieved document is relevant.
        NoNonRelevant: all retrieved documents are relevant.

    >>> from rankproof.reference_impl.examples import ranked
    >>> auc(ranked([1, 0, 1, 0]))
    Fraction(3, 4)
    """
    above = [rank for rank, doc in ranking.all_docs if doc.relevant]
    below = [rank for rank, doc in ranking.all_docs if not doc.relevant]
    if not above:
        raise NoRelevant
    if not below:
        raise NoNonRelevant
    return Fraction(sum(high < low for high in above for low in below), len(above) * len(below))


def ranking_loss(ranking: Ranking) -> Fraction:
    """Compute the share of pairs in the wrong order.

    >>> from rankproof.reference_impl.examples import ranked
    >>> ranking_loss(ranked([1, 0, 1, 0]))
    Fraction(1, 4)
    """
    return 1 - auc(ranking)


def _in_floats(top: AllQueries) -> Column:
    wrong, pairs = top.pairs()
    return top.where(pairs > 0, top.over(pairs - wrong, pairs), math.nan)


def _loss_in_floats(top: AllQueries) -> Column:
    wrong, pairs = top.pairs()
    return top.where(pairs > 0, top.over(wrong, pairs), math.nan)


_of_pairs = partial(
    Definition,
    params={"rel": REL},
    cutoff="none",
    needs_relevant=False,
    linear=True,
    monotone=True,
    reads=reads("order", "n", "relevant"),
    undefined={"norel": "no hit", "allrel": "ever"},
    zero_without=frozenset({"judgments"}),
    bounds=(0, 1),
)
"""Facts that both measures share."""

DEFINITIONS = [
    _of_pairs("AUC", auc, in_floats=_in_floats, truth="always"),
    _of_pairs("RankingLoss", ranking_loss, in_floats=_loss_in_floats, better="lower", last_rank_is_worst=True),
]
