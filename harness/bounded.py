"""Reading of user files, pipes and standard input with limits on size, memory and waiting time."""

import errno
import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import IO, Any

from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

Paths = str | os.PathLike[str]
STDIN = "-"
WAIT = 5.0
"""Seconds to wait until a program writes into a named pipe."""
_CHUNK = 2**16
_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
    ),
)
"""Files with the limit, the use and the parts of the use of a container's memory: version 2 and version 1."""


LARGEST = 256 * 2**20
"""The largest file, or line of a file, in bytes."""
LARGEST_TOML = 4 * 2**20
"""The largest TOML file. The longest lock files have two megabytes, and Python parses one megabyte per second."""


class TooMuch(ValueError):
    """Input with more bytes than its limit."""


class BadDocument(Unusable):
    """A file that cannot be read, with the line of the problem."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def open_named(path: Paths) -> FileIO:
    """Open a file or pipe for reading, without a buffer.

    Raises:
        OSError: the file cannot be opened, or no program writes into the pipe.
    """
    if not is_pipe(path):
        return open(path, "rb", buffering=0)  # noqa: PTH123 - everything else opens files by this function
    pool = ThreadPoolExecutor(1)
    opened = pool.submit(open, path, "rb", buffering=0)
    try:
        return opened.result(WAIT)
    except BaseException as error:
        with suppress(OSError):  # opening the pipe for writing ends the thread's wait
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            opened.result().close()
        if isinstance(error, Late):
            why = f"no program wrote into this pipe within {WAIT:g} s"
            raise OSError(errno.EAGAIN, why, str(path)) from None
        raise
    finally:
        pool.shutdown(wait=False)


def is_pipe(path: Paths) -> bool:
    """Return whether a path is a pipe, whose content can be read only once."""
    with suppress(OSError, ValueError):  # the name is too long, or contains a NUL
        return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116 - a name may be an invalid path
    return False


def _chunks_of(file: IO[bytes], largest: int) -> Iterator[bytes]:
    size = 0
    while chunk := file.read(_CHUNK):
        size += len(chunk)
        if size > largest:
            raise TooMuch(f"more than {largest:,} bytes")
        yield chunk


def bytes_of(path: Paths, largest: int) -> bytes:
    """Return the bytes of a file or a pipe; `-` is the standard input.

    Raises:
        OSError: the file cannot be read.
        TooMuch: the file has more bytes than `largest`.
    """
    if os.fspath(path) == STDIN:
        return b"".join(_chunks_of(sys.stdin.buffer, largest))
    with open_named(path) as file:
        return b"".join(_chunks_of(file, largest))


def text_of(path: Paths, largest: int = LARGEST) -> str:
    """Return the text of a UTF-8 file, with line feeds as line ends.

    Raises:
        BadDocument: the file cannot be read, is too large, or is not UTF-8.
    """
    try:
        return decoded(bytes_of(path, largest)).replace("\r\n", "\n")
    except TooMuch as error:
        raise BadDocument(str(error)) from error
    except OSError as error:
        raise BadDocument((error.strerror or str(error)).lower()) from error


def toml_in(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        BadDocument: the text is not TOML, is nested too deep, or has a number with too many digits.
    """
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise BadDocument("nested too deep") from error
    except ValueError as error:
        message = str(error).partition("; use sys")[0]
        at = re.search(r" \((?:at line (\d+), column \d+|at end of document)\)", message)
        line = 1 if at is None else int(at[1] or text.count("\n") + 1)
        raise BadDocument(f"not TOML: {shortened(message.replace(at[0] if at else '', ''), 200)}", line) from error


def decoded(data: bytes) -> str:
    """Decode UTF-8.

    Raises:
        BadDocument: the bytes are not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadDocument(f"not UTF-8: {error.reason}", data.count(b"\n", 0, error.start) + 1) from error


def used_memory() -> int:
    """Return the memory that this process uses, in bytes."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def free_memory() -> int:
    """Return the bytes that this process can still use, within the limits of machine, container and process."""
    import psutil

    free = [int(psutil.virtual_memory().available)]
    for limit, used, parts in _CGROUPS:
        with suppress(OSError, ValueError):  # the file does not exist, or the limit is the word `max`
            whole = dict(line.split() for line in Path(parts).read_text(encoding="ascii").splitlines())
            room = int(Path(limit).read_text(encoding="ascii")) - int(Path(used).read_text(encoding="ascii"))
            free.append(room + int(whole.get("inactive_file", 0)))
    with suppress(ImportError, OSError):
        import resource

        largest = resource.getrlimit(resource.RLIMIT_AS)[0]
        if largest != resource.RLIM_INFINITY:
            free.append(largest - int(psutil.Process().memory_info().vms))
    return max(0, min(free))
