"""The mean over queries is weighted by the number of documents or of relevant documents. For AUC this is another measure, GAUC.

    AUC of two queries, with three documents in the right order and with two in the wrong order: (3 * 1 + 2 * 0) / 5 instead of 1/2.

Source: Zhou et al. 2018, Deep Interest Network, sect. 6.1, weights users by impressions. The thread is about code without the weights.
"""

from collections.abc import Mapping
from fractions import Fraction

from rankproof.defects.defect import Defect, Way, Witness, can_see, is_mean
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import Measure


def documents(data: Collection) -> Mapping[str, Fraction]:
    """Count the ranked documents of each query."""
    return {query: Fraction(len(rows)) for query, rows in data.run.items()}


def relevant_documents(data: Collection) -> Mapping[str, Fraction]:
    """Count the ranked documents of each query that are relevant."""
    ranked = {query: {row.doc for row in rows} for query, rows in data.run.items()}
    return {
        query: Fraction(sum(rel > 0 and doc in ranked.get(query, ()) for doc, rel in rows))
        for query, rows in data.qrels.items()
    }


def is_auc(measure: Measure) -> bool:
    """Return whether a measure is AUC."""
    return not measure.of_labels and measure.name == "AUC"


_RUN = {"1": "a b c", "2": "d e"}
_AUC = Witness("AUC", {"1": {"a": 1, "b": 0}, "2": {"d": 0, "e": 1, "f": 0}}, _RUN, "3/5")
_AUC_OF_CLICKS = Witness("AUC", {"1": {"a": 1, "b": 1, "c": 0}, "2": {"d": 0, "e": 1}}, _RUN, "2/3")
_P = Witness("P@1", {"1": {"a": 1, "b": 1}, "2": {"d": 1, "e": 0, "f": 0}}, {"1": "a b", "2": "c"}, "2/3")
_SOURCE = "https://github.com/zhougr1993/DeepInterestNetwork/issues/71"
_FIX = "take the mean over queries with equal weights"
DEFECTS = [
    Defect(
        "gauc",
        "it computes GAUC (Zhou et al. 2018), which weights queries by their number of documents",
        is_auc,
        tuple(Way(_AUC, weights=documents, undefined_with_one=undefined) for undefined in (False, True)),
        _SOURCE,
        is_another_measure=True,
        fix=_FIX,
    ),
    Defect(
        "gauc-of-clicks",
        "it computes GAUC by clicks, which weights queries by their number of relevant documents",
        is_auc,
        (Way(_AUC_OF_CLICKS, weights=relevant_documents),),
        _SOURCE,
        is_another_measure=True,
        fix=_FIX,
    ),
    Defect(
        "weighted-mean",
        "its mean weights each query by the number of its documents",
        lambda measure: can_see(measure, "order", "relevant", "gains") and not is_auc(measure) and is_mean(measure),
        (Way(_P, weights=documents),),
        _SOURCE,
        fix=_FIX,
    ),
]
