"""What the probes found, where it is published beside the results."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.text import short

PROBES = "probes.json"


class BadProbes(ValueError):
    """A file of probes that does not read."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found, in one sentence: the measures of which it is so, and the smallest input that shows it."""

    kind: str
    says: str
    measures: tuple[str, ...]
    asked: tuple[str, ...]
    answers: tuple[str, ...]
    input: str


def probes(beside: Path) -> Mapping[tuple[str, str], list[Probed]]:
    """What the probes found of each variant, where it is published.

    Raises:
        BadProbes: the file does not read.
    """
    path = beside / PROBES
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["findings"]
        groups: dict[tuple[str, str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
        for one in found:
            groups[one["library"], one["variant"], one["kind"], one["says"]].append(one)
        told = defaultdict(list)
        for (library, variant, kind, says), group in groups.items():
            told[library, variant].append(_probed(kind, says, group))
    except (ValueError, KeyError, TypeError) as error:
        raise BadProbes(f"{path}:1: {error!r}; write it again with rankproof probe --publish") from error
    return told


def _probed(kind: str, says: str, group: Sequence[Mapping[str, Any]]) -> Probed:
    first = min(group, key=lambda one: len(json.dumps(one["input"])))
    answers = tuple(short(answer) for answer in first["answers"])
    measures = tuple(dict.fromkeys(one["measure"] for one in group))
    return Probed(kind, says, measures, tuple(first["asked"]), answers, json.dumps(first["input"]))
