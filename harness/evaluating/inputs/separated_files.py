"""Files whose first line names the columns, and whose fields a character separates: CSV and the like, plain or gzip."""

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.evaluating.inputs.bounded_files import at, numbered_lines, plain_name
from rankproof.evaluating.inputs.budget import refuse_many_columns
from rankproof.evaluating.inputs.rows import BadInput
from rankproof.evaluating.inputs.trec_files import decoded, rank_in_file, rel_in_file, score_in_file

IMPLIED = {".csv": ",", ".tsv": "\t", ".inter": "\t"}
_RANKED = ("query_id", "doc_id", "rank")
"""The columns of a run as MS MARCO has it, whose file does not name them."""
_WRITTEN = {"\\t": "\t", "tab": "\t"}
_NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_NUMBER_AT = {4: 3, 6: 4}
"""How many fields a line of TREC qrels or of a TREC run has, and which of them is a number."""
_READ = {"relevance": rel_in_file, "score": score_in_file, "rank": rank_in_file}


@dataclass(frozen=True)
class Separated:
    """The columns of such a file, and the line of each row."""

    path: str
    header: Sequence[str]
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.lines)

    def values(self, field: str, column: str) -> Sequence[Any]:
        """A column: ids as they stand there; rels, scores and ranks as numbers.

        Raises:
            BadInput: one is no number.
        """
        texts = self.columns[column]
        if field not in _READ:
            return texts
        read = _READ[field]
        return [read(self.path, line, text.strip().encode()) for line, text in zip(self.lines, texts, strict=True)]


def separator_of(path: str, given: str | None) -> str | None:
    """What separates the fields of a file; None of a TREC file.

    `.csv` and `.tsv` say it where nobody does. A file whose first line is one of TREC is a TREC file, whatever its name.

    Raises:
        BadInput: the separator is not one character.
    """
    separator = None if given is None else _WRITTEN.get(given, given)
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise BadInput("separator", f"{given!r} is not one character that separates fields, as ',' or '|' or tab")
    implied = IMPLIED.get(Path(plain_name(path)).suffix)
    if separator is None and implied is None:
        return None
    return None if _is_trec(path, separator) else separator or implied


def _is_trec(path: str, separator: str | None) -> bool:
    if not Path(path).is_file():  # of a pipe, no line can be read twice
        return False
    line = next((text for _, text in numbered_lines(path)), b"")
    if separator is not None and separator.encode() in line:
        return False
    fields = line.split()
    return len(fields) in _NUMBER_AT and bool(_NUMBER.fullmatch(fields[_NUMBER_AT[len(fields)]]))


def read_separated(path: str, separator: str) -> Separated:
    """Read such a file.

    Raises:
        BadInput: it does not read; the message has its line.
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    texts = (decoded(path, line, text) for line, text in numbered_lines(path))
    reader = csv.reader(texts, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if row:
                if not rows and _is_ranked(row):
                    rows.append(list(_RANKED))
                    lines.append(0)
                elif not rows:
                    _refuse_header(path, row, separator)
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise BadInput(at(path, reader.line_num), f"the fields do not read: {error}") from error
    if not rows:
        raise BadInput(at(path, 1), "the file is empty; its first line names the columns")
    header, *rows = rows
    if not rows:
        raise BadInput(at(path, 2), "there is no row below the line that names the columns")
    for line, row in zip(lines[1:], rows, strict=True):
        if len(row) != len(header):
            found = f"{len(row)} field{'s' * (len(row) > 1)}"
            raise BadInput(at(path, line), f"{found} where the first line names {len(header)} columns")
    return Separated(path, header, {name: [row[i] for row in rows] for i, name in enumerate(header)}, lines[1:])


def _is_ranked(first: list[str]) -> bool:
    """Whether the first line names no columns, and is the first rank of a run of three columns, as MS MARCO's: `1048585 D7187 1`."""
    return len(first) == len(_RANKED) and first[2] == "1"


def _refuse_header(path: str, header: list[str], separator: str) -> None:
    refuse_many_columns(at(path, 1), len(header))
    if len(header) == 1:
        what = (
            f"one column only, {header[0]!r}, where {separator!r} separates them; say what does: separator, --separator"
        )
        raise BadInput(at(path, 1), what)
    for name, n in Counter(header).items():
        if n > 1:
            raise BadInput(at(path, 1), f"two columns are called {name!r}; the first line names the columns")
