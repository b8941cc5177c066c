"""Files whose first line names the columns, and whose fields a character separates: CSV and the like, plain or gzip."""

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.evaluate.inputs.bounded_files import at, numbered_lines, plain_name
from rankproof.evaluate.inputs.budget import refuse_many_columns
from rankproof.evaluate.inputs.column_names import ALL_NAMES
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.inputs.trec_files import decoded, rank_in_file, rel_in_file, score_in_file

SPREADSHEET = ";"
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
    texts: Mapping[str, Sequence[str]]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.lines)

    def values(self, field: str, column: str) -> Sequence[Any]:
        """A column: ids as they stand there; rels, scores and ranks as numbers.

        Raises:
            BadInput: one is no number.
        """
        texts = self.texts[column]
        if field not in _READ:
            return texts
        read = _READ[field]
        return [read(self.path, line, text.strip().encode()) for line, text in zip(self.lines, texts, strict=True)]


def separator_of(path: str, given: str | None) -> str | None:
    """What separates the fields of a file; None of a TREC file.

    `.csv` and `.tsv` say it where nobody does; a `.csv` of a spreadsheet has semicolons where numbers have commas. A file whose first
    line is one of TREC is a TREC file, whatever its name.

    Raises:
        BadInput: the separator is not one character.
    """
    separator = None if given is None else _WRITTEN.get(given, given)
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise BadInput("separator", f"{given!r} is not one character that separates fields, as ',' or '|' or tab")
    implied = IMPLIED.get(Path(plain_name(path)).suffix)
    if separator is None and implied is None:
        return None
    # Of a pipe no line can be read twice.
    line = next((text for _, text in numbered_lines(path)), b"") if Path(path).is_file() else b""
    if _is_trec(line, separator):
        return None
    is_of_spreadsheet = implied == "," and SPREADSHEET.encode() in line and b"," not in line
    return separator or (SPREADSHEET if is_of_spreadsheet else implied)


def _is_trec(line: bytes, separator: str | None) -> bool:
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
                if not rows:
                    unnamed = _are_ranks(row)
                    rows += [list(_RANKED)] * unnamed
                    lines += [0] * unnamed
                    _refuse_header(path, rows[0] if unnamed else row, separator)
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise BadInput(at(path, reader.line_num), f"the fields do not read: {error}") from error
    if not rows:
        raise BadInput(at(path, 1), "the file is empty; its first line names the columns")
    header, *rows = rows
    _refuse_rows(path, rows, lines, len(header))
    return Separated(path, header, {name: [row[i] for row in rows] for i, name in enumerate(header)}, lines[1:])


def _refuse_rows(path: str, rows: Sequence[Sequence[str]], lines: Sequence[int], columns: int) -> None:
    """Refuse what stands below the names of the columns where it is nothing, or a row has more or less."""
    if not rows:
        raise BadInput(at(path, 2), "there is no row below the line that names the columns")
    for line, row in zip(lines[1:], rows, strict=True):
        if len(row) != columns:
            found = f"{len(row)} field{'s' * (len(row) > 1)}"
            raise BadInput(at(path, line), f"{found} where the first line names {columns} columns")
    if lines[0] == 0:
        _refuse_other_ranks(path, rows)


def _are_ranks(first: list[str]) -> bool:
    """Whether the first line names no columns, and has a rank, as a run of three columns has it: `1048585 D7187 1`, as MS MARCO's."""
    return len(first) == len(_RANKED) and first[2].isdecimal() and ALL_NAMES.isdisjoint(first)


def _refuse_other_ranks(path: str, rows: Sequence[Sequence[str]]) -> None:
    """Refuse whole numbers that are no ranks, where no line says what they are: no query is without a first rank.

    Raises:
        BadInput: one is.
    """
    first = {query for query, _, rank in rows if rank.strip() == "1"}
    other = next((row[0] for row in rows if row[0] not in first), None)
    if other is not None:
        what = f"no line names the columns, and query {other!r} has no rank 1, so that these are no ranks"
        raise BadInput(at(path, 1), f"{what}; name them in the first line, as query,doc,score")


def _refuse_header(path: str, header: list[str], separator: str) -> None:
    refuse_many_columns(at(path, 1), len(header))
    if len(header) == 1:
        what = f"one column only, {header[0]!r}, where {separator!r} separates them"
        raise BadInput(at(path, 1), f"{what}; say what does: separator, --separator")
    for name, n in Counter(header).items():
        if n > 1:
            raise BadInput(at(path, 1), f"two columns are called {name!r}; the first line names the columns")
