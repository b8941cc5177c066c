"""Files of qrels and runs (plain, gzip or zstd): finding and opening them, and reading their lines within limits."""

import glob
import gzip
import importlib
import importlib.util
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from io import BufferedReader, BytesIO
from pathlib import Path, PurePath
from typing import IO, Any, Self, cast

from rankproof.bounded import STDIN, Paths, TooMuch, bytes_of, free_memory, is_pipe, open_named, used_memory
from rankproof.evaluate.inputs.rows import LONGEST, BadInput, Input, TooLarge, refuse_size

RATIO, FREE = 100, 2**20
"""The largest unpacked size of a file: this many times its size (runs need 5 to 20), and at least this many bytes."""
PARTS_OF_MEMORY = 12
"""The free memory divided by the largest text; as columns, runs take 10 to 12 times the size of their text."""
_CHUNK = 2**16
_LINES_AT_ONCE = 2**15
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_OTHER_FORMATS = {
    _ZIP: "a zip archive or a spreadsheet. Unpack it, or save it as CSV.",
    b"BZh": "compressed by bzip2. Unpack it first.",
    b"\xfd7zXZ": "compressed by xz. Unpack it first.",
    _ZSTD: "compressed by zstd. Unpack it first, or run pip install 'rankproof[parquet]'",
    b"\xff\xfe": "UTF-16 text. Save it as UTF-8.",
    b"\xfe\xff": "UTF-16 text. Save it as UTF-8.",
    b"ARROW1": "an Arrow file. Write it as Parquet, or pass pyarrow.feather.read_table(…) in Python.",
    b"\x93NUMPY": "a NumPy array. Pass numpy.load(…) in Python.",
}
_PART = re.compile(r"part[-.]\d+.*")


class InMemoryFile(str):
    """The name of a file whose bytes are in memory, such as the standard input."""

    __slots__ = ("data",)
    data: bytes

    def __new__(cls, name: str, data: bytes) -> Self:
        """Create a name that holds these bytes."""
        held = super().__new__(cls, name)
        held.data = data
        return held


def with_pipes_read(qrels: Input, run: Input) -> tuple[Any, Any]:
    """Return the qrels and the run (or a list of runs), with pipes and `-` (standard input) replaced by their bytes.

    Raises:
        BadInput: both are the standard input, or one is too large.
    """
    sources = [qrels, *(run if isinstance(run, list) else [run])]
    if sum(isinstance(source, str) and source == STDIN for source in sources) > 1:
        raise BadInput(STDIN, "the standard input can be read only once. Pass the other input as a file.")
    qrels, *runs = map(_without_pipe, sources)
    return qrels, runs if isinstance(run, list) else runs[0]


def _without_pipe(source: Input) -> Input:
    if not isinstance(source, str | os.PathLike) or not (source == STDIN or is_pipe(source)):
        return source
    largest = _room()
    try:
        return InMemoryFile(os.fspath(source), bytes_of(source, largest))
    except TooMuch as error:
        raise _over_memory(os.fspath(source), largest) from error
    except OSError as error:
        raise BadInput(os.fspath(source), (error.strerror or str(error)).lower()) from error


def _room() -> int:
    """Return the largest size of a text that can be read as a whole."""
    return free_memory() // PARTS_OF_MEMORY


def _over_memory(path: str, largest: int) -> TooLarge:
    what = f"more than {largest:,} bytes do not fit into the free memory"
    return TooLarge(path, f"{what}. Leave out what is not needed, or use a machine with more memory.")


# -- which files ---------------------------------------------------------------------------------------------------------


def run_files(runs: Paths | Iterable[Paths] | Mapping[str, Paths]) -> dict[str, str]:
    """Return the file of each system in input order, with the files of a folder or a pattern sorted by name.

    A folder with the parts of one run is one run. Hidden files and subfolders are left out.

    Raises:
        BadInput: no file exists.
    """
    if isinstance(runs, Mapping) and runs:
        return {system: path_of(path, f"the run {system}") for system, path in runs.items()}
    paths = [runs] if isinstance(runs, str | os.PathLike) else list(runs)
    files = [file for path in paths for file in _files_of(path_of(path, "the run"))]
    if not files:
        raise BadInput("the run", "there is no file. Name files, or a folder of them.")
    return dict(zip(file_names(files), files, strict=True))


def file_names(files: list[str]) -> list[str]:
    """Return a name for each file: its file name, its path if two names are equal, or `run2` if two paths are equal."""
    names = [PurePath(file).name for file in files]
    often = Counter(names)
    names = [file if often[name] > 1 else name for file, name in zip(files, names, strict=True)]
    often = Counter(names)
    return [name if often[name] == 1 else f"run{i}" for i, name in enumerate(names, start=1)]


def path_of(source: Input, name: str) -> str:
    """Return a path as text.

    Raises:
        BadInput: the value is not a path.
    """
    if not isinstance(source, str | os.PathLike):
        raise BadInput(name, f"a {type(source).__name__} is not a path. Pass data in memory to rankproof.evaluate.")
    return os.fspath(source)


def _files_of(path: str) -> list[str]:
    place = Path(path)
    if place.is_dir() and not is_parted(path):
        files = [str(file) for file in _visible_files(place) if is_table_file(file)]
    elif glob.has_magic(path) and not place.exists():
        files = sorted(file for file in glob.glob(path) if is_table_file(Path(file)))  # noqa: PTH207 - a pattern with folders
    else:
        files = [path]
    if not files:
        raise BadInput(path, "there is no such file. Name files, or a folder of them.")
    return files


def is_table_file(path: Path) -> bool:
    """Return whether a path is a file, or a folder with the parts of one table."""
    return path.is_file() or is_parted(str(path))


