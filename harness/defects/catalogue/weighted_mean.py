"""The mean over queries is weighted by how many docs each has, or how many relevant ones. Of AUC that is a measure of its own, GAUC.

    AUC of two queries, one of three docs in the right order and one of two in the wrong one: (3 * 1 + 2 * 0) / 5 instead of 1/2.

Source: Zhou et al. 2018, Deep Interest Network, sect. 6.1: the AUC of each user, weighted by impressions. The thread is on code that
does not do so.
"""

from collections.abc import Mapping
from fractions import Fraction

from rankproof.defects.defect import Defect, Way, Witness, can_see
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure


def rows_of(given: Collection) -> Mapping[str, Fraction]:
    """How many docs of each query are ranked."""
    return {query: Fraction(len(rows)) for query, rows in given.run.items()}


def relevant_of(given: Collection) -> Mapping[str, Fraction]:
    """How many of these are relevant."""
    ranked = {query: {row.doc for row in rows} for query, rows in given.run.items()}
    return {
        query: Fraction(sum(one.rel > 0 and one.doc in ranked.get(query, ()) for one in judged))
        for query, judged in given.qrels.items()
    }


def is_auc(measure: Measure) -> bool:
    """Whether it is AUC."""
    return not measure.of_labels and measure.name == "AUC"


def is_other_mean(measure: Measure) -> bool:
    """Whether it is another mean over queries."""
    return can_see(measure, "order", "relevant", "gains") and not is_auc(measure) and measure.definition.total == "mean"


_AUC = ({"1": {"a": 1, "b": 0}, "2": {"d": 0, "e": 1, "f": 0}}, {"1": "a b c", "2": "d e"})
_P = ({"1": {"a": 1, "b": 1}, "2": {"d": 1, "e": 0, "f": 0}}, {"1": "a b", "2": "c"})
_SOURCE = "https://github.com/zhougr1993/DeepInterestNetwork/issues/71"
DEFECTS = [
    Defect(
        "gauc",
        "it is GAUC (Zhou et al. 2018): the mean over users is weighted by the docs that each was shown",
        is_auc,
        tuple(Way(Witness("AUC", *_AUC, "3/5"), weights=rows_of, undefined_with_one=one) for one in (False, True)),
        _SOURCE,
        is_another_measure=True,
        mend="take the mean over queries, each counted once",
    ),
    Defect(
        "gauc-of-clicks",
        "it is GAUC weighted by clicks: the mean over users is weighted by the relevant docs that each was shown",
        is_auc,
        (
            Way(
                Witness("AUC", {"1": {"a": 1, "b": 1, "c": 0}, "2": {"d": 0, "e": 1}}, _AUC[1], "2/3"),
                weights=relevant_of,
            ),
        ),
        _SOURCE,
        is_another_measure=True,
        mend="take the mean over queries, each counted once",
    ),
    Defect(
        "weighted-mean",
        "the mean over queries is weighted by how many docs each has",
        is_other_mean,
        (Way(Witness("P@1", *_P, "2/3"), weights=rows_of),),
        _SOURCE,
        mend="take the mean over queries, each counted once",
    ),
]
