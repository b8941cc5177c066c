"""Atomic writing of files, checksums, and the user's cache folder."""

import glob
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rankproof.bounded import LARGEST, bytes_of, open_named
from rankproof.interruption import undisturbed
from rankproof.reference_impl.unusable import Unusable

CACHE = "RANKPROOF_CACHE"
"""The environment variable with the folder of the cache."""
READY = ".ready"
"""The suffix of a complete folder whose files are still to move."""


class NotWritable(Unusable):
    """A folder that cannot be written to."""


def cache() -> Path:
    """Return the folder of stored values and programs: `$RANKPROOF_CACHE`, or `rankproof` in the user's cache."""
    named = os.environ.get(CACHE)
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rankproof"


def programs() -> Path:
    """Return the folder of programs that `rankproof env build` installs."""
    return cache() / "programs"


def publish(path: Path, text: str) -> None:
    """Write a file atomically: under a temporary name in the same folder, then rename it.

    A name that ends with `.gz` compresses the file, always to the same bytes.
    """
    content = text.encode("utf-8", errors="surrogateescape")
    if path.suffix == ".gz":
        import gzip

        content = gzip.compress(content, compresslevel=6, mtime=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _part(path.parent, path.name)
    try:
        with part.open("xb") as file, _locked(part):
            file.write(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _clear_parts_of_the_dead(path.parent, path.name)


@contextmanager
def together(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder. At the end, move its files into `folder`; after an error, delete them.

    If the process is killed while moving, the next reader or writer moves the remaining files (see `settle`).
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    part = _part(folder, "all")
    try:
        part.mkdir()
        with _locked(part):
            yield part
        _clear_parts_of_the_dead(folder, "all")
        settle(folder)
        with undisturbed():
            part.replace(part.with_suffix(READY))
            settle(folder)
    except BaseException:
        clear(part)
        with suppress(OSError):  # another process may have written a file there
            if is_new:
                folder.rmdir()
        raise


def settle(folder: Path) -> None:
    """Finish the moves of `together` that were interrupted.

    Raises:
        NotWritable: a file cannot be moved, so the folder mixes the files of two runs.
    """
    if not any(folder.glob(f".all.*{READY}")):
        return
    with _locked(folder):
        for ready in sorted(folder.glob(f".all.*{READY}"), key=_time):
            try:
                _move(ready, folder)
            except OSError as error:
                why = f"a run was killed there, and its files in {ready.name} cannot be moved ({error.strerror})"
                raise NotWritable(f"{folder}: {why}; make the folder writable") from error
            clear(ready)


def _move(ready: Path, folder: Path) -> None:
    for file in sorted(path for path in ready.rglob("*") if path.is_file()):
        place = folder / file.relative_to(ready)
        place.parent.mkdir(parents=True, exist_ok=True)
        file.replace(place)


@contextmanager
def _locked(place: Path, *, wait: bool = True) -> Iterator[bool]:
    """Lock a file or folder if the system has locks. Without `wait`, yield whether no other process had the lock."""
    try:
        import fcntl
    except ImportError:  # on Windows
        yield wait
        return
    opened = os.open(place, os.O_RDONLY)
    try:
        is_free = True
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:  # another process has it, or the file system has no locks
            is_free = wait
        yield is_free
    finally:
        os.close(opened)


def _clear_parts_of_the_dead(folder: Path, name: str) -> None:
    """Remove temporary files of killed processes; locked files may belong to other machines and stay."""
    for part in folder.glob(f".{glob.escape(name)}.*-*.part"):
        import psutil

        pid = part.name.removeprefix(f".{name}.").partition("-")[0]
        with suppress(OSError, ValueError):
            if not psutil.pid_exists(int(pid)):
                with _locked(part, wait=False) as is_free:
                    if is_free:
                        clear(part)


def _time(path: Path) -> float:
    with suppress(OSError):  # another process has moved it
        return path.stat().st_mtime
    return 0.0


def _part(folder: Path, name: str) -> Path:
    return folder / f".{name}.{os.getpid()}-{os.urandom(4).hex()}.part"


def clear(place: Path) -> None:
    """Remove a file, or a folder with as much of its content as possible."""
    if place.is_dir() and not place.is_symlink():
        import shutil

        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def check_writable(folder: Path) -> None:
    """Check that a folder can be written to or created, without leaving a file there.

    Raises:
        NotWritable: the folder is not writable.
    """
    import tempfile

    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=existing) as trial:
            trial.write(bytes(4096))
    except OSError as error:
        raise NotWritable(f"{existing} is not writable: {error.strerror}") from error


def digest_of(path: Path) -> str:
    """Return the SHA-256 checksum of a file."""
    with open_named(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def with_checksum(content: Mapping[str, Any] | str) -> str:
    """Return a JSON object as text whose first line has the checksum of the other lines."""
    body = (content if isinstance(content, str) else json.dumps(content))[1:]
    return f"{_checksum(body.encode())}\n{body}"


def read_with_checksum(path: Path) -> dict[str, Any]:
    """Read an object that `with_checksum` wrote.

    Raises:
        ValueError: the file was changed.
        OSError: the file cannot be read.
    """
    first, _, body = bytes_of(path, LARGEST).partition(b"\n")
    if first != _checksum(body).encode():
        raise ValueError("its checksum is wrong")
    content: dict[str, Any] = json.loads(b"{" + body)
    return content


def _checksum(body: bytes) -> str:
    return f'{{"sha256": "{hashlib.sha256(body).hexdigest()}",'


def with_lines(document: Mapping[str, Any], name: str) -> str:
    """Return a document as JSON with one line for each entry of the list `name`.

    >>> print(with_lines({"kind": "list", "entries": [{"a": 1}, {"a": 2}]}, "entries"), end="")
    {
     "kind": "list",
     "entries": [
    {"a":1},
    {"a":2}
     ]
    }
    """
    head = json.dumps({key: value for key, value in document.items() if key != name}, indent=1)
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in document[name])
    return f'{head.removesuffix("}").rstrip()},\n "{name}": [\n{lines}\n ]\n}}\n'
