"""The door for files: what is read from disk is bounded in size, UTF-8, strict JSON of bounded depth, and of the form that a schema says.

What passes here holds no surprise for who reads on: no number that is none, none that no float holds, no key that stands there twice.
"""

import gc
import gzip
import json
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rankproof.cases.schema_flaws import Flaw, Schema
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line

LARGEST = 256 * 2**20
"""How many bytes a file, or a line of one, has at most."""
LONGEST_NUMBER = 308
"""How many digits a whole number has at most; no float is larger."""
DEEPEST = 50
"""How deep brackets are nested at most; our own files need nine."""


class BadDocument(Unusable):
    """A file that does not read: what is wrong with it, and the line; or a text that stands there, where the line is not known."""

    def __init__(self, what: str, line: int = 1, near: str = "") -> None:
        super().__init__(what)
        self.line, self.near = line, near


@dataclass(frozen=True, slots=True)
class on_line:  # noqa: N801 - it is used as a function is; a generator takes thrice as long, and files have many lines
    """Say of whatever is refused within that it stands on this line."""

    number: int

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Unusable):
            raise BadDocument(str(error), self.number) from error


@contextmanager
def all_kept() -> Iterator[None]:
    """Look for no garbage meanwhile: of what is read, all is kept, and to look through it again and again takes as long as to read it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def text_of(path: Path) -> str:
    """The text of a file.

    Raises:
        BadDocument: it cannot be read, is too large, or no UTF-8.
    """
    try:
        with path.open("rb") as file:
            found = file.read(LARGEST + 1)
    except OSError as error:
        raise BadDocument((error.strerror or str(error)).lower()) from error
    return decoded(found)


def decoded(found: bytes) -> str:
    """The text that some bytes are.

    Raises:
        BadDocument: they are too many, or no UTF-8.
    """
    if len(found) > LARGEST:
        raise BadDocument(f"more than {LARGEST:,} bytes, as nothing that rankproof writes")
    try:
        return found.decode()
    except UnicodeDecodeError as error:
        raise BadDocument(f"this is no UTF-8: {error.reason}", found.count(b"\n", 0, error.start) + 1) from error


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Every line of a file, which may be compressed by gzip, with its number, from 1 on.

    Raises:
        BadDocument: the file cannot be read or unpacked, or a line is too long or no UTF-8.
    """
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(LARGEST + 1):
                number += 1
                with on_line(number):
                    text = decoded(line)
                yield number, text
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadDocument(f"this cannot be unpacked: {str(error).lower()}", number + 1) from error
    except OSError as error:
        raise BadDocument((error.strerror or str(error)).lower()) from error


def entry_lines(text: str, count: int) -> list[int]:
    r"""The line of each entry of a document's longest part, as `rankproof.files.with_lines` writes it; 1 for all where it stands otherwise.

    >>> entry_lines('{\n "entries": [\n{"a":1},\n{"a":2}\n ]\n}\n', 2)
    [3, 4]
    """
    own = [number for number, line in enumerate(text.splitlines(), start=1) if line.startswith('{"')]
    return own if len(own) == count else [1] * count


def json_in(text: str) -> Any:  # noqa: ANN401 - any JSON
    """The value that a text is.

    Raises:
        BadDocument: it is no JSON, is nested too deep, has a key twice, or a number that no float holds.
    """
    if text.startswith("\ufeff"):
        raise BadDocument("this is no JSON: it begins with a byte order mark; save it as UTF-8 without one")
    try:
        found = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadDocument(f"this is no JSON: {error.msg.lower()}", error.lineno) from error
    except BadDocument as error:
        raise BadDocument(str(error), text.count("\n", 0, text.rfind(error.near)) + 1) from error
    except RecursionError as error:
        raise BadDocument("it is nested too deep") from error
    if text.count("[") + text.count("{") > DEEPEST and _deep(found):
        raise BadDocument(f"it is nested more than {DEEPEST} deep")
    return found


def _deep(value: object) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            part
            for one in level
            if isinstance(one, dict | list)
            for part in (one.values() if isinstance(one, dict) else one)
        ]
    return bool(level)


def _no_number(word: str) -> float:
    raise BadDocument(f"{word} is no number in JSON", near=word)


def _float(text: str) -> float:
    if math.isinf(found := float(text)):
        raise BadDocument(f"{shortened(text)} is larger than a float can be", near=text)
    return found


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise BadDocument(f"a number of {len(text):,} digits is larger than a float can be", near=text)
    return int(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadDocument(f"the key {shortened(twice)} stands there twice", near=json.dumps(twice))
    return found


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_float, parse_int=_whole, object_pairs_hook=_once)
"""One for all: `json.loads` makes one for each text, and files have many lines."""


@dataclass(frozen=True)
class SchemaPart:
    """What a schema says of a document, or of one part of it."""

    schema: Path
    part: str = ""
    """A name under `$defs`; empty for the whole document."""

    @cached_property
    def _form(self) -> Schema:
        whole = json.loads(self.schema.read_text(encoding="utf-8"))
        return Schema({"$ref": f"#/$defs/{self.part}", "$defs": whole["$defs"]} if self.part else whole)

    def flaws(self, document: object) -> Iterator[Flaw]:
        """Where a document has another form."""
        return self._form.flaws(document)

    def check(self, document: object) -> None:
        """See to it that a document has this form.

        Raises:
            BadDocument: it has another.
        """
        for flaw in self.flaws(document):
            where = f"{shortened(flaw.where)}: " if flaw.steps else ""
            raise BadDocument(f"{where}{shortened(one_line(flaw.message), 200)}")
