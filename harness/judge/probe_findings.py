"""Findings of probes about libraries, each with the input that shows it, and their published file."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from rankproof.bounded import BadDocument, text_of
from rankproof.cases.inputs import Input
from rankproof.codec import convert
from rankproof.documents import json_in
from rankproof.files import with_lines
from rankproof.grouping import grouped
from rankproof.judge.probe_inputs import tied
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION
from rankproof.workers.observations import Reading
from rankproof.workers.subjects import Installation, Subject

FILE = "probes.json"
ABOUT_TIES = frozenset({"constant", "tied-docs"})
"""The probes that test ties on purpose."""


class BadProbes(Unusable):
    """Error for a file of findings that cannot be read."""


class FindingKind(StrEnum):
    """The kinds of findings."""

    TELLS = "tells"
    """A value that no law predicts."""
    DEPENDS = "depends"
    """A value that depends on something that should not matter."""
    BREAKS = "breaks"
    """A value that breaks a law of the measure."""


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """Two values that contradict a law, with the smallest input that shows it.

    Attributes:
        probe: the name of the probe.
        library: the name of the library.
        variant: its variant.
        measure: the measure.
        kind: the kind of the finding.
        says: the finding in words.
        input: the input of the first value.
        changed: the input of the second value; None if it is the same.
        asked: descriptions of the two inputs.
        answers: the two values: numbers, `nan`, `absent`, or `kind: text` of a failure.
        query: the query of the values, or None for the mean.
    """

    probe: str
    library: str
    variant: str
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
        """Whether one of the inputs has tied documents."""
        return tied(self.input) or (self.changed is not None and tied(self.changed))

    @property
    def is_of_ties(self) -> bool:
        """Whether tied documents cause the finding of a probe that does not test ties."""
        return self.kind is FindingKind.DEPENDS and self.probe not in ABOUT_TIES and tied(self.input)

    def is_like(self, other: "ProbeFinding") -> bool:
        """Return whether two findings have the same statement and the same kinds of values; the numbers may differ."""
        kinds = [[_kind(answer) for answer in finding.answers] for finding in (self, other)]
        return (self.kind, self.says, kinds[0]) == (other.kind, other.says, kinds[1])


def _kind(reading: Reading) -> str:
    return reading.partition(":")[0] if isinstance(reading, str) else "nan" if math.isnan(reading) else "number"


@dataclass(frozen=True, slots=True)
class ProbedLibrary:
    """A library, with a digest of its adapter and sheet, which can change its findings."""

    installation: Installation
    adapter: str = ""

    @property
    def failed(self) -> bool:
        """Whether the library is installed, but its worker failed."""
        return not self.installation.version and not self.installation.not_installed


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """The result of probing libraries; `questions` is a digest of the probes, measures and inputs."""

    questions: str
    libraries: tuple[ProbedLibrary, ...]
    findings: tuple[ProbeFinding, ...]
    rankproof: str = VERSION

    @property
    def by_subject(self) -> Mapping[Subject, list[ProbeFinding]]:
        """The findings of each variant."""
        libraries = {library.installation.library: library.installation for library in self.libraries}
        return grouped((libraries[finding.library].subject(finding.variant), finding) for finding in self.findings)

    def as_text(self) -> str:
        """Return the text of the file `probes.json`, with one line per finding."""
        libraries = [{"installation": own.installation.as_json(), "adapter": own.adapter} for own in self.libraries]
        findings = [asdict(finding) for finding in self.findings]
        head = {"rankproof": self.rankproof, "questions": self.questions, "libraries": libraries}
        return with_lines({**head, "findings": findings}, "findings")


def read(path: Path) -> ProbeReport:
    """Read a file of findings.

    Raises:
        BadProbes: the file cannot be read.
    """
    try:
        report = convert(json_in(text_of(path)), ProbeReport)
    except (BadDocument, ValueError) as error:
        line = error.line if isinstance(error, BadDocument) else 1
        raise BadProbes(f"{path}:{line}: {error}; write it again with `rankproof run --probe --publish`") from error
    names = {library.installation.library for library in report.libraries}
    if unknown := {finding.library for finding in report.findings} - names:
        raise BadProbes(f"{path}:1: {min(unknown)} has findings but is not in the list of libraries")
    return report
