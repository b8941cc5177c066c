"""Published findings: what `probes.json` holds, and the digests of what it depends on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.cases.json_numbers import number_of_json
from rankproof.documents import BadDocument, SchemaPart, entry_lines, json_in, on_line
from rankproof.documents import text_of as text_in
from rankproof.files import with_lines
from rankproof.judge.catalogue import MEASURES, PROBES, Probe
from rankproof.judge.probe_findings import FindingKind, ProbeFinding
from rankproof.judge.probe_inputs import INPUTS
from rankproof.judge.running import ProbedLibrary
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION
from rankproof.workers import store
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import adapter_files
from rankproof.workers.observations import Reading
from rankproof.workers.subjects import Installation, Subject, installation, keys_of

FILE = "probes.json"
SCHEMA = Path(__file__).resolve().parent / "schemas" / "probes.schema.json"
FORM, EACH = SchemaPart(SCHEMA), SchemaPart(SCHEMA, "finding")
MEND = "write it again with `rankproof run --probe --publish`"
LAWS_VERSION = 1
"""Raise this when a law finds something else in the same answers; published findings are then made again."""


class BadProbes(Unusable):
    """A file of findings that does not read."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a file of findings holds.

    Attributes:
        asking: what was asked, by `digest_of_asking`.
        asked: every library in every environment, as it described itself.
        adapters: by library, what of ours its findings depend on, by `digest_of_adapter`.
    """

    asking: str
    asked: tuple[Installation, ...]
    adapters: Mapping[str, str]
    findings: tuple[ProbeFinding, ...]


def document(found: Iterable[ProbedLibrary], libraries: Sequence[Library], asking: str) -> dict[str, Any]:
    """What `probes.json` holds.

    Args:
        found: what the probes found.
        libraries: who was asked.
        asking: what was asked, by `digest_of_asking`.
    """
    probed = list(found)
    adapters = {library.name: digest_of_adapter(library) for library in libraries}
    names = keys_of(one.installation for one in probed)
    return {
        "kind": "probes",
        "rankproof": VERSION,
        "probes": asking,
        "asked": [{**one.installation.as_json(), "adapter": adapters[one.installation.library]} for one in probed],
        "findings": [finding.as_json(names[finding.subject]) for one in probed for finding in one.findings],
    }


def text_of(document: Mapping[str, Any]) -> str:
    """The document as it is written: a line for each finding."""
    return with_lines(document, "findings")


def read(path: Path) -> Published:
    """Read a file of findings.

    Raises:
        BadProbes: it does not read.
    """
    try:
        said = json_in(text := text_in(path))
        FORM.check(
            {**said, "findings": []} if isinstance(said, dict) and isinstance(said.get("findings"), list) else said
        )
        asked = tuple(installation(one["library"], one) for one in said["asked"])
        adapters = {one["library"]: one["adapter"] for one in said["asked"]}
        subjects = {key: subject for subject, key in keys_of(asked).items()}
        findings = []
        for line, one in zip(entry_lines(text, len(said["findings"])), said["findings"], strict=True):
            with on_line(line):
                EACH.check(one)
                findings.append(_finding(one, subjects))
        return Published(said["probes"], asked, adapters, tuple(findings))
    except BadDocument as error:
        raise BadProbes(f"{path}:{error.line}: {error}; {MEND}") from error


def _finding(said: Mapping[str, Any], subjects: Mapping[str, Subject]) -> ProbeFinding:
    if said["subject"] not in subjects:
        raise BadDocument(f"{said['subject']} is none of those that were asked")
    first, second = (_answer(one) for one in said["answers"])
    changed = None if said["changed"] is None else Input.of_json(said["changed"])
    return ProbeFinding(
        said["probe"],
        subjects[said["subject"]],
        said["measure"],
        FindingKind(said["kind"]),
        said["says"],
        Input.of_json(said["input"]),
        changed,
        (said["asked"][0], said["asked"][1]),
        (first, second),
        said["query"],
    )


def _answer(said: float | str) -> Reading:
    answer = number_of_json(said)
    return said if answer is None else answer


def digest_of_asking(
    probes: Iterable[Probe] = PROBES, measures: Iterable[str] = MEASURES, inputs: Iterable[Input] = INPUTS
) -> str:
    """Return a short name for the questions, for what the measures declare that laws depend on, and for the version of the laws."""
    named, wanted = list(probes), [parse(measure) for measure in measures]
    declared = [
        [str(one), one.definition.truth, [probe.name for probe in named if probe.matters(one)]] for one in wanted
    ]
    return store.digest([probe.name for probe in named], declared, [data.as_json() for data in inputs], LAWS_VERSION)


def digest_of_adapter(library: Library) -> str:
    """A short name for all of ours that a library's findings depend on: its adapter, the worker, and how exactly it is said to answer."""
    exactly = {
        variant: [library.sheet.precision_of(variant, parse(measure)) for measure in MEASURES]
        for variant in sorted(library.sheet.precisions)
    }
    adapter = "" if library.fault else store.digest_of_files(adapter_files(library))
    return store.digest(adapter, list(library.sheet.command), library.sheet.precision, exactly)
