"""What changed in each library from version to version, where a history is published beside the results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.documents import BadDocument, json_in, text_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import short

FILE = "history.json"


class BadHistory(Unusable):
    """A file of histories that does not read."""


@dataclass(frozen=True, slots=True)
class Change:
    """Answers that changed for one cause, with the one that shows it most."""

    kind: str
    variant: str
    measure: str
    before: str
    after: str
    answers: int
    case: str
    asked: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Step:
    """From one version to the next: what changed, and what else differs between the environments."""

    old: str
    new: str
    also: tuple[str, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """The history of one library.

    Attributes:
        versions: those that were asked, as (version, Python).
        steps: all of them, also those in which nothing changed.
    """

    versions: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]

    @property
    def changed(self) -> tuple[Step, ...]:
        """The steps in which an answer changed."""
        return tuple(step for step in self.steps if step.changes)


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
        environments = document["environments"]
        return {name: _past(name, steps, environments) for name, steps in document["libraries"].items()}
    except (BadDocument, KeyError, TypeError, AttributeError) as error:
        raise BadHistory(f"{path} is no history: {error!r}; write it again with `rankproof run --env`") from error


def _past(library: str, steps: Sequence[Mapping[str, Any]], environments: Sequence[Mapping[str, Any]]) -> Past:
    own = [one for one in environments if one["library"] == library and one["verdicts"]]
    return Past(tuple((str(one["version"]), str(one["python"])) for one in own), tuple(_step(step) for step in steps))


def _step(said: Mapping[str, Any]) -> Step:
    also = tuple(f"{one['package']} {one['before']} → {one['after']}" for one in said["also_differs"])
    return Step(str(said["from"]), str(said["to"]), also, tuple(_changes(said["changes"])))


def _changes(groups: Sequence[Mapping[str, Any]]) -> Iterator[Change]:
    for group in groups:
        seen = group["witness"]
        measure = str(group["measure"]) or str(seen["measure"])
        yield Change(
            str(group["kind"]),
            str(group["variant"]),
            measure,
            str(group["before"]),
            str(group["after"]),
            int(group["answers"]),
            str(seen["case"]),
            str(seen["measure"]),
            _side(seen["old"]),
            _side(seen["new"]),
        )


def _side(said: Mapping[str, Any] | None) -> str:
    if said is None:
        return "nothing"
    return "error" if said["error"] else short(said["value"])
