"""Lists without ids: relevance grades in rank order, grades with scores, a similarity matrix with labels, and two labelings.

Documents are named 1, 2, … by position. No value may depend on these names, so ties that ids would break are refused.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from ctypes import c_float
from dataclasses import replace
from itertools import chain
from numbers import Integral
from typing import Any

from rankproof.evaluate.inputs.column_names import KNOWN
from rankproof.evaluate.inputs.rows import BadInput, Columns, Input, Rows, as_list, id_text
from rankproof.grouping import grouped
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import HIGHEST_OF_FIVE, Judgment, QueryRow
from rankproof.text import as_written

MOST = 10_000_000
"""The largest number of relevant documents in R, and of items in group_sizes."""
RELS, SCORES, MATRIX, LABELS = "the grades", "the scores", "the matrix", "the labels"
RANKS = (
    "if these are the ranks of first hits, pass "
    "[[int(place == rank) for place in range(1, 1001)] for rank in {}], and R=1, to rankproof.evaluate in Python"
)


def is_column(value: object) -> bool:
    """Return whether a value is a list, an array or a series, and not a text or a mapping."""
    if isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) == 0:
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def is_listed(source: Input) -> bool:
    """Return whether an input is a list of values or of lists, and not of records or runs."""
    if not is_column(source) or hasattr(source, "columns") or hasattr(source, "_fields"):
        return False
    first = next(iter(source), None)
    return not hasattr(first, "_fields") and not hasattr(first, "columns") and not isinstance(first, Mapping)


def is_frame_of_rels(qrels: Input, run: Input) -> bool:
    """Return whether the qrels are a frame that has only numbers, with one row per query."""
    is_frame = hasattr(qrels, "columns") and hasattr(qrels, "to_numpy")
    if not is_frame or KNOWN & {str(column) for column in qrels.columns}:
        return False
    alike = run is None or (hasattr(run, "columns") and list(run.columns) == list(qrels.columns))
    return alike and not any(isinstance(value, str) for row in qrels.to_numpy().tolist() for value in row)


def read_lists(rels: Input, scores: Input, R: Input, group_id: Input) -> tuple[Columns, Columns]:
    """Return the qrels and the run of lists. Without scores, the grades are in rank order.

    Args:
        rels: a list of grades, or a list for each query.
        scores: the scores in the same shape, or None.
        R: the number of relevant documents, or a number for each query.
        group_id: the query of each item of flat lists.

    Raises:
        BadInput: the shapes differ.
    """
    _refuse_other_index(rels, group_id, "group_id")
    _refuse_other_index(rels, scores, SCORES)
    if not is_nested(rels):
        _refuse_ranks(as_list(rels), certain=scores is not None or R is not None or group_id is not None)
    judged = _by_query(rels, RELS, group_id)
    if scores is None:
        ranked = {query: [float(n) for n in range(len(own), 0, -1)] for query, own in judged.items()}
    elif not is_column(scores) or is_nested(rels) != is_nested(scores):
        raise BadInput(SCORES, "their shape is not that of the grades. Pass a grade and a score per item, or no run.")
    else:
        ranked = _by_query(scores, SCORES, group_id)
        other = next((query for query, own in judged.items() if len(ranked.get(query, ())) != len(own)), None)
        if other is not None or len(ranked) > len(judged):
            where = SCORES if other is None else f"{SCORES}, query {as_written(other)}"
            raise BadInput(where, "there are not as many scores as grades. Pass a grade and a score for each document.")
    run = _columns(SCORES if scores is not None else RELS, ranked)
    run = run if scores is not None else replace(run, rank=list(map(int, run.doc)))
    return _columns(RELS, judged if R is None else _with_unretrieved(judged, R)), run


def _columns(name: str, by_query: Mapping[str, list[Any]]) -> Columns:
    """Return values by query as columns, with documents named 1, 2, … by position."""
    sizes = list(map(len, by_query.values()))
    docs = [str(i) for size in sizes for i in range(1, size + 1)]
    return Columns(name, list(by_query), docs, list(chain(*by_query.values())), sizes=sizes)


def is_nested(source: Input) -> bool:
    """Return whether a list has a list for each query."""
    return hasattr(source, "columns") or any(is_column(item) for item in as_list(source))


def _by_query(source: Input, name: str, group_id: Input) -> dict[str, list[Any]]:
    """Return the values of each query by its name: its group, its index label, or its position."""
    values = source.to_numpy().tolist() if hasattr(source, "columns") else as_list(source)
    if group_id is not None:
        return _grouped(values, name, group_id)
    if not is_nested(source):
        if not values:
            raise BadInput(name, "an empty list could be one ranking or none. For one empty ranking, pass [[]].")
        return {"1": values}
    for i, item in enumerate(values, start=1):
        if not is_column(item):
            what = f"{as_written(item)} is not a list, but other items are. Pass a list for each query."
            raise BadInput(f"{name}, item {i}", what)
    index = _index_of(source) or list(range(1, len(values) + 1))
    names = [id_text(label, f"the index of {name}", "query") for label in index]
    if len(set(names)) < len(names):
        raise BadInput(f"the index of {name}", "a query occurs twice")
    return {query: as_list(item) for query, item in zip(names, values, strict=True)}


def _grouped(values: list[Any], name: str, group_id: Input) -> dict[str, list[Any]]:
    if any(map(is_column, values)):
        raise BadInput("group_id", f"it is for flat lists, but {name} are nested")
    groups = as_list(group_id) if is_column(group_id) else []
    if len(groups) != len(values):
        raise BadInput("group_id", f"it must list the query of each of the {len(values)} items")
    names = [id_text(group, f"group_id, item {i}", "query") for i, group in enumerate(groups, start=1)]
    return grouped(zip(names, values, strict=True))


def groups_of(sizes: Iterable[int], group_id: Input) -> list[int]:
    """Return the query of each item, from the number of items of each query.

    >>> groups_of([2, 1], None)
    [1, 1, 2]

    Raises:
        BadInput: a size is not a number, or `group_id` is also set.
    """
    if group_id is not None:
        raise BadInput("group_sizes", "group_id also sets the queries. Pass only one of them.")
    queries: list[int] = []
    for query, size in enumerate(sizes, start=1):
        if not isinstance(size, Integral) or isinstance(size, bool) or not 0 <= size <= MOST - len(queries):
            raise BadInput("group_sizes", f"{as_written(size)} is not a number of items, or the sum exceeds {MOST:,}")
        queries += [query] * int(size)
    return queries


def _refuse_ranks(values: list[Any], *, certain: bool) -> None:
    """Refuse numbers that look like ranks of first hits: None, infinity, or whole numbers too large for grades."""
    gap = next((i for i, v in enumerate(values, 1) if v is None or (isinstance(v, float) and not math.isfinite(v))), 0)
    if gap:
        what = f"the relevance grade is {as_written(values[gap - 1])}, not a finite number"
        raise BadInput(f"{RELS}, item {gap}", f"{what}; {RANKS.format('ranks')}")
    are_ranks = len(values) > 1 and all(type(value) is int and value >= 1 for value in values)
    if not certain and are_ranks and max(values) > HIGHEST_OF_FIVE:
        what = f"none of the {len(values)} numbers is 0, and {max(values)} is unusually high for a grade"
        raise BadInput(RELS, f"{what}; {RANKS.format('ranks')}. If they are the grades of one ranking, pass [grades].")


def _with_unretrieved(by_query: Mapping[str, list[Any]], R: Input) -> dict[str, list[Any]]:
    """Return the grades of each query, with a grade 1 for each of its R relevant documents that is not in the list."""
    counts = as_list(R) if is_column(R) else [R] * len(by_query)
    if len(counts) != len(by_query):
        what = f"there are {len(counts)} numbers for {len(by_query)} queries. Pass one for each, or one for all."
        raise BadInput("R", what)
    completed: dict[str, list[Any]] = {}
    for (query, rels), count in zip(by_query.items(), counts, strict=True):
        if not isinstance(count, Integral) or isinstance(count, bool) or int(count) > MOST:
            raise BadInput("R", f"{as_written(count)} is not a whole number up to {MOST:,}")
        if any(rel not in {0, 1} for rel in rels):
            raise BadInput("R", "it needs grades of 0 and 1. For other grades, pass qrels and a run.")
        relevant = sum(rel == 1 for rel in rels)
        if relevant > int(count):
            what = f"it is {int(count)} for query {as_written(query)}, but its list has {relevant} relevant documents"
            raise BadInput("R", what)
        completed[query] = [*rels, *[1] * (int(count) - relevant)]
    return completed


def refuse_ties(
    qrels: Mapping[str, Sequence[Judgment]], run: Rows[QueryRow], conventions: Iterable[Conventions]
) -> None:
    """Refuse tied documents with different grades if the conventions order them by id, as these lists have no ids.

    Raises:
        BadInput: there are such documents.
    """
    for own in conventions:
        if own.order != "score" or not own.ties.startswith("docid"):
            continue
        for query, rows in run.of.items():
            rels = {judgment.doc: judgment.rel for judgment in qrels.get(query, ())}
            first: dict[float, QueryRow] = {}
            for row in rows:
                if own.score_sign == "positive" and not row.score > 0:
                    continue
                other = first.setdefault(c_float(row.score).value if own.score == "f32" else row.score, row)
                if rels[other.doc] != rels[row.doc]:
                    what = f"items {other.doc} and {row.doc} are tied, and there are no ids to order them (ties={own.ties})"
                    remedy = "Add ties=input, ties=expectation or another value to the profile."
                    raise BadInput(f"{run.columns.name}, query {as_written(query)}", f"{what}. {remedy}")


# -- labels --------------------------------------------------------------------------------------------------------------


def is_matrix_of(labels: Input, matrix: Input) -> bool:
    """Return whether the inputs are a flat list of labels and a matrix (a list of lists or a frame)."""
    if not is_listed(labels) or not len(labels) or is_nested(labels):
        return False
    return hasattr(matrix, "columns") or (is_listed(matrix) and is_nested(matrix))


def read_matrix(labels: Input, matrix: Input) -> tuple[Input, Input, bool]:
    """Return qrels and a run in which each item is a query that ranks all others. Items with its label are relevant.

    Items are named by the index of a frame, or 0, 1, … by position. The third value is whether they have names.

    Raises:
        BadInput: the matrix is not square, or does not have a row for each label.
    """
    own, every = _labels(labels, LABELS), range(len(labels))
    values = matrix.to_numpy().tolist() if hasattr(matrix, "columns") else as_list(matrix)
    rows = [as_list(row) if is_column(row) else [] for row in values]
    if len(rows) != len(own) or any(len(row) != len(own) for row in rows):
        what = f"it needs {len(own)} rows and {len(own)} columns, one for each label"
        raise BadInput(MATRIX, f"{what}. Grades and scores are both flat (one query) or both nested (several queries).")
    own_names = _item_names(matrix)
    names = own_names or [str(i) for i in every]
    qrels = {names[i]: {names[j]: int(own[i] == own[j]) for j in every if i != j} for i in every}
    return qrels, {names[i]: {names[j]: rows[i][j] for j in every if i != j} for i in every}, own_names is not None


def _item_names(matrix: Input) -> list[str] | None:
    index = _index_of(matrix)
    if index is None or not hasattr(matrix, "columns"):
        return None
    columns = list(matrix.columns)
    if columns != index and set(columns) == set(index):
        raise BadInput(MATRIX, "its columns are not in the order of its rows. Pass matrix[matrix.index].")
    names = [id_text(name, f"the index of {MATRIX}", "item") for name in index]
    if len(set(names)) < len(names):
        raise BadInput(f"the index of {MATRIX}", "an item occurs twice")
    return names


def read_labelings(true: Input, predicted: Input) -> tuple[list[Hashable], list[Hashable]]:
    """Return the true and the predicted labels of the same items.

    Raises:
        BadInput: a labeling is not a flat list, or they differ in length or index.
    """
    if predicted is None:
        raise BadInput("the predicted labels", "they are missing. Pass two labelings of the same items.")
    labels, others = _labels(true, "the true labels"), _labels(predicted, "the predicted labels")
    if len(labels) != len(others):
        what = f"there are {len(others)}, but {len(labels)} true labels. Each item must have one of each."
        raise BadInput("the predicted labels", what)
    _refuse_other_index(true, predicted, "the predicted labels")
    return labels, others


def _labels(source: Input, name: str) -> list[Hashable]:
    if not is_column(source) or hasattr(source, "columns"):
        raise BadInput(name, f"a {type(source).__name__} is not a list of labels")
    labels = as_list(source)
    for i, label in enumerate(labels, start=1):
        if is_column(label) or not isinstance(label, Hashable) or label is None or label != label:  # noqa: PLR0124 - NaN
            what = f"the label is {as_written(label)}. Pass one flat list, and leave out items without a label."
            raise BadInput(f"{name}, item {i}", what)
    return labels


def _index_of(source: Input) -> list[Any] | None:
    index = getattr(source, "index", None)
    return None if index is None or callable(index) else list(index)


def _refuse_other_index(first: Input, second: Input, name: str) -> None:
    indexes = _index_of(first), _index_of(second)
    if None not in indexes and indexes[0] != indexes[1]:
        raise BadInput(name, "its index is not that of the other series. Align them, or pass .to_numpy() of both.")
