"""Files whose first line names the columns, as columns: the text stays as it is, and the places of its fields are found in it.

That is so of plain ones, where one character separates all fields and none is quoted, and none that is wanted is empty or begins with a
blank. What `csv` might read otherwise is left to it.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.evaluating.fast.arrays import NotColumnar
from rankproof.evaluating.fast.text_fields import Fields, Text, pieces_of, refuse_long_lines, text_of
from rankproof.evaluating.inputs.column_names import found_columns

LONGEST = 131_072
"""A field that is longer `csv` refuses; so the whole line is to be shorter."""
_LINE_END, _BLANK = 0x0A, 0x20


@dataclass(frozen=True)
class Separated:
    """Such a file: its text, where the first row begins, what the columns are called, and what separates them."""

    path: str
    text: Text
    start: int
    header: Sequence[str]
    separator: int

    def fields(self, wanted: Sequence[str], names: Mapping[str, str]) -> Iterator[Fields]:
        """The fields of these columns, piece by piece.

        Raises:
            NotColumnar: the file is for the readable path.
            BadInput: so it is, too: a column is missing.
        """
        found = found_columns(self.path, self.header, wanted, {}, names)
        return pieces_of(self.text, self.start, self._read, [self.header.index(found[name]) for name in wanted])

    def _read(self, low: int, high: int, columns: Sequence[int]) -> Fields:
        piece = self.text.array[low:high]
        found = np.flatnonzero((piece == self.separator) | (piece == _LINE_END))
        if len(found) % len(self.header):
            raise NotColumnar
        kinds = piece[found].reshape(-1, len(self.header))
        if not (kinds[:, -1] == _LINE_END).all() or not (kinds[:, :-1] == self.separator).all():
            raise NotColumnar
        starts, ends = np.append(0, found[:-1] + 1).reshape(kinds.shape), found.reshape(kinds.shape)
        refuse_long_lines(starts[:, 0], ends[:, -1], LONGEST)
        own_starts, own_ends = starts[:, columns], ends[:, columns]
        if not (own_ends > own_starts).all() or (piece[own_starts] == _BLANK).any():
            raise NotColumnar
        return [(starts[:, i] + low, ends[:, i] - starts[:, i]) for i in columns]


def separated(path: str, data: bytearray, separator: str) -> Separated:
    """The file that has this content.

    Raises:
        NotColumnar: it is for the readable path.
    """
    mark = separator.encode()
    if len(mark) != 1 or (separator.isspace() and separator != "\t") or any(odd in data for odd in (b'"', b"\0")):
        raise NotColumnar
    if b"\r" in data:
        if data.count(b"\r") != data.count(b"\r\n"):
            raise NotColumnar
        data = data.replace(b"\r\n", b"\n")
    text = text_of(data)
    start = text.data.find(b"\n") + 1
    try:
        line = text.data[:start].decode()
    except UnicodeDecodeError as error:
        raise NotColumnar from error
    header = next(csv.reader([line], delimiter=separator, strict=True, skipinitialspace=True), [])
    if len(header) < 2 or len(set(header)) < len(header) or start == text.size:  # noqa: PLR2004 - one separates nothing
        raise NotColumnar
    return Separated(path, text, start, header, mark[0])
