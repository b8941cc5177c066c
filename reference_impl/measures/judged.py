"""Judged: the share of the top documents that were judged.

    Judged@k = |documents at ranks 1..k with a judgment| / min(k, n)

    n: the number of retrieved documents.

Range: 0 to 1.

Disputed: the denominator if fewer than k documents are retrieved. For one retrieved document, which is judged, Judged@5
is 1 by `min-k-n` and 1/5 by `k`.

Edge cases: a document with a negative grade has a line in the qrels and counts as judged. Relevance does not matter. An
empty ranking scores 0. Ties: the mean over all orders is exact.

Source: MacAvaney, Macdonald & Ounis 2022, "Streamlining Evaluation with ir-measures", ECIR (its Judged).
"""

from rankproof.reference_impl.all_queries import AllQueries, Column, known
from rankproof.reference_impl.definition import Definition, Ratio, ratio, reads
from rankproof.reference_impl.ranking import Doc, Ranking


def judged(ranking: Ranking, *, judged_denominator: str = "min-k-n") -> Ratio:
    """Compute the share of the top k documents that have a judgment.

    >>> from rankproof.reference_impl.examples import ranked
    >>> judged(ranked([0, None, 2], k=2)).value, judged(ranked([0], k=5), judged_denominator="k").value
    (Fraction(1, 2), Fraction(1, 5))
    """
    k = ranking.n if ranking.k is None else ranking.k
    return ratio(sum(doc.pooled for _, doc in ranking.docs), k if judged_denominator == "k" else min(k, ranking.n))


def _pooled(doc: Doc, **_arguments: object) -> bool:
    return doc.pooled


def _in_floats(top: AllQueries, *, judged_denominator: str) -> Column:
    denominator = known(judged_denominator, {"k": top.depth, "min-k-n": top.least(top.depth, top.n)})
    return top.over(top.total(top.of_docs(_pooled)), denominator)


DEFINITIONS = [
    Definition(
        "Judged",
        judged,
        in_floats=_in_floats,
        needs_relevant=False,
        linear=True,
        monotone=True,
        merit=_pooled,
        reads=reads("order", "k", "n", "pool"),
        undefined={},
        zero_without=frozenset({"judgments"}),
        bounds=(0, 1),
    ),
]
