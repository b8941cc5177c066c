"""Conversion of a similarity matrix and labels to qrels and a run, for use with ranking measures.

Each item is a query and ranks all other items by its row of the matrix. Items with the same label are relevant. CG@p
and nDCG@p, averaged over the queries, then show how well the similarities keep equal labels together.
"""

from collections.abc import Sequence

from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.reference_impl.unusable import Unusable


class NotSquare(Unusable):
    """A similarity matrix without a row and a column for each label."""


def from_similarity(
    matrix: Sequence[Sequence[float]], labels: Sequence[object], names: Sequence[str] | None = None
) -> tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]]:
    """Return the qrels and the run of a similarity matrix. Item i is a query, all other items are its documents.

    Rows keep the order of the items, so `ties=input` breaks ties by that order.

    Raises:
        NotSquare: the matrix does not have a row and a column for each label.

    >>> qrels, run = from_similarity([[1, .3, .7], [.3, 1, .1], [.7, .1, 1]], ["a", "a", "b"])
    >>> qrels["0"]
    [Judgment(doc='1', rel=1), Judgment(doc='2', rel=0)]
    >>> run["0"]
    [QueryRow(doc='1', score=0.3, rank=0), QueryRow(doc='2', score=0.7, rank=0)]
    """
    n = len(labels)
    if len(matrix) != n or any(len(row) != n for row in matrix):
        raise NotSquare(f"{n} labels need a matrix of {n} rows and {n} columns")
    named = [str(i) for i in range(n)] if names is None else list(names)
    others = {i: [j for j in range(n) if j != i] for i in range(n)}
    qrels = {named[i]: [Judgment(named[j], int(labels[j] == labels[i])) for j in others[i]] for i in range(n)}
    run = {named[i]: [QueryRow(named[j], float(matrix[i][j])) for j in others[i]] for i in range(n)}
    return qrels, run
