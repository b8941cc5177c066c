"""Files that appear whole or not at all, JSON that reads and compares line by line, and the user's cache."""

import glob
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rankproof.interruption import undisturbed
from rankproof.reference_impl.unusable import Unusable

CACHE = "RANKPROOF_CACHE"
"""The environment variable that names the folder of the cache."""
OLD = 60
"""After how many seconds a part is no more taken for one that is being written; the folder may be shared by machines."""
READY = ".ready"
"""How the name of a folder ends of which all files are there, and are only to be moved."""
TRIAL = 4096
"""How many bytes are written to see whether there is room."""


class NotWritable(Unusable):
    """A folder that cannot be written to."""


def cache() -> Path:
    """Where answers and programs are kept: `$RANKPROOF_CACHE`, else `rankproof` in the user's cache."""
    named = os.environ.get(CACHE)
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rankproof"


def programs() -> Path:
    """Where the programs are that `rankproof env build` fetched."""
    return cache() / "programs"


def publish(path: Path, text: str) -> None:
    """Put a file in its place in one step: it is written beside its place, under a name that nobody else has, and then moved there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(path.parent, path.name)
    try:
        with beside.open("x", encoding="utf-8", errors="surrogateescape") as part:
            part.write(text)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)  # nothing of a write that failed stays behind
    _clear_parts_of_the_dead(path.parent, path.name)


@contextmanager
def together(folder: Path) -> Iterator[Path]:
    """A folder beside, whose files are moved into this one when all of them are there; if anything goes wrong, none of them is.

    They are moved one by one, but from the moment at which the folder beside gets another name, in one step: who is killed while it moves
    them leaves it behind, and whoever reads or writes there next moves what is left (`settle`).
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    beside = _beside(folder, "all")
    ready = beside.with_suffix(READY)
    try:
        beside.mkdir()
        yield beside
        settle(folder)
        with undisturbed():
            beside.replace(ready)
            _move(ready, folder)
    except BaseException:
        clear(beside)
        clear(ready)
        with suppress(OSError):  # there may be something in it by now
            if is_new:
                folder.rmdir()
        raise
    _clear_parts_of_the_dead(folder, "all")


def settle(folder: Path) -> None:
    """Move what `together` was about to move into a folder when it was killed.

    Raises:
        NotWritable: it cannot be moved, so that what lies there is neither of the one writer nor of the other.
    """
    for ready in sorted(folder.glob(f".all.*{READY}"), key=_written):
        try:
            _move(ready, folder)
        except OSError as error:
            why = f"who wrote there was killed, and what is left in {ready.name} cannot be moved"
            raise NotWritable(f"{folder}: {why} ({error.strerror}); make the folder writable") from error


def _written(path: Path) -> float:
    with suppress(OSError):  # somebody else has moved all of it by now
        return path.stat().st_mtime
    return 0.0


def _move(ready: Path, folder: Path) -> None:
    """Move files to their places; what is not there any more, somebody else has moved there."""
    for file in sorted(path for path in ready.rglob("*") if path.is_file()):
        place = folder / file.relative_to(ready)
        place.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            file.replace(place)
    clear(ready)


def _beside(folder: Path, name: str) -> Path:
    """A place in a folder that nobody else has, and by whose name one sees whose it is."""
    return folder / f".{name}.{os.getpid()}-{os.urandom(4).hex()}.part"


def clear(place: Path) -> None:
    """Remove a file, or a folder with all that can be removed of it."""
    if place.is_dir() and not place.is_symlink():
        import shutil  # noqa: PLC0415 - needed only where much is written

        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def _clear_parts_of_the_dead(folder: Path, name: str) -> None:
    """Remove what processes left in a folder that were killed while they wrote this there."""
    for part in folder.glob(f".{glob.escape(name)}.*-*.part"):
        import psutil  # noqa: PLC0415 - slow, and only where something is left

        pid = part.name.removeprefix(f".{name}.").partition("-")[0]
        with suppress(OSError, ValueError):
            if time.time() - part.stat().st_mtime > OLD and not psutil.pid_exists(int(pid)):
                clear(part)


def digest_of(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def with_checksum(content: Mapping[str, Any]) -> str:
    """A document as JSON, in whose first line stands the checksum of all other lines."""
    body = json.dumps(content)[1:]
    return f"{_checksum(body.encode())}\n{body}"


def read_with_checksum(path: Path) -> dict[str, Any]:
    """What was written so.

    Raises:
        ValueError: the file is not as it was written.
        OSError: it cannot be read.
    """
    first, _, body = path.read_bytes().partition(b"\n")
    if first != _checksum(body).encode():
        raise ValueError("its checksum is another one")
    content: dict[str, Any] = json.loads(b"{" + body)
    return content


def _checksum(body: bytes) -> str:
    return f'{{"sha256": "{hashlib.sha256(body).hexdigest()}",'


def check_writable(folder: Path) -> None:
    """Refuse a folder that cannot be written to, or cannot be made, before anything is done for it; nothing is left of the trial.

    Raises:
        NotWritable: the message says which, and why.
    """
    import tempfile  # noqa: PLC0415 - slow to import, and needed only here

    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there) as trial:
            trial.write(bytes(TRIAL))
    except OSError as error:
        raise NotWritable(f"{there}: nothing can be written there: {error.strerror}") from error


def with_lines(document: Mapping[str, Any], name: str) -> str:
    """A document as JSON, with a line for each entry of its longest part.

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
