"""Text files as named columns or values: TREC, CSV, TSV, JSON Lines and JSON, read with the standard library."""

import ast
import csv
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankproof.evaluate.inputs.column_names import KNOWN
from rankproof.evaluate.inputs.input_files import InMemoryFile, decoded, numbered_lines, plain_name
from rankproof.evaluate.inputs.rows import BadInput, Columns, Input, Value, Values, refuse_size
from rankproof.text import as_written

TREC = {"qrels": ("query", "iteration", "doc", "rel"), "run": ("query", "Q0", "doc", "rank", "score", "tag")}
"""The fields of a line of a TREC file."""
_SEPARATORS = {".csv": ",", ".tsv": "\t", ".inter": "\t"}
_RANKED = ("query_id", "doc_id", "rank")
"""The columns of MS MARCO runs, whose files have no header."""
_NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_NUMBER_AT = {4: 3, 6: 4}
"""The position of a number in lines of TREC qrels (4 fields) and runs (6 fields)."""


@dataclass(frozen=True)
class Table:
    """A table with named columns.

    Attributes:
        name: the path, or `the qrels`, `the run`.
        columns: the values of each column; numbers of text files are text.
        lines: the line of each row of a file.
        is_text: whether numbers are still text.
    """

    name: str
    columns: Mapping[Any, Values]
    lines: Sequence[int] = ()
    is_text: bool = False

    def where(self, row: int) -> str:
        """Return the place of a row, counted from 0, for a message."""
        return f"{self.name}:{self.lines[row]}" if self.lines else f"{self.name}, row {row + 1}"


# -- TREC files ----------------------------------------------------------------------------------------------------------


def read_trec(path: str, side: str) -> Columns:
    """Read TREC qrels or a TREC run. Only ASCII white space separates fields, so ids may have any other character.

    Raises:
        BadInput: a line has too many or too few fields, or the file is empty.
    """
    form, rows, lines = TREC[side], [], []
    for line, text in numbered_lines(path):
        fields = text.split()
        if len(fields) == len(form):
            rows.append(fields)
            lines.append(line)
        elif fields:
            raise BadInput(f"{path}:{line}", _wrong_fields(fields, form, side))
    if not rows:
        raise BadInput(f"{path}:1", f"the file is empty. Each line must have {' '.join(form)}.")
    read = {
        name: [decoded(path, line, field) for line, field in zip(lines, column, strict=True)]
        for name, column in zip(form, zip(*rows, strict=True), strict=True)
        if name not in {"iteration", "Q0", "tag"}
    }
    value = read["rel" if side == "qrels" else "score"]
    return Columns(path, read["query"], read["doc"], value, read.get("rank"), None, lines, is_text=True)


def _wrong_fields(fields: Sequence[bytes], form: Sequence[str], side: str) -> str:
    if any(b"\0" in field for field in fields):
        return "this is a binary file. Qrels and runs must be text files."
    other = "run" if side == "qrels" else "qrels"
    hint = f"Fields are split at white space; with a header, add --separator {'tab' if len(fields) > 1 else repr(',')}."
    if len(fields) == len(TREC[other]):
        hint = f"Is this {'a run' if other == 'run' else 'the qrels'}? The qrels come first, then the run."
    elif len(fields) == len(_RANKED) and side == "run":
        hint = "For `query doc rank`, add --separator tab."
    elif len(fields) > len(form):
        hint = "Does an id contain a blank?"
    count = f"{len(fields)} field{'s' * (len(fields) > 1)}"
    return f"{count} instead of {len(form)} ({' '.join(form)}). {hint}"


# -- files with a header -------------------------------------------------------------------------------------------------


def separator_of(path: str, separator: str | None) -> str | None:
    """Return the character between the fields of a file, or None for a TREC file.

    By default, it follows from the file name (.csv, .tsv, .inter). Spreadsheets write semicolons in .csv files if
    numbers have decimal commas. A file whose first line has the form of TREC is a TREC file.

    Raises:
        BadInput: the separator is not one character.
    """
    separator = {"\\t": "\t", "tab": "\t"}.get(separator or "", separator)
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise BadInput("separator", f"{separator!r} is not one character. Use ',', '|', tab or another.")
    implied = _SEPARATORS.get(Path(plain_name(path)).suffix)
    if separator is None and implied is None:
        return None
    line = (
        next((text for _, text in numbered_lines(path)), b"")
        if isinstance(path, InMemoryFile) or Path(path).is_file()
        else b""
    )  # a device is read once
    fields = line.split()
    is_separated = separator is not None and separator.encode() in line
    if not is_separated and len(fields) in _NUMBER_AT and _NUMBER.fullmatch(fields[_NUMBER_AT[len(fields)]]):
        return None
    is_of_spreadsheet = implied == "," and b";" in line and b"," not in line
    return separator or (";" if is_of_spreadsheet else implied)


