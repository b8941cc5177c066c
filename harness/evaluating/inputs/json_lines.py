"""JSON Lines: a row a line, an object whose keys name the columns; plain or packed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.evaluating.inputs.bounded_files import at, numbered_lines
from rankproof.evaluating.inputs.rows import BadInput
from rankproof.evaluating.inputs.trec_files import decoded

ENDINGS = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class JsonLines:
    """The rows of such a file, and the line of each."""

    path: str
    header: Sequence[str]
    """The keys of the first row."""
    rows: Sequence[dict[str, Any]]
    lines: Sequence[int]

    def values(self, _field: str, column: str) -> Sequence[Any]:
        """A column, as JSON has its values.

        Raises:
            BadInput: a row has no such key.
        """
        for line, row in zip(self.lines, self.rows, strict=True):
            if column not in row:
                raise BadInput(at(self.path, line), f"no {column} among {', '.join(row) or 'no key at all'}")
        return [row[column] for row in self.rows]

    def some(self, rows: Sequence[int]) -> "JsonLines":
        """Some of the rows, by their places from 0 on."""
        return JsonLines(self.path, self.header, [self.rows[i] for i in rows], [self.lines[i] for i in rows])


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
        written = decoded(path, line, text.strip())
        try:
            row = json.loads(written)
        except (ValueError, RecursionError) as error:
            raise BadInput(at(path, line), f"this is no JSON: {error}") from error
        if not isinstance(row, dict):
            raise BadInput(at(path, line), f'a {type(row).__name__} where an object is needed, as {{"query_id": …}}')
        rows.append(row)
        lines.append(line)
    if not rows:
        raise BadInput(at(path, 1), 'the file is empty; a line of it is an object, as {"query_id": …}')
    return JsonLines(path, list(rows[0]), rows, lines)
