"""JSON Lines: a row a line, an object whose keys name the columns; and JSON: one value; plain or packed."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.evaluate.inputs.bounded_files import at, numbered_lines
from rankproof.evaluate.inputs.budget import NESTING, TooMuch, refuse_many_columns
from rankproof.evaluate.inputs.lists import flags_of
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.inputs.trec_files import decoded
from rankproof.text import as_written

ENDINGS = (".jsonl", ".ndjson")
JSON = ".json"
LLAMA_INDEX = frozenset({"queries", "corpus", "relevant_docs"})
"""The keys of its dataset for question answering."""
NUMBERS = ("score", "rank")
"""What is a number and never a truth; a rel of true is 1."""
_NESTING = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]')


@dataclass(frozen=True)
class JsonLines:
    """The rows of such a file, and the line of each."""

    path: str
    header: Sequence[str]
    """The keys of the first row."""
    rows: Sequence[dict[str, Any]]
    lines: Sequence[int]
    """Nothing of a list of objects in JSON, whose rows are counted."""

    def __len__(self) -> int:
        return len(self.rows)

    def values(self, field: str, column: str) -> Sequence[Any]:
        """A column, as JSON has its values.

        Raises:
            BadInput: a row has no such key, or a score or a rank is a truth.
        """
        for i, row in enumerate(self.rows):
            if column not in row:
                raise BadInput(self._where(i), f"no {column} among {', '.join(row) or 'no key at all'}")
            if field in NUMBERS and isinstance(row[column], bool):
                raise BadInput(self._where(i), f"the {field} is {json.dumps(row[column])}, no number")
        return [row[column] for row in self.rows]

    def some(self, rows: Sequence[int]) -> "JsonLines":
        """Some of the rows, by their places from 0 on."""
        lines = [self.lines[i] for i in rows] if self.lines else ()
        return JsonLines(self.path, self.header, [self.rows[i] for i in rows], lines)

    def _where(self, row: int) -> str:
        return at(self.path, self.lines[row]) if self.lines else f"{self.path}, row {row + 1}"


def read_json_lines(path: str) -> JsonLines:
    """Read such a file.

    Raises:
        BadInput: a line is no object; the message has its number.
    """
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        row = _row(path, line, decoded(path, line, text.strip()))
        if not isinstance(row, dict):
            raise BadInput(at(path, line), f'{_kind(row)} where an object is needed, as {{"query_id": …}}')
        refuse_many_columns(at(path, line), len(row))
        rows.append(row)
        lines.append(line)
    if not rows:
        raise BadInput(at(path, 1), 'the file is empty; a line of it is an object, as {"query_id": …}')
    return JsonLines(path, list(rows[0]), rows, lines)


def _kind(value: object) -> str:
    """What a value is that is no object, in the words of JSON."""
    kinds = {str: "a text", list: "a list", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def read_json(path: str) -> Any:  # noqa: ANN401 - an object as it is, a list of objects as rows
    """The value that a file of JSON holds: `{query: {doc: x}}`, `{query: [id, …]}`, or a list of objects whose keys name the columns.

    A list of lists is that of the queries 1, 2 and so on. Of LlamaIndex's dataset for question answering, `relevant_docs` are the value.

    Raises:
        BadInput: it is no JSON, or holds something else.
    """
    text = "\n".join(decoded(path, line, each.rstrip(b"\r\n")) for line, each in numbered_lines(path))
    if not text.strip():
        raise BadInput(at(path, 1), "the file is empty; it holds an object, as {query: {doc: rel}}")
    found = _row(path, 1, text)
    if isinstance(found, dict):
        return found["relevant_docs"] if found.keys() >= LLAMA_INDEX else found
    if isinstance(found, list) and found and all(isinstance(one, list) for one in found):
        return {str(place): one for place, one in enumerate(found, start=1)}
    if not isinstance(found, list) or not found or not all(isinstance(row, dict) for row in found):
        what = f"{_kind(found)} where an object is needed, as {{query: {{doc: rel}}}}, or a list of objects"
        raise BadInput(path, what + if_ranks(found, "ranks"))
    for i, row in enumerate(found, start=1):
        refuse_many_columns(f"{path}, row {i}", len(row))
    return JsonLines(path, list(found[0]), found, ())


def if_ranks(found: object, ranks: str) -> str:
    """What to do where a value of JSON, a list or the values of an object, may be the ranks of first hits; "" where it may not."""
    values = list(found.values()) if isinstance(found, dict) else found
    numbers = isinstance(values, list) and bool(values) and all(one is None or type(one) is int for one in values)
    mend = f"{flags_of(ranks)}, to rankproof.evaluate in Python"
    return f"; if these are the ranks of first hits, {mend}" if numbers else ""


def _row(path: str, line: int, text: str) -> Any:  # noqa: ANN401 - whatever JSON says
    if text.count("[") + text.count("{") > NESTING and _depth(text) > NESTING:
        raise TooMuch(at(path, line), f"values are nested in one another more than {NESTING} deep")
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except _Twice as error:
        what = f"the key {as_written(error.args[0])} stands there twice; leave one of them"
        raise BadInput(at(path, line), what) from error
    except ValueError as error:
        raise BadInput(at(path, line + getattr(error, "lineno", 1) - 1), f"this is no JSON: {error}") from error


def _depth(text: str) -> int:
    """How deep values are nested; of what is no JSON, anything."""
    depth = deepest = 0
    for token in _NESTING.findall(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token, 0)
        deepest = max(deepest, depth)
    return deepest


class _Twice(ValueError):
    """A key stands twice in an object; it is what the error holds."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        often = Counter(key for key, _ in pairs)
        raise _Twice(next(key for key, n in often.items() if n > 1))
    return found
