"""Published findings: what `probes.json` holds, and whether the probes and the adapters are still those that it speaks of."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.asking import store
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import Reading
from rankproof.asking.subjects import Installation, Subject, installation, keys_of
from rankproof.asking.workers import adapter_files
from rankproof.cases.inputs import Input
from rankproof.cases.json_numbers import number_of_json
from rankproof.files import with_lines
from rankproof.probing.catalogue import MEASURES, PROBES, Probe
from rankproof.probing.probe_findings import Finding, Kind
from rankproof.probing.running import Probed
from rankproof.probing.small_inputs import INPUTS
from rankproof.reference_impl.notation import parse
from rankproof.version import VERSION

FILE = "probes.json"
COMMAND = "rankproof probe --random 0 --publish reports"
"""How the findings that are in `reports` were found."""
SCHEMA = Path(__file__).resolve().parent / "schemas" / "probes.schema.json"
MEND = "write it again with `rankproof probe --publish`"
FINDS_NOTHING = {"__init__.py", "published.py"}
"""The files of this package that no finding depends on."""


class BadProbes(ValueError):
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
    findings: tuple[Finding, ...]


def document(found: Iterable[Probed], libraries: Sequence[Library], asking: str) -> dict[str, Any]:
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
    place = "the header"
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        asked = tuple(installation(str(one["library"]), one) for one in said["asked"])
        adapters = {str(one["library"]): str(one["adapter"]) for one in said["asked"]}
        subjects = {key: subject for subject, key in keys_of(asked).items()}
        findings = []
        for number, one in enumerate(said["findings"], start=1):
            place = f"finding {number}"
            findings.append(_finding(one, subjects))
        return Published(str(said["probes"]), asked, adapters, tuple(findings))
    except json.JSONDecodeError as error:
        raise BadProbes(f"{path}:{error.lineno}: this is no JSON: {error.msg}; {MEND}") from error
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise BadProbes(f"{path}:1: {place}: {type(error).__name__}: {error}; {MEND}") from error


def _finding(said: Mapping[str, Any], subjects: Mapping[str, Subject]) -> Finding:
    first, second = (_answer(one) for one in said["answers"])
    asked = (str(said["asked"][0]), str(said["asked"][1]))
    changed = None if said["changed"] is None else Input.of_json(said["changed"])
    return Finding(
        str(said["probe"]), subjects[said["subject"]], str(said["measure"]), Kind(said["kind"]), str(said["says"]),
        Input.of_json(said["input"]), changed, asked, (first, second), said["query"],
    )  # fmt: skip


def _answer(said: float | str) -> Reading:
    answer = number_of_json(said)
    if answer is None:
        raise ValueError("an answer is null")
    return answer


def digest_of_asking(
    probes: Iterable[Probe] = PROBES, measures: Iterable[str] = MEASURES, inputs: Iterable[Input] = INPUTS
) -> str:
    """A short name for what is asked, what the measures declare that laws go by, and the code by which it becomes a finding."""
    here = Path(__file__).resolve().parent
    code = store.digest_of_files(path for path in here.glob("*.py") if path.name not in FINDS_NOTHING)
    named, wanted = list(probes), [parse(measure) for measure in measures]
    declared = [
        [str(one), one.definition.truth, [probe.name for probe in named if probe.matters(one)]] for one in wanted
    ]
    return store.digest([probe.name for probe in named], declared, [data.as_json() for data in inputs], code)


def digest_of_adapter(library: Library) -> str:
    """A short name for all of ours that a library's findings depend on: its adapter, the worker, and how exactly it is said to answer."""
    exactly = {
        variant: [library.sheet.precision_of(variant, parse(measure)) for measure in MEASURES]
        for variant in sorted(library.sheet.precisions)
    }
    adapter = "" if library.fault else store.digest_of_files(adapter_files(library))
    return store.digest(adapter, list(library.sheet.command), library.sheet.precision, exactly)


def out_of_date(published: Published, libraries: Iterable[Library]) -> Iterator[str]:
    """What changed since the findings were published, a sentence each."""
    if published.asking != digest_of_asking():
        yield "the probes, or what they ask, changed"
    versions = {one.library: one.version for one in published.asked}
    for library in libraries:
        if library.name not in versions:
            yield f"{library.name} was not asked"
        elif versions[library.name] and published.adapters[library.name] != digest_of_adapter(library):
            yield f"the adapter of {library.name}, or the worker, changed"
