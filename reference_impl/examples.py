"""Rankings for the examples in docstrings."""

from collections.abc import Sequence
from fractions import Fraction

from rankproof.reference_impl.ranking import Doc, Judged, Ranking, Rel


def ranked(
    rels: Sequence[Rel | None], *, R: int | None = None, k: int | None = None, judgments: Sequence[Rel] | None = None
) -> Ranking:
    """Return a ranking of documents with these grades (None: unjudged), without ties, cut at k.

    `R` and `judgments` add judged documents that are not retrieved.
    """
    docs = [_doc(rel) for rel in rels]
    known = [doc for doc in docs if doc.pooled] if judgments is None else [_doc(rel) for rel in judgments]
    relevant = sum(doc.relevant for doc in known)
    known += [_doc(1)] * ((R or relevant) - relevant)
    return Judged(tuple((doc,) for doc in docs), tuple(known), sum(doc.relevant for doc in known)).ranking(k)


def _doc(rel: Rel | None) -> Doc:
    return Doc(None if rel is None else Fraction(rel), relevant=rel is not None and rel >= 1, pooled=rel is not None)
