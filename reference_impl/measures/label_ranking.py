"""Multi-label ranking measures: LRAP and coverage error.

    LRAP          = (1/r) * sum over relevant documents d of  |relevant documents at rank(d) or above| / rank(d)
    CoverageError = the rank of the last relevant document

    r: the number of retrieved relevant documents. The "labels" of the multi-label literature are documents here, its
    "samples" are queries.

Range: LRAP 0 to 1, CoverageError 0 to infinity. LRAP is average precision over the retrieved documents alone.

Disputed: ties. For one relevant document tied with one other, LRAP is 1/2 and CoverageError 2 by `last-rank`
(scikit-learn), but 3/4 and 3/2 by `expectation`.

Edge cases: if no retrieved document is relevant, LRAP is 0/0 and CoverageError has no rank. The convention `norel` then
sets the value (scikit-learn: 1 and 0).

Source: Tsoumakas, Katakis & Vlahavas 2010, "Mining Multi-label Data", in Data Mining and Knowledge Discovery Handbook,
s. 7; scikit-learn's label_ranking_average_precision_score and coverage_error.
"""

import math
from fractions import Fraction
from functools import partial

from rankproof.reference_impl.all_queries import NO_RELEVANT, AllQueries, Column
from rankproof.reference_impl.definition import REL, Definition, NoRelevant, reads
from rankproof.reference_impl.measures.average_precision import (
    average_precision,
    average_precision_in_floats,
    expected_average_precision,
)
from rankproof.reference_impl.ranking import Judged, Ranking


def label_ranking_average_precision(ranking: Ranking) -> Fraction:
    """Compute average precision over the retrieved documents.

    Raises:
        NoRelevant: no retrieved document is relevant.

    >>> from rankproof.reference_impl.examples import ranked
    >>> label_ranking_average_precision(ranked([0, 1, 1], R=9))
    Fraction(7, 12)
    """
    if not ranking.hits:
        raise NoRelevant
    return average_precision(ranking, ap_denominator="hits")


def expected_label_ranking_average_precision(judged: Judged, k: int | None) -> Fraction | None:
    """Return the mean of LRAP over all orders of tied documents, or None if it has no closed form.

    Raises:
        NoRelevant: no retrieved document is relevant.
    """
    if not judged.ranking(k).hits:
        raise NoRelevant
    return expected_average_precision(judged, k, ap_denominator="hits")


def coverage_error(ranking: Ranking) -> Fraction:
    """Return how far down a reader must go to see every retrieved relevant document.

    Raises:
        NoRelevant: no retrieved document is relevant.

    >>> from rankproof.reference_impl.examples import ranked
    >>> coverage_error(ranked([0, 1, 1, 0]))
    Fraction(3, 1)
    """
    if not ranking.hits:
        raise NoRelevant
    return Fraction(ranking.hits[-1])


def _in_floats(top: AllQueries) -> Column:
    value = average_precision_in_floats(top, ap_denominator="hits")
    return top.where(top.hit_count() > 0, value, NO_RELEVANT)


def _coverage_in_floats(top: AllQueries) -> Column:
    last = top.hits.highest(top.hits.rank)
    return top.where(last > 0, last, NO_RELEVANT)


_of_labels = partial(
    Definition,
    params={"rel": REL},
    cutoff="none",
    needs_relevant=False,
    monotone=True,
    reads=reads("order", "relevant"),
    undefined={"norel": "no hit"},
    zero_without=frozenset({"judgments"}),
)
"""Facts that both measures share."""

DEFINITIONS = [
    _of_labels(
        "LRAP",
        label_ranking_average_precision,
        in_floats=_in_floats,
        expectation=expected_label_ranking_average_precision,
        bounds=(0, 1),
        truth="always",
    ),
    _of_labels(
        "CoverageError",
        coverage_error,
        in_floats=_coverage_in_floats,
        better="lower",
        bounds=(0, math.inf),
        last_rank_is_worst=True,
    ),
]
