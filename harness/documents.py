"""Reading of untrusted files: limited size, UTF-8, strict JSON, checked against a schema. Errors name the line.

Strict JSON has no NaN, no number beyond the range of a float, and no repeated key.
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
from io import BufferedReader
from pathlib import Path
from typing import Any

from rankproof.bounded import LARGEST, BadDocument, decoded, open_named
from rankproof.cases.schema_flaws import Flaw, Schema
from rankproof.reference_impl.shown import shortened
from rankproof.text import one_line


@dataclass(frozen=True, slots=True)
class on_line:  # noqa: N801 - used as a function; a generator is three times slower, and files have many lines
    """Context manager that adds a line number to the errors raised in its block."""

    number: int

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ValueError):
            raise BadDocument(str(error), self.number) from error


@contextmanager
def all_kept() -> Iterator[None]:
    """Disable the garbage collector while a large file is read, which otherwise takes twice as long."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line of a file, plain or gzip. Numbers start at 1.

    Raises:
        BadDocument: the file cannot be read or decompressed, or a line is too long or not UTF-8.
    """
    number = 0
    try:
        with BufferedReader(open_named(path)) as raw:
            file = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
            for number, line in enumerate(iter(lambda: file.readline(LARGEST + 1), b""), start=1):
                with on_line(number):
                    if len(line) > LARGEST:
                        raise BadDocument(f"more than {LARGEST:,} bytes")
                    text = decoded(line)
                yield number, text
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadDocument(f"cannot be decompressed: {str(error).lower()}", number + 1) from error
    except OSError as error:
        raise BadDocument((error.strerror or str(error)).lower()) from error


def entry_lines(text: str, count: int) -> list[int]:
    r"""Return the line number of each entry in JSON written by `rankproof.files.with_lines`; in other layouts, only 1s.

    >>> entry_lines('{\n "entries": [\n{"a":1},\n{"a":2}\n ]\n}\n', 2)
    [3, 4]
    """
    numbers = [number for number, line in enumerate(text.splitlines(), start=1) if line.startswith('{"')]
    return numbers if len(numbers) == count else [1] * count


def json_in(text: str) -> Any:
    """Parse strict JSON.

    Raises:
        BadDocument: the text is not JSON, is nested too deep, repeats a key, or has a number beyond the range of a
            float.
    """
    if text.startswith("\ufeff"):
        raise BadDocument("not JSON: it begins with a byte order mark; save it as UTF-8 without one")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadDocument(f"not JSON: {error.msg.lower()}", error.lineno) from error
    except _Refused as error:
        message, near = error.args
        raise BadDocument(message, text.count("\n", 0, text.rfind(near)) + 1) from error
    except RecursionError as error:
        raise BadDocument("nested too deep") from error


class _Refused(Exception):
    """Error in strict JSON: its message, and the text that caused it."""


def _constant(word: str) -> float:
    raise _Refused(f"{word} is not a JSON number", word)


def _float(text: str) -> float:
    if math.isinf(number := float(text)):
        raise _Refused(f"{shortened(text)} is too large for a float", text)
    return number


def _whole(text: str) -> int:
    _float(text)
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(f"the key {shortened(twice)} occurs twice", json.dumps(twice))
    return value


_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_float, parse_int=_whole, object_pairs_hook=_object)


@dataclass(frozen=True)
class SchemaPart:
    """A schema file, or one of its definitions.

    Attributes:
        schema: the file.
        part: a name under `$defs`; empty for the whole schema.
    """

    schema: Path
    part: str = ""

    @cached_property
    def _form(self) -> Schema:
        whole = json.loads(self.schema.read_text(encoding="utf-8"))
        return Schema({"$ref": f"#/$defs/{self.part}", "$defs": whole["$defs"]} if self.part else whole)

    def flaws(self, document: object) -> Iterator[Flaw]:
        """Yield each violation of the schema in a document."""
        return self._form.flaws(document)

    def check(self, document: object) -> None:
        """Check a document against the schema.

        Raises:
            BadDocument: the document violates the schema.
        """
        for flaw in self.flaws(document):
            where = f"{shortened(flaw.where)}: " if flaw.steps else ""
            raise BadDocument(f"{where}{shortened(one_line(flaw.message), 200)}")
