"""Tables of a row a question, whose relevant ids, or retrieved ids in rank order, are a list in one column.

So evaluations of retrieval for language models are written: both lists of a question stand in one row, and one file serves as qrels and as
run. The id of a question is that of a column for it; where there is none, questions are counted from 1 on.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from rankproof.evaluate.inputs.column_names import CALLED
from rankproof.evaluate.inputs.rows import BadInput, id_text
from rankproof.evaluate.inputs.separated_files import Separated
from rankproof.evaluate.inputs.tables import as_list, columns_in, is_column, is_file
from rankproof.text import as_written

OF_DOCS = ("id", "_id", *CALLED["doc_id"])
"""What a doc that is written as an object calls its id."""
OF_QUESTIONS = (*CALLED["query_id"], "question_id", "id", "_id")
"""What the column of their ids is called."""


def ids_by_question(source: Any, called: Sequence[str], names: Mapping[str, str], name: str) -> Any:  # noqa: ANN401 - any form
    """`{query: [id, …]}`, if one column holds lists of ids; else what was given.

    >>> ids_by_question({"qid": ["a", "b"], "relevant_ids": [["c2"], []]}, ["relevant_ids"], {}, "the qrels")
    {'a': ['c2'], 'b': []}

    Raises:
        BadInput: two columns could be meant, a row has no list, or two questions have one id.
    """
    have = columns_in(source)
    could_be = [one for one in ([names["doc_id"]] if "doc_id" in names else called) if one in have]
    if not could_be or ("doc_id" in names and not _holds_lists(_column(source, could_be[0]))):
        return source
    if len(could_be) > 1:
        what = f"{' or '.join(could_be)} could be the ids; say which by columns={{'doc_id': …}}, or --column doc_id=…"
        raise BadInput(_name(source, name), what)
    lists = _column(source, could_be[0])
    queries = _questions(source, have, names, len(lists), name)
    found: dict[str, Any] = {}
    for row, (query, ids) in enumerate(zip(queries, lists, strict=True), start=1):
        where = _row(source, name, row)
        if not is_column(ids):
            raise BadInput(where, f"{could_be[0]} is {as_written(ids)}, no list of ids")
        key = id_text(query, where, "query")
        if key in found:
            what = f"query {as_written(key)} stands there twice; give the questions ids, or leave the column out"
            raise BadInput(where, what)
        found[key] = [_id_of(one, where) for one in as_list(ids)]
    return found


def _id_of(one: Any, where: str) -> Any:  # noqa: ANN401 - an id, or a doc as an object
    """The id of a doc that is written as an object, as Haystack and LangChain write it."""
    if not isinstance(one, Mapping):
        return one
    ids = [one[name] for name in OF_DOCS if name in one]
    if len(ids) != 1:
        has = ", ".join(map(str, one)) or "nothing"
        raise BadInput(where, f"a doc with {has}, of which none, or several, is its id")
    return ids[0]


def _holds_lists(column: Sequence[Any]) -> bool:
    return len(column) > 0 and all(is_column(one) for one in column)


def _questions(source: Any, have: Sequence[Any], names: Mapping[str, str], count: int, name: str) -> Sequence[Any]:  # noqa: ANN401 - as above
    """The id of each question."""
    asked = names.get("query_id")
    if asked is not None and asked not in have:
        raise BadInput(_name(source, name), f"no {asked} among {', '.join(map(str, have))}")
    called = next((one for one in ([asked] if asked else OF_QUESTIONS) if one in have), None)
    return range(1, count + 1) if called is None else _as_it_stands(source, called)


def _as_it_stands(source: Any, column: str) -> Sequence[Any]:  # noqa: ANN401 - any table
    values: Sequence[Any] = source.values("doc_id", column) if is_file(source) else as_list(source[column])
    return values


def _column(source: Any, column: str) -> Sequence[Any]:  # noqa: ANN401 - any table
    values = _as_it_stands(source, column)
    return list(map(_list_in, values)) if isinstance(source, Separated) else values


def _list_in(text: str) -> Any:  # noqa: ANN401 - a list, or the text
    """The list that a field of a CSV holds, as JSON or as Python writes it; a text that is none as it is."""
    if not text.strip().startswith("["):
        return text
    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            found = read(text.strip())
            return found if isinstance(found, list) else text
    return text


def _name(source: Any, name: str) -> str:  # noqa: ANN401 - any table
    return getattr(source, "path", name)


def _row(source: Any, name: str, row: int) -> str:  # noqa: ANN401 - any table
    lines = getattr(source, "lines", ())
    return f"{source.path}:{lines[row - 1]}" if lines else f"{_name(source, name)}, row {row}"
