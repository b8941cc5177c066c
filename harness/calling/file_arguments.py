"""Arguments that are paths: what stands in the files, and where they are while somebody holds their path."""

import csv
import io
import json
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankproof.calling.targets import Target

HELD_IN_FILES, TABS, NUMBERS, PATHS = "files", "tabs", "numbers", "paths"
"""A container may be a file and say more of it, as `files-tabs`: tabs stand between columns, ids are numbers, its path is a `Path`."""
HEADING, LINES, DICTS, LISTS, RECORDS = "csv", "jsonl", "json", "lists", "records"
"""What stands in a file if it is none of trec_eval's: a heading and rows, a line of JSON for each row, or one dict of all queries in JSON,
whose relevant docs are lists and no dicts of rels if it says so. Records are dicts of a query and its docs, a line each,
or all in a list."""
NAME_OF = {"qrels_file": "qrels", "run_file": "run", "ranked_file": "run"}
"""The roles that are files, and how each is called."""
Row = tuple[Any, ...]
_COLUMNS: Mapping[str, Callable[..., Row]] = {
    "qrels_file": lambda query, doc, rel: (query, 0, doc, rel),
    "run_file": lambda query, doc, score, rank: (query, "Q0", doc, rank, score, "run"),
    "ranked_file": lambda query, doc, _score, rank: (query, doc, rank),
}
"""The columns of their lines, as trec_eval and the script of MS MARCO read them."""
_UNDER_NAMES: Mapping[str, Callable[..., Row]] = {
    "qrels_file": lambda query, doc, rel: (query, doc, rel),
    "run_file": lambda query, doc, score, rank: (query, doc, score, rank),
    "ranked_file": lambda query, doc, _score, rank: (query, doc, rank),
}
"""The columns that have names."""
_NAMES_AT = {"qrels_file": (0, 1, 2), "run_file": (0, 1, 3, 4), "ranked_file": (0, 1, 3)}
"""Which of a target's columns they have: of the query, the doc, the rel, the score or the rank, and of the rank beside a score."""


def says(container: str, what: str) -> bool:
    """Whether a container says that of a file, or that it is one.

    >>> says("files-tabs", HELD_IN_FILES), says("files-tabs", NUMBERS), says("list", HELD_IN_FILES)
    (True, False, False)
    """
    kind, *more = container.split("-")
    return kind == HELD_IN_FILES and what in {kind, *more}


def can_stand_in_a_file(one: Any) -> bool:  # noqa: ANN401 - an id
    """Whether an id can be written in a column, and read back.

    >>> can_stand_in_a_file("d1"), can_stand_in_a_file(7), can_stand_in_a_file("d 1"), can_stand_in_a_file("")
    (True, True, False, False)
    """
    text = str(one)
    return text.split() == [text] and text.isprintable()


def text_of(target: Target, role: str, rows: Sequence[Row]) -> str:
    r"""What stands in the file of a role.

    >>> from rankproof.calling.call_forms import FILES, RANKED_FILES
    >>> text_of(Target("f", FILES, container="files"), "qrels_file", [("q1", "a", 2), ("q1", "b", 0)])
    'q1 0 a 2\nq1 0 b 0\n'
    >>> text_of(Target("f", RANKED_FILES, container="files-tabs"), "ranked_file", [("q1", "a", 1.0, 1), ("q1", "b", 0.5, 2)])
    'q1\ta\t1\nq1\tb\t2\n'
    >>> text_of(Target("f", FILES, container="files-csv", columns=("qid", "doc", "rel", "score")), "run_file", [("q1", "a", 1.0, 1)])
    'qid,doc,score\nq1,a,1.0\n'
    >>> text_of(Target("f", FILES, container="files-json"), "run_file", [("q1", "a", 1.0, 1), ("q1", "b", 0.5, 2)])
    '{"q1": {"a": 1.0, "b": 0.5}}\n'
    """
    container, between = target.container, "\t" if says(target.container, TABS) else " "
    if says(container, RECORDS):
        return _records(target, role, rows)
    if says(container, DICTS):
        return f"{json.dumps(_by_query(container, role, rows))}\n"
    if not (says(container, HEADING) or says(container, LINES)):
        return "".join(f"{between.join(map(str, _COLUMNS[role](*row)))}\n" for row in rows)
    names = [target.columns[at] for at in _NAMES_AT[role] if at < len(target.columns)]
    named = [_UNDER_NAMES[role](*row)[: len(names)] for row in rows]
    if says(container, LINES):
        return "".join(f"{json.dumps(dict(zip(names, row, strict=True)))}\n" for row in named)
    text = io.StringIO()
    csv.writer(text, delimiter=between.replace(" ", ","), lineterminator="\n").writerows([names, *named])
    return text.getvalue()


def _records(target: Target, role: str, rows: Sequence[Row]) -> str:
    """A dict of each query and its docs, by the keys that are read: of the relevant ones, of those in rank order, and of the query."""
    key, of_query = target.columns[role != "qrels_file"], target.columns[2:]
    by_query = _by_query(f"{HELD_IN_FILES}-{LISTS}", role, rows)
    every = [{**dict.fromkeys(of_query, query), key: docs} for query, docs in by_query.items()]
    told = [*map(json.dumps, every)] if says(target.container, LINES) else [json.dumps(every)]
    return "".join(f"{one}\n" for one in told)


def _by_query(container: str, role: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The rows by query: of each doc its rel or its score, or the docs alone where they are relevant or in rank order."""
    in_lists = role == "ranked_file" or (role == "qrels_file" and says(container, LISTS))
    found: dict[str, dict[str, float]] = {}
    for query, doc, number, *_ in rows:  # which are in rank order, where that is all that is told
        found.setdefault(str(query), {})[str(doc)] = number
    return {query: list(docs) if in_lists else docs for query, docs in found.items()}


def _file_name(container: str, role: str) -> str:
    kinds = {HEADING: "tsv" if says(container, TABS) else "csv", LINES: "jsonl", DICTS: "json"}
    return f"{NAME_OF[role]}.{next((end for what, end in kinds.items() if says(container, what)), 'txt')}"


class _Text(str):
    """A path that is a text."""

    __slots__ = ("__weakref__",)


class _Path(type(Path())):  # type: ignore[misc]  # its class depends on the system
    """A path as pathlib has it."""


def put(container: str, role: str, text: str) -> str | Path:
    """The path of a file of that text, which is there as long as somebody holds this path."""
    folder = tempfile.mkdtemp(prefix="rankproof-")
    file = Path(folder, _file_name(container, role))
    file.write_text(text, encoding="utf-8")
    held = _Path(file) if says(container, PATHS) else _Text(file)
    weakref.finalize(held, shutil.rmtree, folder, ignore_errors=True)
    return held


def written(container: str, role: str) -> str:
    """A path as a call shows it."""
    name = _file_name(container, role)
    return f"pathlib.Path({name!r})" if says(container, PATHS) else repr(name)


def lines(target: Target, rows: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """The lines of Python that write the files of these roles into a folder of their own, where they overwrite nobody's."""
    yield "folder = pathlib.Path(tempfile.mkdtemp())"
    for role, each in rows.items():
        file = f"(folder / {_file_name(target.container, role)!r})"
        yield f"{file}.write_text({text_of(target, role, each)!a}, encoding='utf-8')"
        yield f"{role} = {file[1:-1] if says(target.container, PATHS) else f'str{file}'}"
