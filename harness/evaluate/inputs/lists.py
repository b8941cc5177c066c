"""Rels without docids: `[1, 0, 1]` in rank order, or `y` with `y_hat`, for one query or several.

Docs are called 1, 2, … by their place in the list. Nothing may depend on such an id, so ties by docid are refused.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_float
from numbers import Integral
from typing import Any

from rankproof.evaluate.inputs.column_names import ALL_NAMES
from rankproof.evaluate.inputs.labelings import index_of, refuse_other_order
from rankproof.evaluate.inputs.rows import BadInput, Rows, id_text, number, score_of, scored
from rankproof.evaluate.inputs.tables import as_list, is_column
from rankproof.inference.input_traits import ORDINARY_RELS
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.text import as_written, number_of

MOST_RELEVANT = 10_000_000
"""How many relevant docs R may speak of; each of them is a judgment."""
RELS, SCORES = "the rels", "the scores"
SHOWN = 5
"""How many rels are shown at most."""


def flags_of(ranks: str) -> str:
    """What to give where there are the ranks of first hits alone, in an expression of that name."""
    return f"give [[int(place == rank) for place in range(1, 1001)] for rank in {ranks}], and R=1"


def is_listed(source: Any) -> bool:  # noqa: ANN401 - anything
    """Whether this is a list, array or series of values or of such lists, and no records and no tables."""
    if not is_column(source) or hasattr(source, "columns") or hasattr(source, "_fields"):
        return False
    first = next(iter(source), None)
    return not hasattr(first, "_fields") and not hasattr(first, "columns") and not isinstance(first, Mapping)


def is_frame_of_rels(qrels: Any, run: Any) -> bool:  # noqa: ANN401 - anything
    """Whether this is a frame of numbers alone, a row for each query, with no run or one with the same columns."""
    is_frame = hasattr(qrels, "columns") and hasattr(qrels, "to_numpy")
    if not is_frame or ALL_NAMES & {str(column) for column in qrels.columns}:
        return False
    alike = run is None or (hasattr(run, "columns") and list(run.columns) == list(qrels.columns))
    return alike and not any(isinstance(value, str) for row in qrels.to_numpy().tolist() for value in row)


def read_lists(
    rels: Any,  # noqa: ANN401 - lists, arrays, series
    scores: Any,  # noqa: ANN401 - the same, or None
    conventions: Conventions,
    *,
    R: Any = None,  # noqa: ANN401 - a number, or one for each query
    group_id: Any = None,  # noqa: ANN401 - a list, array or series
) -> tuple[Rows[Judgment], Rows[QueryRow]]:
    """The qrels and the run of some lists; without scores the rels are in rank order.

    Raises:
        BadInput: a value is no number, or the shapes differ.
    """
    refuse_other_order(rels, group_id, "group_id")
    if scores is None and R is None and group_id is None:
        _refuse_ranks(rels)
    by_query = _by_query(rels, RELS, group_id)
    judged = {
        query: [Judgment(str(i), _rel(rel, _place(RELS, query, i))) for i, rel in enumerate(values, start=1)]
        for query, values in by_query.items()
    }
    qrels = Rows(RELS, judged if R is None else _beyond(judged, R))
    if scores is None:
        in_order = {query: range(1, len(values) + 1) for query, values in by_query.items()}
        of = {q: [QueryRow(str(i), float(len(ranks) + 1 - i), i) for i in ranks] for q, ranks in in_order.items()}
        return qrels, Rows(RELS, of)
    if conventions.order == "rank":
        raise BadInput(SCORES, "they are no ranks, which order=rank needs; leave them out, with the rels in rank order")
    if not is_column(scores):
        mend = "give as many scores as rels, or none where the rels are in rank order"
        raise BadInput(SCORES, f"{type(scores).__name__} beside a list of rels; {mend}")
    refuse_other_order(rels, scores, SCORES)
    given = _by_query(scores, SCORES, group_id)
    _refuse_other_shape(by_query, given, nested=(_is_nested(rels), _is_nested(scores)))
    nan = not scored(conventions)
    run = {
        query: [QueryRow(str(i), score_of(s, _place(SCORES, query, i), nan=nan)) for i, s in enumerate(values, start=1)]
        for query, values in zip(by_query, given.values(), strict=True)
    }
    return qrels, Rows(SCORES, run)


def grouped(sizes: Iterable[int], group_id: Any) -> list[int]:  # noqa: ANN401 - whatever was given beside
    """The query of each item, where it is said how many items each query has.

    >>> grouped([2, 1], None)
    [1, 1, 2]

    Raises:
        BadInput: a size is none, or the queries of the items are given, too.
    """
    if group_id is not None:
        raise BadInput("group_sizes", "beside group_id, which says the same; give one of them")
    found: list[int] = []
    for query, size in enumerate(sizes, start=1):
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 0:
            raise BadInput("group_sizes", f"{as_written(size)} is no number of items")
        if len(found) + int(size) > MOST_RELEVANT:
            raise BadInput("group_sizes", f"more than {MOST_RELEVANT:,} items in all; give group_id")
        found += [query] * int(size)
    return found


def refuse_ties(
    qrels: Mapping[str, Sequence[Judgment]], run: Rows[QueryRow], conventions: Iterable[Conventions]
) -> None:
    """Refuse tied scores of docs with different rels, where their order would be that of ids that nobody gave.

    Raises:
        BadInput: there are such.
    """
    for own in conventions:
        if own.order != "score" or not own.ties.startswith("docid"):
            continue
        ties = f"ties={own.ties}"
        for query, rows in run.of.items():
            rels = {judgment.doc: judgment.rel for judgment in qrels.get(query, ())}
            first: dict[float, QueryRow] = {}
            for row in rows:
                if own.score_sign == "positive" and not row.score > 0:
                    continue
                score = c_float(row.score).value if own.score == "f32" else row.score
                other = first.setdefault(score, row)
                if rels[other.doc] != rels[row.doc]:
                    what = f"items {other.doc} and {row.doc} are tied, and no docids order them, which {ties} needs"
                    mend = "say how they stand: ties=input, ties=expectation, … behind the profile's name"
                    raise BadInput(f"{run.name}, query {as_written(query)}", f"{what}; {mend}")


def _by_query(source: Any, name: str, group_id: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - as read_lists
    """The values of each query, by its name: its group, its label in the index, or the how-manieth it is."""
    values = source.to_numpy().tolist() if hasattr(source, "columns") else as_list(source)
    nested = _is_nested(source)
    if group_id is not None:
        if nested:
            raise BadInput("group_id", f"it parts one flat list, and {name} are several")
        return _grouped(values, name, group_id)
    if not nested:
        if not values:
            raise BadInput(name, "an empty list says neither one ranking nor several; [[]] is one ranking without docs")
        return {"1": values}
    for i, item in enumerate(values, start=1):
        if not is_column(item):
            what = f"{as_written(item)} where a list is needed, as others are; a list for each query"
            raise BadInput(f"{name}, item {i}", what)
    index = index_of(source)
    labels = range(1, len(values) + 1) if index is None else index
    names = [id_text(label, f"the index of {name}", "query") for label in labels]
    if len(set(names)) < len(names):
        raise BadInput(f"the index of {name}", "a query stands there twice")
    return {query: as_list(item) for query, item in zip(names, values, strict=True)}


def _grouped(values: list[Any], name: str, group_id: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - as read_lists
    if not is_column(group_id):
        raise BadInput("group_id", f"{type(group_id).__name__} is no list of a query for each item")
    groups = as_list(group_id)
    if len(groups) != len(values):
        raise BadInput("group_id", f"{len(groups)} where {name} are {len(values)}; each item has its query")
    of: dict[str, list[Any]] = {}
    for i, (group, value) in enumerate(zip(groups, values, strict=True), start=1):
        of.setdefault(id_text(group, f"group_id, item {i}", "query"), []).append(value)
    return of


def _is_nested(source: Any) -> bool:  # noqa: ANN401 - anything
    return hasattr(source, "columns") or any(is_column(item) for item in as_list(source))


def _refuse_ranks(rels: Any) -> None:  # noqa: ANN401 - as read_lists
    """Refuse what rather is the ranks of first hits than rels: whole numbers, none of which is 0, and one above all usual rels."""
    values = [] if _is_nested(rels) else as_list(rels)
    if len(values) < 2 or not all(_is_rank(value) for value in values) or max(values) <= max(ORDINARY_RELS):  # noqa: PLR2004 - one is no list of ranks
        return
    shown = as_written(values[:SHOWN])
    what = f"none of {len(values)} is 0, and {as_written(max(values))} is no usual rel"
    rather = f"{what}; if these are the ranks of first hits, {flags_of('ranks')}"
    mend = f"if they are the rels of one ranking, give [rels], a list of that list, as [{shown}]"
    raise BadInput(RELS, f"{rather}; {mend}")


def may_be_ranks(rels: Any) -> bool:  # noqa: ANN401 - as read_lists
    """Whether a flat list that is read as the rels of one ranking could be ranks of first hits as well: small, unlike, none of them 0.

    >>> may_be_ranks([1, 3, 2]), may_be_ranks([1, 3, 0]), may_be_ranks([1, 1, 2]), may_be_ranks([[1, 3, 2]])
    (True, False, False, False)
    """
    values = as_list(rels) if is_listed(rels) and not _is_nested(rels) else []
    return len(values) > 1 and all(map(_is_rank, values)) and len(set(values)) == len(values)


def _is_rank(value: Any) -> bool:  # noqa: ANN401 - whatever stands there
    return isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) <= sys.maxsize


def _place(name: str, query: str, i: int) -> str:
    return f"{name}, query {as_written(query)}, item {i}"


def _rel(value: Any, where: str) -> Any:  # noqa: ANN401 - whatever stands there
    mend = ""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        mend = f"if these are the ranks of first hits, {flags_of('ranks')}"
    elif isinstance(value, str):
        mend = "qrels by row are named tuples, as ir_measures' Qrel"
    if mend:
        raise BadInput(where, f"the rel is {as_written(value)}, no number; {mend}")
    return number(value, where, "rel")


def _refuse_other_shape(
    rels: Mapping[str, list[Any]], scores: Mapping[str, list[Any]], *, nested: tuple[bool, bool]
) -> None:
    mend = "a rel and a score for each doc"
    if nested[0] != nested[1]:
        of_rels, of_scores = ("nested, [[…], …]" if is_nested else "one flat list" for is_nested in nested)
        raise BadInput(SCORES, f"they are {of_scores} where the rels are {of_rels}; {mend}")
    if len(rels) != len(scores):
        what = f"they are of {number_of(len(scores), 'query', 'queries')} and the rels of {len(rels)}"
        raise BadInput(SCORES, f"{what}; {mend}")
    for query, given in zip(rels, scores.values(), strict=True):
        if len(rels[query]) != len(given):
            what = f"{len(given)} beside {number_of(len(rels[query]), 'rel')}; {mend}"
            raise BadInput(f"{SCORES}, query {as_written(query)}", what)


def _beyond(judged: Mapping[str, list[Judgment]], R: Any) -> dict[str, list[Judgment]]:  # noqa: ANN401 - as read_lists
    """The judgments, with as many relevant docs that the list does not hold as are lacking to R."""
    counts = as_list(R) if is_column(R) else [R] * len(judged)
    if len(counts) != len(judged):
        what = f"{number_of(len(counts), 'number')} for {number_of(len(judged), 'query', 'queries')}"
        raise BadInput("R", f"{what}; give one for each, or one for all")
    more: dict[str, list[Judgment]] = {}
    for (query, judgments), count in zip(judged.items(), counts, strict=True):
        if not isinstance(count, Integral) or isinstance(count, bool):
            raise BadInput("R", f"{as_written(count)} is no whole number")
        if int(count) > MOST_RELEVANT:
            raise BadInput("R", f"more than {MOST_RELEVANT:,} relevant docs; give qrels and a run")
        if any(judgment.rel not in {0, 1} for judgment in judgments):
            what = "goes with rels of 0 and 1 only: which rel the docs beyond the list have, R does not say; give qrels"
            raise BadInput("R", what)
        lacking = int(count) - sum(judgment.rel == 1 for judgment in judgments)
        if lacking < 0:
            told = f"{int(count)} for query {as_written(query)}"
            raise BadInput("R", f"{told}, whose list alone has {int(count) - lacking} relevant")
        more[query] = [*judgments, *(Judgment(f"beyond {i}", 1) for i in range(1, lacking + 1))]
    return more
