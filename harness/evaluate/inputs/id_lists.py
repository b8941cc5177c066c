"""Ids in lists: relevant ids, and ids in rank order, as code for retrieval and recommendation has them, made the dicts that they stand for.

A relevant id has the rel 1. Of n ids in rank order the first has the score n and the last 1, so that no two are tied. What could be rels
as well as ids is refused.
"""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Integral
from typing import Any

from rankproof.evaluate.inputs.column_names import found_columns
from rankproof.evaluate.inputs.lists import flags_of
from rankproof.evaluate.inputs.rows import QRELS, RUN, BadInput, id_text
from rankproof.evaluate.inputs.tables import as_list, is_column, is_dict_of_lists
from rankproof.text import as_written

ScoredDoc = namedtuple("ScoredDoc", ("query_id", "doc_id", "score"))  # noqa: PYI024 - it is told by its fields alone
PAIR = 2


def spelled_out(
    qrels: Any,  # noqa: ANN401 - any form
    run: Any,  # noqa: ANN401 - any form
    names: Mapping[str, Mapping[str, str]],
) -> tuple[Any, Any]:
    """The qrels and the run, with ids in lists as dicts of docs; what has another form is as it was.

    >>> spelled_out({"q1": ["a", "b"]}, {"q1": ["b", "x", "a"]}, {"qrels": {}, "run": {}})
    ({'q1': {'a': 1, 'b': 1}}, {'q1': {'b': 3.0, 'x': 2.0, 'a': 1.0}})

    Raises:
        BadInput: something in a list is no id, a set is given for a ranking, or it is not clear whether ids or rels are meant.
    """
    if run is None and isinstance(qrels, Mapping) and qrels:
        _refuse_ranks(qrels)
    if _are_lists_of_ids(qrels):
        qrels = _by_place(qrels)
        run = _by_place(run) if _is_list_of_lists(run) else run
    return relevant(qrels, names["qrels"]), ranked(run, names["run"])


def _refuse_ranks(qrels: Mapping[Any, Any]) -> None:
    """Refuse one number for each query and no run, which are ranks of first hits."""
    numbers = [value for value in qrels.values() if value is not None]
    if all(isinstance(value, Integral | float) and not isinstance(value, bool) for value in numbers):
        raise BadInput(RUN, f"it is missing; if these are the ranks of first hits, {flags_of('ranks.values()')}")


def _is_list_of_lists(source: object) -> bool:
    return (
        isinstance(source, list | tuple)
        and bool(source)
        and not hasattr(source, "_fields")
        and all(
            isinstance(one, AbstractSet)
            or (is_column(one) and not hasattr(one, "_fields") and not hasattr(one, "columns"))
            for one in source
        )
    )


def _are_lists_of_ids(qrels: Any) -> bool:  # noqa: ANN401 - any form
    """Whether these are sets, or lists of texts, which are no rels; a list of rows has numbers, too."""
    if not _is_list_of_lists(qrels):
        return False
    return all(isinstance(one, AbstractSet) or all(isinstance(item, str) for item in one) for one in qrels)


def _by_place(lists: Sequence[Any]) -> dict[str, Any]:
    return {str(place): one for place, one in enumerate(lists, start=1)}


# -- relevant ids ------------------------------------------------------------------------------------------------------


