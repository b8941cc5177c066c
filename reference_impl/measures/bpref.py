"""Bpref: how seldom judged non-relevant docs stand above relevant ones; unjudged docs do not matter.

    Bpref = (1/R) * sum over retrieved relevant docs r of  1 - min(|N above r|, R) / min(|N|, R)

    N: the docs judged non-relevant; |N above r| counts the retrieved ones ranked above r (under `ties=last-rank` also
    those that share its rank).

Disputed: no doc judged non-relevant, where the formula is 0/0. trec_eval counts each retrieved relevant doc in full
(`full`: 2 of 3 retrieved is 2/3); others give `0`, or `nan`, which poisons a mean.
No relevant doc: 0 (convention `norel`). A negative judgment is unjudged, so it is not in N, unless `negative` says
otherwise.

Source: Buckley & Voorhees 2004, "Retrieval Evaluation with Incomplete Information", SIGIR, s. 3; trec_eval's bpref,
whose file bpref_bug tells why the denominator is min(|N|, R).
"""

import math
from fractions import Fraction

from rankproof.reference_impl.all_queries import AllQueries, Column, known
from rankproof.reference_impl.definition import REL, ZERO_WITHOUT_MERIT, Definition, Undefined, reads
from rankproof.reference_impl.ranking import Doc, Ranking


class NothingJudgedNonRelevant(Undefined):
    """No judged non-relevant doc, and the conventions leave Bpref undefined then."""

    axis = "bpref_no_nonrel"


def bpref(ranking: Ranking, *, bpref_no_nonrel: str = "full") -> Fraction:
    """The mean share of judged non-relevant docs that a relevant doc stands above.

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
