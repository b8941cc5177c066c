"""Files of lines, plain, gzip or zstd, read with bounds: a file may be long, and no byte of it takes more than it is worth."""

import gzip
import importlib
import importlib.util
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from typing import IO, Any, cast

from rankproof.evaluate.inputs.budget import (
    FREE,
    LARGEST,
    LONGEST_LINE,
    RATIO,
    TooMuch,
    refuse_large,
    refuse_many_rows,
)
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.inputs.standard_input import Held

CHUNK = 2**16
"""How many bytes are unpacked at a time."""
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ZIP = b"PK\x03\x04"
SPREADSHEETS = (".xlsx", ".ods")
_OTHER_FORMATS = {
    _ZIP: "a zip archive: unpack it",
    b"BZh": "compressed by bzip2: unpack it",
    b"\xfd7zXZ": "compressed by xz: unpack it",
    _ZSTD: "compressed by zstd: unpack it, or pip install rankproof[parquet]",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
    b"ARROW1": "a file of Arrow: write it as Parquet, or give pyarrow.feather.read_table(…) from Python",
    b"\x93NUMPY": "an array of numpy: give numpy.load(…) from Python",
}


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Every line with its number, from 1 on.

    Raises:
        BadInput: the file cannot be opened, is of another format, or is damaged; a line is too long; or it unpacks to too much.
    """
    line = 0
    try:
        with _opened(path) as file:
            for line, text in enumerate(iter(partial(file.readline, LONGEST_LINE + 1), b""), start=1):
                refuse_many_rows(path, line)
                if len(text) > LONGEST_LINE:
                    what = f"the line is longer than {LONGEST_LINE:,} bytes; are line ends missing?"
                    raise TooMuch(at(path, line), what)
                yield line, text
    except EOFError as error:
        raise BadInput(at(path, line + 1), "the gzip data ends too early; copy the file again") from error
    except (zlib.error, gzip.BadGzipFile) as error:
        raise BadInput(at(path, line + 1), f"the gzip data is damaged ({error}); copy the file again") from error
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error


def whole(path: str) -> bytearray:
    """All that a file holds, unpacked, in one piece.

    Raises:
        BadInput, EOFError, OSError, zlib.error: as `numbered_lines`, which says it with the line.
    """
    refuse_large(path, _size(path))
    with _opened(path) as file:
        data, count = bytearray(max(_size(path) + 1, CHUNK)), 0  # one more, so that the end is seen without more room
        while found := file.readinto(memoryview(data)[count:]):  # type: ignore[attr-defined]
            count += found
            if count == len(data):
                data += bytes(len(data))
        del data[count:]
        return data


def plain_name(path: str) -> str:
    """The name that a file has unpacked, in small letters.

    >>> plain_name("Run.CSV.gz"), plain_name("run.jsonl.zst"), plain_name("run.txt")
    ('run.csv', 'run.jsonl', 'run.txt')
    """
    return path.lower().removesuffix(".gz").removesuffix(".zst")


def _size(path: str) -> int:
    return len(path.data) if isinstance(path, Held) else os.stat(path).st_size  # noqa: PTH116 - a name is enough


def at(path: str, line: int) -> str:
    """The place of a line, for a message."""
    return f"{path}:{line}"


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The file, unpacked if it is packed, whatever its name; a byte order mark is skipped."""
    with _raw(path) as file:
        head = file.peek(4)
        kind = "gzip" if head.startswith(_GZIP) else "zstd" if head.startswith(_ZSTD) and has_arrow() else ""
        if not kind:
            _skip_mark(path, file, head)
            yield file
            return
        packed = _CountedFile(file)
        with (
            _unpacked(packed, kind) as unpacking,
            BufferedReader(cast("Any", _Bounded(path, packed, unpacking, kind)), CHUNK) as unpacked,
        ):
            _skip_mark(path, unpacked, unpacked.peek(3))
            yield unpacked


def _raw(path: str) -> BufferedReader:
    if isinstance(path, Held):
        return BufferedReader(cast("Any", BytesIO(path.data)))
    return open(path, "rb")  # noqa: PTH123 - the path may be a pipe; who asked closes it


def has_arrow() -> bool:
    """Whether there is what reads zstd."""
    return importlib.util.find_spec("pyarrow") is not None


def _unpacked(packed: "_CountedFile", kind: str) -> Any:  # noqa: ANN401 - a file, of Python or of Arrow
    if kind == "gzip":
        return gzip.GzipFile(fileobj=cast("Any", packed))
    arrow = importlib.import_module("pyarrow")
    return arrow.CompressedInputStream(arrow.PythonFile(packed, mode="r"), kind)


@dataclass(slots=True)
class _CountedFile:
    """A packed file that counts what is read of it; of a pipe, nobody else can say."""

    file: BufferedReader
    count: int = 0
    closed = False

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        found = self.file.read(size)
        self.count += len(found)
        return found

    def close(self) -> None:
        """Nothing: who opened the file closes it."""


class _Bounded(RawIOBase):
    """What a packed file unpacks to, as long as it is no more than files of rankings are."""

    def __init__(self, path: str, packed: _CountedFile, unpacking: Any, kind: str) -> None:  # noqa: ANN401 - as `_unpacked`
        super().__init__()
        self._path, self._packed, self._unpacking, self._count, self._kind = path, packed, unpacking, 0, kind

    def readable(self) -> bool:
        """That it is."""
        return True

    def readinto(self, room: Any, /) -> int:  # noqa: ANN401 - a writable buffer, whose type Python 3.11 does not name
        """Fill the room with what comes next."""
        try:
            found: int = self._unpacking.readinto(room)
        except OSError as error:
            if self._kind == "gzip":
                raise
            raise BadInput(self._path, f"the zstd data is damaged ({error}); copy the file again") from error
        self._count += found
        if self._count > LARGEST:
            self._refuse(f"more than {LARGEST:,} bytes")
        if self._count > FREE and self._count > RATIO * self._packed.count:
            self._refuse(f"more than {RATIO} times its size, as no run and no qrels do")
        return found

    def _refuse(self, what: str) -> None:
        mend = "if it is right, unpack it yourself and give the plain file"
        raise TooMuch(self._path, f"the {self._kind} data unpacks to {what}; {mend}")


def _skip_mark(path: str, file: BufferedReader, head: bytes) -> None:
    if path.lower().endswith(SPREADSHEETS) and head.startswith(_ZIP):
        raise BadInput(at(path, 1), "this is a spreadsheet: save it as CSV")
    for magic, what in _OTHER_FORMATS.items():
        if head.startswith(magic):
            raise BadInput(at(path, 1), f"this is {what}")
    if b"\0" in head:
        raise BadInput(at(path, 1), "this is a binary file; qrels and runs are text")
    if head.startswith(b"\xef\xbb\xbf"):
        file.read(3)
