"""JSON of dataclasses: encoding, decoding and the schema, all derived from the annotations of their fields.

This is the only module that imports msgspec. Exact fractions are encoded as float64 numbers. NaN and the infinities, which JSON lacks,
are encoded as null; a field that can hold them is annotated `float | None`.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def encode(value: object, *, indent: int = 0) -> str:
    """Return a dataclass, or a container of them, as JSON text; `indent` spaces a level, or all on one line."""
    text = msgspec.json.encode(value, enc_hook=_encoded)
    return (msgspec.json.format(text, indent=indent) if indent else text).decode()


def decode(text: str | bytes, kind: type[T]) -> T:
    """Return JSON text as an object of a type.

    Raises:
        ValueError: the text is not JSON, or its content does not fit the type; the message names the field.
    """
    return msgspec.json.decode(text, type=kind, dec_hook=_decoded)


def convert(data: object, kind: type[T]) -> T:
    """Return parsed data (as from JSON or TOML) as an object of a type.

    Raises:
        ValueError: the data does not fit the type; the message names the field.
    """
    return msgspec.convert(data, kind, dec_hook=_decoded)


def schema(kind: type) -> dict[str, Any]:
    """Return the JSON Schema of a type."""
    return msgspec.json.schema(kind, schema_hook=_schema)


def _encoded(value: object) -> object:
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


def _decoded(kind: type, value: Any) -> object:  # noqa: ANN401 - parsed JSON of any type
    if kind in {Fraction, Path}:
        return kind(value)
    raise NotImplementedError(f"{kind.__name__} has no form in JSON")


def _schema(kind: type) -> dict[str, Any]:
    return {"type": "number" if kind is Fraction else "string"}
