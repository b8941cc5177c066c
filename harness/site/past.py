"""What changed in each library from version to version, where a history is published beside the results."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.documents import BadDocument, json_in, text_of
from rankproof.telling.public_data import BadHistory

FILE = "history.json"


@dataclass(frozen=True, slots=True)
class PastChange:
    """One thing that a library does otherwise, with the answer that shows it most.

    Attributes:
        behind: the convention behind it, in words; empty where none is known.
        asked: the measure of the witness.
    """

    measure: str
    variants: str
    behind: str
    answers: int
    case: str
    asked: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class PastStep:
    """From one version to the next: what changed, and what else differs between the environments."""

    old: str
    new: str
    beside: str
    changes: tuple[PastChange, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What every version says in the place of one answer."""

    variant: str
    case: str
    asked: str
    by_version: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """The history of one library.

    Attributes:
        versions: those that were asked, the oldest first.
        steps: those in which an answer changed.
        answers: the witnesses of all steps, each with what every version says.
    """

    versions: tuple[str, ...]
    steps: tuple[PastStep, ...]
    answers: tuple[Answers, ...]


def past(beside: Path) -> Mapping[str, Past]:
    """The history of each library, where one is published.

    Raises:
        BadHistory: the file does not read.
    """
    path = beside / FILE
    if not path.is_file():
        return {}
    try:
        document = json_in(text_of(path))
        return {name: _past(said) for name, said in document["libraries"].items()}
    except (BadDocument, KeyError, TypeError, AttributeError) as error:
        raise BadHistory(f"{path} is no history: {error!r}; write it again with `rankproof run --env`") from error


def _past(said: Mapping[str, Any]) -> Past:
    return Past(
        tuple(map(str, said["versions"])), tuple(map(_step, said["steps"])), tuple(map(_answers, said["answers"]))
    )


def _step(said: Mapping[str, Any]) -> PastStep:
    return PastStep(
        str(said["from"]), str(said["to"]), str(said["beside"]).strip(), tuple(map(_change, said["changes"]))
    )


def _change(said: Mapping[str, Any]) -> PastChange:
    seen = said["witness"]
    sides = (str(said["before"]), str(said["after"]))
    return PastChange(str(said["measure"]), ", ".join(map(str, said["variants"])), str(said["behind"]), int(said["answers"]),
                  str(seen["case"]), str(seen["measure"]), *sides)  # fmt: skip


def _answers(said: Mapping[str, Any]) -> Answers:
    query = "" if said["query"] is None else f" {said['query']}"
    return Answers(
        str(said["variant"]), str(said["case"]), f"{said['measure']}{query}", tuple(map(str, said["by_version"]))
    )
