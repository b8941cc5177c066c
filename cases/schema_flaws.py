"""Where a document is not as its JSON Schema says: one reading for cases, sheets, results and whatever else is held to a schema."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

FOREIGN = "it holds what is no text, number, true, false, list or table, such as a date"
TOO_DEEP = "it is nested too deep"


@dataclass(frozen=True)
class Flaw:
    """What is not as a schema says, and the steps that lead to it from the top of the document."""

    steps: tuple[str | int, ...]
    message: str

    @property
    def where(self) -> str:
        """The steps as text; "" for the document itself."""
        return ".".join(map(str, self.steps))


@dataclass(frozen=True, eq=False)
class Schema:
    """A JSON Schema, ready to be asked many times."""

    schema: Mapping[str, Any]

    @cached_property
    def _validator(self) -> "Draft202012Validator":
        from jsonschema_rs import Draft202012Validator

        return Draft202012Validator(dict(self.schema))

    def flaws(self, document: object) -> Iterator[Flaw]:
        """Where a document has another form: what is nearest to its top first, and what is not known before what is missing."""
        try:
            if self._validator.is_valid(document):
                return
            errors = sorted(self._validator.iter_errors(document), key=_nearest_to_the_top)
        except UnicodeEncodeError:  # of half a character, which the validator takes for no text
            yield from self.flaws(_of_whole_characters(document))
        except ValueError:  # of what JSON has not, as a date of TOML, or of brackets of some hundred levels
            name = _foreign_key(document)
            yield Flaw((), TOO_DEEP) if name is None else Flaw((name,), FOREIGN)
        else:
            yield from (_flaw(document, error) for error in errors)


def _flaw(document: Any, error: "ValidationError") -> Flaw:
    steps = tuple(error.instance_path)
    for step in steps:
        document = document[step]
    # To the validator a number that is not finite is a null.
    is_null = isinstance(document, float) and not math.isfinite(document)
    return Flaw(steps, f"{document} is no finite number" if is_null else error.message)


def _foreign_key(document: object) -> str | None:
    """The first key of a document whose value is of a kind that JSON has not; None where there is none."""
    for name, value in document.items() if isinstance(document, dict) else ():
        try:
            json.dumps(value)
        except TypeError:
            return str(name)
        except ValueError:
            return None
    return None


def _of_whole_characters(value: object) -> object:
    """The same with a question mark in place of half a character: JSON may hold one, and all else that a schema says of a text is kept."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, list):
        return [_of_whole_characters(member) for member in value]
    if isinstance(value, dict):
        return {_of_whole_characters(name): _of_whole_characters(member) for name, member in value.items()}
    return value


def _nearest_to_the_top(error: "ValidationError") -> tuple[int, bool]:
    return len(error.instance_path), error.schema_path[-1] == "required"
