"""Published findings: what `probes.json` holds, and whether the probes and the adapters are still those that it speaks of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankproof import __version__
from rankproof.asking import store
from rankproof.asking.sheets import Library
from rankproof.asking.workers import WORKER
from rankproof.probing.catalogue import MEASURES, PROBES, Probe
from rankproof.probing.running import Probed
from rankproof.probing.small_inputs import INPUTS, Input
from rankproof.reference_impl.notation import parse

FILE = "probes.json"
COMMAND = "rankproof probe --random 0 --publish reports"
"""How the findings that are in `reports` were found."""
FINDS_NOTHING = {"__init__.py", "published.py"}
"""The files of this package that no finding depends on."""


def document(found: Iterable[Probed], libraries: Sequence[Library], asking: str) -> dict[str, Any]:
    """What `probes.json` holds.

    Args:
        found: what the probes found.
        libraries: who was asked.
        asking: what was asked, by `digest_of_asking`.
    """
    probed = {one.library: one for one in found}
    return {
        "rankproof": __version__,
        "probes": asking,
        "asked": {library.name: _described(library, probed[library.name]) for library in libraries},
        "findings": [finding.as_json() for one in probed.values() for finding in one.findings],
    }


def _described(library: Library, found: Probed) -> dict[str, Any]:
    return {
        "version": found.version, "dependencies": dict(found.dependencies), "why_not": found.why_not,
        "adapter": digest_of_adapter(library),
    }  # fmt: skip


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
    return store.digest([probe.name for probe in named], declared, list(inputs), code)


def digest_of_adapter(library: Library) -> str:
    """A short name for all of ours that a library's findings depend on: its adapter, the worker, and how exactly it is said to answer."""
    exactly = {
        variant: [library.sheet.precision_of(variant, parse(measure)) for measure in MEASURES]
        for variant in sorted(library.sheet.precisions)
    }
    texts = [path.read_text(encoding="utf-8") for path in (library.adapter, WORKER)]
    return store.digest(texts, library.sheet.precision, exactly)


def out_of_date(published: Mapping[str, Any], libraries: Iterable[Library]) -> Iterator[str]:
    """What changed since the findings were published, a sentence each."""
    if published.get("probes") != digest_of_asking():
        yield "the probes, or what they ask, changed"
    asked = published["asked"]
    for library in libraries:
        if library.name not in asked:
            yield f"{library.name} was not asked"
        elif asked[library.name]["version"] and asked[library.name]["adapter"] != digest_of_adapter(library):
            yield f"the adapter of {library.name}, or the worker, changed"
