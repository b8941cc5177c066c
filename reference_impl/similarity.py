"""From a similarity matrix and labels to qrels and a run, so that the ordinary measures apply.

Each item is a query and ranks all the others by its row of the matrix; those with its label are relevant. CG@p and
nDCG@p, averaged over the queries, then tell how well the similarities keep the labels together.
"""

from collections.abc import Sequence

from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.reference_impl.unusable import Unusable


class NotSquare(Unusable):
    """The matrix is not as wide as there are labels."""


def from_similarity(
    matrix: Sequence[Sequence[float]], labels: Sequence[object], names: Sequence[str] | None = None
) -> tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]]:
    """The qrels and the run of a similarity matrix: item i as a query, the other items as docs, itself excluded.

    Rows keep the order of the items, so that `ties=input` breaks ties by it.

    Raises:
        NotSquare: the matrix has not a row and a column for each label.

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
