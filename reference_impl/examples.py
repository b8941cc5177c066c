"""Rankings for the examples in docstrings."""

from collections.abc import Sequence
from fractions import Fraction

from rankproof.reference_impl.ranking import Doc, Judged, Ranking, Rel


def ranked(
    rels: Sequence[Rel | None], *, R: int | None = None, k: int | None = None, judgments: Sequence[Rel] | None = None
) -> Ranking:
    """A ranking without ties of docs with these rels (None: unjudged), cut at k.

    R and `judgments` tell of more judged docs than were retrieved.
    """
    exact = [None if rel is None else Fraction(rel) for rel in rels]
    docs = [Doc(rel, relevant=rel is not None and rel >= 1, pooled=rel is not None) for rel in exact]
    known = [rel for rel in exact if rel is not None] if judgments is None else [Fraction(rel) for rel in judgments]
    relevant = sum(rel >= 1 for rel in known)
    known += [Fraction(1)] * ((R or relevant) - relevant)
    total = sum(rel >= 1 for rel in known)
    return Judged(tuple((doc,) for doc in docs), tuple(known), total, Fraction(1)).ranking(k)
