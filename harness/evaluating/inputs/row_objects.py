"""Rows as objects in a list, `[{"query": …, "doc": …, "score": …}, …]`, as people have them before they make a frame: their columns."""

from collections.abc import Mapping
from typing import Any

from rankproof.evaluating.inputs.column_names import ALL_NAMES, OF_LISTS
from rankproof.evaluating.inputs.tables import is_column


def columns_of_rows(source: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - any form
    """The columns of rows that are objects in a list; what has another form is as it was.

    A row has the name of a column, with one value; or lists of ids under one of their names. Runs in a list are objects, too: of
    these each column is a list, and each query has a dict of its docs. Where a row has no such key as another, its value is None.

    >>> columns_of_rows([{"qid": "1", "docno": "a"}, {"qid": "1", "docno": "b"}], {})
    {'qid': ['1', '1'], 'docno': ['a', 'b']}
    """
    if not isinstance(source, list | tuple) or not source or not isinstance(source[0], Mapping):
        return source
    known = {*names.values(), *ALL_NAMES}
    if not all(isinstance(row, Mapping) and _is_row(row, known) for row in source):
        return source
    keys = dict.fromkeys(key for row in source for key in row)
    return {key: [row.get(key) for row in source] for key in keys}


def _is_row(row: Mapping[Any, Any], known: set[str]) -> bool:
    told = [value for key, value in row.items() if key in known]
    if any(is_column(value) or isinstance(value, Mapping) for value in told):
        return False
    return bool(told) or any(is_column(row[key]) for key in OF_LISTS & row.keys())