def is_lasting(path: str) -> bool:
    """Return whether other processes can read a file again, unlike a pipe or the standard input."""
    place = Path(path)
    return path != STDIN and (is_table_file(place) or not place.exists())


def is_parted(path: str) -> bool:
    """Return whether a folder has the parts of one table, as Spark and Dask write them."""
    folder = Path(path)
    if not folder.is_dir():
        return False
    names = [file.name for file in _visible_files(folder)]
    is_whole = folder.name.lower().endswith(".parquet") or (folder / "_SUCCESS").exists()
    return is_whole or (len(names) > 0 and all(map(_PART.fullmatch, names)))


def parts_of(path: str) -> list[str]:
    """Return the parts of a table sorted by name, or the path itself if it is not a folder of parts.

    Raises:
        BadInput: the folder has no parts, or parts that are not Parquet files.
    """
    if not is_parted(path):
        return [path]
    parts = _visible_files(Path(path))
    if not parts or not all(part.is_file() and part.name.lower().endswith(".parquet") for part in parts):
        raise BadInput(path, "a folder is one table only if all its files are Parquet. Write the table as one file.")
    return [str(part) for part in parts]


def size_of(path: str) -> int:
    """Return the size of a file, or of all parts of a table, in bytes; 0 if it does not exist."""
    files = _visible_files(Path(path)) if is_parted(path) else [Path(path)]
    return sum(file.stat().st_size for file in files if file.is_file())


def _visible_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if not file.name.startswith((".", "_")))


def plain_name(path: Paths) -> str:
    """Return the name of a file in lower case, without .gz or .zst.

    >>> plain_name("Run.CSV.gz"), plain_name("run.jsonl.zst")
    ('run.csv', 'run.jsonl')
    """
    return os.fspath(path).lower().removesuffix(".gz").removesuffix(".zst")


# -- lines and bytes -----------------------------------------------------------------------------------------------------


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield each line with its number, starting at 1.

    Raises:
        BadInput: the file cannot be opened, has another format or is damaged.
        TooLarge: a line is too long, or the file is too large.
    """
    room = used_memory() + free_memory() // 2
    for line, text in enumerate(_pieces(path, lambda file: file.readline(LONGEST + 1)), start=1):
        if line % _LINES_AT_ONCE == 0:
            _refuse_much(path, line, room)
        refuse_size(path, rows=line)
        if len(text) > LONGEST:
            raise TooLarge(f"{path}:{line}", f"the line is longer than {LONGEST:,} bytes. Are line ends missing?")
        yield line, text


def whole(path: str) -> bytes:
    """Return the unpacked bytes of a file.

    Raises:
        BadInput: as in `numbered_lines`.
    """
    largest, size, pieces = _room(), 0, []
    for piece in _pieces(path, lambda file: file.read(_CHUNK)):
        size += len(piece)
        if size > largest:
            raise _over_memory(path, largest)
        pieces.append(piece)
    return b"".join(pieces)


def _refuse_much(path: str, line: int, room: int) -> None:
    if used_memory() > room:
        what = "the lines up to here take half of the free memory"
        raise TooLarge(f"{path}:{line}", f"{what}. Leave out what is not needed, or use a machine with more memory.")


def decoded(path: str, line: int, text: bytes) -> str:
    """Return a line of a file as text.

    Raises:
        BadInput: the line is not UTF-8.
    """
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        start = text.rstrip(b"\r\n")[:40].decode(errors="backslashreplace")
        remedy = "Convert the file, for example with iconv -f latin1 -t utf-8."
        raise BadInput(f"{path}:{line}", f"'{start}' is not UTF-8. {remedy}") from error


def _pieces(path: str, read: Callable[[IO[bytes]], bytes]) -> Iterator[bytes]:
    """Yield an unpacked file in pieces, up to a limit in proportion to its packed size."""
    size = 0
    try:
        raw: Any = BytesIO(path.data) if isinstance(path, InMemoryFile) else open_named(path)
        with BufferedReader(raw) as packed:
            file, limit = _unpacked(path, packed)
            for piece in iter(partial(read, file), b""):
                size += len(piece)
                if limit and size > limit:
                    what = f"it unpacks to more than {RATIO} times its size, more than any run or qrels"
                    raise TooLarge(path, f"{what}. If it is right, unpack it first.")
                yield piece
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInput(path, f"the gzip data is damaged ({error}). Copy the file again.") from error
    except OSError as error:
        raise BadInput(path, (error.strerror or f"the data is damaged ({error})").lower()) from error


def _unpacked(path: str, packed: BufferedReader) -> tuple[IO[bytes], int]:
    """Return the content of a file after any byte order mark, and its largest unpacked size (0 if it is not packed)."""
    file: Any = packed
    head, limit = packed.peek(4), 0
    if head.startswith(_GZIP) or (head.startswith(_ZSTD) and importlib.util.find_spec("pyarrow")):
        if head.startswith(_GZIP):
            file = BufferedReader(cast("Any", gzip.GzipFile(fileobj=packed)), _CHUNK)
        else:
            arrow = importlib.import_module("pyarrow")
            file = BufferedReader(arrow.CompressedInputStream(arrow.PythonFile(packed, mode="r"), "zstd"), _CHUNK)
        size = len(path.data) if isinstance(path, InMemoryFile) else size_of(path)
        head, limit = file.peek(4), max(FREE, RATIO * size) if size else 0
    for magic, what in _OTHER_FORMATS.items():
        if head.startswith(magic):
            raise BadInput(f"{path}:1", f"this is {what}")
    if b"\0" in head:
        raise BadInput(f"{path}:1", "this is a binary file. Qrels and runs must be text files.")
    if head.startswith(b"\xef\xbb\xbf"):
        file.read(3)
    return file, limit
