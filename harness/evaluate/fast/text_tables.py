"""Texts of fields as rows: TREC files, and files whose first line names the columns. Arrow's CSV reader splits them and reads the numbers.

It takes one separator between two fields. Where a TREC file has other white space, it is made one blank before. What the reader takes and
the readable path would refuse, or read otherwise, is left to that one: a field that is empty or quoted, a line that is too long.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from rankproof.evaluate.fast.arrays import Floats, Ints, NotColumnar
from rankproof.evaluate.fast.row_columns import Gathered, RowColumns
from rankproof.evaluate.inputs.budget import COLUMNS, LONGEST_LINE
from rankproof.evaluate.inputs.column_names import found_columns
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.inputs.standard_input import Held
from rankproof.evaluate.inputs.tables import OF_QRELS
from rankproof.evaluate.inputs.trec_files import rank_in_file

PIECE = 2**22
"""How many bytes are read at a time: what the reader needs beside what it finds is in proportion to it."""
BLOCK = 2**19
"""How many bytes of a piece one processor reads at a time."""
LONGEST_FIELD = 131_072
"""A field of a separated file that is longer `csv` refuses; so the whole line is to be shorter."""
_LINE_END = 0x0A
_OTHER_SPACE = (b"\t", b"\r", b"\v", b"\f")
_TO_BLANK = bytes.maketrans(b"".join(_OTHER_SPACE), b" " * len(_OTHER_SPACE))
_TEXT = pa.dictionary(pa.int32(), pa.string())
Bytes = bytes | bytearray


@dataclass(frozen=True)
class Text:
    """The bytes of a file of lines.

    Attributes:
        data: all of them.
        head: the first line, where it names the columns; nothing of a TREC file.
        separator: of the fields.
    """

    data: Bytes
    head: bytes = b""
    separator: str = " "

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Where pieces of whole lines begin and end."""
        low = len(self.head)
        while low < len(self.data):
            high = self.data.rfind(b"\n", low, low + PIECE) + 1 or self.data.find(b"\n", low) + 1 or len(self.data)
            yield low, high
            low = high


@dataclass(frozen=True)
class ReadText:
    """Rows that were read from a text.

    Attributes:
        text: what they were read from.
        rows: themselves.
        pieces: where each piece of the text begins and ends, and how many rows it has.
    """

    text: Text
    rows: RowColumns
    pieces: Sequence[tuple[int, int, int]]

    def lines(self, rows: Ints) -> Held:
        """The lines of these rows, ascending, as a file that the readable path reads."""
        found = Held("-")
        found.data = self.text.head + b"".join(line + b"\n" for line in self._lines(rows))
        return found

    def _lines(self, rows: Ints) -> Iterator[bytes]:
        start = 0
        for low, high, count in self.pieces:
            own = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + count)] - start
            if len(own):
                yield from _lines_of(self.text.data, low, high, own, count)
            start += count


def _lines_of(data: Bytes, low: int, high: int, rows: Ints, count: int) -> list[bytes]:
    """Some lines of a piece that has so many, blank ones not counted."""
    ends = _line_ends(data, low, high)
    if len(ends) == count:
        starts = np.append(low, ends[:-1] + 1)
        return [bytes(data[a:b]) for a, b in zip(starts[rows].tolist(), ends[rows].tolist(), strict=True)]
    written = [line for line in bytes(data[low:high]).split(b"\n") if line.strip()]
    return [written[row] for row in rows.tolist()]


def _line_ends(data: Bytes, low: int, high: int) -> Ints:
    """Where the lines of a piece end."""
    piece = np.frombuffer(data, np.uint8, high - low, low)
    ends = np.flatnonzero(piece == _LINE_END) + low
    return ends if len(piece) and piece[-1] == _LINE_END else np.append(ends, high)


# -- TREC files ------------------------------------------------------------------------------------------------------------


def trec_rows(text: Text, form: Sequence[str], *, ranks: bool = False) -> ReadText:
    """The qrels or the run of a TREC file, as the form of its lines says, with the ranks of a run if they are asked for.

    Raises:
        NotColumnar: they are for the readable path.
    """
    data = text.data
    wanted = ("query", "doc", "rel" if "rel" in form else "score", *(["rank"] if ranks else []))
    first = data[: data.find(b"\n") + 1 or len(data)]
    separator = "\t" if b"\t" in first and b" " not in first and b" " not in data else " "
    if not any(space in data for space in _OTHER_SPACE if space != separator.encode()):
        with suppress(NotColumnar):  # it may be for two blanks between fields
            return _rows(replace(text, separator=separator), form, form, wanted)
    read = _rows(Text(_spaced(data)), form, form, wanted)
    return replace(read, text=text, pieces=[(0, len(data), len(read.rows.values))])


