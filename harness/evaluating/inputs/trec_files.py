"""TREC files: qrels `query iteration doc rel`, runs `query Q0 doc rank score tag`; plain or gzip."""

import gzip
import math
import re
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import IO, Any, cast

from rankproof.evaluating.inputs.rows import BadInput, Rows, scored
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, Rel, Row

QRELS_LINE = ("query", "iteration", "doc", "rel")
RUN_LINE = ("query", "Q0", "doc", "rank", "score", "tag")
_SHOWN = 40
_GZIP = b"\x1f\x8b"
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive: unpack it",
    b"BZh": "compressed by bzip2: unpack it",
    b"\xfd7zXZ": "compressed by xz: unpack it",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}


def qrels_of_file(path: str) -> Rows[Judgment]:
    """The qrels of a TREC file."""
    of: dict[str, list[Judgment]] = {}
    numbers: dict[str, array[int]] = {}
    rels: dict[bytes, Rel] = {}
    known: dict[bytes, str] = {}
    for line, fields in lines(path, QRELS_LINE):
        query, _, doc, rel = fields
        if query not in known:
            known[query] = name = decoded(path, line, query)
            of[name], numbers[name] = [], array("Q")
        if rel not in rels:
            rels[rel] = rel_in_file(path, line, rel)
        of[known[query]].append(Judgment(decoded(path, line, doc), rels[rel]))
        numbers[known[query]].append(line)
    return Rows(path, of, numbers, "line")


def run_of_file(path: str, conventions: Conventions) -> Rows[Row]:
    """The run of a TREC file; ranks are read where the order asks for them."""
    by_rank, asked = conventions.order == "rank", scored(conventions)
    of: dict[str, list[Row]] = {}
    numbers: dict[str, array[int]] = {}
    known: dict[bytes, str] = {}
    for line, fields in lines(path, RUN_LINE):
        query, _, doc, rank, score, _ = fields
        if query not in known:
            known[query] = name = decoded(path, line, query)
            of[name], numbers[name] = [], array("Q")
        value = score_in_file(path, line, score)
        if asked and value != value:  # noqa: PLR0124 - only NaN differs from itself, and this is the fastest way to ask
            raise BadInput(at(path, line), f"the score {_shown(score)} is no number: no order is right")
        place = rank_in_file(path, line, rank) if by_rank else 0
        of[known[query]].append(Row(decoded(path, line, doc), value, place))
        numbers[known[query]].append(line)
    return Rows(path, of, numbers, "line")


def lines(path: str, form: tuple[str, ...]) -> Iterator[tuple[int, list[bytes]]]:
    """The lines that are not blank, with their numbers, split into as many fields as the form has.

    Lines are split as bytes: only ASCII white space separates fields, so that an id may hold any other character.
    """
    line, wanted, none = 0, len(form), True
    try:
        with opened(path) as file:
            for line, text in enumerate(file, start=1):
                fields = text.split()
                if len(fields) == wanted:
                    none = False
                    yield line, fields
                elif fields:
                    raise BadInput(at(path, line), _wrong_fields(fields, form))
    except EOFError as error:
        raise BadInput(at(path, line + 1), "the gzip data ends too early; copy the file again") from error
    except (zlib.error, gzip.BadGzipFile) as error:
        raise BadInput(at(path, line + 1), f"the gzip data is damaged ({error}); copy the file again") from error
    if none:
        raise BadInput(at(path, 1), f"the file is empty; a line of it is: {' '.join(form)}")


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """The file as lines of bytes, unpacked if it is gzip, whatever its name; a byte order mark is skipped."""
    try:
        file = open(path, "rb")  # noqa: PTH123, SIM115 - closed below; the path may be a pipe
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error
    with file:
        head = _peek(path, file)
        if not head.startswith(_GZIP):
            _skip_mark(path, file, head)
            yield file
            return
        with gzip.GzipFile(fileobj=file) as packed, BufferedReader(cast("Any", packed)) as unpacked:
            _skip_mark(path, unpacked, unpacked.peek(3))
            yield unpacked


def _peek(path: str, file: BufferedReader) -> bytes:
    try:
        return file.peek(3)
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error


def _skip_mark(path: str, file: BufferedReader, head: bytes) -> None:
    for magic, what in _OTHER_FORMATS.items():
        if head.startswith(magic):
            raise BadInput(at(path, 1), f"this is {what}")
    if b"\0" in head:
        raise BadInput(at(path, 1), "this is a binary file; qrels and runs are text")
    if head.startswith(b"\xef\xbb\xbf"):
        file.read(3)


def _wrong_fields(fields: list[bytes], form: tuple[str, ...]) -> str:
    found, wanted = len(fields), len(form)
    other = {len(QRELS_LINE): "the qrels", len(RUN_LINE): "a run"}.get(found)
    if any(b"\0" in text for text in fields):
        return "this is a binary file; qrels and runs are text"
    if other:
        hint = f"is it {other}?"
    elif found < wanted:
        hint = f"is the {form[found]} missing?" if found == wanted - 1 else "they are separated by white space"
    else:
        hint = "has an id a blank in it?"
    return f"{found} field{'s' * (found > 1)} where {wanted} are needed, {' '.join(form)}; {hint}"


def decoded(path: str, line: int, text: bytes) -> str:
    """An id as text."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        shown = text[:_SHOWN].decode(errors="backslashreplace")
        what = f"'{shown}' is not UTF-8; convert the file, as by iconv -f latin1 -t utf-8"
        raise BadInput(at(path, line), what) from error


def score_in_file(path: str, line: int, text: bytes) -> float:
    """A score; NaN is one."""
    try:
        if b"_" not in text:  # float() reads 1_000 as a number, which no other reader of TREC files does
            return float(text)
    except ValueError:
        pass
    raise BadInput(at(path, line), f"the score {_shown(text)} is no number")


def rank_in_file(path: str, line: int, text: bytes) -> int:
    """A rank."""
    if re.fullmatch(rb"[-+]?\d+", text):
        return int(text)
    raise BadInput(at(path, line), f"the rank {_shown(text)} is no whole number, and order=rank ranks by it")


def rel_in_file(path: str, line: int, text: bytes) -> Rel:
    """A rel."""
    if re.fullmatch(rb"[-+]?\d+", text):
        return int(text)
    try:
        rel = float(text)
    except ValueError:
        rel = math.nan
    if not math.isfinite(rel) or b"_" in text:
        raise BadInput(at(path, line), f"the rel {_shown(text)} is no finite number")
    return rel


def at(path: str, line: int) -> str:
    """The place of a line, for a message."""
    return f"{path}:{line}"


def _shown(text: bytes) -> str:
    return repr(text[:_SHOWN].decode(errors="backslashreplace"))
