"""Findings: what a probe says of a library, with the input that shows it."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.cases.json_numbers import number_as_json
from rankproof.judge.probe_inputs import tied
from rankproof.workers.observations import Reading
from rankproof.workers.subjects import Subject

ABOUT_TIES = frozenset({"constant", "tied-docs"})
"""The probes that ask of ties."""


class FindingKind(StrEnum):
    """What a finding says."""

    UNSTABLE = "unstable"
    """Asked twice, it said two things."""
    DEPENDS = "depends"
    """The answer depends on what should not matter, or matters by a rule of the library's own."""
    BREAKS = "breaks"
    """It breaks a law of the measure."""
    TELLS = "tells"
    """No law says what should happen: this is what does."""


@dataclass(frozen=True, slots=True)
class ProbeDifference:
    """Two answers that do not go together.

    Attributes:
        asked: what each of the two was the answer to, in words.
        answers: as `kind: text` where the library failed, else a number or `absent`.
        given: what the first is the answer to; None for the input of the probe as it was.
        changed: what the second is the answer to; None for the same input.
        query: whose value it is; None for the mean.
    """

    kind: FindingKind
    says: str
    asked: tuple[str, str]
    answers: tuple[Reading, Reading]
    given: Input | None = None
    changed: Input | None = None
    query: str | None = None

    def is_as(self, other: "ProbeDifference") -> bool:
        """Whether it is the same finding on another input: numbers may be others, what was found may not."""
        return (self.kind, self.says, *map(_sort, self.answers)) == (other.kind, other.says, *map(_sort, other.answers))


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """What a probe found: who, on which measure, what it says, and the smallest input that shows it."""

    probe: str
    subject: Subject
    measure: str
    kind: FindingKind
    says: str
    input: Input
    changed: Input | None
    asked: tuple[str, str]
    answers: tuple[Reading, Reading]
    query: str | None = None

    @property
    def under_ties(self) -> bool:
        """Whether tied docs are needed to show it."""
        return tied(self.input) or (self.changed is not None and tied(self.changed))

    @property
    def is_of_ties(self) -> bool:
        """Whether it depends on something where docs are tied, and not as the probe is about ties."""
        return self.kind is FindingKind.DEPENDS and self.probe not in ABOUT_TIES and tied(self.input)

    def as_json(self, subject: str) -> dict[str, Any]:
        """The finding in JSON's terms, under what its subject is called there."""
        return {
            "probe": self.probe,
            "subject": subject,
            "measure": self.measure,
            "kind": str(self.kind),
            "says": self.says,
            "input": self.input.as_json(),
            "changed": None if self.changed is None else self.changed.as_json(),
            "asked": list(self.asked),
            "answers": [number_as_json(answer) for answer in self.answers],
            "query": self.query,
            "under_ties": self.under_ties,
        }


def _sort(reading: Reading) -> str:
    if isinstance(reading, str):
        return reading.partition(":")[0]
    return "nan" if math.isnan(reading) else "number"