def _spaced(data: Bytes) -> Bytes:
    """The same with one blank for all white space between two fields, and none around them."""
    data = data.translate(_TO_BLANK)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _rows(text: Text, names: Sequence[str], texts: Sequence[str], wanted: Sequence[str]) -> ReadText:
    """The rows of a text whose columns have these names, of which `texts` may hold nothing odd; `wanted` as for `separated_rows`.

    Raises:
        NotColumnar: one is; or a line is too long, or does not read.
    """
    query, doc, number, *rank = wanted
    kinds = dict.fromkeys(texts, _TEXT) | {number: pa.float64()}
    gathered, pieces = Gathered(), []
    for low, high in text.pieces():
        lengths = np.diff(np.append(low - 1, _line_ends(text.data, low, high)))
        if int(lengths.max(initial=0)) > (LONGEST_FIELD if text.head else LONGEST_LINE):
            raise NotColumnar
        table = _read(text, low, high, names, kinds)
        if any(_is_odd(chunk, text) for name in kinds if name != number for chunk in table[name].chunks):
            raise NotColumnar
        ranks = _whole_numbers(table[rank[0]]) if rank else None
        gathered.add(table[query].chunks, table[doc].chunks, _floats(table[number]), ranks)
        pieces.append((low, high, len(table)))
    return ReadText(text, gathered.rows(), pieces)


def _is_odd(chunk: pa.DictionaryArray, text: Text) -> bool:
    """Whether a field is empty, or begins with a blank, which `csv` would skip; in a TREC file, each white space separates two."""
    is_odd = pc.equal(pc.binary_length(chunk.dictionary), 0)
    if text.head:
        is_odd = pc.or_(is_odd, pc.starts_with(chunk.dictionary, " "))
    return bool(pc.any(is_odd).as_py())


def _read(text: Text, low: int, high: int, names: Sequence[str], kinds: Mapping[str, pa.DataType]) -> pa.Table:
    """Lines of that many fields as columns of these types.

    Raises:
        NotColumnar: a line has more fields or fewer, a field is no number, an id is no UTF-8.
    """
    read = arrow_csv.ReadOptions(column_names=list(names), block_size=BLOCK)
    parse = arrow_csv.ParseOptions(delimiter=text.separator, quote_char=False)
    convert = arrow_csv.ConvertOptions(
        column_types=dict(kinds), include_columns=list(kinds), null_values=[], strings_can_be_null=False
    )
    piece = pa.BufferReader(pa.py_buffer(text.data).slice(low, high - low))
    try:
        # The system's own memory: what Arrow keeps for later is as large as the file.
        return arrow_csv.read_csv(piece, read, parse, convert, memory_pool=pa.system_memory_pool())
    except pa.ArrowException as error:
        raise NotColumnar from error


def _floats(column: Any) -> Floats:  # noqa: ANN401 - chunks of Arrow
    return np.concatenate([chunk.to_numpy() for chunk in column.chunks] or [np.zeros(0)])


def _whole_numbers(column: Any) -> Ints:  # noqa: ANN401 - as above
    """Ranks, as the readable path reads their texts."""
    found = [np.zeros(0, dtype=np.int64)]
    for chunk in column.chunks:
        try:
            ranks = [rank_in_file("", 0, text.strip().encode()) for text in chunk.dictionary.to_pylist()]
            found.append(np.array(ranks, dtype=np.int64)[np.asarray(chunk.indices)])
        except (BadInput, OverflowError) as error:
            raise NotColumnar from error
    return np.concatenate(found)


# -- files whose first line names the columns ------------------------------------------------------------------------------


def separated(data: Bytes, separator: str) -> Text:
    """Such a file.

    Raises:
        NotColumnar: it is for the readable path: a field is quoted, or a line ends otherwise than others.
    """
    blank = separator.isspace() and separator != "\t"
    if len(separator.encode()) != 1 or blank or b'"' in data or data.count(b"\r") != data.count(b"\r\n"):
        raise NotColumnar
    try:  # the readable path decodes whole lines, Arrow the columns that it is asked for
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        raise NotColumnar from error
    return Text(data, bytes(data[: data.find(b"\n") + 1]), separator)


def separated_rows(text: Text, wanted: Sequence[str], names: Mapping[str, str]) -> ReadText:
    """The rows of such a file; `wanted` are the columns of its query, its doc, its number, and its rank if that is asked for.

    Raises:
        NotColumnar: it is for the readable path.
        BadInput: so it is, too: a column is missing.
    """
    header = _header(text)
    found = found_columns("", header, wanted, {}, names)
    columns = [found[name] for name in wanted]
    if len(set(columns)) < len(columns):
        raise NotColumnar
    return _rows(text, header, columns, columns)


def _header(text: Text) -> list[str]:
    try:
        lines = csv.reader([text.head.decode()], delimiter=text.separator, strict=True, skipinitialspace=True)
        header = next(lines, [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise NotColumnar from error
    if not len(OF_QRELS) <= len(header) <= COLUMNS or len(set(header)) < len(header):
        raise NotColumnar
    return header
