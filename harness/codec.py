"""JSON of dataclasses: encoding and decoding, derived from the annotations of their fields.

This is the only module that imports msgspec. Exact fractions are encoded as float64 numbers. NaN and the infinities, which JSON lacks,
are encoded as null; a field that can hold them is annotated `float | None`.
"""

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_HALF = re.compile(r"\\u[dD][89abAB]")
"""The JSON escape of the first half of a surrogate pair. msgspec rejects a half without the other."""


def encode(value: object, *, indent: int = 0) -> str:
    """Encode a dataclass, or a container of dataclasses, as JSON: on one line, or with `indent` spaces per level."""
    try:
        text = msgspec.json.encode(value, enc_hook=_encoded)
    except UnicodeEncodeError:  # half a surrogate pair in a name, which the json module can escape
        plain = json.dumps(msgspec.to_builtins(value, enc_hook=_encoded, str_keys=True))
        text = json.dumps(json.loads(plain, parse_constant=lambda _nan: None)).encode()
    return (msgspec.json.format(text, indent=indent) if indent else text).decode()


def decode(text: str | bytes, kind: type[T]) -> T:
    """Decode JSON text as an object of a type.

    Raises:
        ValueError: the text is not JSON, or its content does not fit the type; the message names the field.
    """
    try:
        return msgspec.json.decode(text, type=kind, dec_hook=_decoded)
    except msgspec.DecodeError:
        if _HALF.search(text if isinstance(text, str) else text.decode(errors="replace")) is None:
            raise
        return convert(json.loads(text), kind)


def convert(data: object, kind: type[T]) -> T:
    """Convert parsed JSON or TOML to an object of a type.

    Raises:
        ValueError: the data does not fit the type; the message names the field.
    """
    return msgspec.convert(data, kind, dec_hook=_decoded)


def facts(value: object) -> Any:
    """Convert a result to plain data. A dataclass becomes an object, or a text if it defines `__str__`.

    Functions are left out. NaN and the infinities become texts, because null is a missing number.
    """
    if value is None or isinstance(value, bool | int | str | float | Fraction):
        number = float(value) if isinstance(value, Fraction) else value
        return str(number) if isinstance(number, float) and not math.isfinite(number) else number
    if isinstance(value, Mapping):
        return {"mean" if key is None else str(key): facts(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, Iterable):
        return [facts(item) for item in value]
    if dataclasses.is_dataclass(value) and (hasattr(value, "_repr_html_") or type(value).__str__ is object.__str__):
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {name: facts(item) for name, item in fields if not name.startswith("_") and not callable(item)}
    return str(value)


def _encoded(value: object) -> object:
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be encoded as JSON")


def _decoded(kind: type, value: Any) -> object:
    if kind in {Fraction, Path}:
        return kind(value)
    raise NotImplementedError(f"{kind.__name__} cannot be decoded from JSON")
