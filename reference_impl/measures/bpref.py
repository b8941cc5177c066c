"""Bpref: how rarely judged non-relevant documents rank above relevant ones. Unjudged documents do not matter.

    Bpref = (1/R) * sum over retrieved relevant documents r of  1 - min(|N above r|, R) / min(|N|, R)

    R: the number of relevant documents, retrieved or not
    N: the documents judged non-relevant
    |N above r|: how many of them are retrieved above r (by `ties=last-rank` also those at the same rank as r)

Range: 0 to 1.

Disputed: queries without a document judged non-relevant. The fraction is then 0/0. trec_eval gives full credit to
each retrieved relevant document (`full`: 2 of 3 retrieved is 2/3). Other libraries give `0`, or `nan`, which makes the
mean NaN.

Edge cases: queries without relevant documents score 0 (convention `norel`). A document with a negative grade is
unjudged and not in N, unless `negative` says otherwise.

Source: Buckley & Voorhees 2004, "Retrieval Evaluation with Incomplete Information", SIGIR, s. 3; trec_eval's bpref,
whose file bpref_bug explains the denominator min(|N|, R).
"""

import math
from fractions import Fraction

from rankproof.reference_impl.all_queries import AllQueries, Column, known
from rankproof.reference_impl.definition import REL, ZERO_WITHOUT_MERIT, Definition, Undefined, reads
from rankproof.reference_impl.ranking import Doc, Ranking


class NothingJudgedNonRelevant(Undefined):
    """Bpref of a query without judged non-relevant documents, if the conventions leave it undefined."""

    axis = "bpref_no_nonrel"


def bpref(ranking: Ranking, *, bpref_no_nonrel: str = "full") -> Fraction:
    """Compute the mean share of judged non-relevant documents that a relevant document is ranked above.

    >>> from rankproof.reference_impl.examples import ranked
    >>> bpref(ranked([0, 1, None, 0, 1, 0], R=2))               # r1 below 1 of min(3, 2), r2 below 2 of 2
    Fraction(1, 4)
    """
    relevant = ranking.R
    non_relevant = len(ranking.judgments) - relevant
    if not non_relevant and bpref_no_nonrel != "full":
        if bpref_no_nonrel == "nan":
            raise NothingJudgedNonRelevant
        return Fraction(0)
    total = Fraction(0)
    for i in ranking.hits:
        above = sum(doc.non_relevant for rank, doc in ranking.docs if rank <= i)
        total += 1 - (Fraction(min(above, relevant), min(non_relevant, relevant)) if above else 0)
    return total / relevant


def _in_floats(top: AllQueries, *, bpref_no_nonrel: str) -> Column:
    others = top.count(top.of_judgments(_is_non_relevant))
    hits = top.hits
    above = top.least(hits.down_to(top.of_docs(_is_non_relevant)), hits.of(top.R))
    values = top.over(hits.total(1 - top.over(above, top.least(hits.of(others), hits.of(top.R)))), top.R)
    without = known(bpref_no_nonrel, {"full": values, "0": math.nan, "nan": math.nan})
    return top.where(others > 0, values, without)


def _is_non_relevant(doc: Doc) -> bool:
    return doc.non_relevant


DEFINITIONS = [
    Definition(
        "Bpref",
        bpref,
        {"rel": REL},
        in_floats=_in_floats,
        cutoff="none",
        reads=reads("order", "relevant", "R", "non-relevant", "judgments"),
        undefined={"bpref_no_nonrel": "ever"},
        zero_without=ZERO_WITHOUT_MERIT,
        monotone=True,
        bounds=(0, 1),
        truth="always",
    ),
]
