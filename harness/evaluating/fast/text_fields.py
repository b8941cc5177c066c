"""Where the fields of a text stand: lines of as many fields as a form has, found by the column.

A text is read by the piece of whole lines. In most, one blank or tab stands between two fields and every line has them all, so the
places of the separators are a table already; in any other, runs of white space are taken as one and blank lines left out. What the
readable path would refuse, or might read otherwise, is left to it: a line too long, too few fields, a NUL, ids that are not UTF-8.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.evaluating.fast.arrays import Bytes, Ints, NotColumnar
from rankproof.evaluating.fast.id_words import PAD
from rankproof.evaluating.inputs.bounded_files import LONGEST_LINE

PIECE = 2**19
"""How many bytes are looked at at once: their columns stay in the cache."""
_BLANK, _LINE_END = 0x20, 0x0A
_SPACE = np.zeros(256, dtype=np.bool_)
_SPACE[list(b" \t\n\r\v\f")] = True

Fields = list[tuple[Ints, Ints]]
"""Of each wanted field: where it starts in the text of each line, and how long it is."""


@dataclass(frozen=True)
class Text:
    """The bytes of a file, and zeros behind them, so that whole words are read."""

    data: bytearray
    size: int

    @property
    def array(self) -> Bytes:
        """All bytes."""
        return np.frombuffer(self.data, np.uint8)


def text_of(data: bytearray) -> Text:
    """A text of these bytes, whose last line ends."""
    if not data.endswith(b"\n"):
        data += b"\n"
    size = len(data)
    data += bytes(PAD)
    return Text(data, size)


def pieces(text: Text, form: Sequence[str], wanted: Sequence[str]) -> Iterator[Fields]:
    """The wanted fields of all lines, piece by piece.

    Raises:
        NotColumnar: a line has not that form.
    """
    width = len(form)

    def read(low: int, high: int, columns: Sequence[int]) -> Fields:
        return _fields(text, low, high, width, columns)

    return pieces_of(text, 0, read, [form.index(name) for name in wanted])


def pieces_of(
    text: Text, low: int, read: Callable[[int, int, Sequence[int]], Fields], columns: Sequence[int]
) -> Iterator[Fields]:
    """The fields of these columns, as `read` finds them in whole lines of UTF-8 from a place to another.

    Raises:
        NotColumnar: it does not find them.
    """
    while low < text.size:
        high = text.data.rfind(b"\n", low, low + PIECE) + 1 or text.data.find(b"\n", low) + 1
        high = min(high, text.size)
        _refuse_other_than_utf8(bytes(text.array[low:high]))
        yield read(low, high, columns)
        low = high


def _fields(text: Text, low: int, high: int, width: int, columns: Sequence[int]) -> Fields:
    piece = text.array[low:high]
    found = np.flatnonzero(piece <= _BLANK)
    marks = piece[found]
    table = _table(found, marks, width)
    starts, ends = table if table is not None else _gathered(found, marks, width)
    return [(starts[:, i] + low, ends[:, i] - starts[:, i]) for i in columns]


def _refuse_other_than_utf8(piece: bytes) -> None:
    if not piece.isascii():
        try:
            piece.decode()
        except UnicodeDecodeError as error:
            raise NotColumnar from error


def _table(found: Ints, marks: Bytes, width: int) -> tuple[Ints, Ints] | None:
    """The starts and the ends of fields, where one separator stands behind each; None where that is not so."""
    if len(found) % width:
        return None
    kinds = marks.reshape(-1, width)
    if not (kinds[:, -1] == _LINE_END).all() or not (kinds[:, :-1] == marks[0]).all() or not _SPACE[marks[0]]:
        return None
    starts = np.empty_like(found)
    starts[0] = 0
    starts[1:] = found[:-1] + 1
    if marks[0] == _LINE_END or not (found > starts).all():
        return None
    ends = found.reshape(-1, width)
    refuse_long_lines(starts.reshape(-1, width)[:, 0], ends[:, -1])
    return starts.reshape(-1, width), ends


def _gathered(found: Ints, marks: Bytes, width: int) -> tuple[Ints, Ints]:
    """The same of lines that hold any white space, blank lines left out."""
    if not _SPACE[marks].all():
        raise NotColumnar
    line = np.cumsum(marks == _LINE_END)
    line_ends = found[marks == _LINE_END]
    refuse_long_lines(np.append(0, line_ends[:-1] + 1), line_ends)
    starts = np.append(0, found[:-1] + 1)
    some = found > starts
    starts, ends, line = starts[some], found[some], (line - (marks == _LINE_END))[some]
    if len(starts) % width:
        raise NotColumnar
    lines = line.reshape(-1, width)
    if not (lines == lines[:, :1]).all() or not (np.diff(lines[:, 0]) > 0).all():
        raise NotColumnar
    return starts.reshape(-1, width), ends.reshape(-1, width)


def refuse_long_lines(starts: Ints, ends: Ints, longest: int = LONGEST_LINE) -> None:
    """Leave lines that are so long to the readable path.

    Raises:
        NotColumnar: there is one.
    """
    if int((ends - starts).max(initial=0)) >= longest:
        raise NotColumnar
