"""Files of lines, plain or gzip, read with bounds: a file may be long, and no byte of it takes more than it is worth."""

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader, RawIOBase
from typing import IO, Any, cast

from rankproof.evaluating.inputs.rows import BadInput

LONGEST_LINE = 1_000_000
"""How many bytes a line has at most; those of the longest runs have some hundred."""
RATIO, FREE = 100, 2**20
"""How many times its size a gzip file may unpack to, once it is more than that many bytes; runs and qrels unpack to 5 to 20 times."""
LARGEST = 32 * 2**30
"""How many bytes a gzip file may unpack to; the runs of whole tracks are a gigabyte."""
CHUNK = 2**16
"""How many bytes are unpacked at a time."""
_GZIP = b"\x1f\x8b"
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive: unpack it",
    b"BZh": "compressed by bzip2: unpack it",
    b"\xfd7zXZ": "compressed by xz: unpack it",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
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
                if len(text) > LONGEST_LINE:
                    raise BadInput(
                        at(path, line), f"the line is longer than {LONGEST_LINE:,} bytes; are line ends missing?"
                    )
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
    with _opened(path) as file:
        data, count = bytearray(max(os.fstat(file.fileno()).st_size, CHUNK) if file.seekable() else CHUNK), 0
        while found := file.readinto(memoryview(data)[count:]):  # type: ignore[attr-defined]
            count += found
            if count == len(data):
                data += bytes(len(data))
        del data[count:]
        return data


def at(path: str, line: int) -> str:
    """The place of a line, for a message."""
    return f"{path}:{line}"


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The file, unpacked if it is gzip, whatever its name; a byte order mark is skipped."""
    with open(path, "rb") as file:  # noqa: PTH123 - the path may be a pipe
        head = file.peek(3)
        if not head.startswith(_GZIP):
            _skip_mark(path, file, head)
            yield file
            return
        packed = _Counted(file)
        with (
            gzip.GzipFile(fileobj=cast("Any", packed)) as unpacking,
            BufferedReader(cast("Any", _Bounded(path, packed, unpacking)), CHUNK) as unpacked,
        ):
            _skip_mark(path, unpacked, unpacked.peek(3))
            yield unpacked


@dataclass(slots=True)
class _Counted:
    """A packed file that counts what is read of it; of a pipe, nobody else can say."""

    file: BufferedReader
    count: int = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        found = self.file.read(size)
        self.count += len(found)
        return found


class _Bounded(RawIOBase):
    """What a packed file unpacks to, as long as it is no more than files of rankings are."""

    def __init__(self, path: str, packed: _Counted, unpacking: gzip.GzipFile) -> None:
        super().__init__()
        self._path, self._packed, self._unpacking, self._count = path, packed, unpacking, 0

    def readable(self) -> bool:
        """That it is."""
        return True

    def readinto(self, room: Any, /) -> int:  # noqa: ANN401 - a writable buffer, whose type Python 3.11 does not name
        """Fill the room with what comes next."""
        found = self._unpacking.readinto(room)
        self._count += found
        if self._count > LARGEST:
            self._refuse(f"more than {LARGEST:,} bytes")
        if self._count > FREE and self._count > RATIO * self._packed.count:
            self._refuse(f"more than {RATIO} times its size, as no run and no qrels do")
        return found

    def _refuse(self, what: str) -> None:
        raise BadInput(
            self._path, f"the gzip data unpacks to {what}; if it is right, unpack it yourself and give the plain file"
        )


def _skip_mark(path: str, file: BufferedReader, head: bytes) -> None:
    for magic, what in _OTHER_FORMATS.items():
        if head.startswith(magic):
            raise BadInput(at(path, 1), f"this is {what}")
    if b"\0" in head:
        raise BadInput(at(path, 1), "this is a binary file; qrels and runs are text")
    if head.startswith(b"\xef\xbb\xbf"):
        file.read(3)