def read_separated(path: str, separator: str) -> Table:
    """Read a file whose first line names the columns, or a run `query doc rank` without such a line.

    Raises:
        BadInput: a row has more or fewer fields than the header, or the file is empty.
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    texts = (decoded(path, line, text) for line, text in numbered_lines(path))
    reader = csv.reader(texts, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        for row in filter(None, reader):
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise BadInput(f"{path}:{reader.line_num}", f"the fields cannot be read: {error}") from error
    header = header_of(path, rows[0] if rows else [], separator)
    if header == _RANKED:
        _refuse_other_ranks(path, rows)
    else:
        rows, lines = rows[1:], lines[1:]
    if not rows:
        raise BadInput(f"{path}:2", "there is no row below the header")
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(header):
            raise BadInput(
                f"{path}:{line}", f"the row has {len(row)} fields, but the header names {len(header)} columns"
            )
    return Table(path, dict(zip(header, map(list, zip(*rows, strict=True)), strict=True)), lines, is_text=True)


def header_of(path: str, first: Sequence[str], separator: str) -> Sequence[str]:
    """Return the names of the columns.

    Raises:
        BadInput: the file is empty, it has only one column, or two names are equal.
    """
    if len(first) == len(_RANKED) and first[2].isdecimal() and KNOWN.isdisjoint(first):
        return _RANKED
    refuse_size(f"{path}:1", columns=len(first))
    if not first:
        raise BadInput(f"{path}:1", "the file is empty. Its first line must name the columns.")
    if len(first) == 1:
        what = f"the only column is {first[0]!r} if fields are separated by {separator!r}"
        raise BadInput(f"{path}:1", f"{what}. Name the right separator, as in --separator ';'")
    for name, count in Counter(first).items():
        if count > 1:
            raise BadInput(f"{path}:1", f"two columns are called {name!r}. Rename or drop one.")
    return first


def _refuse_other_ranks(path: str, rows: Sequence[Sequence[str]]) -> None:
    """Refuse whole numbers that are not ranks: every query must have rank 1."""
    first = {query for query, _, rank in rows if rank.strip() == "1"}
    other = next((query for query, *_ in rows if query not in first), None)
    if other is not None:
        what = f"the file has no header, and query {other!r} has no rank 1, so its numbers are not ranks"
        raise BadInput(f"{path}:1", f"{what}. Add a first line with the names of the columns, such as query,doc,score.")


# -- JSON ----------------------------------------------------------------------------------------------------------------


def read_json_lines(path: str) -> Table:
    """Read JSON Lines: one object per line, whose keys name the columns.

    Raises:
        BadInput: a line is not an object.
    """
    rows, lines = [], []
    for line, text in numbered_lines(path):
        if text.strip():
            rows.append(_parsed(path, line, decoded(path, line, text.strip())))
            lines.append(line)
    return table_of_objects(path, rows, lines)


def read_json(path: str) -> Input:
    """Read JSON: `{query: {doc: value}}`, `{query: [id, …]}`, a list of lists of ids, or a list of objects (a table).

    In a LlamaIndex dataset for question answering, the `relevant_docs` are read.

    Raises:
        BadInput: the file is not JSON, or has another value.
    """
    text = "\n".join(decoded(path, line, data.rstrip(b"\r\n")) for line, data in numbered_lines(path))
    value = _parsed(path, 1, text)
    if isinstance(value, dict):
        return value["relevant_docs"] if value.keys() >= {"queries", "corpus", "relevant_docs"} else value
    if isinstance(value, list) and value and not isinstance(value[0], dict):
        return value
    return table_of_objects(path, value if isinstance(value, list) else [value], ())


def table_of_objects(name: str, rows: Sequence[Any], lines: Sequence[int]) -> Table:
    """Return objects as a table with the keys of the first object. Other keys are left out.

    Raises:
        BadInput: a row is not an object, or lacks a key.
    """
    table = Table(name, {}, lines, is_text=True)
    if not rows:
        raise BadInput(f"{name}:1", 'the file is empty. Write objects such as {"query_id": …}.')
    for i, row in enumerate(rows):
        if not isinstance(row, dict):
            raise BadInput(table.where(i), f'a {type(row).__name__} instead of an object such as {{"query_id": …}}')
        refuse_size(table.where(i), columns=len(row))
        lacking = next((key for key in rows[0] if key not in row and key in KNOWN), None)
        if lacking is not None:
            raise BadInput(table.where(i), f"no {lacking} among {', '.join(map(str, row)) or 'no keys'}")
    return replace(table, columns={key: [row.get(key) for row in rows] for key in rows[0]})


def _parsed(path: str, line: int, text: str) -> Value:
    if not text.strip():
        raise BadInput(f"{path}:{line}", "the file is empty. Write an object such as {query: {doc: grade}}.")
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _distinct(f"{path}:{line}", pairs))
    except BadInput:
        raise
    except RecursionError as error:
        raise BadInput(f"{path}:{line}", "values are nested too deep") from error
    except ValueError as error:
        raise BadInput(f"{path}:{line + getattr(error, 'lineno', 1) - 1}", f"this is not JSON: {error}") from error


def _distinct(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    distinct = dict(pairs)
    if len(distinct) < len(pairs):
        key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise BadInput(where, f"an object has the key {as_written(key)} twice. Remove one of them.")
    return distinct


def list_in(text: Value) -> Value:
    """Return the list in a field of a CSV file, written as JSON or Python. Return any other field unchanged."""
    if isinstance(text, str) and text.strip().startswith("["):
        for read in (json.loads, ast.literal_eval):
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                value = read(text.strip())
                return value if isinstance(value, list) else text
    return text