def relevant(source: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - any form
    """Relevant ids by query as dicts; what has another form is as it was."""
    if not isinstance(source, Mapping) or not source or is_dict_of_lists(source, names, QRELS):
        return source
    if any(isinstance(ids, Mapping) for ids in source.values()):
        return source
    lists = {query: _ids(ids, f"{QRELS}, query {as_written(query)}") for query, ids in source.items()}
    _refuse_rels(lists)
    return {query: dict.fromkeys(ids, 1) for query, ids in lists.items()}


def _ids(given: Any, where: str) -> list[Any]:  # noqa: ANN401 - whatever stands there
    """The ids in a list or a set, or the only one."""
    if isinstance(given, str | Integral) and not isinstance(given, bool):
        return [given]
    if not isinstance(given, AbstractSet) and not is_column(given):
        what = f"{type(given).__name__} where a dict of doc and rel, or a list of relevant ids, is needed"
        raise BadInput(where, what)
    ids = sorted(given, key=str) if isinstance(given, AbstractSet) else as_list(given)
    for place, one in enumerate(ids, start=1):
        id_text(one, f"{where}, item {place}", "doc")
    return ids


def _refuse_rels(lists: Mapping[Any, Sequence[Any]]) -> None:
    """Refuse lists of numbers that may be rels: all of them 0 or 1, or one of them twice in a list."""
    numbers = [ids for ids in lists.values() if not any(isinstance(one, str) for one in ids)]
    twice = any(len(set(ids)) < len(ids) for ids in numbers)
    if twice or (len(numbers) == len(lists) and {one for ids in numbers for one in ids} <= {0, 1}):
        what = "it is not clear whether these lists hold ids of relevant docs or rels"
        raise BadInput(QRELS, f"{what}; give ids as text, or rels with their docs, as {{query: {{doc: rel}}}}")


# -- rankings ----------------------------------------------------------------------------------------------------------


def ranked(source: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - any form
    """Rankings by query, or by system and query, as dicts or rows; what has another form is as it was."""
    if not isinstance(source, Mapping) or not source or is_dict_of_lists(source, names, RUN):
        return source
    if all(isinstance(one, Mapping) and _is_ranked(one, names) for one in source.values()):
        return {system: ranked(one, names) for system, one in source.items()}
    return _ranked(source, names) if _is_ranked(source, names) else source


def _is_ranked(source: Mapping[Any, Any], names: Mapping[str, str]) -> bool:
    """Whether this is a ranking for each query: a list of ids, of pairs of an id and a score, or of dicts that have both."""
    if not source or is_dict_of_lists(source, names, RUN):
        return False
    return all(isinstance(one, AbstractSet) or (is_column(one) and _is_of_docs(one)) for one in source.values())


def _is_of_docs(ranking: Any) -> bool:  # noqa: ANN401 - a list or an array
    first = next(iter(ranking), None)
    return not hasattr(ranking, "columns") and not hasattr(ranking, "_fields") and not hasattr(first, "_fields")


def _ranked(source: Mapping[Any, Any], names: Mapping[str, str]) -> Any:  # noqa: ANN401 - a dict, or rows
    rows = {query: _scored(ranking, f"{RUN}, query {as_written(query)}", names) for query, ranking in source.items()}
    if all(len({doc for doc, _ in docs}) == len(docs) for docs in rows.values()):
        return {query: dict(docs) for query, docs in rows.items()}
    # A dict would lose the second of a doc that stands twice, which is refused or counted as the conventions say.
    return [ScoredDoc(query, doc, score) for query, docs in rows.items() for doc, score in docs]


def are_listed(source: Any) -> bool:  # noqa: ANN401 - any form
    """Whether these are the rows of rankings that stood in lists."""
    return isinstance(source, list) and bool(source) and isinstance(source[0], ScoredDoc)


def _scored(ranking: Any, where: str, names: Mapping[str, str]) -> list[tuple[Any, Any]]:  # noqa: ANN401 - as _is_ranked
    if isinstance(ranking, AbstractSet):
        raise BadInput(where, "a set has no order; give a list of ids in rank order, or {doc: score}")
    hits = as_list(ranking)
    if hits and all(isinstance(hit, Mapping) for hit in hits):
        return [_of_hit(hit, f"{where}, item {place}", names) for place, hit in enumerate(hits, start=1)]
    if hits and all(isinstance(hit, list | tuple) and len(hit) == PAIR for hit in hits):
        return [(doc, score) for doc, score in hits]
    for place, one in enumerate(hits, start=1):
        if isinstance(one, float):
            mend = "scores stand with their docs, as {doc: score}"
            raise BadInput(f"{where}, item {place}", f"{as_written(one)} is no id; {mend}")
        id_text(one, f"{where}, item {place}", "doc")
    return [(doc, float(len(hits) - place)) for place, doc in enumerate(hits)]


def _of_hit(hit: Mapping[Any, Any], where: str, names: Mapping[str, str]) -> tuple[Any, Any]:
    found = found_columns(where, list(hit), ("doc_id", "score"), {}, names)
    return hit[found["doc_id"]], hit[found["score"]]
