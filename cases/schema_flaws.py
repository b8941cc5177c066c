"""Validation of cases, sheets, results and other documents against their JSON Schemas."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

FOREIGN = "the value must be text, a number, true, false, a list or a table (not a date)"
TOO_DEEP = "nested too deeply"


@dataclass(frozen=True)
class Flaw:
    """Violation of a schema, with the steps to its place from the top of the document."""

    steps: tuple[str | int, ...]
    message: str

    @property
    def where(self) -> str:
        """The steps as text, or "" for the document itself."""
        return ".".join(map(str, self.steps))


@dataclass(frozen=True, eq=False)
class Schema:
    """Compiled JSON Schema for many validations."""

    schema: Mapping[str, Any]

    @cached_property
    def _validator(self) -> "Draft202012Validator":
        from jsonschema_rs import Draft202012Validator

        return Draft202012Validator(dict(self.schema))

    def flaws(self, document: object) -> Iterator[Flaw]:
        """Yield the violations in a document: those near its top first, and unknown keys before missing ones."""
        try:
            if self._validator.is_valid(document):
                return
            errors = sorted(self._validator.iter_errors(document), key=_nearest_to_the_top)
        except UnicodeEncodeError:  # from half a surrogate pair, which the validator does not accept as text
            yield from self.flaws(_of_whole_characters(document))
        except ValueError:  # from values that JSON lacks, such as a TOML date, or from some hundred nested brackets
            name = _foreign_key(document)
            yield Flaw((), TOO_DEEP) if name is None else Flaw((name,), FOREIGN)
        else:
            yield from (_flaw(document, error) for error in errors)


def _flaw(document: Any, error: "ValidationError") -> Flaw:
    steps = tuple(error.instance_path)
    for step in steps:
        document = document[step]
    # The validator takes a number that is not finite for a null.
    is_null = isinstance(document, float) and not math.isfinite(document)
    return Flaw(steps, f"{document} is not a finite number" if is_null else error.message)


def _foreign_key(document: object) -> str | None:
    """Return the first key of a document whose value has a type that JSON lacks, or None."""
    for name, value in document.items() if isinstance(document, dict) else ():
        try:
            json.dumps(value)
        except TypeError:
            return str(name)
        except ValueError:
            return None
    return None


def _of_whole_characters(value: object) -> object:
    """Return the value with `?` for each half of a surrogate pair, which JSON allows and the validator does not."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, list):
        return [_of_whole_characters(member) for member in value]
    if isinstance(value, dict):
        return {_of_whole_characters(name): _of_whole_characters(member) for name, member in value.items()}
    return value


def _nearest_to_the_top(error: "ValidationError") -> tuple[int, bool]:
    return len(error.instance_path), error.schema_path[-1] == "required"
