"""Several runs at once: a list of them, a mapping of systems to them, or one table parted by its column of systems."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import PurePath
from typing import Any

from rankproof.evaluate.inputs.arrow_tables import dict_of_arrow, is_arrow
from rankproof.evaluate.inputs.column_names import found_columns
from rankproof.evaluate.inputs.rows import RUN, BadInput, Rows
from rankproof.evaluate.inputs.tables import as_list, is_column, is_dict_of_lists, refuse_lengths
from rankproof.evaluate.inputs.trec_files import RUN_LINE, decoded, lines, score_in_file
from rankproof.text import as_written

_DOCS, _COLUMN, _RUN, _EMPTY, _OTHER = "docs with scores", "a list", "a run", "nothing", "no run"


def systems_of(run: Any, names: Mapping[str, str]) -> Mapping[str, Any] | None:  # noqa: ANN401 - any run, or several
    """The runs by the names of their systems; None if it is one run.

    A mapping of systems to runs says the names. In a list, a path is called as its file (or as it was given, where two
    files have that name), a table as the one system in its column of systems; and the i-th run is called run1, run2, …
    where there is no such name, or it is not the only one of that name.

    Raises:
        BadInput: some values of a mapping or a list are runs, and some are not.
    """
    if isinstance(run, Mapping):
        return _of_mapping(run, names)
    if isinstance(run, list | tuple) and run and not hasattr(run, "_fields"):
        kinds = [_kind(item) for item in run]
        if _RUN in kinds or _DOCS in kinds:
            for i, kind in enumerate(kinds, start=1):
                if kind not in {_RUN, _EMPTY}:
                    raise BadInput(RUN, f"item {i} of the list is {_told(run[i - 1], kind)} where a run is needed")
            return dict(zip(_names(list(run), names), run, strict=True))
    return None


def _of_mapping(run: Mapping[Any, Any], names: Mapping[str, str]) -> Mapping[str, Any] | None:
    if is_dict_of_lists(run, names, RUN):
        return None
    kinds = {key: _kind(value) for key, value in run.items()}
    if _RUN not in kinds.values():
        return None
    for key, kind in kinds.items():
        if kind not in {_RUN, _EMPTY}:
            one = next(key for key, kind in kinds.items() if kind == _RUN)
            what = f"{one!r} is {_told(run[one], _RUN)} and {key!r} is {_told(run[key], kind)}"
            mend = "give {query: {doc: score}}, a list for each column, or a run for each system"
            raise BadInput(RUN, f"{what}; {mend}")
        if not isinstance(key, str):
            raise BadInput(RUN, f"the system {key!r} is of type {type(key).__name__}; names of systems are text")
    return run


def _kind(value: Any) -> str:  # noqa: ANN401 - whatever stands there
    if isinstance(value, str | os.PathLike | Rows) or hasattr(value, "columns"):
        return _RUN
    if isinstance(value, Mapping):
        inner = next(iter(value.values()), None)
        return _EMPTY if not value else _RUN if isinstance(inner, Mapping) or is_column(inner) else _DOCS
    if isinstance(value, Iterator):
        return _RUN
    if is_column(value) and not hasattr(value, "_fields"):
        first = next(iter(value), None)
        return _RUN if hasattr(first, "_fields") else _COLUMN
    return _OTHER


def _told(value: object, kind: str) -> str:
    if kind == _RUN and isinstance(value, str | os.PathLike):
        return f"the path {str(value)!r}"
    return kind if kind != _OTHER else f"of type {type(value).__name__}"


def _names(runs: list[Any], names: Mapping[str, str]) -> list[str]:
    called = [_name(run, names) for run in runs]
    twice = {name for name, n in Counter(called).items() if n > 1}
    called = [
        os.fspath(run) if name in twice and isinstance(run, str | os.PathLike) else name
        for name, run in zip(called, runs, strict=True)
    ]
    often = Counter(called)
    taken = {name for name, n in often.items() if n == 1}
    numbered = [_numbered(i, taken) for i in range(1, len(runs) + 1)]
    return [name if name and often[name] == 1 else numbered[i] for i, name in enumerate(called)]


def _numbered(i: int, taken: set[str]) -> str:
    return next(name for n in count() if (name := f"run{i}" + "'" * n) not in taken)


def _name(run: Any, names: Mapping[str, str]) -> str:  # noqa: ANN401 - any run
    """What a run calls itself; nothing if it does not."""
    if isinstance(run, str | os.PathLike):
        return PurePath(os.fspath(run)).name
    column = names.get("system", "system")
    values: list[Any] = []
    if (isinstance(run, Mapping) or hasattr(run, "columns")) and column in list(getattr(run, "columns", run)):
        values = as_list(run[column])
    elif isinstance(run, list | tuple):
        values = [getattr(record, column, "") for record in run]
    found = list(dict.fromkeys(values)) if all(isinstance(value, str) for value in values) else []
    return found[0] if len(found) == 1 else ""


def by_system(run: Any, columns: Mapping[str, str] | None = None) -> dict[str, Any]:  # noqa: ANN401 - see Args
    """Part a run that holds several systems into a run of each.

    >>> by_system({"query": [0, 0], "docid": ["a", "b"], "score": [2, 1], "system": ["x", "y"]})["y"]
    {'query': [0], 'docid': ['b'], 'score': [1], 'system': ['y']}

    Args:
        run: a dict of lists, a frame, a table of Arrow, named tuples, or the path of a TREC file, whose tags are the systems.
        columns: what the column of the systems is called, as {"system": "ENGINE"}, if it is not called system.

    Returns:
        System -> its run, in the same form (of a file or of Arrow: a dict of lists), systems in the order in which they come.

    Raises:
        BadInput: there is no column of systems, or the file does not read.
    """
    names = columns or {}
    if isinstance(run, str | os.PathLike):
        run = _columns_of_file(os.fspath(run))
        names = {}
    if is_arrow(run):
        run = dict_of_arrow(run)
    if isinstance(run, Mapping):
        if not is_dict_of_lists(run, names, RUN):
            raise BadInput(RUN, "a dict of dict has no column of systems; give a dict of lists, a frame or a file")
        refuse_lengths(run, RUN)
        listed = {column: as_list(values) for column, values in run.items()}
        systems = listed[found_columns(RUN, list(run), ["system"], {}, names)["system"]]
        return {
            system: {column: [values[i] for i in rows] for column, values in listed.items()}
            for system, rows in _rows(systems).items()
        }
    if hasattr(run, "columns"):
        systems = run[found_columns(RUN, list(run.columns), ["system"], {}, names)["system"]].to_list()
        select = run.iloc if hasattr(run, "iloc") else run
        return {system: select[rows] for system, rows in _rows(systems).items()}
    return _of_records(run, names)


def _of_records(run: Any, names: Mapping[str, str]) -> dict[str, Any]:  # noqa: ANN401 - whatever was given
    if not is_column(run) and not isinstance(run, Iterator):
        raise BadInput(RUN, f"{type(run).__name__} is no dict of lists, frame, path or list of named tuples")
    records = list(run)
    systems = []
    for row, record in enumerate(records, start=1):
        have = list(getattr(record, "_fields", ()))
        found = found_columns(f"{RUN}, row {row}", have, ["system"], {}, names, of=type(record).__name__)
        systems.append(getattr(record, found["system"]))
    return {system: [records[i] for i in rows] for system, rows in _rows(systems).items()}


def _rows(systems: list[Any]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for i, system in enumerate(systems):
        if not isinstance(system, str):
            raise BadInput(f"{RUN}, row {i + 1}", f"the system is {as_written(system)}, no text")
        rows.setdefault(system, []).append(i)
    return rows


def _columns_of_file(path: str) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in ("query", "docid", "rank", "score", "system")}
    for line, (query, _, doc, rank, score, tag) in lines(path, RUN_LINE):
        row = (decoded(path, line, query), decoded(path, line, doc), _rank(rank), score_in_file(path, line, score))
        for column, value in zip(columns.values(), (*row, decoded(path, line, tag)), strict=True):
            column.append(value)
    return columns


def _rank(text: bytes) -> int | str:
    """A rank, which matters only where docs are ranked by it."""
    try:
        return int(text)
    except ValueError:
        return text.decode(errors="backslashreplace")


def read_name(name: str) -> str:
    """How a message calls the run of a system."""
    return f"{RUN} of {name}"
