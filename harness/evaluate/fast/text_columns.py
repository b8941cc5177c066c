"""Reader of TREC files and files with a header, based on Arrow's CSV reader.

Arrow needs one separator between two fields, so other white space in a TREC file is first replaced by single blanks.
Fields that the standard library would refuse or read otherwise (empty, quoted or too long) are left to the exact path.
"""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from rankproof.evaluate.fast.arrays import NotColumnar
from rankproof.evaluate.inputs.input_files import InMemoryFile, whole
from rankproof.evaluate.inputs.reading import Reader
from rankproof.evaluate.inputs.rows import LONGEST, Columns
from rankproof.evaluate.inputs.text_files import TREC, header_of, separator_of

_BLOCK = 2**19
"""The number of bytes that a processor reads at once. Lines must be shorter."""
_OTHER_SPACE = b"\t\r\v\f"
_TO_BLANK = bytes.maketrans(_OTHER_SPACE, b" " * len(_OTHER_SPACE))
_TEXT = pa.dictionary(pa.int32(), pa.string())
_LINE_END = 0x0A


@dataclass(frozen=True)
class TextColumns(Columns):
    """Columns of a text file whose lines can be read again with the standard library."""

    reader: Any = None
    head: bytes = b""
    data: bytes = field(default=b"", repr=False)

    def pick(self, rows: Sequence[int]) -> Columns:
        """Read the lines of some rows again with the standard library."""
        chosen = np.asarray(rows)
        ends = np.flatnonzero(np.frombuffer(self.data, np.uint8) == _LINE_END)
        ends = ends if self.data.endswith(b"\n") else np.append(ends, len(self.data))
        starts = np.append(0, ends[:-1] + 1)
        if len(ends) == len(self):
            lines = [self.data[a:b] for a, b in zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True)]
        else:
            written = [line for line in self.data.split(b"\n") if line.strip()]
            lines = [written[row] for row in rows]
        again: Columns = self.reader.read(InMemoryFile("-", self.head + b"\n".join(lines) + b"\n"))
        return again


def read_text(path: str, reader: Reader) -> Columns:
    """Return the columns of a TREC file or a file with a header.

    Raises:
        NotColumnar: the exact path must read the file.
    """
    separator = separator_of(path, reader.separator)
    data = whole(path)
    again = replace(reader, separator=separator)
    if separator is None:
        return _trec(path, data, reader, again)
    blank = separator.isspace() and separator != "\t"
    if len(separator.encode()) != 1 or blank or b'"' in data or data.count(b"\r") != data.count(b"\r\n"):
        raise NotColumnar
    with _left_to_rows():
        data.decode()
        head = data[: data.find(b"\n") + 1]
        first = next(csv.reader([head.decode()], delimiter=separator, strict=True, skipinitialspace=True), [])
    header = header_of(path, first, separator)
    fields = reader.choose(header, path)
    value = fields.get("relevance" if reader.side == "qrels" else "score")
    names = {"query": fields["query_id"], "doc": fields["doc_id"], "value": value}
    if reader.needs_ranks:
        names["rank"] = fields["rank"]
    if header != first or value is None or len({*names.values()}) < len(names):
        raise NotColumnar
    return _read(data[len(head) :], separator, header, names, TextColumns(path, (), (), (), reader=again, head=head))


def _trec(path: str, data: bytes, reader: Reader, again: Reader) -> Columns:
    names = {"query": "query", "doc": "doc", "value": "rel" if reader.side == "qrels" else "score"}
    if reader.needs_ranks:
        names["rank"] = "rank"
    form, columns = TREC[reader.side], TextColumns(path, (), (), (), reader=again)
    first = data[: data.find(b"\n") + 1 or len(data)]
    separator = "\t" if b"\t" in first and b" " not in data else " "
    if not any(space in data for space in (bytes([byte]) for byte in _OTHER_SPACE) if space != separator.encode()):
        with suppress(NotColumnar):  # the reason may be two blanks between fields
            return _read(data, separator, form, names, columns)
    return replace(_read(_spaced(data), " ", form, names, columns), data=data)


def _spaced(data: bytes) -> bytes:
    """Return a text with a single blank between fields."""
    data = data.translate(_TO_BLANK)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _read(
    data: bytes, separator: str, header: Sequence[str], names: dict[str, str], columns: TextColumns
) -> TextColumns:
    """Return the named columns of a text.

    Raises:
        NotColumnar: a line has more or fewer fields, a field is empty or not a number, or an id is not UTF-8.
    """
    texts = header if not columns.head else names.values()
    kinds = dict.fromkeys(texts, _TEXT) | {names["value"]: pa.float64()}
    with _left_to_rows():
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=list(header), block_size=_BLOCK),
            arrow_csv.ParseOptions(delimiter=separator, quote_char=False),
            arrow_csv.ConvertOptions(
                column_types=kinds, include_columns=list(kinds), null_values=[], strings_can_be_null=False
            ),
            memory_pool=pa.system_memory_pool(),  # Arrow's own pool keeps memory for later
        )
    for name in kinds:
        if name != names["value"] and any(_is_odd(chunk, has_head=bool(columns.head)) for chunk in table[name].chunks):
            raise NotColumnar
    rank = table[names["rank"]].cast(pa.string()) if "rank" in names else None
    if rank is not None:
        if not pc.all(pc.match_substring_regex(rank, "^[-+]?[0-9]{1,15}$")).as_py():
            raise NotColumnar
        rank = pc.replace_substring_regex(rank, "^[+]", "").cast(pa.int64())
    query, doc, value = (table[names[name]] for name in ("query", "doc", "value"))
    return replace(columns, query=query, doc=doc, value=value, rank=rank, data=data)


def _is_odd(chunk: pa.DictionaryArray, *, has_head: bool) -> bool:
    """Return whether a field is empty, begins with a blank that `csv` would skip, or is longer than an id may be."""
    lengths = pc.binary_length(chunk.dictionary)
    if (pc.min(lengths).as_py() or 0) == 0 or pc.max(lengths).as_py() > LONGEST:
        return bool(len(chunk))
    return has_head and bool(pc.any(pc.starts_with(chunk.dictionary, " ")).as_py())


@contextmanager
def _left_to_rows() -> Iterator[None]:
    """Raise `NotColumnar` for errors that the exact path must report."""
    try:
        yield
    except (pa.ArrowException, csv.Error, UnicodeDecodeError) as error:
        raise NotColumnar from error
