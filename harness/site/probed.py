"""What the probes found, where it is published beside the results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankproof.grouping import grouped
from rankproof.judge.probe_findings import FILE, ProbeFinding, read
from rankproof.text import short_pair
from rankproof.workers.subjects import Variant, variants_of


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found, in one sentence: the measures of which it is so, and the smallest input that shows it."""

    kind: str
    says: str
    measures: tuple[str, ...]
    asked: tuple[str, ...]
    answers: tuple[str, ...]
    input: str


def probes(beside: Path) -> Mapping[Variant, list[Probed]]:
    """What the probes found of each variant, where it is published.

    Raises:
        BadProbes: the file does not read.
    """
    path = beside / FILE
    if not path.is_file():
        return {}
    found = read(path).by_subject
    variants = variants_of(found)
    groups = grouped(
        ((variants[subject], str(one.kind), one.says), one) for subject, own in found.items() for one in own
    )
    return grouped((variant, _probed(kind, says, group)) for (variant, kind, says), group in groups.items())


def _probed(kind: str, says: str, group: Sequence[ProbeFinding]) -> Probed:
    first = min(group, key=lambda one: len(json.dumps(one.input.as_json())))
    measures = tuple(dict.fromkeys(one.measure for one in group))
    return Probed(kind, says, measures, first.asked, short_pair(*first.answers), json.dumps(first.input.as_json()))
