"""A similarity matrix with a label for each item: each item is a query, and ranks all the others."""

from typing import Any

from rankproof.evaluate.inputs.labelings import index_of, read_labels
from rankproof.evaluate.inputs.lists import is_listed
from rankproof.evaluate.inputs.rows import BadInput, Rows, id_text, score_of
from rankproof.evaluate.inputs.tables import as_list, is_column
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.reference_impl.similarity import from_similarity
from rankproof.text import number_of

MATRIX, LABELS = "the matrix", "the labels"


def is_matrix_of(labels: Any, matrix: Any) -> bool:  # noqa: ANN401 - anything
    """Whether a flat sequence stands beside a sequence of sequences, or a frame."""
    flat = is_listed(labels) and len(labels) and not any(is_column(item) for item in as_list(labels))
    if not flat:
        return False
    return hasattr(matrix, "columns") or (is_listed(matrix) and any(is_column(row) for row in as_list(matrix)))


def read_matrix(labels: Any, matrix: Any, conventions: Conventions) -> tuple[Rows[Judgment], Rows[QueryRow]]:  # noqa: ANN401
    """The qrels and the run: those with the label of an item are relevant to it.

    Items are called as in the index of a frame; otherwise 0, 1, … by their place.

    Raises:
        BadInput: the matrix is not square, not of the labels' length, or a similarity is no number.
    """
    if conventions.order == "rank":
        raise BadInput(MATRIX, "similarities are no ranks, which order=rank needs")
    read = read_labels(labels, LABELS)
    rows = matrix.to_numpy().tolist() if hasattr(matrix, "columns") else as_list(matrix)
    _refuse_shape(rows, len(read))
    values: list[list[float]] = []
    for i, row in enumerate(rows, start=1):
        places = ((j, value, f"{MATRIX}, row {i}, column {j}") for j, value in enumerate(as_list(row), start=1))
        values.append([0.0 if i == j else score_of(value, where) for j, value, where in places])
    qrels, run = from_similarity(values, read, names_of(matrix))
    return Rows(LABELS, qrels), Rows(MATRIX, run)


def names_of(matrix: Any) -> list[str] | None:  # noqa: ANN401 - any matrix
    """The names of the items of a frame; None if it has none.

    Raises:
        BadInput: the columns are the same items in another order, or an item stands there twice.
    """
    index = index_of(matrix)
    if index is None or not hasattr(matrix, "columns"):
        return None
    columns = list(matrix.columns)
    if columns != index and set(columns) == set(index):
        raise BadInput(MATRIX, "its columns are not in the order of its rows; take matrix[matrix.index]")
    names = [id_text(name, f"the index of {MATRIX}", "item") for name in index]
    if len(set(names)) < len(names):
        raise BadInput(f"the index of {MATRIX}", "an item stands there twice")
    return names


def _refuse_shape(rows: list[Any], n: int) -> None:
    need = "needs" if n == 1 else "need"
    wanted = f"{number_of(n, 'label')} beside it {need} {number_of(n, 'row')} and {number_of(n, 'column')}"
    mend = "rels and scores of one query are both flat, of several both nested"
    if len(rows) != n:
        raise BadInput(MATRIX, f"{number_of(len(rows), 'row')}, where the {wanted}; {mend}")
    for i, row in enumerate(rows, start=1):
        found = len(row) if is_column(row) else 0
        if found != n:
            told = number_of(found, "column") if found else "no columns"
            raise BadInput(f"{MATRIX}, row {i}", f"{told}, where the {wanted}; {mend}")
